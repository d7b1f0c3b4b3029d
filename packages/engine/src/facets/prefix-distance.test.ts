import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isWithinPrefixDistance, PrefixDistance } from './prefix-distance.js';
import { slowIsWithinPrefixDistance } from './prefix-distance.test-support.js';

test.each([
  ['dra', 'a', 2, true],
  ['dra', 'ab', 2, false], // `a` alone comes closer to the query's first letter: the rest is still expected
  ['dra', 'Breath'.toLowerCase(), 2, true],
  ['xa', 'ab', 2, true],
  ['xab', 'breath', 2, false],
  ['xxab', 'ab', 2, true],
  ['hell', 'hallmark', 1, true],
  ['', 'anything', 0, true],
])('%s finds %s with %i typos: %s', (query, text, budget, expected) => {
  expect(isWithinPrefixDistance(query, text, budget)).toBe(expected);
});

const few = fc.string({ unit: fc.constantFrom('a', 'b', 'é', '😀'), maxLength: 9 });

test('the distances beside the diagonal tell what the whole table tells', () => {
  fc.assert(
    fc.property(few, few, fc.integer({ min: 0, max: 2 }), (query, text, budget) => {
      expect(isWithinPrefixDistance(query, text, budget)).toBe(slowIsWithinPrefixDistance(query, text, budget));
    }),
    { numRuns: 5_000 },
  );
});

test('what decided one text decides all that begin with it, and the others go on where they part', () => {
  fc.assert(
    fc.property(few, fc.array(few, { maxLength: 12 }), fc.integer({ min: 0, max: 2 }), (query, texts, budget) => {
      const distance = new PrefixDistance(query, budget);
      let before = '';
      for (const text of texts.sort()) {
        const shared = sharedBytes(before, text);
        const expected = slowIsWithinPrefixDistance(query, text, budget);
        const isDecided = before !== '' && shared >= distance.decidingBytes;
        if (isDecided) expect(slowIsWithinPrefixDistance(query, before, budget)).toBe(expected);
        else {
          expect(distance.includes(text, shared)).toBe(expected);
          before = text;
        }
      }
    }),
    { numRuns: 5_000 },
  );
});

function sharedBytes(left: string, right: string): number {
  const [a, b] = [Buffer.from(left), Buffer.from(right)];
  let shared = 0;
  while (shared < Math.min(a.length, b.length) && a[shared] === b[shared]) shared += 1;
  return shared;
}
