import type { DocId, LocalOrdinal } from '@fossick/base';
import {
  type Bitmap,
  createKernel,
  type Kernel,
  type LivePostings,
  type PostingLists,
  postingListOf,
  postingListsIn,
  postingListsOf,
  type TermId,
} from '@fossick/kernel';
import { describe, expect, test } from 'vitest';
import type { ListHost } from './listed-postings.js';
import { PrefixPostings } from './prefix-postings.js';
import { ResidentPostings } from './resident-postings.js';

/** An arbitrary start of the segment's docids within the index. */
const FIRST_DOC = 1_080;
const DOC_BOUND = 3_080;
const WORD_COUNT = 30;

/** Every document has one to three of the words, in four fields; word 0 is only in every tenth. */
function wordLists(kernel: Kernel): PostingLists {
  const inverter = kernel.lists.createInverter();
  for (let doc = FIRST_DOC; doc < DOC_BOUND; doc++)
    for (let n = 0; n <= doc % 3; n++) {
      const word = doc % 10 === 0 && n === 0 ? (0 as TermId) : ((1 + ((doc * 7 + n * 5) % (WORD_COUNT - 1))) as TermId);
      inverter.add(word, doc as LocalOrdinal, ((doc % 2) + (n === 2 ? 2 : 0)) * 65536 + ((doc * 13 + n) % 40));
    }
  const { postings, offsets } = inverter.encode(Uint32Array.from({ length: WORD_COUNT }, (_, word) => word));
  const base = kernel.memory.allocate(postings.length);
  kernel.memory.write(base, postings);
  return postingListsIn(base, offsets.subarray(0, WORD_COUNT), 0);
}

function listHost(kernel: Kernel, onGrowth: (bytes: number) => void = () => undefined): ListHost {
  return { kernel, onGrowth, scope: { fieldCount: 0 } };
}

interface Bed {
  readonly kernel: Kernel;
  readonly held: { bytes: number };
  /** The same words as one plain list, as single words, and merged. */
  readonly plain: ResidentPostings;
  readonly masks: PrefixPostings;
  readonly merged: PrefixPostings;
}

function bed(): Bed {
  const kernel = createKernel();
  const addresses = wordLists(kernel);
  const deleted = kernel.bitmaps.create(DOC_BOUND);
  for (let doc = 0; doc < DOC_BOUND; doc += 6) kernel.bitmaps.set(deleted, doc as DocId);
  const held = { bytes: 0 };
  const grow = (bytes: number): void => {
    held.bytes += bytes;
  };
  const made = kernel.wordLists.merge(addresses, DOC_BOUND)!;
  const plain = new ResidentPostings(listHost(kernel), { within: made.ptr }, deleted);
  const masks = new PrefixPostings(listHost(kernel, grow), () => addresses, deleted);
  const merged = new PrefixPostings(listHost(kernel), () => addresses, deleted);
  expect(() => merged.ptr).toThrow('before they are merged');
  merged.load();
  expect(merged.ptr).toBeGreaterThan(0);
  return { kernel, held, plain, masks, merged };
}

const isLive = (doc: number): boolean => doc >= FIRST_DOC && doc % 6 !== 0;
const membersOf = (kernel: Kernel, bitmap: Bitmap): number[] => [...kernel.bitmaps.members(bitmap, 0, DOC_BOUND)];

function bitmapOf(kernel: Kernel, step: number): Bitmap {
  const bitmap = kernel.bitmaps.create(DOC_BOUND);
  for (let doc = FIRST_DOC + 1; doc < DOC_BOUND; doc += step) kernel.bitmaps.set(bitmap, doc as DocId);
  return bitmap;
}

function docsOf(kernel: Kernel, list: PrefixPostings | ResidentPostings): number[] {
  const target = kernel.bitmaps.create(DOC_BOUND);
  if (!list.orDocs(target)) kernel.lists.orDocs(target, list);
  return membersOf(kernel, target);
}

function walkedLists(
  list: PrefixPostings | ResidentPostings,
  within: Bitmap,
  isPaired: boolean,
): readonly LivePostings[] | null {
  list.prepareWalk(within, isPaired);
  return list.positionLists(within, isPaired);
}

function usesMasks(list: PrefixPostings | ResidentPostings, within: Bitmap): boolean {
  list.prepareMasks(within);
  return list.canUseMasks(within);
}

