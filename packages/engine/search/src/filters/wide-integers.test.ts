import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { mergeDocuments } from '../federation/merge-documents.js';
import { mergeFacetsOfIndexes } from '../federation/merge-facets.js';
import { DEFAULT_REQUEST, openScratchIndex, type ScratchIndex } from '../scratch-index.test-support.js';

const LINES = [
  '{"id":1,"n":4223372036854775805,"lines":[{"sku":4223372036854775805,"size":1}]}',
  '{"id":2,"n":4223372036854775806,"lines":[{"sku":4223372036854775806,"size":1},{"sku":4223372036854775805,"size":2}]}',
  '{"id":3,"n":4223372036854775807,"lines":[{"sku":4223372036854775807,"size":2}]}',
  '{"id":4,"n":9007199254740993}',
  '{"id":5,"n":9007199254740992.0}',
  '{"id":6,"n":-9223372036854775807}',
  '{"id":7,"n":-9223372036854775808}',
  '{"id":8,"n":18446744073709551615}',
  '{"id":9,"n":18446744073709551614}',
  '{"id":10,"n":[5,9007199254740995,"4223372036854775806"]}',
  '{"id":11,"n":1e18}',
  '{"id":12,"n":1000000000000000001}',
  '{"id":13,"n":-9007199254740993}',
  '{"id":14,"n":1234567890123456789012}',
];
let index: ScratchIndex;
beforeAll(async () => {
  index = await openScratchIndex(LINES.slice(0, 6), {
    filterableAttributes: ['id', 'n', 'lines'],
    sortableAttributes: ['n'],
    elementAttributes: ['lines'],
  });
  await index.add(LINES.slice(6));
});
afterAll(() => index.close());

describe('filters', () => {
  it.each<readonly [string, readonly number[]]>([
    ['n = 4223372036854775806', [2, 10]],
    ['n = 4223372036854775808', []],
    ['n = 4223372036854775806.0', [2]],
    ['n = 4223372036854775806.5', []],
    ['n = 4.223372036854775806e18', []],
    ['n > 4223372036854775805 AND n < 4223372036854775807', [2, 10]],
    ['n > 4223372036854775805.5 AND n <= 4223372036854775806.5', [2, 10]],
    ['n >= 4223372036854775807 AND n < 5e18', [3]],
    ['n 4223372036854775805.1 TO 4223372036854775806.9', [2, 10]],
    ['n IN [4223372036854775805, 4223372036854775807]', [1, 3]],
    ['n IN [1, 2, 3, 4, 6, 4223372036854775805, 4223372036854775807]', [1, 3]],
    ['n NOT IN [4223372036854775805, 4223372036854775806] AND id < 4', [3]],
    ['n != 4223372036854775806 AND id < 4', [1, 3]],
    ['NOT n = 4223372036854775806 AND id < 4', [1, 3]],
    ['n = 9007199254740993', [4]],
    ['n = 9007199254740992', [5]],
    ['n = 9.007199254740993e15', [5]],
    ['n = -9223372036854775807', [6]],
    ['n < -9223372036854775807', [7]],
    ['n <= -9223372036854775807.5', [7]],
    ['n > -9223372036854775807.5 AND n < -9e18', [6]],
    ['n = 18446744073709551615', [8]],
    ['n 18446744073709551614.5 TO 1e20', [8]],
    ['n = 18446744073709551616', []],
    ['n = 9007199254740995', [10]],
    ['n = 1000000000000000000', [11]],
    ['n = 1000000000000000001', [12]],
    ['n = -9007199254740993', [13]],
    ['n = -9007199254740992', []],
    // beyond 64 bits numbers are floats, in documents and filters
    ['n = 1234567890123456789012', [14]],
    ['n = 1234567890123456789013', [14]],
    ['lines[sku = 4223372036854775806]', [2]],
    ['lines[sku = 4223372036854775805 AND size = 1]', [1]],
    ['lines[sku > 4223372036854775805 AND size = 1]', [2]],
    ['lines[sku IN [4223372036854775807, 4223372036854775808]]', [3]],
    ['lines[sku 4223372036854775805.5 TO 4223372036854775806.5]', [2]],
    ['lines[sku != 4223372036854775805 AND size = 2]', [3]],
  ])('%s', (filter, ids) => {
    expect(index.idsOf({ filter })).toEqual(ids);
  });
});

