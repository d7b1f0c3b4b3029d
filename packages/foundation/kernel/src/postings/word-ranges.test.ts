import type { DocId, LocalOrdinal } from '@fossick/base';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createKernel, type Kernel } from '../kernel.js';
import {
  type Bitmap,
  type Block,
  blockIn,
  type PostingLists,
  postingListOf,
  postingListsIn,
  postingListsOf,
  type TermId,
  type Window,
} from '../ptr.js';
import * as reference from './reference.test-support.js';

/** The start of windows in the index: inside of a lane. */
const WINDOW_START = 1_000;

/** A small linear congruential generator: the same lists each time. */
function randomOf(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) | 0;
    return Math.floor(((state >>> 8) / 2 ** 24) * below);
  };
}

interface Words {
  readonly addresses: PostingLists;
  readonly occurrences: readonly reference.Occurrence[];
}

/** Lists of `wordCount` words; some occurrences are in several of them. */
function writeWords(kernel: Kernel, wordCount: number, occurrences: readonly reference.Occurrence[]): Words {
  const random = randomOf(wordCount);
  const inverter = kernel.lists.createInverter();
  const used = new Set<number>();
  for (const { doc, key } of occurrences)
    for (let times = random(9) === 0 ? 2 : 1; times > 0; times--) {
      const word = random(wordCount) as TermId;
      inverter.add(word, doc as LocalOrdinal, key);
      used.add(word);
    }
  const { postings, offsets } = inverter.encode(Uint32Array.from(used));
  inverter.reset();
  const ptr = kernel.memory.allocate(postings.length + 1);
  kernel.memory.write(ptr, postings, 1);
  return { addresses: postingListsIn(blockIn(ptr, 1), offsets.subarray(0, used.size), 0), occurrences };
}

function manyDocuments(docBound: number, share: number): reference.Occurrence[] {
  const random = randomOf(docBound);
  const found: reference.Occurrence[] = [];
  for (let doc = 0; doc < docBound; doc++) {
    if (random(share) !== 0) continue;
    for (let n = 1 + random(doc % 50 === 0 ? 80 : 4); n > 0; n--)
      found.push({ doc, key: random(5) * 65536 + random(random(9) === 0 ? 65536 : 30) });
  }
  return found;
}

/** Documents with more occurrences than the sort handles in single steps. */
function longDocuments(): reference.Occurrence[] {
  const random = randomOf(3);
  return [7, 8, 300].flatMap((doc) => Array.from({ length: 4000 }, () => ({ doc, key: random(3 * 65536) })));
}

const CASES: readonly (readonly [name: string, docBound: number, wordCount: number, reference.Occurrences])[] = [
  ['dense', 3000, 200, manyDocuments(3000, 2)],
  ['a full number of blocks', 640, 3, Array.from({ length: 640 }, (_, doc) => ({ doc, key: 65536 + doc }))],
  ['fewer than a block', 400, 20, manyDocuments(400, 10)],
  ['few documents of many', 900_000, 40, manyDocuments(900_000, 9000)],
  ['long documents', 400, 90, longDocuments()],
];

