import type { DocId, LocalOrdinal, SegmentId, TermOrdinal } from '@fossick/base';
import { runsOf, TEST_SEED } from '@fossick/base/test-seed.test-support';
import { LIST_ROW_BYTES, type RowReader } from '@fossick/format';
import { type Bitmap, createKernel, type Kernel, postingListIn, type TermId, WINDOW_POSITIONS } from '@fossick/kernel';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { SegmentWindows } from '../building/segment-windows.js';
import type { ListedPostings } from './listed-postings.js';
import { PrefixPostings } from './prefix-postings.js';
import { ResidentPostings } from './resident-postings.js';
import { joinedWindows, SegmentWindowRecords } from './stored-windows.js';

const seed = TEST_SEED;
const SEGMENT = 7 as SegmentId;
const FIELDS = 3;
/** Bitmaps of so large an index may list their lanes. */
const FIRST_DOC = 300_077;
const DOC_COUNT = 9_000;
const DOC_BOUND = FIRST_DOC + DOC_COUNT;
/** This many words are a prefix with windows. */
const WORD_COUNT = 16;

interface Occurrence {
  readonly doc: number;
  readonly field: number;
  readonly position: number;
}

/** Every how many documents have the word in each field, and every how many of these at an early position. */
const shapes = fc.record({
  steps: fc.array(fc.constantFrom(1, 2, 7, 30, 70, 400, 9_001), { minLength: FIELDS, maxLength: FIELDS }),
  early: fc.constantFrom(1, 3, 40, 500),
});
const documents = fc.record({ first: fc.nat(200), step: fc.constantFrom(1, 2, 9, 130, 2_000) });
const steps = fc.oneof(
  fc.record({ kind: fc.constant('docs' as const) }),
  fc.record({ kind: fc.constant('fields' as const), within: documents }),
  fc.record({ kind: fc.constant('positions' as const), within: documents, wanted: fc.integer({ min: 1, max: 63 }) }),
  fc.record({ kind: fc.constant('deletion' as const), deleted: documents }),
  fc.record({ kind: fc.constant('eviction' as const) }),
  fc.record({ kind: fc.constant('growth' as const) }),
);

function occurrencesOf(
  { steps: every, early }: { steps: readonly number[]; early: number },
  word: number,
): Occurrence[] {
  return every.flatMap((step, field) =>
    Array.from({ length: Math.floor((DOC_COUNT - 1 - word) / step) + 1 }, (_, at) => {
      const position = at % early === 0 ? (at / early) % WINDOW_POSITIONS : 9;
      return { doc: FIRST_DOC + word + at * step, field, position };
    }),
  );
}

function rowsInMemory(): { rows: RowReader; put: (table: string, key: Uint8Array, value: Uint8Array) => void } {
  const stored = new Map<string, Uint8Array>();
  const keyOf = (table: string, key: Uint8Array): string => `${table} ${Buffer.from(key).toString('hex')}`;
  const get = (table: string, key: Uint8Array): Uint8Array | undefined => stored.get(keyOf(table, key));
  return {
    rows: {
      get,
      read: (table, key, use) => {
        const row = get(table, key);
        return row === undefined ? undefined : use(row);
      },
    },
    put: (table, key, value) => void stored.set(keyOf(table, key), value.slice()),
  };
}