test('sorting, in any direction, and its details', () => {
  const ascending = [7, 6, 13, 10, 5, 4, 11, 12, 1, 2, 3, 9, 8, 14];
  expect(index.idsOf({ sort: ['n:asc'] })).toEqual(ascending);
  const descending = [14, 8, 9, 3, 2, 1, 12, 11, 10, 4, 5, 13, 6, 7];
  expect(index.idsOf({ sort: ['n:desc'] })).toEqual(descending);
  const text = index.searchText({ sort: ['n:desc'], limit: 7, filter: 'id != 10', showRankingScoreDetails: true });
  expect(text.match(/"value":[^}]*/g)).toEqual([
    '"value":1.2345678901234568e+21',
    '"value":18446744073709551615',
    '"value":18446744073709551614',
    '"value":4223372036854775807',
    '"value":4223372036854775806',
    '"value":4223372036854775805',
    '"value":1000000000000000001',
  ]);
});

test('facets, their statistics, and the values of each', () => {
  const text = index.searchText({ facets: ['n'], filter: 'id IN [1, 2, 3, 8]', limit: 0 });
  expect(text).toContain(
    '"facetDistribution":{"n":{"18446744073709551615":1,"4223372036854775805":1,"4223372036854775806":1,"4223372036854775807":1}}',
  );
  expect(text).toContain('"facetStats":{"n":{"min":4223372036854775805,"max":18446744073709551615}}');
  const whole = index.searchText({ facets: ['n'], filter: 'id IN [7, 11]', limit: 0 });
  expect(whole).toContain('"facetStats":{"n":{"min":-9223372036854775808,"max":1000000000000000000}}');
  expect(whole).toContain('"n":{"-9223372036854775808":1,"1000000000000000000":1}');
});

test('groups, aggregations and distinct', () => {
  const filter = 'id IN [1, 2, 3, 11]';
  const group = { by: 'n', limit: 1 };
  const text = index.searchText({ filter, group });
  expect(text.match(/"value":[^,]*/g)).toEqual([
    '"value":4223372036854775805',
    '"value":4223372036854775806',
    '"value":4223372036854775807',
    '"value":1000000000000000000',
  ]);
  const aggregations = { n: { stats: ['min', 'max', 'count'], histogram: null, by: null } } as const;
  expect(index.searchText({ filter, aggregations })).toContain(
    '"stats":{"min":1000000000000000000,"max":4223372036854775807,"count":4}',
  );
  expect(index.idsOf({ distinct: 'n', filter: 'id < 10' })).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
});

test('federated searches merge by exact values', () => {
  const request = (id: string, direction: string) => ({
    ...DEFAULT_REQUEST,
    filter: `id IN [${id}]`,
    sort: [`n:${direction}`],
  });
  const ids = (direction: string): unknown[] =>
    index.federated([request('2', direction), request('1,3', direction)]).hits.map(({ id }) => id);
  expect(ids('asc')).toEqual([1, 2, 3]);
  expect(ids('desc')).toEqual([3, 2, 1]);
  const stats = (min: number | bigint, max: number | bigint) => ({
    distribution: {},
    stats: { n: { min, max } },
    isByCount: () => false,
    maxValues: 10,
  });
  const merged = mergeFacetsOfIndexes([stats(2n ** 53n + 1n, 5e18), stats(2 ** 53, 5n * 10n ** 18n + 1n)], null);
  expect(merged.facetStats).toEqual({ n: { min: 2 ** 53, max: 5n * 10n ** 18n + 1n } });
  const [low, high] = [{ n: 4223372036854775805n }, { n: [3e18, 4223372036854775806n] }];
  expect(mergeDocuments([[low], [high]], ['n:desc'])).toEqual([high, low]);
});
