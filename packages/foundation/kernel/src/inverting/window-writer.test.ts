import type { DocId, LocalOrdinal } from '@fossick/base';
import { describe, expect, test } from 'vitest';
import { createKernel, type Kernel } from '../kernel.js';
import { WINDOW_COMMON_SHARE, WINDOW_FIELDS_MAX, WINDOW_POSITIONS, WINDOW_WORDS_MIN } from '../layout.js';
import { postingListIn, type TermId } from '../ptr.js';
import { readWindowRecords, type StoredWindows } from './window-writer.js';

const FIRST_DOC = 1_070 as DocId;
const DOC_COUNT = 9_000;
const LAST_DOC = (FIRST_DOC + DOC_COUNT - 1) as DocId;
/** The documents' range, extended to whole lanes. */
const STRETCH_START = FIRST_DOC - (FIRST_DOC % 128);
const STRETCH_BITS = LAST_DOC - (LAST_DOC % 128) + 128 - STRETCH_START;

function randomOf(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) | 0;
    return Math.floor(((state >>> 8) / 2 ** 24) * below);
  };
}

/** Word, to document, to its keys. */
type Words = ReadonlyMap<string, ReadonlyMap<number, readonly number[]>>;

/** Words of one to ten letters, the first in most documents, some beyond ASCII; every document has some. */
function randomWords(seed: number, fieldCount: number): Words {
  const random = randomOf(seed);
  const syllables = ['ba', 're', 'é', '日本', 't', 'lo'];
  const spell = (number: number): string =>
    number < syllables.length
      ? syllables[number]!
      : spell(Math.floor(number / syllables.length) - 1) + syllables[number % syllables.length]!;
  const words = new Map<string, Map<number, number[]>>();
  for (let doc = FIRST_DOC; doc <= LAST_DOC; doc++)
    for (let n = 1 + random(12); n > 0; n--) {
      const word = spell(random(1 + random(1 + random(3_000))));
      const ofWord = words.get(word) ?? new Map<number, number[]>();
      words.set(word, ofWord);
      ofWord.set(doc, [
        ...(ofWord.get(doc) ?? []),
        random(fieldCount) * 65_536 + random(random(5) === 0 ? 65_536 : 12),
      ]);
    }
  const encoder = new TextEncoder();
  return new Map([...words].sort(([a], [b]) => Buffer.compare(encoder.encode(a), encoder.encode(b))));
}

interface Written {
  readonly records: readonly StoredWindows[];
  readonly bytes: Uint8Array;
}

function write(kernel: Kernel, words: Words, fieldCount: number, knownFields = fieldCount): Written {
  const inverter = kernel.lists.createInverter();
  [...words.values()].forEach((docs, term) => {
    for (const [doc, keys] of docs) for (const key of keys) inverter.add(term as TermId, doc as LocalOrdinal, key);
  });
  const { postings, offsets } = inverter.encode(Uint32Array.from({ length: words.size }, (_, term) => term));
  const base = kernel.memory.allocate(postings.length + 3);
  kernel.memory.write(base, postings, 3);
  const writer = kernel.windows.createWriter(FIRST_DOC, LAST_DOC, knownFields);
  writer.startTable(1);
  const pieces: Uint8Array[] = [];
  [...words.keys()].forEach((word, term) => {
    writer.add(new TextEncoder().encode(word), postingListIn(base, 3 + offsets[term]!));
    if (term % 50 === 0) pieces.push(writer.take().slice());
  });
  writer.end();
  pieces.push(writer.take().slice());
  const records = [...readWindowRecords(new Uint32Array(writer.records().buffer))];
  const before = kernel.memory.allocatedBytes;
  writer.close();
  expect(kernel.memory.allocatedBytes).toBeLessThan(before);
  return { records, bytes: Buffer.concat(pieces) };
}

