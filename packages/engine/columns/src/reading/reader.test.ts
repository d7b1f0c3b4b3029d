import type { DocId } from '@fossick/base';
import { parseFilter, parseSort } from '@fossick/filter';
import { type Bitmap, createKernel, type Kernel } from '@fossick/kernel';
import { MemoryBudget, SearchMemory } from '@fossick/kernel/memory';
import { DEFAULT_SETTINGS } from '@fossick/settings';
import { expect, it } from 'vitest';
import { collectFacetValues } from '../building/collect-values.js';
import { FacetColumnBuilder } from '../building/column-builder.js';
import { readColumn } from '../bytes/column-format.js';
import { storedInMemory } from '../bytes/column-spans.js';
import { encodeGeoPoints, pointsOfColumns } from '../bytes/geo-points-format.js';
import { createDistinct } from '../facets/distinct.js';
import { facetDistribution } from '../facets/distribution.js';
import { searchFacet } from '../facets/search-facet.js';
import { evaluateFilter } from '../filter/evaluate-filter.js';
import type { ColumnSegment, ColumnView } from '../port.js';
import { createSorter } from '../sort/sorter.js';
import { ColumnReader } from './column-reader.js';
import { GeoPoints } from './geo-points.js';

function bitmapOf(kernel: Kernel, bits: readonly number[]): Bitmap {
  const bitmap = kernel.bitmaps.create(16);
  for (const bit of bits as DocId[]) kernel.bitmaps.set(bitmap, bit);
  return bitmap;
}

type Documents = Readonly<Record<number, Record<string, unknown>>>;
function viewOf(segments: readonly { readonly docs: Documents; readonly deleted: readonly number[] }[]): ColumnView {
  const kernel = createKernel();
  const memory = new SearchMemory(new MemoryBudget(1 << 20), kernel);
  const names = new Set<string>();
  const documents = kernel.bitmaps.create(16);
  const views = segments.map(({ docs, deleted }): ColumnSegment => {
    const builders = new Map<string, FacetColumnBuilder>();
    const deletedBits = deleted.length === 0 ? 0 : bitmapOf(kernel, deleted);
    for (const [key, document] of Object.entries(docs)) {
      const docId = Number(key) as DocId;
      if (!deleted.includes(docId)) kernel.bitmaps.set(documents, docId);
      collectFacetValues(
        document,
        () => true,
        (field, kind, value) => {
          names.add(field);
          const builder = builders.get(field) ?? new FacetColumnBuilder();
          builders.set(field, builder);
          builder.addValue(docId, kind, value);
        },
      );
    }
    return {
      deleted: deletedBits,
      column: (field: string) => {
        const builder = builders.get(field);
        return builder && new ColumnReader({ deleted: deletedBits }, kernel, memory, storedInMemory(builder.build()));
      },
      geoPoints: () => {
        const [lat, lng] = ['_geo.lat', '_geo.lng'].map((field) => builders.get(field)?.build());
        if (lat === undefined || lng === undefined) return undefined;
        const points = pointsOfColumns(readColumn(lat), readColumn(lng));
        return new GeoPoints({ deleted: deletedBits }, memory, storedInMemory(encodeGeoPoints(points)));
      },
      geoBoxes: () => undefined,
    };
  });
  const settings = { ...DEFAULT_SETTINGS, filterableAttributes: ['n', 'c', 'e', '_geo'] };
  return {
    uid: 'x',
    primaryKey: null,
    kernel,
    settings,
    segments: views,
    documents,
    bitCount: 16,
    documentCount: kernel.bitmaps.count(documents),
    document: () => undefined,
    withForeign: () => {
      throw new Error('there is no other index');
    },
    fieldNames: [...names],
  };
}
const view = viewOf([
  {
    docs: { 0: { n: 1, c: 'Blue' }, 1: { n: 9, c: 'red' }, 2: { n: [3, 4], c: ['blue', 'Red'], e: null } },
    deleted: [1],
  },
  {
    docs: {
      1: { n: '10', c: 'green', e: [] },
      3: { _geo: { lat: 10, lng: 20 } },
      4: { n: 3, _geo: { lat: 11, lng: 20 } },
    },
    deleted: [],
  },
]);
const { kernel } = view;
const docsOf = (bitmap: Bitmap): number[] => [...kernel.bitmaps.members(bitmap, 0, 100)];

it.each([
  ['n = 3', [2, 4]],
  ['n != 3', [0, 1, 3]],
  ['c = BLUE', [0, 2]],
  ['c = red', [2]],
  ['n > 3', [2]],
  ['n 1 TO 3', [0, 1, 2, 4]],
  ['n IN [1, 4]', [0, 2]],
  ['NOT c EXISTS', [3, 4]],
  ['e IS NULL', [2]],
  ['e IS EMPTY', [1]],
  ['c STARTS WITH b', [0, 2]],
  ['c CONTAINS ee', [1]],
  ['_geoRadius(10, 20, 1000)', [3]],
  ['_geoBoundingBox([12, 21], [10.5, 19])', [4]],
])('filters %s', (text, expected) => {
  const filter = parseFilter(text);
  expect(filter && docsOf(evaluateFilter(view, filter))).toEqual(expected);
});

it('quotes the text of a field that is not filterable as it was given, of an array its element', () => {
  const filter = parseFilter('stock = low');
  expect(() => filter && evaluateFilter(view, filter)).toThrow(/\n1:6 stock = low$/);
  const inArray = parseFilter(['n = 1', ['n = 2', 'n=3 OR  "stock"  = low']]);
  expect(() => inArray && evaluateFilter(view, inArray)).toThrow(/\n10:15 n=3 OR {2}"stock" {2}= low$/);
});

it.each([
  ['n:asc', [1, 3, '10', null]],
  ['n:desc', [4, 3, 1, '10', null]],
  ['_geoPoint(12, 20):asc', [{ lat: 11, lng: 20 }, { lat: 10, lng: 20 }, null]],
  // points on both sides, equally far: one bucket, with the value of its first document
  ['_geoPoint(10.5, 20):asc', [{ lat: 10, lng: 20 }, null]],
])('sorts by %s', (entry, expected) => {
  const universe = kernel.bitmaps.copy(view.documents);
  const cursor = createSorter(view, parseSort([entry])[0]!);
  const values: unknown[] = [];
  for (;;) {
    const bucket = kernel.bitmaps.create(view.bitCount);
    const next = cursor.next(universe, bucket);
    if (next === null) break;
    values.push(next.value);
    kernel.bitmaps.andNot(universe, bucket);
  }
  expect(values).toEqual(expected);
});

it('counts facets, searches them, and excludes duplicates', () => {
  expect(facetDistribution(view, view.documents, ['n', 'c'])).toEqual({
    facetDistribution: { c: { Blue: 2, green: 1, Red: 1 }, n: { 1: 1, 3: 2, 4: 1, 10: 1 } },
    facetStats: { n: { min: 1, max: 4 } },
  });
  expect(searchFacet(view, view.documents, { facetName: 'c', facetQuery: 'grean' })).toEqual([
    { value: 'green', count: 1 },
  ]);
  const excluded = kernel.bitmaps.create(16);
  createDistinct(view, 'n').excludeFor(4 as DocId, excluded);
  expect(docsOf(excluded)).toEqual([2, 4]);
});