function fieldsOf(kernel: Kernel, list: PrefixPostings | ResidentPostings, within: Bitmap): number[][] {
  const bitmaps = [0, 1, 2, 3].map(() => kernel.bitmaps.create(DOC_BOUND));
  const pointers = kernel.bitmaps.row(bitmaps);
  if (!list.orFields(within, bitmaps))
    kernel.lists.scatterFields(walkedLists(list, within, false) ?? [list], within, pointers, 4);
  return bitmaps.map((bitmap) => membersOf(kernel, bitmap));
}

function placedDocs(kernel: Kernel, list: PrefixPostings | ResidentPostings, within: Bitmap, wanted: number): number[] {
  const target = kernel.bitmaps.create(DOC_BOUND);
  list.orMasks(target, within, wanted);
  return membersOf(kernel, target);
}

function entriesOf(kernel: Kernel, lists: readonly LivePostings[], within: Bitmap): number[] {
  const table = kernel.tables.gather(lists, within);
  return [...kernel.tables.entries(table)];
}

test('questions about a list change nothing, however often they are asked', () => {
  const { kernel, held, plain, masks } = bed();
  const [few, many] = [bitmapOf(kernel, 97), bitmapOf(kernel, 1)];
  const before = [kernel.memory.allocatedBytes, held.bytes];
  for (let times = 0; times < 100; times++)
    for (const within of [few, many])
      for (const list of [plain, masks]) {
        expect(list.canUseMasks(within)).toBe(false);
        expect([list.indexed, list.positionLists(within, true) === null]).toEqual([0, list === plain]);
      }
  expect(() => masks.ptr).toThrow('before they are merged');
  expect([kernel.memory.allocatedBytes, held.bytes]).toEqual(before);
});