/** The windows of a record as sets of documents, by slot. */
function readRecord(kernel: Kernel, { bytes }: Written, record: StoredWindows): Map<number, number[]> {
  const found = new Map<number, number[]>();
  let at = record.at;
  let place = 0;
  for (let slot = 0; slot < 32; slot++) {
    if ((record.slots & (1 << slot)) === 0) continue;
    const byteCount = record.byteCounts[place++]!;
    const window = kernel.windows.create(STRETCH_START, STRETCH_BITS);
    const from = kernel.memory.allocate(byteCount);
    kernel.memory.write(from, bytes.subarray(at, at + byteCount));
    kernel.windows.addStored(window, from, byteCount);
    const bits = kernel.bitmaps.create(LAST_DOC + 130);
    kernel.windows.or(bits, window, 0, 0);
    found.set(slot, [...kernel.bitmaps.members(bits, 0, LAST_DOC + 130)]);
    kernel.memory.free(from);
    kernel.memory.free(window);
    at += byteCount;
  }
  return found;
}

function expected(lists: Iterable<ReadonlyMap<number, readonly number[]>>, byField: boolean): Map<number, number[]> {
  const slots = new Map<number, Set<number>>();
  for (const docs of lists)
    for (const [doc, keys] of docs)
      for (const key of keys) {
        const position = key % 65_536;
        const wanted = [byField ? Math.floor(key / 65_536) : 0];
        if (position < WINDOW_POSITIONS) wanted.push(WINDOW_FIELDS_MAX + position);
        for (const slot of wanted) slots.set(slot, (slots.get(slot) ?? new Set()).add(doc));
      }
  return new Map(
    [...slots].sort(([a], [b]) => a - b).map(([slot, docs]) => [slot, [...docs].sort((a, b) => a - b)] as const),
  );
}

describe.each(['checked', 'fast'] as const)('windows of a segment, %s build', (build) => {
  test.each([
    [1, 3],
    [2, 1],
    [3, WINDOW_FIELDS_MAX],
    [4, WINDOW_FIELDS_MAX + 1],
  ])('hold the documents of common words and prefixes, seed %i, %i fields', (seed, fieldCount) => {
    const kernel = createKernel({ build });
    const words = randomWords(seed, fieldCount);
    const written = write(kernel, words, fieldCount);
    const byField = fieldCount <= WINDOW_FIELDS_MAX;
    const names = [...words.keys()];
    const lists = [...words.values()];
    const encoded = names.map((name) => Buffer.from(name));
    const seen = new Set<string>();
    for (const record of written.records) {
      expect(record.table).toBe(1);
      if (record.length === 0) {
        seen.add(names[record.key]!);
        expect(record.docCount).toBe(lists[record.key]!.size);
        expect(readRecord(kernel, written, record)).toEqual(expected([lists[record.key]!], byField));
        continue;
      }
      const prefix =
        record.length > 4
          ? encoded[record.key]!.subarray(0, record.length)
          : Buffer.from(record.key.toString(16).padStart(record.length * 2, '0'), 'hex');
      if (record.length > 4) expect(encoded[record.key - 1]!.subarray(0, record.length)).not.toEqual(prefix);
      expect(prefix.toString()).not.toContain('\ufffd'); // whole characters
      const having = lists.filter((_, at) => encoded[at]!.subarray(0, record.length).equals(prefix));
      expect(having.length).toBeGreaterThanOrEqual(WINDOW_WORDS_MIN);
      expect(record.docCount).toBe(having.reduce((sum, docs) => sum + docs.size, 0));
      expect(readRecord(kernel, written, record)).toEqual(expected(having, byField));
      seen.add(`${prefix.toString()}*`);
    }
    const common = names.filter((_, at) => lists[at]!.size * WINDOW_COMMON_SHARE >= STRETCH_BITS);
    expect(common.length).toBeGreaterThan(20);
    expect(common.length).toBeLessThan(names.length);
    for (const name of [...common, 'b*', 'ba*', 'bare*', 'é*', 'babat*', 'bababa*', '日本b*'])
      expect(seen).toContain(name);
  });

  test('are none where a field was not known', () => {
    const kernel = createKernel({ build });
    expect(write(kernel, randomWords(5, 3), 3, 2).records).toEqual([]);
  });
});
