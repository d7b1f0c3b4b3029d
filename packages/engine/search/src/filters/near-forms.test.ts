import { TEST_SEED } from '@fossick/base/test-seed.test-support';
import { createKernel } from '@fossick/kernel';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { slowIsWithinPrefixDistance } from './near-forms.test-support.js';

const kernel = createKernel({ build: 'checked' });

/** The texts, byte-sorted, that the kernel finds in calls of this many looks each. */
function near(query: string, texts: readonly string[], edits: number, looks = 100): string[] {
  const mark = kernel.memory.mark();
  const all = texts.map((text) => Buffer.from(text));
  const ends = [0];
  for (const text of all) ends.push(ends.at(-1)! + text.length);
  const [offsets, bytes] = [
    kernel.memory.scratchU32(ends),
    kernel.memory.scratchBytes(Buffer.concat([...all, Buffer.of(0)])),
  ];
  const wanted = Uint32Array.from(query, (char) => char.codePointAt(0)!);
  const found: string[] = [];
  for (let place = 0; place < texts.length; ) {
    const { ranges, next } = kernel.texts.near({ count: texts.length, offsets, bytes }, wanted, edits, place, looks);
    expect(next).toBeGreaterThan(place);
    for (const [from, to] of ranges) found.push(...texts.slice(from, to));
    place = next;
  }
  kernel.memory.release(mark);
  return found;
}

test.each([
  ['dra', 'a', 2, true],
  ['dra', 'ab', 2, false], // `a` alone comes closer to the query's first letter: the rest is still expected
  ['dra', 'Breath'.toLowerCase(), 2, true],
  ['xa', 'ab', 2, true],
  ['xab', 'breath', 2, false],
  ['xxab', 'ab', 2, true],
  ['hell', 'hallmark', 1, true],
  ['ab', '', 2, true],
])('%s finds %s with %i typos: %s', (query, text, edits, expected) => {
  expect(near(query, [text], edits)).toEqual(expected ? [text] : []);
});

const few = fc.string({ unit: fc.constantFrom('a', 'b', 'é', '日', '\u{1f600}'), maxLength: 9 });
const query = few.filter((text) => text !== '');

test('finds of many texts what the whole table of distances finds of each', () => {
  fc.assert(
    fc.property(
      query,
      fc.array(few, { maxLength: 30 }),
      fc.integer({ min: 0, max: 2 }),
      fc.integer({ min: 1, max: 9 }),
      (wanted, texts, edits, looks) => {
        const sorted = [...texts].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
        const expected = sorted.filter((text) => slowIsWithinPrefixDistance(wanted, text, edits));
        expect(near(wanted, sorted, edits, looks)).toEqual(expected);
      },
    ),
    { numRuns: 4_000, seed: TEST_SEED },
  );
});