describe('the words of a prefix', () => {
  test('have the documents of their merged list without deleted ones', () => {
    const { kernel, plain, masks, merged } = bed();
    const docs = docsOf(kernel, plain);
    expect(docs.length).toBe(Array.from({ length: DOC_BOUND }, (_, doc) => doc).filter(isLive).length);
    expect(docsOf(kernel, masks)).toEqual(docs);
    expect(docsOf(kernel, merged)).toEqual(docs);
  });

  test.each([1, 2, 97])('have its fields in every %i. document', (step) => {
    const { kernel, plain, masks, merged } = bed();
    const within = bitmapOf(kernel, step);
    const expected = fieldsOf(kernel, plain, within);
    const live = membersOf(kernel, within).filter((doc) => doc % 6 !== 0);
    expect([...new Set(expected.flat())].sort((a, b) => a - b)).toEqual(live);
    // more often than narrow requests are served without bitmaps
    for (let times = 0; times < 4; times++) {
      expect(fieldsOf(kernel, masks, within)).toEqual(expected);
      expect(fieldsOf(kernel, merged, within)).toEqual(expected);
    }
  });

  test('have its documents by position, for few documents after repeated requests', () => {
    const { kernel, plain, masks, merged } = bed();
    const few = bitmapOf(kernel, 97);
    // each of these walks visits a little less than the whole list, and counts for as much less
    const answers = Array.from({ length: 12 }, () => usesMasks(masks, few));
    const first = answers.indexOf(true);
    expect(first).toBeGreaterThanOrEqual(6);
    expect(answers).toEqual(answers.map((_, at) => at >= first));
    expect(usesMasks(merged, bitmapOf(kernel, 1))).toBe(true);
    for (const within of [few, bitmapOf(kernel, 2)])
      for (const wanted of [1, 0b1100, (1 << 17) | 1]) {
        const expected = placedDocs(kernel, plain, within, wanted);
        expect(expected.length).toBeGreaterThan(0);
        expect(placedDocs(kernel, masks, within, wanted)).toEqual(expected);
        expect(placedDocs(kernel, merged, within, wanted)).toEqual(expected);
      }
  });

  test('have their positions in stored windows, for few of very many documents too', () => {
    const { kernel } = bed();
    const stored = {
      docCount: 1_000_000,
      firstDoc: 0 as DocId,
      bitCount: 1_000_000,
      fieldCount: 0,
      has: () => true,
      read: () => undefined,
      partBytes: () => [0],
      copy: () => undefined,
    };
    const list = new PrefixPostings(listHost(kernel), () => wordLists(kernel), 0, stored);
    const counts = [1, 2, 4, 97].map((step) => bitmapOf(kernel, step));
    expect(counts.map((within) => list.canUseMasks(within))).toEqual([true, true, false, false]);
    const word = new ResidentPostings(listHost(kernel), { within: postingListOf(wordLists(kernel), 0) }, 0, stored);
    expect(counts.map((within) => word.canUseMasks(within))).toEqual([false, false, false, false]);
  });

  test.each([true, false])('have its position buckets, with fields requested first: %s', (isFieldsFirst) => {
    const { kernel, plain, masks } = bed();
    const many = bitmapOf(kernel, 1);
    const fields = isFieldsFirst ? fieldsOf(kernel, masks, many) : null;
    const bucketsOf = (list: PrefixPostings | ResidentPostings): number[][] =>
      Array.from({ length: 19 }, (_, bucket) => {
        const target = kernel.bitmaps.create(DOC_BOUND);
        list.orMasks(target, many, 1 << bucket);
        return membersOf(kernel, target);
      });
    expect(bucketsOf(masks)).toEqual(bucketsOf(plain));
    expect(fields ?? fieldsOf(kernel, masks, many)).toEqual(fieldsOf(kernel, plain, many));
    expect(masks.isMerged).toBe(false);
  });

  test('have its positions, at first by their own lists', () => {
    const { kernel, plain, masks } = bed();
    const few = bitmapOf(kernel, 97);
    const many = bitmapOf(kernel, 1);
    for (const within of [few, many]) {
      const words = walkedLists(masks, within, false)!;
      expect(words.length).toBe(WORD_COUNT);
      expect(entriesOf(kernel, words, within)).toEqual(entriesOf(kernel, [plain], within));
    }
    expect(walkedLists(masks, few, true)?.length).toBe(WORD_COUNT);
    for (let times = 0; times < 24; times++) walkedLists(masks, few, true);
    expect(walkedLists(masks, few, true)).toBe(null);
    expect(masks.isMerged).toBe(true);
    expect(entriesOf(kernel, [masks], many)).toEqual(entriesOf(kernel, [plain], many));
  });

  test('are near a common word without a merge, and near a rare one as one list', () => {
    const { kernel, plain, masks } = bed();
    const many = bitmapOf(kernel, 1);
    const near = (left: LivePostings, right: LivePostings): number[][] => {
      const bitmaps = [0, 1, 2].map(() => kernel.bitmaps.create(DOC_BOUND)) as [Bitmap, Bitmap, Bitmap];
      kernel.lists.near(left, right, many, bitmaps);
      return bitmaps.map((bitmap) => membersOf(kernel, bitmap));
    };
    const rare: LivePostings = { ptr: plain.ptr, deleted: plain.deleted };
    const expected = near(rare, rare);
    expect(expected.map((docs) => docs.length > 0)).toEqual([true, false, false]);
    expect(usesMasks(plain, many)).toBe(true);
    const [words] = walkedLists(masks, many, true)!;
    expect(near(plain, words!)).toEqual(expected);
    expect(near(words!, plain)).toEqual(expected);
    expect(masks.isMerged).toBe(false);
    expect(near(rare, words!)).toEqual(expected);
    expect(masks.isMerged).toBe(true);
    expect(near(plain, words!)).toEqual(expected);
  });

  test('report held bytes and free them', () => {
    const { kernel, held, masks } = bed();
    const before = kernel.memory.allocatedBytes;
    docsOf(kernel, masks);
    fieldsOf(kernel, masks, bitmapOf(kernel, 1));
    placedDocs(kernel, masks, bitmapOf(kernel, 1), 1);
    masks.load();
    expect(masks.ptr).toBeGreaterThan(0);
    expect(held.bytes).toBe(masks.byteCount);
    expect(held.bytes).toBeGreaterThanOrEqual((5 * (DOC_BOUND - FIRST_DOC)) / 8);
    masks.free();
    expect(kernel.memory.allocatedBytes).toBe(before);
  });
});

test('the account of a list is in whole bytes, whatever stretch its documents take', () => {
  const kernel = createKernel();
  const made = kernel.wordLists.merge(postingListsOf(postingListOf(wordLists(kernel), 0)), DOC_BOUND)!; // from the first document to the last 1,991
  const reported: number[] = [];
  const host = listHost(kernel, (bytes) => reported.push(bytes));
  const list = new ResidentPostings(host, { within: made.ptr }, kernel.bitmaps.create(DOC_BOUND));
  expect(list.orDocs(kernel.bitmaps.create(DOC_BOUND))).toBe(true);
  list.free();
  expect(reported.length).toBeGreaterThan(1);
  expect(reported.filter((bytes) => !Number.isInteger(bytes))).toEqual([]);
  expect(reported.reduce((sum, bytes) => sum + bytes)).toBe(0);
});
