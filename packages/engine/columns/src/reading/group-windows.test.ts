import type { DocId } from '@fossick/base';
import { TEST_SEED } from '@fossick/base/test-seed.test-support';
import { parseFilter } from '@fossick/filter';
import { type Bitmap, createKernel, type DocGroups, type Kernel, u32ArrayIn } from '@fossick/kernel';
import { MemoryBudget, SearchMemory } from '@fossick/kernel/memory';
import { DEFAULT_SETTINGS } from '@fossick/settings';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { FacetColumnBuilder } from '../building/column-builder.js';
import { KernelBlock, storedInMemory } from '../bytes/column-spans.js';
import { facetDistribution } from '../facets/distribution.js';
import { evaluateFilter } from '../filter/evaluate-filter.js';
import type { ColumnSegment, ColumnView } from '../port.js';
import { ColumnReader } from './column-reader.js';
import { GroupWindows } from './group-windows.js';

const seed = TEST_SEED;
const MIB = 2 ** 20;

/** Documents [first, first + docCount), each in the group that a plain hash says; some are in a second one, too. */
interface Shape {
  readonly first: number;
  readonly docCount: number;
  readonly groupCount: number;
  /** The greater, the more documents the first groups have. */
  readonly skew: number;
  readonly salt: number;
}
const shapes = fc.record({
  first: fc.integer({ min: 0, max: 700 }),
  docCount: fc.integer({ min: 3_000, max: 30_000 }),
  groupCount: fc.integer({ min: 1, max: 40 }),
  skew: fc.constantFrom(1, 2, 6),
  salt: fc.nat(1_000),
});

/** A number of [0, 1). */
function fractionOf(value: number): number {
  const mixed = Math.imul(Math.imul(value, 0x9e3779b1) ^ 0x5bd1e995, 0x85ebca6b);
  return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32;
}

function groupsOf({ first, docCount, groupCount, skew, salt }: Shape): number[][] {
  const groups: number[][] = Array.from({ length: groupCount }, () => []);
  for (let doc = first; doc < first + docCount; doc++) {
    const group = Math.floor(fractionOf(doc * 7 + salt) ** skew * groupCount);
    groups[group]!.push(doc);
    const other = Math.floor(fractionOf(doc * 13 + salt) * groupCount);
    if (other !== group && fractionOf(doc + salt) < 0.2) groups[other]!.push(doc);
  }
  return groups;
}

/** One document in `share`, of documents below `bound`. */
function drawn(bound: number, share: number, salt: number): number[] {
  return Array.from({ length: bound }, (_, doc) => doc).filter((doc) => fractionOf(doc * 3 + salt) * share < 1);
}

function bitmapOf(kernel: Kernel, docs: readonly number[], bitCount: number): Bitmap {
  const bitmap = kernel.bitmaps.create(bitCount);
  for (const doc of docs) kernel.bitmaps.set(bitmap, doc as DocId);
  return bitmap;
}

/** A table that is elsewhere in each search, as one that was evicted and read again. */
class MovedTable {
  private readonly kernel: Kernel;
  private readonly words: Uint32Array;
  private readonly count: number;
  private block: KernelBlock;

  constructor(kernel: Kernel, groups: readonly (readonly number[])[]) {
    this.kernel = kernel;
    const offsets = [0];
    for (const group of groups) offsets.push(offsets.at(-1)! + group.length);
    this.words = Uint32Array.from([...offsets, ...groups.flat()]);
    this.count = groups.length;
    this.block = new KernelBlock(kernel, this.words.byteLength);
  }

  get groups(): DocGroups {
    const { count, block } = this;
    return { count, offsets: u32ArrayIn(block.ptr, 0), docs: u32ArrayIn(block.ptr, (count + 1) * 4) };
  }

  move(): void {
    const { kernel, block, words } = this;
    this.block = new KernelBlock(kernel, words.byteLength);
    kernel.memory.write(block.ptr, new Uint8Array(words.byteLength).fill(0xff), 0);
    block.free();
    kernel.memory.write(this.block.ptr, new Uint8Array(words.buffer), 0);
  }
}

test('groups are counted and joined as their documents say, before and after their windows, in any memory', () => {
  fc.assert(
    fc.property(
      shapes,
      fc.constantFrom(8_000, 80_000, MIB),
      fc.constantFrom(0, 5, 300),
      (shape, maxBytes, deletedShare) => {
        const kernel = createKernel();
        const memory = new SearchMemory(new MemoryBudget(maxBytes), kernel);
        const groups = groupsOf(shape);
        const table = new MovedTable(kernel, groups);
        const windows = new GroupWindows(kernel, memory, () => table.groups);
        const bound = shape.first + shape.docCount;
        const deletedDocs = deletedShare === 0 ? [] : drawn(bound, deletedShare, shape.salt);
        const deletedSet = new Set(deletedDocs);
        for (let search = 0; search < 6; search++) {
          memory.begin();
          table.move();
          const mark = kernel.memory.mark();
          const deleted = deletedShare === 0 ? 0 : bitmapOf(kernel, deletedDocs, (deletedDocs.at(-1) ?? 0) + 1);
          const wanted = drawn(bound, [1, 2, 9, 2_000][search % 4]!, search);
          const universe = search === 5 ? 0 : bitmapOf(kernel, wanted, bound + 500);
          const wantedSet = new Set(wanted);
          const counts = groups.map(
            (docs) => docs.filter((doc) => (search === 5 || wantedSet.has(doc)) && !deletedSet.has(doc)).length,
          );
          expect([...windows.counts({ universe, deleted }, search === 5 ? bound : wanted.length)]).toEqual(counts);
          const from = Math.floor(fractionOf(search + shape.salt) * groups.length);
          const to = search % 2 === 0 ? groups.length : Math.min(groups.length, from + 1 + search * 3);
          const target = kernel.bitmaps.create(bound + 500);
          windows.or(target, from, to, deleted);
          const joined = new Set(groups.slice(from, to).flat());
          expect([...kernel.bitmaps.members(target, 0, bound)]).toEqual(
            [...joined].filter((doc) => !deletedSet.has(doc)).sort((a, b) => a - b),
          );
          kernel.memory.release(mark);
        }
        windows.close();
        expect(memory.heldBytes).toBe(0);
      },
    ),
    { seed, numRuns: 30 },
  );
});

