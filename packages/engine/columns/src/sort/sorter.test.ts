import type { DocId } from '@fossick/base';
import { createKernel, type Kernel } from '@fossick/kernel';
import { MemoryBudget, SearchMemory } from '@fossick/kernel/memory';
import { DEFAULT_SETTINGS } from '@fossick/settings';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { FacetColumnBuilder } from '../building/column-builder.js';
import type { StoredBytes } from '../bytes/column-spans.js';
import type { ColumnView } from '../port.js';
import { ColumnReader } from '../reading/column-reader.js';
import { createSorter } from './sorter.js';

type Values = readonly (number | string)[];
/** The values of documents by docid, in segments, with deleted documents. */
interface Segments {
  readonly bitCount: number;
  readonly segments: readonly (readonly (readonly [number, Values])[])[];
  readonly deleted: ReadonlySet<number>;
}
const BITS_PER_SEGMENT = 40_000;

/** A view with one field, and how many bytes of its columns have been read. */
function openView({ segments, deleted, bitCount }: Segments, kernel: Kernel): { view: ColumnView; read: () => number } {
  let readBytes = 0;
  const memory = new SearchMemory(new MemoryBudget(64 << 20), kernel);
  const documents = kernel.bitmaps.create(bitCount);
  const deletedDocs = kernel.bitmaps.create(bitCount);
  for (const doc of deleted) kernel.bitmaps.set(deletedDocs, doc as DocId);
  const columns = segments.map((docs) => {
    const builder = new FacetColumnBuilder();
    for (const [doc, values] of docs) {
      if (!deleted.has(doc)) kernel.bitmaps.set(documents, doc as DocId);
      for (const value of values)
        builder.addValue(doc as DocId, typeof value === 'number' ? 'number' : 'string', value);
    }
    const bytes = builder.build();
    const stored: StoredBytes = {
      read: (from, to, take) => {
        readBytes += to - from;
        take(bytes.subarray(from, to), 0);
      },
    };
    return new ColumnReader({ deleted: deletedDocs }, kernel, memory, stored);
  });
  const view: ColumnView = {
    uid: 'x',
    primaryKey: null,
    kernel,
    bitCount,
    documents,
    documentCount: kernel.bitmaps.count(documents),
    settings: DEFAULT_SETTINGS,
    fieldNames: ['f'],
    segments: columns.map((column) => ({
      deleted: deletedDocs,
      column: () => column,
      geoPoints: () => undefined,
      geoBoxes: () => undefined,
    })),
    document: () => undefined,
    withForeign: (_, work) => work({ isAllowed: false }),
  };
  return { view, read: () => readBytes };
}

/** The first buckets of a sort, each as its value and documents. */
function sorted(view: ColumnView, direction: 'asc' | 'desc', universe: ReadonlySet<number>, limit: number): unknown[] {
  const { bitmaps } = view.kernel;
  const left = bitmaps.create(view.bitCount);
  for (const doc of universe) bitmaps.set(left, doc as DocId);
  bitmaps.and(left, view.documents);
  const cursor = createSorter(view, { kind: 'field', field: 'f', direction });
  const buckets: unknown[] = [];
  while (buckets.length < limit) {
    const bucket = bitmaps.create(view.bitCount);
    const found = cursor.next(left, bucket);
    if (found === null) break;
    buckets.push([found.value, [...bitmaps.members(bucket, 0, view.bitCount)]]);
    bitmaps.andNot(left, bucket);
  }
  return buckets;
}

