import type { DocId, LocalOrdinal, SegmentId, TermOrdinal } from '@fossick/base';
import { type Bitmap, createKernel, type None, type TermId } from '@fossick/kernel';
import { LIST_ROW_BYTES, type RowReader, SegmentPairs, type StoredList } from '@fossick/segments';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { WordLocation } from './index-view.js';
import { StoredPairs } from './stored-pairs.js';

const seed = Number(process.env['FOSSICK_TEST_SEED'] ?? 20261123);
const SEGMENT = 7 as SegmentId;
/** Pairs are written for segments of so many documents; it is not checked that there are as many. */
const DOC_COUNT = 131_072;

interface Occurrence {
  readonly doc: number;
  readonly field: number;
  readonly position: number;
}
/** By word, in no order, without duplicates. */
type Words = readonly (readonly Occurrence[])[];

const occurrences = fc.record({
  doc: fc.oneof(fc.nat(40), fc.nat(200_000)),
  field: fc.constantFrom(0, 0, 1, 2, 40),
  position: fc.oneof(fc.nat(6), fc.constantFrom(127, 128, 65_534, 65_535)),
});
const identity = ({ doc, field, position }: Occurrence): string => `${doc}.${field}.${position}`;
const shapes = fc.record({
  words: fc.array(fc.uniqueArray(occurrences, { maxLength: 120, selector: identity }), { minLength: 1, maxLength: 9 }),
  firstDoc: fc.constantFrom(0, 77, 65_500, 1_000_000),
  /** Documents of another source are those with this remainder by 3. */
  remainder: fc.nat(2),
  /** One in so many documents is deleted. */
  deletedShare: fc.constantFrom(3, 11, 1_000_000),
  /** So many documents in a row have the first two words side by side. */
  rowLength: fc.constantFrom(0, 30_000),
});

const maker = createKernel();

function encodedList(found: readonly Occurrence[]): Uint8Array {
  const inverter = maker.lists.createInverter();
  inverter.reset();
  const keyed = found.map(({ doc, field, position }) => ({ doc, key: field * 65_536 + position }));
  for (const { doc, key } of keyed.sort((a, b) => a.doc - b.doc || a.key - b.key))
    inverter.add(0 as TermId, doc as LocalOrdinal, key);
  return inverter.encode(Uint32Array.of(0)).postings;
}

/** Documents where `right` stands directly behind `left` in a field. */
function modelled(left: readonly Occurrence[], right: readonly Occurrence[], isDeleted: (doc: number) => boolean) {
  const before = new Set(left.map(identity));
  const found = right.filter(
    (here) => here.position > 0 && before.has(identity({ ...here, position: here.position - 1 })),
  );
  return [...new Set(found.map(({ doc }) => doc))].filter((doc) => !isDeleted(doc)).sort((a, b) => a - b);
}

function rowsInMemory(): { rows: RowReader; put: (table: string, key: Uint8Array, value: Uint8Array) => void } {
  const stored = new Map<string, Uint8Array>();
  const keyOf = (table: string, key: Uint8Array): string => `${table} ${Buffer.from(key).toString('hex')}`;
  return {
    rows: {
      get: (table, key) => stored.get(keyOf(table, key)),
      read: (table, key, use) => {
        const row = stored.get(keyOf(table, key));
        return row === undefined ? undefined : use(row);
      },
    },
    put: (table, key, value) => void stored.set(keyOf(table, key), value.slice()),
  };
}

const ordinalOf = (word: number): TermOrdinal => (word * 5) as TermOrdinal;
const locationOf = (word: number): WordLocation => [word % 2 === 0 ? 'fuzzy' : 'exact', ordinalOf(word)];