/** The stored windows of the words `aa`, `ab`, ... of one table each, or of words that begin otherwise. */
function storedWindows(
  kernel: Kernel,
  tables: readonly (readonly (readonly Occurrence[])[])[],
  beginning = 'a',
): SegmentWindowRecords {
  const { rows, put } = rowsInMemory();
  const docRange = { firstDoc: FIRST_DOC as DocId, lastDoc: (DOC_BOUND - 1) as DocId, docCount: DOC_COUNT };
  const writer = SegmentWindows.begin(kernel, { put } as never, SEGMENT, docRange, FIELDS)!;
  for (const [table, words] of tables.entries()) {
    writer.startTable(table as 0 | 1);
    for (const [word, found] of words.entries()) {
      const inverter = kernel.lists.createInverter();
      const keyed = found.map(({ doc, field, position }) => ({ doc, key: field * 65_536 + position }));
      for (const { doc, key } of keyed.sort((a, b) => a.doc - b.doc || a.key - b.key))
        inverter.add(0 as TermId, doc as LocalOrdinal, key);
      const { postings } = inverter.encode(Uint32Array.of(0));
      const list = kernel.memory.allocate(postings.length);
      kernel.memory.write(list, postings);
      writer.add(Buffer.from(`${beginning}${String.fromCharCode(97 + word)}`), postingListIn(list, 0));
      kernel.memory.free(list);
    }
  }
  writer.finish();
  writer.close();
  return SegmentWindowRecords.open(kernel, rows, { id: SEGMENT, rowBytes: LIST_ROW_BYTES } as never)!;
}

const isIn = ({ first, step }: { first: number; step: number }, doc: number): boolean =>
  doc >= FIRST_DOC + first && (doc - FIRST_DOC - first) % step === 0;

function bitmapOf(kernel: Kernel, set: { first: number; step: number }): Bitmap {
  const bitmap = kernel.bitmaps.create(DOC_BOUND);
  for (let doc = FIRST_DOC; doc < DOC_BOUND; doc++) if (isIn(set, doc)) kernel.bitmaps.set(bitmap, doc as DocId);
  return bitmap;
}

const membersOf = (kernel: Kernel, bitmap: Bitmap): number[] => [...kernel.bitmaps.members(bitmap, 0, DOC_BOUND)];
const sorted = (docs: readonly number[]): number[] => [...new Set(docs)].sort((a, b) => a - b);
const notLoaded = (): never => {
  throw new Error('the windows suffice');
};

test('windows have the documents of the words, sparse or not, whatever happens between', () => {
  fc.assert(
    fc.property(shapes, shapes, fc.boolean(), fc.array(steps, { maxLength: 60 }), (left, right, isPrefix, drawn) => {
      const kernel = createKernel({ build: 'checked' });
      const words = [left, right].map((shape) =>
        isPrefix
          ? Array.from({ length: WORD_COUNT }, (_, word) => occurrencesOf(shape, word * 3))
          : [[...occurrencesOf(shape, 0), ...occurrencesOf({ ...shape, steps: [100, 9_001, 9_001] }, 50)]],
      );
      const records = storedWindows(kernel, words);
      const ofTable = (table: 'fuzzy' | 'exact') =>
        isPrefix
          ? records.ofPrefix(table, Buffer.from('a'), 0 as TermOrdinal)
          : records.ofWord(table, 0 as TermOrdinal);
      const [fuzzy, exact] = [ofTable('fuzzy'), ofTable('exact')];
      fc.pre(fuzzy !== null && exact !== null);
      const stored = joinedWindows(fuzzy!, exact!);
      const found = words.flat(2);
      const byField = Array.from({ length: FIELDS }, (_, of) => found.filter(({ field }) => field === of));

      let growth = 0;
      const onGrowth = (bytes: number): void => {
        growth += bytes;
      };
      const host = { kernel, onGrowth, scope: { fieldCount: FIELDS } };
      const make = (): ListedPostings =>
        isPrefix
          ? new PrefixPostings(host, notLoaded, 0, stored)
          : new ResidentPostings(host, { make: notLoaded }, 0, stored);
      let list = make();
      let deleted = { first: DOC_COUNT, step: 1 };
      const before = kernel.memory.allocatedBytes;
      const free = (): void => {
        list.free();
        expect([list.byteCount, growth, kernel.memory.allocatedBytes]).toEqual([0, 0, before]);
      };
      const others: (() => void)[] = [];
      for (const step of drawn) {
        const mark = kernel.memory.mark();
        list.deleted = bitmapOf(kernel, deleted);
        const withinOf = (set: { first: number; step: number }): Bitmap => {
          const within = bitmapOf(kernel, set);
          kernel.bitmaps.isSparse(within, 100); // it then lists its lanes
          return within;
        };
        const live = (docs: readonly Occurrence[], within = { first: 0, step: 1 }): number[] =>
          sorted(docs.map(({ doc }) => doc).filter((doc) => isIn(within, doc) && !isIn(deleted, doc)));
        if (step.kind === 'docs') {
          const target = kernel.bitmaps.create(DOC_BOUND);
          expect(list.orDocs(target)).toBe(true);
          expect(membersOf(kernel, target)).toEqual(live(found));
        } else if (step.kind === 'fields') {
          const targets = byField.map(() => kernel.bitmaps.create(DOC_BOUND));
          expect(list.orFields(withinOf(step.within), targets)).toBe(true);
          expect(targets.map((target) => membersOf(kernel, target))).toEqual(
            byField.map((docs) => live(docs, step.within)),
          );
        } else if (step.kind === 'positions') {
          const target = kernel.bitmaps.create(DOC_BOUND);
          list.orMasks(target, withinOf(step.within), step.wanted);
          const wanted = found.filter(({ position }) => ((step.wanted >> position) & 1) === 1);
          expect(membersOf(kernel, target)).toEqual(live(wanted, step.within));
        } else if (step.kind === 'deletion') deleted = step.deleted;
        else if (step.kind === 'eviction') {
          for (const freeOther of others.splice(0)) freeOther();
          free();
          list = make();
        } else {
          const block = kernel.memory.allocate(1 << 20); // the views of the memory detach
          others.push(() => kernel.memory.free(block));
        }
        kernel.memory.release(mark);
      }
      for (const freeOther of others) freeOther();
      free();
    }),
    { seed, numRuns: runsOf(40) },
  );
}, 120_000);

