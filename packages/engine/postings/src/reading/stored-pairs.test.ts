import type { DocId, LocalOrdinal, SegmentId, TermOrdinal } from '@fossick/base';
import { runsOf, TEST_SEED } from '@fossick/base/test-seed.test-support';
import { LIST_ROW_BYTES, type RowReader, type SegmentRows } from '@fossick/format';
import { type Bitmap, createKernel, type None, type TermId } from '@fossick/kernel';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type ListInSource, SegmentPairs } from '../building/segment-pairs.js';
import type { WordLocation } from './segment-postings.js';
import { StoredPairs } from './stored-pairs.js';

const seed = TEST_SEED;
const SEGMENT = 7 as SegmentId;
/** Pairs are written for segments of this many documents; it is not checked that there are as many. */
const DOC_COUNT = 65_536;
const ROW_DOCS = 30_000;

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
  words: fc.array(fc.uniqueArray(occurrences, { maxLength: 120, selector: identity }), { minLength: 1, maxLength: 11 }),
  firstDoc: fc.constantFrom(0, 77, 65_500, 1_000_000),
  /** Documents of the first source are those with this remainder by 3; null: sources follow one another. */
  remainder: fc.constantFrom(0, 1, 2, null, null),
  /** Sources that have pairs of their own. */
  storedIn: fc.subarray([0, 1, 2]),
  /** A word that these have not paired. */
  unpaired: fc.constantFrom(-1, 0, 10),
  /** One in this many documents is deleted. */
  deletedShare: fc.constantFrom(3, 11, 1_000_000),
  /** The last word and the first are side by side in one of this many documents after all of these; 0: in none. */
  rowStep: fc.constantFrom(0, 1, 25),
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

/** Documents where `right` is directly after `left` in a field. */
function modelled(left: readonly Occurrence[], right: readonly Occurrence[], isDeleted: (doc: number) => boolean) {
  const before = new Set(left.map(identity));
  const found = right.filter(
    (here) => here.position > 0 && before.has(identity({ ...here, position: here.position - 1 })),
  );
  return [...new Set(found.map(({ doc }) => doc))].filter((doc) => !isDeleted(doc)).sort((a, b) => a - b);
}

function rowsInMemory(): RowReader & SegmentRows {
  const stored = new Map<string, Uint8Array>();
  const keyOf = (table: string, key: Uint8Array): string => `${table} ${Buffer.from(key).toString('hex')}`;
  return {
    get: (table, key) => stored.get(keyOf(table, key)),
    read: (table, key, use) => {
      const row = stored.get(keyOf(table, key));
      return row === undefined ? undefined : use(row);
    },
    put: (table, key, value) => void stored.set(keyOf(table, key), value.slice()),
  };
}

const ordinalOf = (word: number): TermOrdinal => (word * 5) as TermOrdinal;
const tableOf = (word: number): 0 | 1 => (word % 2 === 0 ? 0 : 1);
const locationOf = (word: number): WordLocation => [word % 2 === 0 ? 'fuzzy' : 'exact', ordinalOf(word)];

