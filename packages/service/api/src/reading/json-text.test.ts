import { expect, test } from 'vitest';
import { hasMoreValues } from './json-text.js';

test('values of a JSON text are counted outside of strings', () => {
  const text = JSON.stringify({ a: [1, [], {}, '[,{"'], 'b,[': '\\",,,,[[[[', c: null });
  // the object, its two further members, the list and its three further items, and the two that are empty
  expect([hasMoreValues(text, 8), hasMoreValues(text, 9)]).toEqual([true, false]);
});

test('a text of fewer characters cannot have more values', () => {
  expect(hasMoreValues('[[[[', 4)).toBe(false);
  expect(hasMoreValues('[[[[[', 4)).toBe(true);
});