test('windows of a table are no larger than the table, and small tables have none', () => {
  const held = (shape: Shape): [windowBytes: number, tableBytes: number] => {
    const kernel = createKernel();
    const memory = new SearchMemory(new MemoryBudget(64 * MIB), kernel);
    const groups = groupsOf(shape);
    const table = new MovedTable(kernel, groups);
    table.move();
    const windows = new GroupWindows(kernel, memory, () => table.groups);
    for (let search = 0; search < 4; search++) {
      windows.counts({ universe: 0, deleted: 0 }, shape.docCount);
      windows.or(kernel.bitmaps.create(shape.first + shape.docCount), 0, groups.length, 0);
    }
    return [memory.heldBytes, groups.flat().length * 4];
  };
  const large = { first: 100, docCount: 60_000, groupCount: 12, skew: 1, salt: 1 };
  const [windowBytes, tableBytes] = held(large);
  expect(windowBytes).toBeGreaterThan(0);
  expect(windowBytes).toBeLessThanOrEqual(tableBytes);
  expect(held({ ...large, docCount: 3_000 })[0]).toBe(0);
  expect(held({ ...large, groupCount: 1_025 })[0]).toBe(0);
});

test('filters and facets of several segments with deleted documents stay the same from search to search', () => {
  const kernel = createKernel();
  const memory = new SearchMemory(new MemoryBudget(64 * MIB), kernel);
  const docCount = 60_000;
  const rows = Array.from({ length: docCount }, (_, doc) => ({
    kind: `kind ${Math.floor(fractionOf(doc) * 5)}`,
    year: 1_900 + Math.floor(fractionOf(doc + docCount) * 100),
  }));
  // the second segment has newer versions of some documents of the first, and the third of some of the second
  const [first, second, third] = [
    rows.map((row, doc) => ({ doc, row })).slice(0, 35_000),
    rows.map((row, doc) => ({ doc, row })).slice(34_000),
    [{ doc: 45_000, row: { kind: 'kind 9', year: 2_050 } }],
  ] as const;
  const live = new Map([...first, ...second, ...third].map(({ doc, row }) => [doc, row]));
  for (const doc of [3, 59_999]) live.delete(doc);
  const deleted = [[3, ...Array.from({ length: 1_000 }, (_, at) => 34_000 + at)], [45_000, 59_999], []];
  const documents = bitmapOf(kernel, [...live.keys()], docCount);
  const segments = [first, second, third].map((docs, at): ColumnSegment => {
    const home = { deleted: deleted[at]!.length === 0 ? (0 as const) : bitmapOf(kernel, deleted[at]!, docCount) };
    const [kind, year] = [new FacetColumnBuilder(), new FacetColumnBuilder()];
    for (const { doc, row } of docs) {
      kind.addValue(doc as DocId, 'string', row.kind);
      year.addValue(doc as DocId, 'number', row.year);
    }
    const columns = new Map(
      Object.entries({ kind, year }).map(([field, builder]) => [
        field,
        new ColumnReader(home, kernel, memory, storedInMemory(builder.build())),
      ]),
    );
    return { ...home, column: (field) => columns.get(field), geoPoints: () => undefined, geoBoxes: () => undefined };
  });
  const view: ColumnView = {
    uid: 'x',
    primaryKey: null,
    kernel,
    settings: { ...DEFAULT_SETTINGS, filterableAttributes: ['kind', 'year'] },
    segments,
    documents,
    bitCount: docCount,
    documentCount: live.size,
    document: () => undefined,
    withForeign: () => {
      throw new Error('there is no other index');
    },
    fieldNames: ['kind', 'year'],
  };
  const filter = parseFilter('year > 1930 AND kind = "kind 2"')!;
  const found = [...live].filter(([, { kind, year }]) => year > 1_930 && kind === 'kind 2').map(([doc]) => doc);
  const ofKinds: Record<string, number> = {};
  const ofYears: Record<string, number> = {};
  for (const [, { kind, year }] of [...live].filter(([doc]) => doc % 3 !== 0)) {
    ofKinds[kind] = (ofKinds[kind] ?? 0) + 1;
    ofYears[year] = (ofYears[year] ?? 0) + 1;
  }
  const candidates = bitmapOf(
    kernel,
    [...live.keys()].filter((doc) => doc % 3 !== 0),
    docCount,
  );
  let heldBefore = 0;
  for (let search = 0; search < 5; search++) {
    memory.begin();
    expect([...kernel.bitmaps.members(evaluateFilter(view, filter), 0, docCount)]).toEqual(found.sort((a, b) => a - b));
    const { facetDistribution: counts } = facetDistribution(view, candidates, ['kind', 'year']);
    expect(counts).toEqual({ kind: ofKinds, year: ofYears });
    if (search === 1) heldBefore = memory.heldBytes;
  }
  expect(memory.heldBytes).toBeGreaterThan(heldBefore);
});