test.each([
  'abcd',
  'abcde',
  'abcdef',
  'abcdefg',
  'abcdefgh',
])('prefixes of up to seven bytes have windows: %s', (beginning) => {
  const kernel = createKernel();
  const word = occurrencesOf({ steps: [50, 60, 70], early: 2 }, 0);
  const words = Array.from({ length: WORD_COUNT }, () => word);
  const records = storedWindows(kernel, [[], words], beginning);
  const found = (first: number): number | undefined =>
    records.ofPrefix('exact', Buffer.from(beginning), first as TermOrdinal)?.docCount;
  const docCount = WORD_COUNT * new Set(word.map(({ doc }) => doc)).size;
  expect(found(0)).toBe(beginning.length > 7 ? undefined : docCount);
  expect(found(1)).toBe(beginning.length > 4 ? undefined : docCount);
});

test('windows of few documents take fewer bytes than their bits until they are used often', () => {
  const kernel = createKernel();
  const records = storedWindows(kernel, [[occurrencesOf({ steps: [50, 9_001, 300], early: 2 }, 0)]]);
  const host = { kernel, onGrowth: () => undefined, scope: { fieldCount: FIELDS } };
  const list = new ResidentPostings(host, { make: notLoaded }, 0, records.ofWord('fuzzy', 0 as TermOrdinal));
  const within = bitmapOf(kernel, { first: 0, step: 1 });
  const documentsByField = (): number[][] => {
    const targets = Array.from({ length: FIELDS }, () => kernel.bitmaps.create(DOC_BOUND));
    list.orFields(within, targets);
    return targets.map((target) => membersOf(kernel, target));
  };
  const first = documentsByField();
  expect(first.map((docs) => docs.length)).toEqual([180, 1, 30]);
  expect(list.byteCount).toBeLessThan(2 * 211);
  for (let times = 0; times < 20; times++) expect(documentsByField()).toEqual(first);
  expect(list.byteCount).toBeGreaterThan(FIELDS * (DOC_COUNT / 8));
  list.free();
  expect(list.byteCount).toBe(0);
});
