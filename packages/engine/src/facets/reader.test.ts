import { parseFilter, parseSort } from '@fossick/filter';
import type { Kernel, Ptr } from '@fossick/kernel';
import { expect, it } from 'vitest';
import { DEFAULT_SETTINGS } from '../settings/settings.js';
import type { IndexView, SegmentView } from '../view/index-view.js';
import { collectFacetValues, createDistinct, createSorter, evaluateFilter, FacetColumnBuilder, facetDistribution, searchFacet } from './index.js';

type Bitmaps = Pick<
  Kernel,
  | 'allocate' | 'free' | 'writeU32' | 'readU32' | 'mark' | 'release' | 'scratch' | 'bitmap' | 'copyOf' | 'assign' | 'and' | 'or' | 'andNot'
  | 'count' | 'isEmpty' | 'set' | 'has' | 'members' | 'setMany' | 'orGroups' | 'countGroups' | 'nextGroup'
>;

/** The slow twin of the kernel's bitmaps and columns, straight from the port's words: the oracle of this room's tests. 4 MiB, nothing freed. */
function createReferenceBitmaps(): Bitmaps {
  const words = new Uint32Array(2 ** 20);
  let top = 4;
  const scratch = (byteCount: number): Ptr => {
    const ptr = top * 4;
    top += Math.ceil(byteCount / 16) * 4;
    return ptr;
  };
  const at = (ptr: Ptr, index: number): number => words[ptr / 4 + index] ?? 0;
  const wordCount = (bitmap: Ptr): number => at(bitmap, 0);
  const combine = (target: Ptr, other: Ptr, of: (a: number, b: number) => number): void => {
    for (let i = 4; i < 4 + wordCount(target); i++) words[target / 4 + i] = of(at(target, i), at(other, i));
  };
  const has = (bitmap: Ptr, bit: number): boolean => (at(bitmap, 4 + (bit >> 5)) & (1 << (bit & 31))) !== 0;
  const set = (bitmap: Ptr, bit: number): void => {
    words[bitmap / 4 + 4 + (bit >> 5)] = at(bitmap, 4 + (bit >> 5)) | (1 << (bit & 31));
  };
  const bitmap = (bitCount: number): Ptr => {
    const count = Math.ceil(bitCount / 128) * 4;
    const ptr = scratch(16 + count * 4);
    words.fill(0, ptr / 4, ptr / 4 + 4 + count);
    words[ptr / 4] = count;
    return ptr;
  };
  const all = (source: Ptr): number[] => Array.from({ length: wordCount(source) * 32 }, (_, bit) => bit).filter((bit) => has(source, bit));
  const group = (offsets: Ptr, docs: Ptr, index: number): number[] => {
    const from = at(offsets, index);
    return Array.from({ length: at(offsets, index + 1) - from }, (_, entry) => at(docs, from + entry));
  };
  const copyOf = (source: Ptr): Ptr => {
    const copy = bitmap(wordCount(source) * 32);
    combine(copy, source, (_, b) => b);
    return copy;
  };
  return {
    allocate: scratch,
    free: () => undefined,
    scratch,
    mark: () => top,
    release: () => undefined,
    writeU32: (ptr, values) => words.set(values, ptr / 4),
    readU32: (ptr, count) => words.slice(ptr / 4, ptr / 4 + count),
    bitmap,
    copyOf,
    assign: (target, source) => combine(target, source, (_, b) => b),
    and: (target, other) => combine(target, other, (a, b) => a & b),
    or: (target, other) => combine(target, other, (a, b) => a | b),
    andNot: (target, other) => combine(target, other, (a, b) => a & ~b),
    count: (source) => all(source).length,
    isEmpty: (source) => all(source).length === 0,
    set,
    has,
    members: (source, skip, limit) => Uint32Array.from(all(source).slice(skip, skip + limit)),
    setMany: (target, docs, count) => {
      for (let i = 0; i < count; i++) set(target, at(docs, i));
    },
    orGroups: (target, offsets, docs, from, to) => {
      for (let index = from; index < to; index++) group(offsets, docs, index).forEach((doc) => set(target, doc));
    },
    countGroups: (source, offsets, docs, count, counts) => {
      for (let i = 0; i < count; i++) words[counts / 4 + i] = group(offsets, docs, i).filter((doc) => has(source, doc)).length;
    },
    nextGroup: (source, offsets, docs, count, from, step) => {
      for (let i = from; i >= 0 && i < count; i += step) if (group(offsets, docs, i).some((doc) => has(source, doc))) return i;
      return -1;
    },
  };
}