test('stored pairs are the documents where a word directly precedes another, in any number of sources and ranges', () => {
  fc.assert(
    fc.property(shapes, ({ words: drawn, firstDoc, remainder, storedIn, unpaired, deletedShare, rowStep }) => {
      const kernel = createKernel({ build: 'checked' });
      const rows = rowsInMemory();
      const words: Words = drawn.map((found, word) => {
        const moved = found.map((one) => ({ ...one, doc: one.doc + firstDoc }));
        const first = firstDoc + 200_001;
        const position = word === 0 ? 10 : word === drawn.length - 1 ? 9 : null;
        const count = rowStep === 0 || position === null ? 0 : ROW_DOCS / rowStep;
        const inRow = Array.from({ length: count }, (_, at) => ({
          doc: first + at * rowStep,
          field: 1,
          position: position!,
        }));
        return [...moved, ...inRow];
      });
      const all = words.flat().map(({ doc }) => doc);
      const lastDoc = all.reduce((most, doc) => Math.max(most, doc), firstDoc);
      const isDeleted = (doc: number): boolean => doc % deletedShare === deletedShare - 1;
      const deleted: Bitmap | None = kernel.bitmaps.create(lastDoc + 1);
      for (const doc of new Set(all)) if (isDeleted(doc)) kernel.bitmaps.set(deleted, doc as DocId);
      const before = kernel.memory.allocatedBytes;

      const docRange = { firstDoc: firstDoc as DocId, lastDoc: lastDoc as DocId, docCount: DOC_COUNT };
      const sourceOf = (doc: number): number => {
        if (remainder === null) return doc < firstDoc + 70_000 ? 0 : doc < firstDoc + 200_000 ? 1 : 2;
        return doc % 3 === remainder ? 0 : 1 + (doc % 2);
      };
      const parts = [0, 1, 2].map((source) =>
        words.map((found) => found.filter(({ doc }) => sourceOf(doc) === source)),
      );
      const infos = parts.map((_, source) => ({ id: (source + 1) as SegmentId, rowBytes: LIST_ROW_BYTES }));
      // sources have their words in an order of their own
      const ordinalIn = (source: number, word: number): TermOrdinal =>
        (source * 100 + words.length - word) as TermOrdinal;
      const listIn = (source: number, word: number, ordinal: TermOrdinal): ListInSource[] =>
        parts[source]![word]!.length === 0 ? [] : [{ source, ordinal, read: () => encodedList(parts[source]![word]!) }];
      for (const source of storedIn) {
        const own = new SegmentPairs(kernel, rows, infos[source]!.id, docRange, [{ info: infos[0]!, deleted: 0 }]);
        for (const word of words.keys()) {
          const lists = listIn(source, word, 0 as TermOrdinal).map((list) => ({ ...list, source: 0 }));
          if (word === unpaired || lists.length === 0) continue;
          own.add({ table: tableOf(word), ordinal: ordinalIn(source, word), docCount: 10_000, lists });
        }
        for (const _ of own.write());
      }
      const sources = infos.map((info) => ({ info, deleted }));
      const pairs = new SegmentPairs(kernel, rows, SEGMENT, docRange, sources);
      for (const word of words.keys()) {
        const lists = parts.flatMap((_, source) => listIn(source, word, ordinalIn(source, word)));
        pairs.add({ table: tableOf(word), ordinal: ordinalOf(word), docCount: 10_000 + word, lists });
      }
      for (const _ of pairs.write());
      expect(kernel.memory.allocatedBytes).toBe(before);

      const stored = StoredPairs.open(rows, { id: SEGMENT, rowBytes: LIST_ROW_BYTES } as never)!;
      for (const [left, ofLeft] of words.entries())
        for (const [right, ofRight] of words.entries()) {
          const pair = stored.pairOf(locationOf(left), locationOf(right));
          // a word of ten that a source has not paired is left out
          if (pair === null) expect([left, right]).toContain(unpaired);
          else expect([...stored.docs(pair)]).toEqual(modelled(ofLeft, ofRight, isDeleted));
        }
      expect(stored.pairOf(locationOf(0), ['fuzzy', 3 as TermOrdinal])).toBe(null);
    }),
    { seed, numRuns: runsOf(60) },
  );
}, 120_000);

test('only the most common words are paired, and small segments have no pairs', () => {
  const kernel = createKernel();
  const rows = rowsInMemory();
  const docRange = { firstDoc: 0 as DocId, lastDoc: 200_000 as DocId, docCount: DOC_COUNT };
  const source = { info: { id: 1 as SegmentId, rowBytes: LIST_ROW_BYTES }, deleted: 0 } as const;
  const begun = (docCount: number): SegmentPairs =>
    new SegmentPairs(kernel, rows, SEGMENT, { ...docRange, docCount }, [source]);
  expect(begun(DOC_COUNT - 1).isCommon(DOC_COUNT - 1)).toBe(false);
  const pairs = begun(DOC_COUNT);
  expect([1_023, 1_024].map((docCount) => pairs.isCommon(docCount))).toEqual([false, true]);
  // words with odd ordinals are the less common ones
  for (let ordinal = 0 as TermOrdinal; ordinal < 512; ordinal++) {
    const bytes = encodedList([{ doc: 3, field: 0, position: ordinal }]);
    const docCount = 10_000 + (ordinal % 2 === 0 ? 1_000 : 0) + ordinal;
    pairs.add({ table: 0, ordinal, docCount, lists: [{ source: 0, ordinal, read: () => bytes }] });
  }
  for (const _ of pairs.write());
  const stored = StoredPairs.open(rows, { id: SEGMENT, rowBytes: LIST_ROW_BYTES } as never)!;
  const pairOf = (left: number, right: number): number | null =>
    stored.pairOf(['fuzzy', left as TermOrdinal], ['fuzzy', right as TermOrdinal]);
  expect([pairOf(0, 1), pairOf(1, 2), pairOf(0, 2), pairOf(510, 510)]).toEqual([null, null, 1, 255 * 256 + 255]);
  expect([...stored.docs(1)]).toEqual([]);
});