describe.each(['checked', 'fast'] as const)('words of a range, %s build', (build) => {
  test('lists are read in place, even when memory grows meanwhile', () => {
    const kernel = createKernel({ build });
    const { addresses, occurrences } = writeWords(kernel, 20, manyDocuments(3000, 2));
    const lists = Array.from(addresses, (_, at) => ({
      deleted: 0 as const,
      ptr: postingListOf(addresses, at),
      load: (): void => {
        if (kernel.memory.byteCount < 2 ** 28) kernel.memory.allocate(kernel.memory.byteCount); // more than memory has
      },
    }));
    const found = kernel.bitmaps.create(3000);
    for (let at = 0; at < lists.length; at += 5) kernel.lists.orListsDocs(found, lists.slice(at, at + 5).slice(0, 2));
    const plain = kernel.bitmaps.create(3000);
    for (const at of addresses.keys())
      if (at % 5 < 2) kernel.lists.orDocs(plain, { ptr: postingListOf(addresses, at), deleted: 0 });
    expect([...kernel.bitmaps.members(found, 0, 3000)]).toEqual([...kernel.bitmaps.members(plain, 0, 3000)]);
    expect(kernel.bitmaps.count(plain)).toBeGreaterThan(100);
    expect(occurrences.length).toBeGreaterThan(kernel.bitmaps.count(plain));
  });

  test.each(CASES)('%s: merged as lists are merged elsewhere, byte by byte', (_, docBound, wordCount, occurrences) => {
    const kernel = createKernel({ build });
    const { addresses } = writeWords(kernel, wordCount, occurrences);
    const expected = kernel.lists.merge(
      Array.from(addresses, (_, at) => ({ ptr: postingListOf(addresses, at), deleted: 0 })),
    );
    const before = kernel.memory.allocatedBytes;
    const made = kernel.wordLists.merge(addresses, docBound)!;
    expect(made.byteCount).toBe(expected.length);
    expect(Buffer.compare(kernel.memory.read(made.ptr as number as Block, made.byteCount), expected)).toBe(0);
    kernel.memory.free(made.ptr);
    expect(kernel.memory.allocatedBytes).toBe(before);
  });

  test.each(
    CASES,
  )('%s: merged in some fields, the occurrences that are in them', (_, docBound, wordCount, occurrences) => {
    const kernel = createKernel({ build });
    const merged = (addresses: PostingLists): Uint8Array =>
      kernel.lists.merge(Array.from(addresses, (_each, at) => ({ ptr: postingListOf(addresses, at), deleted: 0 })));
    const kept = occurrences.filter(({ key }) => [1, 3].includes(reference.fieldOf(key)));
    const all = writeWords(kernel, wordCount, occurrences).addresses;
    const before = kernel.memory.allocatedBytes;
    const made = kernel.wordLists.mergeInFields(all, Uint8Array.of(0, 1, 0, 1));
    expect(made === null).toBe(kept.length === 0);
    if (made !== null) {
      const bytes = kernel.memory.read(made.ptr as number as Block, made.byteCount);
      expect(Buffer.compare(bytes, merged(writeWords(kernel, wordCount, kept).addresses))).toBe(0);
      kernel.memory.free(made.ptr);
    }
    expect(kernel.wordLists.mergeInFields(all, Uint8Array.of(0, 0))).toBe(null);
    expect(docBound).toBeGreaterThan(0);
    expect(kernel.memory.allocatedBytes).toBeGreaterThanOrEqual(before);
  });

  test.each(CASES)('%s: documents, also by field, in windows around them', (_, docBound, wordCount, found) => {
    const kernel = createKernel({ build });
    const occurrences = found.map(({ doc, key }) => ({ doc: doc + WINDOW_START, key }));
    const { addresses } = writeWords(kernel, wordCount, occurrences);
    const all = reference.ascending(occurrences.map(({ doc }) => doc));
    const [first, last] = kernel.wordLists.docRange(addresses);
    expect([first, last]).toEqual([all[0], all.at(-1)]);
    const indexBits = WINDOW_START + docBound + 500;
    const membersOf = (window: Window): number[] => {
      const whole = kernel.bitmaps.create(indexBits);
      kernel.windows.or(whole, window, 0, 0);
      return [...kernel.bitmaps.members(whole, 0, indexBits)];
    };
    const docs = kernel.windows.create(first, last - first + 1);
    kernel.wordLists.orDocs(docs, addresses);
    expect(membersOf(docs)).toEqual(all);
    const bitmaps = [0, 1, 2].map(() => kernel.windows.create(first, last - first + 1));
    const pointers = kernel.bitmaps.row([bitmaps[0]!, 0, bitmaps[2]!]);
    const ways = [
      () => kernel.wordLists.scatterFields(addresses, pointers, 3),
      () => kernel.memory.free(kernel.rankIndexedLists.ofWords(addresses, docs, pointers, 3).ptr),
    ];
    for (const scatter of ways) {
      scatter();
      bitmaps.forEach((bitmap, field) => {
        const inField = occurrences.filter(({ key }) => field !== 1 && reference.fieldOf(key) === field);
        expect(membersOf(bitmap)).toEqual(reference.ascending(inField.map(({ doc }) => doc)));
        kernel.bitmaps.clear(bitmap);
      });
    }
  });

  test('a window is masked and counted within its stretch', () => {
    const kernel = createKernel({ build });
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.nat(900), { minLength: 1 }),
        fc.uniqueArray(fc.nat(1200)),
        fc.uniqueArray(fc.nat(600)),
        fc.nat(300),
        (inWindow, within, without, start) => {
          const mark = kernel.memory.mark();
          const window = kernel.windows.create(start, 901);
          const [target, mask, left] = [1600, 1600, 700].map((bits) => kernel.bitmaps.create(bits)) as [
            Bitmap,
            Bitmap,
            Bitmap,
          ];
          kernel.bitmaps.set(target, 1599 as DocId);
          for (const bit of within as DocId[]) kernel.bitmaps.set(mask, bit);
          for (const bit of without as DocId[]) kernel.bitmaps.set(left, bit);
          const words = writeWords(
            kernel,
            1,
            reference.ascending(inWindow).map((bit) => ({ doc: start + bit, key: 0 })),
          );
          kernel.wordLists.orDocs(window, words.addresses);
          kernel.windows.or(target, window, mask, left);
          const expected = inWindow
            .map((bit) => bit + start)
            .filter((bit) => within.includes(bit) && !without.includes(bit));
          expect([...kernel.bitmaps.members(target, 0, 1600)]).toEqual(reference.ascending([...expected, 1599]));
          const [from, to] = [start & ~127, (start + 901 + 127) & ~127];
          expect(kernel.windows.countBeside(mask, window)).toBe(within.filter((bit) => bit >= from && bit < to).length);
          kernel.memory.free(window);
          kernel.memory.release(mark);
        },
      ),
    );
  });

  test('no list, no words', () => {
    const kernel = createKernel({ build });
    expect(kernel.wordLists.merge(postingListsOf(), 100)).toBe(null);
  });
});
