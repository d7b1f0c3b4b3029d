import { describe, expect, test } from 'vitest';
import { createKernel } from './kernel.js';
import type { Kernel } from './port.js';
import * as reference from './reference.js';

/** A small linear generator: the same lists each time. */
function randomOf(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) | 0;
    return Math.floor(((state >>> 8) / 2 ** 24) * below);
  };
}

interface Words {
  readonly addresses: Uint32Array;
  readonly occurrences: readonly reference.Occurrence[];
}

/** Lists of `wordCount` words, some of whose occurrences lie in several of them. */
function writeWords(kernel: Kernel, wordCount: number, occurrences: readonly reference.Occurrence[]): Words {
  const random = randomOf(wordCount);
  const inverter = kernel.createInverter();
  const used = new Set<number>();
  for (const { doc, key } of occurrences)
    for (let times = random(9) === 0 ? 2 : 1; times > 0; times--) {
      const word = random(wordCount);
      inverter.add(word, doc, key);
      used.add(word);
    }
  const { postings, offsets } = inverter.encode(Uint32Array.from(used));
  inverter.reset();
  const ptr = kernel.allocate(postings.length + 1);
  kernel.write(ptr + 1, postings);
  return { addresses: offsets.subarray(0, used.size).map((offset) => ptr + 1 + offset), occurrences };
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

/** Long documents: more occurrences in one than are sorted in single steps. */
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
  test.each(CASES)('%s: merged as lists are merged elsewhere, byte by byte', (_, docBound, wordCount, occurrences) => {
    const kernel = createKernel({ build });
    const { addresses } = writeWords(kernel, wordCount, occurrences);
    const expected = kernel.mergePostings(Array.from(addresses, (ptr) => ({ ptr, dead: 0 })));
    const before = kernel.allocatedBytes;
    const made = kernel.mergeWords(addresses, docBound)!;
    expect(made.byteCount).toBe(expected.length);
    expect(Buffer.compare(kernel.read(made.ptr, made.byteCount), expected)).toBe(0);
    kernel.free(made.ptr);
    expect(kernel.allocatedBytes).toBe(before);
  });

  test.each(CASES)('%s: documents, and those by field', (_, docBound, wordCount, occurrences) => {
    const kernel = createKernel({ build });
    const { addresses } = writeWords(kernel, wordCount, occurrences);
    const docs = kernel.bitmap(docBound);
    kernel.orWordsDocs(docs, addresses);
    expect([...kernel.members(docs, 0, docBound)]).toEqual(reference.ascending(occurrences.map(({ doc }) => doc)));
    const bitmaps = [0, 1, 2].map(() => kernel.bitmap(docBound));
    const pointers = kernel.scratch(12);
    kernel.writeU32(pointers, [bitmaps[0]!, 0, bitmaps[2]!]);
    const ways = [
      () => kernel.spreadWordsFields(addresses, pointers, 3),
      () => kernel.free(kernel.placeWords(addresses, docs, pointers, 3).ptr),
    ];
    for (const spread of ways) {
      spread();
      bitmaps.forEach((bitmap, field) => {
        const inField = occurrences.filter(({ key }) => field !== 1 && reference.fieldOf(key) === field);
        expect([...kernel.members(bitmap, 0, docBound)]).toEqual(reference.ascending(inField.map(({ doc }) => doc)));
        kernel.clear(bitmap);
      });
    }
  });

  test('no list, no words', () => {
    const kernel = createKernel({ build });
    expect(kernel.mergeWords(new Uint32Array(0), 100)).toBe(null);
  });
});