type Documents = Readonly<Record<number, Record<string, unknown>>>;
function viewOf(segments: readonly { readonly docs: Documents; readonly dead: readonly number[] }[]): IndexView {
  const kernel = createReferenceBitmaps() as Kernel;
  const names = new Set<string>();
  const documents = kernel.bitmap(16);
  const views = segments.map(({ docs, dead }, id): SegmentView => {
    const builders = new Map<string, FacetColumnBuilder>();
    const deadBits = dead.length === 0 ? 0 : kernel.bitmap(16);
    for (const bit of dead) kernel.set(deadBits, bit);
    for (const [key, document] of Object.entries(docs)) {
      const docId = Number(key);
      if (!dead.includes(docId)) kernel.set(documents, docId);
      collectFacetValues(document, () => true, (field, kind, value) => {
        names.add(field);
        const builder = builders.get(field) ?? new FacetColumnBuilder();
        builders.set(field, builder);
        builder.addValue(docId, kind, value);
      });
    }
    return { id, dead: deadBits, facetColumn: (field: string) => builders.get(field)?.build() } as unknown as SegmentView;
  });
  const settings = { ...DEFAULT_SETTINGS, filterableAttributes: ['n', 'c', 'e', '_geo'] };
  return { uid: 'x', version: '1', kernel, settings, segments: views, documents, bitCount: 16, fieldNames: [...names] } as unknown as IndexView;
}
const view = viewOf([
  { docs: { 0: { n: 1, c: 'Blue' }, 1: { n: 9, c: 'red' }, 2: { n: [3, 4], c: ['blue', 'Red'], e: null } }, dead: [1] },
  { docs: { 1: { n: '10', c: 'green', e: [] }, 3: { _geo: { lat: 10, lng: 20 } }, 4: { n: 3, _geo: { lat: 11, lng: 20 } } }, dead: [] },
]);
const { kernel } = view;
const docsOf = (bitmap: Ptr): number[] => [...kernel.members(bitmap, 0, 100)];

it.each([
  ['n = 3', [2, 4]], ['n != 3', [0, 1, 3]], ['c = BLUE', [0, 2]], ['c = red', [2]], ['n > 3', [2]], ['n 1 TO 3', [0, 1, 2, 4]],
  ['n IN [1, 4]', [0, 2]], ['NOT c EXISTS', [3, 4]], ['e IS NULL', [2]], ['e IS EMPTY', [1]], ['c STARTS WITH b', [0, 2]],
  ['c CONTAINS ee', [1]], ['_geoRadius(10, 20, 1000)', [3]], ['_geoBoundingBox([12, 21], [10.5, 19])', [4]],
])('filters %s', (text, expected) => {
  const filter = parseFilter(text);
  expect(filter && docsOf(evaluateFilter(view, filter))).toEqual(expected);
});

it('quotes the canonical text of a field that is not filterable', () => {
  const filter = parseFilter('stock = low');
  expect(() => filter && evaluateFilter(view, filter)).toThrow('2:7 "stock" = "low"');
});

it.each([
  ['n:asc', [1, 3, '10', null]], ['n:desc', [4, 3, 1, '10', null]],
  ['_geoPoint(12, 20):asc', [{ lat: 11, lng: 20 }, { lat: 10, lng: 20 }, null]],
])('sorts by %s', (entry, expected) => {
  const universe = kernel.copyOf(view.documents);
  const cursor = createSorter(view, parseSort([entry])[0]!);
  const values: unknown[] = [];
  for (let next = cursor.next(universe); next !== null; next = cursor.next(universe)) {
    values.push(next.value);
    kernel.andNot(universe, next.bucket);
  }
  expect(values).toEqual(expected);
});

it('counts facets, searches them, and excludes duplicates', () => {
  expect(facetDistribution(view, view.documents, ['n', 'c'])).toEqual({
    facetDistribution: { c: { Blue: 2, green: 1, Red: 1 }, n: { 1: 1, 3: 2, 4: 1, 10: 1 } },
    facetStats: { n: { min: 1, max: 4 } },
  });
  expect(searchFacet(view, view.documents, { facetName: 'c', facetQuery: 'grean' })).toEqual([{ value: 'green', count: 1 }]);
  const excluded = kernel.bitmap(16);
  createDistinct(view, 'n').excludeFor(4, excluded);
  expect(docsOf(excluded)).toEqual([2, 4]);
});
