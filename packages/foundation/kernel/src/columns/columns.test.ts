import type { DocId } from '@fossick/base';
import { TEST_SEED } from '@fossick/base/test-seed.test-support';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createKernel, type Kernel } from '../kernel.js';
import type { Bitmap, None } from '../ptr.js';
import type { DocGroups, ForwardColumn, LiveDocs, TextRow } from './column-port.js';

const DOC_BOUND = 700;
const seed = TEST_SEED;
const docSet = fc.uniqueArray(fc.nat(DOC_BOUND - 1), { maxLength: 120 }).map((all) => all.sort((a, b) => a - b));
/** Documents of each group, the live ones, and the universe. */
const column = fc.record({
  numbers: fc.array(docSet, { maxLength: 6 }),
  strings: fc.array(docSet, { maxLength: 6 }),
  /** Documents with the field and no value. */
  blank: docSet,
  isWhole: fc.boolean(),
  wanted: fc.option(docSet),
  deleted: fc.option(docSet),
});
type Shape = typeof column extends fc.Arbitrary<infer T> ? T : never;

function bitmapOf(kernel: Kernel, docs: readonly number[] | null): Bitmap | None {
  if (docs === null) return 0;
  const bitmap = kernel.bitmaps.create(DOC_BOUND);
  for (const doc of docs as DocId[]) kernel.bitmaps.set(bitmap, doc);
  return bitmap;
}

function groupsIn(kernel: Kernel, groups: readonly (readonly number[])[]): DocGroups {
  const ends = [0];
  for (const group of groups) ends.push(ends.at(-1)! + group.length);
  return {
    count: groups.length,
    offsets: kernel.memory.scratchU32(ends),
    docs: kernel.memory.scratchU32(groups.flat()),
  };
}

function textsIn(kernel: Kernel, texts: readonly Buffer[]): TextRow {
  const ends = [0];
  for (const text of texts) ends.push(ends.at(-1)! + text.length);
  const offsets = kernel.memory.scratchU32(ends);
  const bytes = kernel.memory.scratch(ends.at(-1)! + 1);
  kernel.memory.write(bytes, Buffer.concat(texts));
  return { count: texts.length, offsets, bytes };
}

/** A column in kernel memory, and the expected results for the documents that count. */
class Bed {
  readonly kernel: Kernel;
  private readonly shape: Shape;
  readonly live: LiveDocs;
  readonly numbers: DocGroups;
  readonly strings: DocGroups;
  readonly docs: readonly DocId[];
  readonly all: readonly (readonly number[])[];

  constructor(kernel: Kernel, shape: Shape) {
    this.kernel = kernel;
    this.shape = shape;
    this.live = { universe: bitmapOf(kernel, shape.wanted), deleted: bitmapOf(kernel, shape.deleted) };
    this.numbers = groupsIn(kernel, shape.numbers);
    this.strings = groupsIn(kernel, shape.strings);
    this.all = [...shape.numbers, ...shape.strings];
    const known = ([...new Set([...this.all.flat(), ...shape.blank])] as DocId[]).sort((a, b) => a - b);
    const first = known[0] ?? 0;
    this.docs = shape.isWhole
      ? (Array.from({ length: (known.at(-1) ?? 0) - first + 1 }, (_, at) => first + at) as DocId[])
      : known;
  }

  counts(doc: number): boolean {
    const { wanted, deleted } = this.shape;
    return (wanted === null || wanted.includes(doc)) && (deleted === null || !deleted.includes(doc));
  }

  forward(): ForwardColumn {
    const { kernel, numbers, strings, docs } = this;
    const list = kernel.memory.scratchU32(docs);
    const firstDoc = docs[0] ?? (0 as DocId);
    const hasGaps = docs.some((doc, at) => doc !== firstDoc + at);
    return kernel.columns.turn({ numbers, strings, docs: hasGaps ? list : 0, firstDoc, docCount: docs.length });
  }

  groupsOf(doc: number): number[] {
    return [...this.all.keys()].filter((group) => this.all[group]!.includes(doc));
  }
}

