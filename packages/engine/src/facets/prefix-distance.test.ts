import { expect, test } from 'vitest';
import { isWithinPrefixDistance } from './prefix-distance.js';

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
