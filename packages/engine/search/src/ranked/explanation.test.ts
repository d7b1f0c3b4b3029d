import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { SearchExplanation } from '../request/answer-parts.js';
import { openScratchIndex, type ScratchIndex } from '../scratch-index.test-support.js';

/** Sixty documents with both words, others with one of them, with a typo, or with both in one. */
const DOCUMENTS = Array.from({ length: 100 }, (_, id) => ({
  id,
  title: id < 60 ? 'star wars' : ['star', 'wars of a start', 'galxy', 'starwars', 'galaxy'][id % 5],
  genre: id % 2 === 0 ? 'even' : 'odd',
  year: 1900 + id,
  _vectors: { e: [Math.cos(id), Math.sin(id)] },
}));

describe('explain', () => {
  let index: ScratchIndex;
  beforeAll(async () => {
    index = await openScratchIndex(DOCUMENTS, {
      filterableAttributes: ['genre'],
      sortableAttributes: ['year'],
      synonyms: { galaxy: ['star wars'] },
      embedders: { e: { source: 'userProvided', dimensions: 2 } },
      pagination: { maxTotalHits: 50 },
    });
  });
  afterAll(() => index.close());

  const plan = (request: Parameters<ScratchIndex['search']>[0]): SearchExplanation =>
    index.search({ explain: true, ...request }).plan!;
  const termsOf = ({ queries }: SearchExplanation): unknown[] =>
    queries.flatMap(({ terms }) => terms.map(({ text, documents }) => [text, documents]));

  test('an answer without it has no plan', () => {
    expect(index.search({ q: 'star' })).not.toHaveProperty('plan');
    expect(index.searchText({ q: 'star' })).not.toContain('"plan"');
    expect(index.searchText({ q: 'star', explain: true })).toContain('"plan":{"kind":"keyword"');
  });

  test.each([
    { q: 'star wars' },
    { q: 'star wars', rankingScoreThreshold: 0.5, showRankingScore: true },
    { q: 'stra', sort: ['year:desc'] },
    { q: '(star OR galaxy) -start', queryMode: 'boolean' },
    { q: 'galaxy', group: { by: 'genre', limit: 2 } },
    { q: 'star', hybrid: { embedder: 'e', semanticRatio: 0.5 }, vector: [1, 0] },
    { q: null, hybrid: { embedder: 'e', semanticRatio: 1 }, vector: [1, 0], rankingScoreThreshold: 0.9 },
    { q: '', page: 2, hitsPerPage: 7, distinct: 'genre' },
  ] as const)('changes neither hits nor counts: %j', (request) => {
    const { plan: shown, processingTimeMs: _, ...explained } = index.search({ ...request, explain: true });
    const { processingTimeMs: __, ...other } = index.search(request);
    expect(explained).toEqual(other);
    expect(shown!.queries.length).toBeGreaterThan(0);
  });

  test('tells which documents were not looked for, because there are enough without typos', () => {
    const enough = plan({ q: 'star wars' });
    expect(enough).toMatchObject({ kind: 'keyword', needs: { ranked: 20, found: 50 }, filtered: 100 });
    expect(enough.queries).toMatchObject([{ foundAll: false, found: 68, ranked: 60, settledRules: ['words', 'typo'] }]);
    expect(termsOf(enough)).toEqual([
      ['star', { exact: 68 }],
      ['wars', { exact: 60 }],
    ]);
    const all = plan({ q: 'star wars', facets: ['genre'] });
    expect(all.needs.found).toBeNull();
    expect(all.queries).toMatchObject([{ foundAll: true, settledRules: ['words', 'typo'] }]);
    expect(termsOf(all)).toContainEqual(['starwars', { exact: 8 }]);
    const words = termsOf(plan({ q: 'galaxy', facets: ['genre'] }));
    expect(words).toEqual([['galaxy', { exact: 8, synonym: 60, oneTypo: 8 }]]);
  });

  test('tells what each rule divided, in their order', () => {
    const { queries } = plan({ q: 'start wrs', sort: ['year:desc'], showRankingScoreDetails: true });
    const [{ rules, found, foundAll }] = queries as [(typeof queries)[number]];
    expect(foundAll).toBe(true);
    expect(rules.map(({ rule }) => rule)).toEqual([
      'words',
      'typo',
      'proximity',
      'attributeRank',
      'year:desc',
      'wordPosition',
      'exactAttribute',
      'exactWords',
    ]);
    expect(rules[0]).toMatchObject({ starts: 1, divided: found });
    for (const { starts, buckets, divided } of rules) {
      if (starts === 0) expect(buckets + divided).toBe(0);
      expect(divided).toBeLessThanOrEqual(found * Math.max(1, starts));
    }
  });

  test('counts only documents that satisfy the filter', () => {
    const whole = plan({ q: 'wars', facets: ['genre'] });
    const half = plan({ q: 'wars', facets: ['genre'], filter: 'genre = even' });
    expect([whole.filtered, half.filtered]).toEqual([100, 50]);
    const exact = DOCUMENTS.filter(({ title, genre }) => /\bwars\b/.test(title!) && genre === 'even').length;
    expect(termsOf(half)[0]).toMatchObject(['wars', { exact }]);
    expect(termsOf(plan({ q: 'wars', filter: 'genre = none' }))).toEqual([['wars', { exact: 0 }]]);
  });

  test('names the kind of the search', () => {
    const vector = [1, 0];
    expect(plan({ q: ' ' })).toMatchObject({ kind: 'placeholder', queries: [{ terms: [], found: 100 }] });
    const hybrid = plan({ q: 'star', vector, hybrid: { embedder: 'e', semanticRatio: 0.5 } });
    expect(hybrid).toMatchObject({ kind: 'hybrid', queries: [{ byVector: false }, { byVector: true }] });
    const semantic = plan({ vector, hybrid: { embedder: 'e', semanticRatio: 1 } });
    expect(semantic).toMatchObject({ kind: 'semantic', queries: [{ byVector: true, rules: [{ rule: 'vector' }] }] });
    const either = plan({ q: 'star OR galaxy', queryMode: 'boolean' });
    expect(either.queries.map(({ matchingStrategy }) => matchingStrategy)).toEqual(['all', 'all']);
  });
});
