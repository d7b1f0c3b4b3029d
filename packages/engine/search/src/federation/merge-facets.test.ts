import { expect, it } from 'vitest';
import { FacetOrders, joinFacets, mergeFacetsOfIndexes } from './merge-facets.js';
import type { FederatedPart, IndexFacets } from './request.js';

const facetsOf = (color: Record<string, number>, isByCount = false, maxValues = 100): IndexFacets => ({
  distribution: { color },
  stats: {},
  isByCount: () => isByCount,
  maxValues,
});
const partOf = (uid: string, facets: IndexFacets): FederatedPart => {
  return { hits: [], pins: [], total: 0, facets: new Map([[uid, facets]]), isSemantic: false, queryVectors: null };
};
const colors = (facets: IndexFacets | undefined): unknown[] => Object.entries(facets?.distribution.color ?? {});

it('sums, orders and cuts the facets of one index from several instances', () => {
  const near = partOf('shop', facetsOf({ red: 1, blue: 5 }, true, 2));
  const far = partOf('shop', facetsOf({ constructor: 1, red: 7 }));
  expect(colors(joinFacets([near, far]).get('shop'))).toEqual([
    ['red', 8],
    ['blue', 5],
  ]);
});

it('merges indexes by displayed text, by bytes or by count, and joins statistics', () => {
  const priced = { ...facetsOf({ Zinc: 1, ash: 3 }), stats: { price: { min: 2, max: 3 } } };
  const other = { ...facetsOf({ ash: 1, élan: 2 }), stats: { price: { min: -1, max: 2 } } };
  const merged = mergeFacetsOfIndexes([priced, other], null);
  expect(Object.keys(merged.facetDistribution.color ?? {})).toEqual(['Zinc', 'ash', 'élan']);
  expect(merged.facetStats).toEqual({ price: { min: -1, max: 3 } });
  const counted = mergeFacetsOfIndexes([facetsOf({ a: 1, b: 3 }, true), facetsOf({ c: 2 }, true)], 2);
  expect(counted.facetDistribution).toEqual({ color: { b: 3, c: 2 } });
});

it('refuses a field that two indexes order differently', () => {
  const orders = new FacetOrders();
  orders.check('shop', ['color', 'size'], { size: 'count' });
  orders.check('stock', ['size'], { '*': 'count' });
  expect(() => orders.check('cellar', ['color'], { '*': 'count' })).toThrow(
    'index `shop` orders them by `alpha`, index `cellar` by `count`',
  );
});
