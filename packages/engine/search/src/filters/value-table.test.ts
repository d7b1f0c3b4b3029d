import { afterEach, expect, it } from 'vitest';
import { openScratchIndex, type ScratchIndex } from '../scratch-index.test-support.js';

let index: ScratchIndex;
afterEach(() => index?.close());

const SETTINGS = {
  filterableAttributes: ['value', 'number', 'id'],
  faceting: { maxValuesPerFacet: 4, sortFacetValuesBy: { '*': 'count' as const } },
};
const textOf = (rank: number): string => `v${String(rank).padStart(3, '0')}`;
const documents = (ranks: readonly number[]) => ranks.map((rank) => ({ id: rank, value: textOf(rank), number: rank }));
const RANKS = Array.from({ length: 40 }, (_, rank) => rank);
/** Values 20, 22 and 0, 1 share a group of four, 9 and 39 are alone in theirs: recorded. */
const FILTER = 'id IN [0, 1, 9, 20, 22, 39]';
const EXPECTED = [22, 20, 1, 0];

const shown = (filter = FILTER): Record<string, unknown> => {
  const { facetDistribution } = index.search({ filter, facets: ['value', 'number'] });
  return facetDistribution!;
};
const expected = (ranks: readonly number[]) => ({
  value: Object.fromEntries(ranks.map((rank) => [textOf(rank), 1])),
  number: Object.fromEntries(ranks.map((rank) => [String(rank), 1])),
});

it('chooses among ties at the quota by the values of the whole index', async () => {
  index = await openScratchIndex(documents(RANKS), SETTINGS);
  expect(shown()).toEqual(expected(EXPECTED));
});

it('chooses the same with several segments and deleted documents', async () => {
  const strange = { id: 99, value: 'v000x', number: 0.5 };
  index = await openScratchIndex([...documents(RANKS.filter((rank) => rank % 3 === 0)), strange], SETTINGS);
  await index.add(documents(RANKS.filter((rank) => rank % 3 !== 0)));
  await index.add([{ id: 99, value: textOf(39), number: 39 }]);
  expect(shown()).toEqual(expected(EXPECTED));
});

it('keeps all values of more candidates before those of fewer', async () => {
  index = await openScratchIndex([...documents(RANKS), { id: 100, value: textOf(9), number: 9 }], SETTINGS);
  const two = { value: { v009: 2, v022: 1, v020: 1, v001: 1 }, number: { 9: 2, 22: 1, 20: 1, 1: 1 } };
  expect(shown('id IN [0, 1, 9, 20, 22, 39, 100]')).toEqual(two);
});