/** The same by comparing documents one by one: numbers, then texts, then documents without a value. */
function expected({ segments, deleted }: Segments, direction: 'asc' | 'desc', universe: ReadonlySet<number>) {
  const sign = direction === 'asc' ? 1 : -1;
  const compare = (a: number | string, b: number | string): number =>
    typeof a !== typeof b ? (typeof a === 'number' ? -1 : 1) : (a < b ? -1 : a > b ? 1 : 0) * sign;
  const byValue = new Map<number | string | null, number[]>();
  for (const [doc, values] of segments.flat().sort(([a], [b]) => a - b)) {
    if (!universe.has(doc) || deleted.has(doc)) continue;
    const first = [...values].sort(compare)[0] ?? null;
    const docs = byValue.get(first);
    if (docs === undefined) byValue.set(first, [doc]);
    else docs.push(doc);
  }
  const rest = byValue.get(null);
  byValue.delete(null);
  const buckets: unknown[] = [...byValue].sort(([a], [b]) => compare(a!, b!));
  return rest === undefined ? buckets : [...buckets, [null, rest]];
}

const value = fc.oneof(
  fc.integer({ min: 0, max: 700 }),
  fc.integer({ min: 0, max: 700 }).map((n) => `t${String(n).padStart(3, '0')}`),
);
const cases = fc.record({
  segments: fc.array(fc.array(fc.array(value, { maxLength: 3 }), { maxLength: 900, size: 'max' }), {
    minLength: 1,
    maxLength: 3,
  }),
  direction: fc.constantFrom('asc' as const, 'desc' as const),
  step: fc.constantFrom(1, 2, 150),
  deletedStep: fc.constantFrom(2, 7, 5_000),
  limit: fc.constantFrom(3, 2_000),
});

it('sorts as documents compared one by one, whatever part of the columns is in memory', () => {
  const kernel = createKernel();
  fc.assert(
    fc.property(cases, ({ segments: drawn, direction, step, deletedStep, limit }) => {
      const mark = kernel.memory.mark();
      const segments = drawn.map((docs, at) => docs.map((values, i) => [at * BITS_PER_SEGMENT + i, values] as const));
      const all = segments.flat().map(([doc]) => doc);
      const input: Segments = {
        segments,
        deleted: new Set(all.filter((_, i) => i % deletedStep === 1)),
        bitCount: segments.length * BITS_PER_SEGMENT,
      };
      const universe = new Set(all.filter((_, i) => i % step === 0));
      const { view } = openView(input, kernel);
      const wanted = expected(input, direction, universe).slice(0, limit);
      // from the store, then with runs or whole columns in memory
      for (let round = 0; round < 4; round++) expect(sorted(view, direction, universe, limit)).toEqual(wanted);
      kernel.memory.release(mark);
    }),
    { numRuns: 60 },
  );
});

it('sorts by values that have more documents than a run', () => {
  const kernel = createKernel();
  const docs = Array.from({ length: 39_000 }, (_, doc) => [doc, [doc % 3 === 0 ? doc % 90 : 200]] as const);
  const input: Segments = { segments: [docs], deleted: new Set([0, 90]), bitCount: BITS_PER_SEGMENT };
  const universe = new Set(docs.map(([doc]) => doc));
  for (const direction of ['asc', 'desc'] as const) {
    const { view } = openView(input, kernel);
    expect(sorted(view, direction, universe, 100)).toEqual(expected(input, direction, universe));
  }
});

it('reads a small part of a column for a page of a field with many values', () => {
  const kernel = createKernel();
  const docs = Array.from({ length: 20_000 }, (_, doc) => [doc, [`c${doc}-${(doc * 7_919) % 10_007}`]] as const);
  const { view, read } = openView({ segments: [docs], deleted: new Set(), bitCount: 20_000 }, kernel);
  const universe = new Set(docs.map(([doc]) => doc));
  expect(sorted(view, 'desc', universe, 20)).toHaveLength(20);
  const pageBytes = read();
  expect(pageBytes).toBeLessThan(20_000);
  // all of it, once it is needed: read in runs up to an eighth, then as a whole
  expect(sorted(view, 'asc', universe, 20_000)).toHaveLength(20_000);
  expect(read()).toBeLessThan(20_000 * 24 * 1.5);
});