describe.each(['checked', 'fast'] as const)('columns, %s build', (build) => {
  const kernel = createKernel({ build });
  const members = (bitmap: Bitmap) => [...kernel.bitmaps.members(bitmap, 0, DOC_BOUND)];
  const forAll = (check: (bed: Bed, shape: Shape) => void): void =>
    fc.assert(
      fc.property(column, (shape) => {
        const mark = kernel.memory.mark();
        check(new Bed(kernel, shape), shape);
        kernel.memory.release(mark);
      }),
      { seed },
    );

  test('groups are counted, walked and joined as their documents say', () => {
    forAll((bed, { numbers: groups }) => {
      const { numbers, live } = bed;
      const counts = groups.map((group) => group.filter((doc) => bed.counts(doc)).length);
      const [from, to] = [Math.min(1, groups.length), groups.length];
      expect([...kernel.columns.countGroups(numbers, from, to, live)]).toEqual(counts.slice(from));
      const present = [...counts.keys()].filter((group) => counts[group]! > 0);
      const up = kernel.columns.presentGroups(numbers, { from: 0, to, step: 1 }, 3, live);
      expect([...up.groups]).toEqual(present.slice(0, 3));
      expect([...up.counts]).toEqual(present.slice(0, 3).map((group) => counts[group]));
      const down = kernel.columns.presentGroups(numbers, { from: to - 1, to: -1, step: -1 }, 9, live);
      expect([...down.groups]).toEqual(present.toReversed());
      expect(kernel.columns.nextGroup(numbers, from, 1, live)).toBe(present.find((group) => group >= from) ?? -1);
      expect(kernel.columns.nextGroup(numbers, 2, -1, live)).toBe(present.findLast((group) => group <= 2) ?? -1);
      const target = kernel.bitmaps.create(DOC_BOUND);
      kernel.columns.orGroups(target, numbers, from, to, live);
      const joined = [...new Set(groups.slice(from).flat())].filter((doc) => bed.counts(doc)).sort((a, b) => a - b);
      expect(members(target)).toEqual(joined);
      kernel.bitmaps.clear(target);
      const list = Uint32Array.from({ length: to - from }, (_, at) => from + at + 5);
      kernel.columns.orListedGroups(target, numbers, list, 5, live);
      expect(members(target)).toEqual(joined);
      groups.forEach((group, at) => {
        const start = groups.slice(0, at).flat().length;
        const first = group.findIndex((doc) => bed.counts(doc));
        expect(kernel.columns.firstEntry(numbers, at, live)).toBe(first < 0 ? -1 : start + first);
      });
    });
  });

  test('a forward column has the groups of each document, and counts by them', () => {
    forAll((bed, shape) => {
      const forward = bed.forward();
      for (let doc = 0; doc < DOC_BOUND; doc += 7) {
        const expected = bed.docs.includes(doc as DocId) ? bed.groupsOf(doc) : undefined;
        expect(
          kernel.columns.groupsOf(forward, doc as DocId) && [...kernel.columns.groupsOf(forward, doc as DocId)!],
        ).toEqual(expected);
        const next = bed.docs.find((one) => one >= doc && bed.counts(one)) ?? -1;
        expect(kernel.columns.nextLiveDoc(forward, bed.live, doc)).toBe(next);
      }
      const counts = bed.all.map((group) => group.filter((doc) => bed.counts(doc)).length);
      const found = kernel.columns.countByDocument(forward, bed.live);
      expect([...found.groups]).toEqual([...counts.keys()].filter((group) => counts[group]! > 0));
      expect([...found.counts]).toEqual(counts.filter((count) => count > 0));
      for (const isDescending of [false, true]) {
        const firsts = bed.docs
          .filter((doc) => bed.counts(doc))
          .flatMap((doc): [number, number][] => {
            const groups = bed.groupsOf(doc);
            const numbers = groups.filter((group) => group < shape.numbers.length);
            const [side] = numbers.length > 0 ? [numbers] : [groups];
            return side.length === 0 ? [] : [[isDescending ? side.at(-1)! : side[0]!, doc]];
          });
        const expected = firsts
          .map(([group, doc]) => (BigInt(group) << 32n) | BigInt(doc))
          .sort((a, b) => (a < b ? -1 : 1));
        expect([...kernel.columns.firstGroups(forward, bed.live, isDescending)]).toEqual(expected);
      }
      kernel.memory.free(forward.ptr);
    });
  });

  test('a forward column of a set has the groups of its documents that have any', () => {
    forAll((bed) => {
      const hits = kernel.bitmaps.create(DOC_BOUND);
      const { numbers, strings, live } = bed;
      const forward = kernel.columns.turnWithin({ numbers, strings }, live, hits);
      const expected = bed.docs.filter((doc) => bed.counts(doc) && bed.groupsOf(doc).length > 0);
      expect(members(hits)).toEqual(expected);
      expect(forward === null).toBe(expected.length === 0);
      if (forward === null) return;
      for (const doc of bed.docs) {
        const groups = kernel.columns.groupsOf(forward, doc);
        expect(groups && [...groups]).toEqual(expected.includes(doc) ? bed.groupsOf(doc) : undefined);
      }
      for (let doc = 0; doc < DOC_BOUND; doc += 7)
        expect(kernel.columns.nextLiveDoc(forward, live, doc)).toBe(expected.find((next) => next >= doc) ?? -1);
    });
  });

  test('firsts are the documents whose groups were not met before', () => {
    forAll((bed) => {
      const forward = bed.forward();
      const [seen, firsts] = [kernel.bitmaps.create(Math.max(1, bed.all.length)), kernel.bitmaps.create(DOC_BOUND)];
      const [met, expected] = [new Set<number>(), [] as number[]];
      const range = { from: 10, to: 600, limit: 40 };
      const { count, groups } = kernel.columns.firstsBetween(forward, bed.live, range, seen, firsts);
      for (const doc of bed.docs) {
        if (doc < range.from || doc >= range.to || expected.length === range.limit || !bed.counts(doc)) continue;
        const own = bed.groupsOf(doc);
        if (own.some((group) => met.has(group))) continue;
        expected.push(doc);
        for (const group of own) met.add(group);
      }
      expect(members(firsts)).toEqual(expected);
      expect(count).toBe(expected.length);
      expect([...groups]).toEqual([...met].sort((a, b) => a - b));
      expect([...kernel.bitmaps.members(seen, 0, 100)]).toEqual([...groups]);
      kernel.memory.free(forward.ptr);
    });
  });

  test('texts are found in byte order', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b', 'é', '日', '\u{1f600}'), maxLength: 14 });
    const row = fc
      .array(text, { maxLength: 40 })
      .map((all) => [...new Set(all)].map((one) => Buffer.from(one)).sort(Buffer.compare));
    fc.assert(
      fc.property(row, row, text, fc.boolean(), (left, right, key, isAfter) => {
        const mark = kernel.memory.mark();
        const [rowOfLeft, rowOfRight, bytes] = [textsIn(kernel, left), textsIn(kernel, right), Buffer.from(key)];
        const bound = left.findIndex((one) => Buffer.compare(one, bytes) >= (isAfter ? 1 : 0));
        expect(kernel.texts.bound(rowOfLeft, bytes, isAfter)).toBe(bound < 0 ? left.length : bound);
        const places = Uint32Array.from(left.keys(), (row) => row + 3);
        const expected = left.map((one) => right.findIndex((other) => other.equals(one)));
        expect([...kernel.texts.find(rowOfLeft, places, 3, rowOfRight)]).toEqual(expected);
        kernel.memory.release(mark);
      }),
      { seed },
    );
  });

  test('texts of several columns are merged with the sums of their counts', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b', 'é', '\u{1f600}'), maxLength: 10 });
    const counted = fc.array(fc.tuple(text, fc.nat(3), fc.nat(2)), { maxLength: 30 });
    fc.assert(
      fc.property(fc.array(fc.tuple(counted, fc.boolean()), { maxLength: 5 }), (columns) => {
        const mark = kernel.memory.mark();
        const sums = new Map<string, number>();
        const inputs = columns.map(([all, isWhole]) => {
          const rows = [...new Map(all.map((row) => [row[0], row]))]
            .map(([, row]) => row)
            .sort((a, b) => Buffer.compare(Buffer.from(a[0]), Buffer.from(b[0])));
          for (const [key, count, live] of rows) if (isWhole || live > 0) sums.set(key, (sums.get(key) ?? 0) + count);
          return {
            rows,
            texts: textsIn(
              kernel,
              rows.map(([key]) => Buffer.from(key)),
            ),
            counts: Uint32Array.from(rows, ([, count]) => count),
            live: isWhole ? null : Uint32Array.from(rows, ([, , live]) => live),
          };
        });
        const found: [string, number][] = [];
        kernel.texts.merge(inputs, (column, row, count) => found.push([inputs[column]!.rows[row]![0], count]));
        const expected = [...sums].sort((a, b) => Buffer.compare(Buffer.from(a[0]), Buffer.from(b[0])));
        expect(found).toEqual(expected);
        kernel.memory.release(mark);
      }),
      { seed },
    );
  });

  test('plain texts have neither upper-case letters nor bytes beyond ASCII', () => {
    const unit = fc.constantFrom('a', 'z', ' ', '@', '[', '`', '{', '~', '0', 'A', 'Z', '\u007f', '\n', 'é');
    fc.assert(
      fc.property(fc.array(fc.string({ unit, maxLength: 3 }), { maxLength: 60 }), (texts) => {
        const mark = kernel.memory.mark();
        const row = textsIn(
          kernel,
          texts.map((one) => Buffer.from(one)),
        );
        expect(kernel.texts.isPlain(row)).toBe(texts.every((one) => /^[ -@[-`a-z{-~]*$/.test(one)));
        kernel.memory.release(mark);
      }),
      { seed },
    );
  });

  test('few members are looked for in long groups', () => {
    const step = fc.integer({ min: 1, max: 5 });
    const few = fc.uniqueArray(fc.nat(DOC_BOUND - 1), { maxLength: 5 });
    const spans = fc.array(fc.tuple(step, fc.nat(DOC_BOUND - 1)), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(few, few, spans, (all, deleted, shapes) => {
        const mark = kernel.memory.mark();
        const groups = shapes.map(([by, from]) =>
          Array.from({ length: Math.ceil((DOC_BOUND - from) / by) }, (_, at) => from + at * by),
        );
        const live = { universe: bitmapOf(kernel, all), deleted: bitmapOf(kernel, deleted) };
        const counts = groups.map((group) => group.filter((doc) => all.includes(doc) && !deleted.includes(doc)).length);
        expect([...kernel.columns.countGroups(groupsIn(kernel, groups), 0, groups.length, live)]).toEqual(counts);
        kernel.memory.release(mark);
      }),
      { seed },
    );
  });
});
