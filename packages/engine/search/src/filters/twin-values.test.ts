import { runsOf, TEST_SEED } from '@fossick/base/test-seed.test-support';
import fc from 'fast-check';
import { afterEach, expect, test } from 'vitest';
import { openScratchIndex, type ScratchIndex } from '../scratch-index.test-support.js';

const byOrder = (order: 'alpha' | 'count', maxValuesPerFacet = 100) => ({
  filterableAttributes: ['id', 'y', 'kind', 'n.y'],
  faceting: { sortFacetValuesBy: { '*': order }, maxValuesPerFacet },
});
let index: ScratchIndex | undefined;
afterEach(async () => {
  await index?.close();
  index = undefined;
});

/** How many documents a filter finds. */
const found = (filter: string): number => index!.search({ filter, hitsPerPage: 1_000 }).hits.length;
const facetOf = (field: string, filter: string | null = null): Record<string, number> =>
  index!.search({ facets: [field], filter, limit: 0 }).facetDistribution![field]!;
const counted = (facetQuery: string, filter: string | null = null): number[] =>
  index!.facetSearch({ facetName: 'y', facetQuery, filter }).facetHits.map(({ count }) => count);

test.each([
  [2020, '2020'],
  [0, '0'],
  [-3, '-3'],
  [1.5, '1.5'],
  [-0.25, '-0.25'],
  [1e21, '1000000000000000000000'],
  [0.0000001, '0.0000001'],
  [1234567890, '1234567890'],
  [2020, ' 2020 '],
  [9007199254740991, '9007199254740991'],
  [3, '3'],
  [-1000000, '-1000000'],
])('%j and %j are one value of a facet, of a facet search and of groups', async (number, text) => {
  const shown = text.trim();
  for (const order of ['alpha', 'count'] as const) {
    // two documents with the number, one with the text, one with both, in several batches; a replaced one
    index = await openScratchIndex(
      [
        { id: 1, y: number, kind: 'a' },
        { id: 6, y: [text, number], kind: 'a' },
      ],
      byOrder(order),
    );
    await index.add([
      { id: 2, y: number, kind: 'b' },
      { id: 3, y: text, kind: 'a' },
    ]);
    await index.add([
      { id: 4, y: [number, text], kind: 'b' },
      { id: 5, y: 'other', kind: 'b' },
      { id: 6, y: null, kind: 'a' },
    ]);
    expect(facetOf('y')).toEqual({ [shown]: 4, other: 1 });
    expect(found(`y = "${text}"`)).toBe(4);
    expect(facetOf('y', 'kind = a')).toEqual({ [shown]: 2 });
    expect(facetOf('y', 'kind = b')).toEqual({ [shown]: 2, other: 1 });
    expect(facetOf('y', 'id = 4')).toEqual({ [shown]: 1 });
    expect(Object.values(facetOf('y', 'id = 3'))).toEqual([1]);
    expect([counted(shown), counted(shown, 'kind = a'), counted(shown, 'id = 4')]).toEqual([[4], [2], [1]]);
    const { groups, aggregations } = index.search({
      group: { by: 'y', limit: 5 },
      aggregations: { id: { by: 'y', stats: ['count', 'sum'], histogram: null } },
    });
    expect(groups!.map(({ value, documentCount, hits }) => [value, documentCount, hits.length])).toEqual([
      [number, 4, 4],
      ['other', 1, 1],
    ]);
    expect(aggregations!['id']!.groups).toEqual([
      { value: number, documentCount: 4, stats: { count: 4, sum: 10 } },
      { value: 'other', documentCount: 1, stats: { count: 1, sum: 5 } },
    ]);
    const ofTexts = index.search({ group: { by: 'y', limit: 5 }, filter: 'id = 3' }).groups!;
    expect(ofTexts.map(({ value }) => value)).toEqual([text]);
    await index.close();
    index = undefined;
  }
});

test.each([
  '2020.0',
  '+2020',
  '02020',
  '2.02e3',
  '2020 ad',
  '0x7e4',
  '2020.',
  'Infinity',
  'NaN',
  '--1',
  '-',
])('the text %j is a value of its own', async (text) => {
  for (const order of ['alpha', 'count'] as const) {
    index = await openScratchIndex(
      [
        { id: 1, y: 2020 },
        { id: 2, y: text },
      ],
      byOrder(order),
    );
    expect(facetOf('y')).toEqual({ 2020: 1, [text]: 1 });
    await index.close();
    index = undefined;
  }
});

test.each(['alpha', 'count'] as const)('by %s, a value that is both takes one place of those shown', async (order) => {
  const documents = [
    { id: 1, y: [1, '1'] },
    { id: 2, y: ['1', '2'] },
    { id: 3, y: [2, 'x'] },
    { id: 4, y: ['2', 'z'] },
  ];
  index = await openScratchIndex(documents, byOrder(order, 3));
  const shown = facetOf('y');
  expect([shown['1'], shown['2'], Object.keys(shown).length]).toEqual([2, 3, 3]);
  await index.change({ faceting: { maxValuesPerFacet: 1 } });
  // by count, texts follow where numbers fill all places
  expect(facetOf('y')).toEqual(order === 'alpha' ? { 1: 2 } : { 2: 3, x: 1, z: 1 });
});

test('counts agree with the filter in any index, in merged facets too', async () => {
  const value = fc.oneof(
    fc.integer({ min: -2, max: 12 }),
    fc.constantFrom(0.5, 'red', 'Red', 'ten'),
    fc.nat(12).map(String),
  );
  const document = fc.record({ y: fc.array(value, { maxLength: 3 }), kind: fc.constantFrom('a', 'b') });
  const batches = fc.array(fc.array(document, { minLength: 1, maxLength: 25 }), { minLength: 1, maxLength: 3 });
  const order = fc.constantFrom('alpha' as const, 'count' as const);
  await fc.assert(
    fc.asyncProperty(batches, order, fc.integer({ min: 1, max: 4 }), async (added, by, step) => {
      index = await openScratchIndex([], byOrder(by));
      for (const [at, batch] of added.entries())
        await index.add(batch.map((each, i) => ({ id: at + i * step, n: { y: each.y }, ...each })));
      for (const within of [null, 'kind = a'])
        for (const field of ['y', 'n.y']) {
          const and = within === null ? '' : ` AND ${within}`;
          for (const [text, count] of Object.entries(facetOf(field, within)))
            expect([field, text, count]).toEqual([field, text, found(`${field} = "${text}"${and}`)]);
        }
      for (const { value: text, count } of index.facetSearch({ facetName: 'y', facetQuery: null }).facetHits)
        expect([text, count]).toEqual([text, found(`y = "${text}"`)]);
      for (const { value: shown, documentCount } of index.search({ group: { by: 'y', limit: 1 } }).groups!)
        expect([shown, documentCount]).toEqual([shown, found(`y = "${shown}"`)]);
      await index.close();
      index = undefined;
    }),
    { seed: TEST_SEED, numRuns: runsOf(25) },
  );
});

test('more candidates than are walked one by one are counted alike', async () => {
  const y = (id: number): unknown =>
    id % 3 === 0 ? id % 50 : id % 3 === 1 ? String(id % 50) : [id % 50, `${id % 50}`];
  for (const order of ['alpha', 'count'] as const) {
    index = await openScratchIndex(
      Array.from({ length: 3_500 }, (_, id) => ({ id, y: y(id) })),
      byOrder(order),
    );
    const facet = facetOf('y');
    expect(Object.values(facet)).toEqual(new Array(50).fill(70));
    await index.close();
    index = undefined;
  }
});
