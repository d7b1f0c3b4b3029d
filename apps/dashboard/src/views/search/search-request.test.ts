import { describe, expect, it } from 'vitest';
import { ApiFault } from '../../api/client.js';
import type { SearchAnswer } from '../../api/types.js';
import { NO_OPTIONS } from '../../parts/search-options.js';
import { countOfHits, faultOfSearch, filterOf, mergeAnswers, queriesOf, textEmbedders } from './search-request.js';
import { changeSearch, EMPTY_SEARCH, filterCount, type SearchAction, type SearchState } from './search-state.js';

const after = (...actions: SearchAction[]): SearchState => actions.reduce(changeSearch, EMPTY_SEARCH);
const filtered = after(
  { kind: 'pick', attribute: 'genres', values: ['Drama', 'a "quoted" \\ one'] },
  { kind: 'range', attribute: 'year', range: [1990, 2000] },
);

describe('a search', () => {
  it('begins on the first page again when anything else changes', () => {
    expect(after({ kind: 'page', page: 3 }).page).toBe(3);
    for (const action of [
      { kind: 'query', q: 'x' },
      { kind: 'sort', sort: 'year:asc' },
      { kind: 'clear' },
      { kind: 'hybrid', embedder: 'default', semanticRatio: 0.3 },
      { kind: 'pick', attribute: 'a', values: ['b'] },
    ] as const)
      expect(after({ kind: 'page', page: 3 }, action).page).toBe(1);
  });

  it('filters by any of the values and all of the attributes, whatever is in their names', () => {
    expect(filterOf(filtered)).toEqual([
      ['"genres" = "Drama"', '"genres" = "a \\"quoted\\" \\\\ one"'],
      '"year" 1990 TO 2000',
    ]);
    expect(filterCount(filtered)).toBe(2);
    expect(filterCount(changeSearch(filtered, { kind: 'pick', attribute: 'genres', values: [] }))).toBe(1);
    expect(filterCount(changeSearch(filtered, { kind: 'clear' }))).toBe(0);
  });

  it('asks with the options that differ from the settings', () => {
    const options = {
      ...NO_OPTIONS,
      typos: 'words',
      filter: 'variants[size = 42]',
      rules: 'words, score(min(a, max(b, c))) in 8 buckets, year:desc',
      weights: 'title:10, a:b:2',
      words: 12,
      isBoolean: true,
    } as const;
    const [hits] = queriesOf('films', after({ kind: 'options', options }), []);
    expect(hits).toMatchObject({
      typoTolerance: { disableOnNumbers: true },
      filter: ['variants[size = 42]'],
      rankingRules: ['words', { score: 'min(a, max(b, c))', buckets: 8 }, 'year:desc'],
      attributeWeights: { title: 10, 'a:b': 2 },
      maxQueryWords: 12,
      queryMode: 'boolean',
    });
    const [plain] = queriesOf('films', EMPTY_SEARCH, []);
    for (const name of ['typoTolerance', 'rankingRules', 'attributeWeights', 'maxQueryWords', 'queryMode'])
      expect(plain).not.toHaveProperty(name);
  });

  it('asks for the counts of a filtered attribute without its own condition', () => {
    const [hits, genres, year] = queriesOf('films', filtered, ['*']);
    expect(hits).toMatchObject({ indexUid: 'films', facets: ['*'], filter: filterOf(filtered) });
    expect(genres).toMatchObject({ facets: ['genres'], filter: ['"year" 1990 TO 2000'], hitsPerPage: 0 });
    expect(year!['facets']).toEqual(['year']);
    const empty = { hits: [], processingTimeMs: 1 };
    const answers: SearchAnswer[] = [
      { ...empty, facetDistribution: { genres: { Drama: 2 }, cast: { Ann: 1 } }, facetStats: {} },
      { ...empty, facetDistribution: { genres: { Drama: 2, Comedy: 5 } } },
      { ...empty, facetStats: { year: { min: 1900, max: 2020 } } },
    ];
    const merged = mergeAnswers(filtered, answers);
    expect(merged.facetDistribution).toEqual({ genres: { Drama: 2, Comedy: 5 }, cast: { Ann: 1 } });
    expect(merged.facetStats).toEqual({ year: { min: 1900, max: 2020 } });
  });

  it('asks for the steps below the chosen path, and for hits below it', () => {
    const chosen = after({ kind: 'under', attribute: 'category', path: 'Books > "Novels"' });
    const [hits] = queriesOf('films', chosen, [], ['category', 'place']);
    expect(hits).toMatchObject({
      filter: ['"category" UNDER "Books > \\"Novels\\""'],
      facetLevels: { category: { under: 'Books > "Novels"' }, place: { under: null } },
    });
    expect(filterCount(chosen)).toBe(1);
    expect(filterOf(changeSearch(chosen, { kind: 'under', attribute: 'category', path: null }))).toEqual([]);
  });

  it('is by words alone until meaning counts', () => {
    expect(queriesOf('films', EMPTY_SEARCH, [])[0]).not.toHaveProperty('hybrid');
    const hybrid = after({ kind: 'hybrid', embedder: 'small', semanticRatio: 0.4 });
    expect(queriesOf('films', hybrid, [])[0]!['hybrid']).toEqual({ embedder: 'small', semanticRatio: 0.4 });
  });

  it('asks for the most frequent values, whatever order the index has', () => {
    const [hits, genres] = queriesOf('films', filtered, ['*']);
    expect(hits).toMatchObject({ facets: ['*'], facetOrder: 'count' });
    expect(genres).toMatchObject({ facets: ['genres'], facetOrder: 'count' });
    // a search without facets needs no order of them
    expect(queriesOf('films', EMPTY_SEARCH, [])[0]).not.toHaveProperty('facetOrder');
  });

  it('tells a count that may be cut off from a whole one', () => {
    const counted = (totalHits: number, max: number, groups?: []) =>
      countOfHits({ hits: [], processingTimeMs: 1, totalHits, ...(groups && { groups }) }, max);
    expect([counted(0, 1000), counted(1, 1000), counted(999, 1000), counted(1000, 1000), counted(50, 50)]).toEqual([
      ...['0 hits', '1 hit', '999 hits', '1,000+ hits', '50+ hits'],
    ]);
    expect([counted(1, 1), counted(0, 0), counted(1000, 5000), counted(7, 7, [])]).toEqual([
      ...['1+ hits', '0 hits', '1,000 hits', '7 groups'],
    ]);
  });

  it('offers meaning where the server makes the vector of the query', () => {
    const embedders = {
      own: { source: 'userProvided', dimensions: 3 },
      far: { source: 'rest', url: 'x' },
      mixed: {
        source: 'composite',
        searchEmbedder: { source: 'userProvided' },
        indexingEmbedder: { source: 'ollama' },
      },
      both: { source: 'composite', searchEmbedder: { source: 'ollama' }, indexingEmbedder: { source: 'userProvided' } },
    };
    expect(textEmbedders(embedders)).toEqual(['far', 'both']);
    expect([textEmbedders(undefined), textEmbedders(null)]).toEqual([[], []]);
  });
});

it('a fault does not name the place of a search that users have not put there', () => {
  const faultOf = (message: string) => faultOfSearch(new ApiFault(404, 'index_not_found', message, 'link'));
  expect(faultOf('Inside `.queries[0]`: there is no index `a`.')).toMatchObject({
    ...{ status: 404, code: 'index_not_found', link: 'link' },
    message: 'there is no index `a`.',
  });
  expect(faultOf('Inside `b`: no.')).toMatchObject({ message: 'Inside `b`: no.' });
  const lost = new TypeError('lost');
  expect(faultOfSearch(lost)).toBe(lost);
});