test('stored pairs are the documents where a word directly precedes another, in any number of sources and ranges', () => {
  fc.assert(
    fc.property(shapes, ({ words: drawn, firstDoc, remainder, deletedShare, rowLength }) => {
      const kernel = createKernel({ build: 'checked' });
      const rows = rowsInMemory();
      const words: Words = drawn.map((found, word) => {
        const moved = found.map((one) => ({ ...one, doc: one.doc + firstDoc }));
        const first = firstDoc + 200_001;
        const inRow = { field: 1, position: 9 + word };
        const count = word < 2 ? rowLength : 0;
        return [...moved, ...Array.from({ length: count }, (_, at) => ({ doc: first + at, ...inRow }))];
      });
      const all = words.flat().map(({ doc }) => doc);
      const lastDoc = all.reduce((most, doc) => Math.max(most, doc), firstDoc);
      const isDeleted = (doc: number): boolean => doc % deletedShare === deletedShare - 1;
      const deleted: Bitmap | None = kernel.bitmaps.create(lastDoc + 1);
      for (const doc of new Set(all)) if (isDeleted(doc)) kernel.bitmaps.set(deleted, doc as DocId);
      const before = kernel.memory.allocatedBytes;

      const stretch = { firstDoc: firstDoc as DocId, lastDoc: lastDoc as DocId, docCount: DOC_COUNT };
      const pairs = SegmentPairs.begin(kernel, { put: rows.put }, SEGMENT, stretch)!;
      for (const [word, found] of words.entries()) {
        const sources = [
          found.filter(({ doc }) => doc % 3 === remainder),
          found.filter(({ doc }) => doc % 3 !== remainder),
        ];
        const lists = sources.filter((source) => source.length > 0).map(encodedList);
        const read = (): StoredList[] => lists.map((bytes) => ({ bytes, deleted }));
        pairs.add({ table: word % 2 === 0 ? 0 : 1, ordinal: ordinalOf(word), docCount: 10_000 + word, read });
      }
      for (const _ of pairs.write());
      expect(kernel.memory.allocatedBytes).toBe(before);

      const stored = StoredPairs.open(rows.rows, { id: SEGMENT, rowBytes: LIST_ROW_BYTES } as never)!;
      for (const [left, ofLeft] of words.entries())
        for (const [right, ofRight] of words.entries()) {
          const pair = stored.pairOf(locationOf(left), locationOf(right))!;
          expect([...stored.docs(pair)]).toEqual(modelled(ofLeft, ofRight, isDeleted));
        }
      expect(stored.pairOf(locationOf(0), ['fuzzy', 3 as TermOrdinal])).toBe(null);
    }),
    { seed, numRuns: 25 },
  );
}, 120_000);

test('only the most common words are paired, and small segments have no pairs', () => {
  const kernel = createKernel();
  const { rows, put } = rowsInMemory();
  const stretch = { firstDoc: 0 as DocId, lastDoc: 200_000 as DocId, docCount: DOC_COUNT };
  expect(SegmentPairs.begin(kernel, { put }, SEGMENT, { ...stretch, docCount: DOC_COUNT - 1 })).toBe(null);
  const pairs = SegmentPairs.begin(kernel, { put }, SEGMENT, stretch)!;
  expect([2_047, 2_048].map((docCount) => pairs.isCommon(docCount))).toEqual([false, true]);
  // words with odd ordinals are the less common ones
  for (let ordinal = 0; ordinal < 512; ordinal++) {
    const bytes = encodedList([{ doc: 3, field: 0, position: ordinal }]);
    const docCount = 10_000 + (ordinal % 2 === 0 ? 1_000 : 0) + ordinal;
    pairs.add({ table: 0, ordinal: ordinal as TermOrdinal, docCount, read: () => [{ bytes, deleted: 0 }] });
  }
  for (const _ of pairs.write());
  const stored = StoredPairs.open(rows, { id: SEGMENT, rowBytes: LIST_ROW_BYTES } as never)!;
  const pairOf = (left: number, right: number): number | null =>
    stored.pairOf(['fuzzy', left as TermOrdinal], ['fuzzy', right as TermOrdinal]);
  expect([pairOf(0, 1), pairOf(1, 2), pairOf(0, 2), pairOf(510, 510)]).toEqual([null, null, 1, 255 * 256 + 255]);
  expect([...stored.docs(1)]).toEqual([]);
});
