/** Each option of docs/reference/search-options.md and filters-facets-groups.md does the same in hybrid and in federated searches as in plain ones. */
import type { SearchRequest } from '@fossick/settings/parameters';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { DEFAULT_REQUEST, openScratchIndex, type ScratchIndex } from '../scratch-index.test-support.js';

const NOW = Date.UTC(2026, 0, 1);
const KINDS = ['a', 'b', 'c'];
/** Every document has a vector, so that a search by meaning alone finds all of them. */
const DOCUMENTS = Array.from({ length: 40 }, (_, id) => ({
  id,
  title: ['star wars', 'star', 'wars of a star', 'stars and wras', 'red'][id % 5],
  code: `X${id}kettle${id % 3}`,
  notes: id % 4 === 0 ? 'star' : 'moon',
  kind: KINDS[(id * 7) % 3],
  price: (id * 13) % 29,
  path: `${KINDS[id % 3]} > ${id % 4}`,
  parts: [
    { form: KINDS[id % 3], size: id % 2 },
    { form: KINDS[(id + 1) % 3], size: id % 5 },
  ],
  until: id % 6 === 5 ? NOW / 1_000 - 1 : null,
  _vectors: { e: [Math.cos(id), Math.sin(id)] },
}));

type Option = Partial<SearchRequest>;
/** Each changes what is found or its order. */
const ORDERS: readonly (readonly [string, Option])[] = [
  ['scores', { rankingRules: ['words', { score: 'price * 2', buckets: null }] }],
  ['scores in buckets', { rankingRules: [{ score: 'price', buckets: 4 }, 'words', 'id:desc'] }],
  ['typos of one search', { q: 'wras', typoTolerance: { minWordSizeForTypos: { oneTypo: 3, twoTypos: 9 } } }],
  ['weights', { q: 'star', attributeWeights: { notes: 5 } }],
  ['words that count', { q: 'moon star wars', matchingStrategy: 'all', maxQueryWords: 1 }],
  ['operators', { q: '(wars OR moon) -red', queryMode: 'boolean' }],
  ['parts of words', { q: 'kettle1' }],
];
const FILTERS: readonly (readonly [string, string, (each: (typeof DOCUMENTS)[number]) => boolean])[] = [
  [
    'elements',
    'parts[form = a AND size = 1]',
    ({ parts }) => parts.some(({ form, size }) => form === 'a' && size === 1),
  ],
  ['paths', 'path UNDER b', ({ path }) => path.startsWith('b >')],
];
const COMPUTED: readonly (readonly [string, Option])[] = [
  ['groups', { group: { by: 'kind', limit: 2 } }],
  ['sums', { aggregations: { price: { stats: null, histogram: { interval: 5, start: 0 }, by: 'kind' } } }],
  ['levels', { facetLevels: { path: { under: null } } }],
  ['exact counts', { distinct: 'kind', exactDistinctCounts: true, facets: ['path'] }],
];

describe('options that the reference does not have', () => {
  let index: ScratchIndex;
  beforeAll(async () => {
    vi.useFakeTimers({ now: NOW, toFake: ['Date'] });
    index = await openScratchIndex(DOCUMENTS, {
      searchableAttributes: ['title', 'notes', 'code'],
      filterableAttributes: ['kind', 'price', 'path', 'parts'],
      sortableAttributes: ['price', 'id'],
      substringAttributes: ['code'],
      elementAttributes: ['parts'],
      hierarchicalFacets: [{ attribute: 'path', separator: ' > ' }],
      expiryAttribute: 'until',
      embedders: { e: { source: 'userProvided', dimensions: 2 } },
    });
  });
  afterAll(async () => {
    await index.close();
    vi.useRealTimers();
  });

  const live = DOCUMENTS.filter(({ until }) => until === null);
  const hybrid = (semanticRatio: number): Option => ({ vector: [1, 0], hybrid: { embedder: 'e', semanticRatio } });
  const plain = (option: Option): Option => ({ q: 'star wras', limit: 100, ...option });
  const federated = (option: Option): unknown[] =>
    index.federated([{ ...DEFAULT_REQUEST, ...plain(option) }], { from: 0, length: 100 }).hits.map(({ id }) => id);

  test.each(
    ORDERS,
  )('%s: the words of a hybrid search, and a federated search, are ranked as a plain one', (_, option) => {
    const ids = index.idsOf(plain(option));
    const without = index.idsOf(plain({ q: option.q ?? 'star wras' }));
    if (!('q' in option && option.q === 'kettle1')) expect(ids).not.toEqual(without);
    expect(ids.length).toBeGreaterThan(2);
    expect(index.idsOf({ ...plain(option), ...hybrid(0) })).toEqual(ids);
    expect(federated(option)).toEqual(ids);
    // the best by words is among the first of a hybrid search, which finds all others by their vectors
    const mixed = index.idsOf({ ...plain(option), ...hybrid(0.4) });
    expect(new Set(mixed)).toEqual(new Set(live.map(({ id }) => id)));
  });

  test.each(FILTERS)('%s: a filter holds for every hit of a hybrid or federated search', (_, filter, holds) => {
    const wanted = new Set(live.filter(holds).map(({ id }) => id));
    expect(wanted.size).toBeGreaterThan(1);
    for (const ratio of [0.5, 1])
      expect(
        new Set(index.idsOf({ ...plain({ filter }), ...hybrid(ratio), ...(ratio === 1 ? { q: null } : {}) })),
      ).toEqual(wanted);
    expect(new Set(federated({ filter, q: null }))).toEqual(wanted);
  });

  test.each(COMPUTED)('%s: a search by meaning counts as one that finds all documents', (_, option) => {
    const counted = ({ groups, aggregations, facetLevels, facetDistribution }: Answer) => ({
      groups: groups?.map(({ value, documentCount, hits }) => [value, documentCount, hits.length]).sort(),
      ...{ aggregations, facetLevels },
      // which document of a value is the best differs
      facets: Object.values(facetDistribution?.['path'] ?? {}).reduce((sum, count) => sum + count, 0),
    });
    const all = counted(index.search({ limit: 100, ...option }));
    expect(JSON.stringify(all)).not.toBe('{"facets":0}');
    expect(counted(index.search({ limit: 100, q: null, ...option, ...hybrid(1) }))).toEqual(all);
    expect(counted(index.search({ limit: 100, q: 'star', ...option, ...hybrid(0.5) }))).toEqual(all);
  });

  test('documents that have expired are in none of them', () => {
    const ids = new Set(live.map(({ id }) => id));
    expect(ids.size).toBeLessThan(DOCUMENTS.length);
    for (const more of [{}, hybrid(1), { q: 'star', ...hybrid(0.5) }])
      expect(new Set(index.idsOf({ limit: 100, ...more }))).toEqual(ids);
    expect(new Set(federated({ q: null }))).toEqual(ids);
  });
});

type Answer = Pick<ReturnType<ScratchIndex['search']>, 'groups' | 'aggregations' | 'facetLevels' | 'facetDistribution'>;
