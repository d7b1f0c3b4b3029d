import fc from 'fast-check';
import { expect, test } from 'vitest';
import { encodeTrigrams, TrigramTable, type TrigramTexts } from './trigram-table.js';

const encoder = new TextEncoder();

/** Few letters, so that trigrams repeat; one of each length in UTF-8. */
const text = fc
  .array(fc.constantFrom('a', 'b', 'a', 'b', 'ß', '京', '😀', '\0'), { maxLength: 9 })
  .map((letters) => letters.join(''));

function textsOf(words: readonly string[]): TrigramTexts {
  const bytes = words.map((word) => encoder.encode(word));
  const textOffsets = new Uint32Array(words.length + 1);
  bytes.forEach((each, at) => {
    textOffsets[at + 1] = textOffsets[at]! + each.length;
  });
  return { text: new Uint8Array(Buffer.concat(bytes)), textOffsets };
}

/** The table of the words, and how many bytes of it were read. */
function tableOf(
  words: readonly string[],
  marksEnds: boolean,
): { table: TrigramTable | null; readBytes: () => number } {
  const bytes = encodeTrigrams(textsOf(words), marksEnds);
  let count = 0;
  const read = (from: number, to: number): Uint8Array => {
    count += to - from;
    return bytes.slice(from, to);
  };
  return { table: bytes.length === 0 ? null : new TrigramTable(read), readBytes: () => count };
}

test.each([true, false])('finds every text that a plain scan finds, ends marked: %s', (marksEnds) => {
  fc.assert(
    fc.property(fc.uniqueArray(text, { maxLength: 40 }), fc.array(text, { minLength: 1 }), (words, parts) => {
      const sorted = [...words].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
      const { table } = tableOf(sorted, marksEnds);
      for (const part of parts) {
        const bytes = encoder.encode(part);
        if (bytes.length < (marksEnds ? 1 : 3)) continue;
        const expected = [...sorted.keys()].filter((at) => sorted[at]!.includes(part));
        const { texts, isExact } = table?.matches(bytes) ?? { texts: new Uint32Array(0), isExact: true };
        const found = isExact ? [...texts] : [...texts].filter((at) => sorted[at]!.includes(part));
        expect(found).toEqual(expected);
        expect([...texts]).toEqual([...new Set(texts)].sort((a, b) => a - b));
      }
    }),
  );
});

test('thousands of different trigrams keep their lists', () => {
  const words = Array.from({ length: 20_000 }, (_, at) => `w${(at * 7919).toString(36).padStart(5, '0')}`);
  const { table } = tableOf(words, true);
  for (const part of ['w0', 'zz', 'q', 'k3', '0zz', 'w00', 'a1b2'])
    expect([...table!.matches(encoder.encode(part)).texts].filter((at) => words[at]!.includes(part)).length, part).toBe(
      words.filter((word) => word.includes(part)).length,
    );
});

test('a rare text reads few lists', () => {
  const words = Array.from({ length: 50_000 }, (_, at) => (at === 40_000 ? 'part-xyz-part' : `part-${at}-part`));
  const { table, readBytes } = tableOf(words, false);
  const before = readBytes();
  expect([...table!.matches(encoder.encode('art-xyz-par')).texts]).toEqual([40_000]);
  expect(readBytes() - before).toBeLessThan(50);
});
