import { TEST_SEED } from '@fossick/base/test-seed.test-support';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { hasLargerObject, hasLoneSurrogate, hasMoreValues } from './json-text.js';

const seed = TEST_SEED;

test('values of a JSON text are counted outside of strings', () => {
  const text = JSON.stringify({ a: [1, [], {}, '[,{"'], 'b,[': '\\",,,,[[[[', c: null });
  // the object, its two further members, the list and its three further items, and the two that are empty
  expect([hasMoreValues(text, 8), hasMoreValues(text, 9)]).toEqual([true, false]);
});

test('members of each object of a JSON text are counted by themselves', () => {
  const text = '{"a:b":{"c":1,"d":":::\\":"},"e":[{"f":1},{"g":1,"h":{}}],"i":"::::"}';
  expect([hasLargerObject(text, 2), hasLargerObject(text, 3)]).toEqual([true, false]);
  expect(hasLargerObject('[{"a":1},{"a":1},{"a":1}]', 1)).toBe(false);
  expect(hasLargerObject('{"a":{"a":{"a":{"b":1,"c":1}}}}', 1)).toBe(true);
  expect(hasLargerObject('}}{"a":1}', 1)).toBe(false);
});
test('a text of fewer characters cannot have more values', () => {
  expect(hasMoreValues('[[[[', 4)).toBe(false);
  expect(hasMoreValues('[[[[[', 4)).toBe(true);
});

test(`an escape of half a surrogate pair is found where the parsed value has one (seed ${seed})`, () => {
  const half = /\p{Surrogate}/u;
  const has = (value: unknown): boolean =>
    typeof value === 'string'
      ? half.test(value)
      : typeof value === 'object' &&
        value !== null &&
        Object.entries(value).some(([name, each]) => half.test(name) || has(each));
  const piece = fc.constantFrom(
    '\\\\',
    '\\"',
    '\\n',
    '\\ud83d',
    '\\uDE00',
    '\\uDbFf',
    '\\udC00',
    '\\ud7ff',
    '\\ue000',
    'ud83d',
    '😀',
    'a',
  );
  const quoted = fc.array(piece, { maxLength: 8 }).map((pieces) => `"${pieces.join('')}"`);
  const json = fc.letrec<{ node: string }>((tie) => ({
    node: fc.oneof(
      { maxDepth: 3 },
      quoted,
      fc.array(tie('node'), { maxLength: 3 }).map((items) => `[${items.join(',')}]`),
      fc
        .uniqueArray(fc.tuple(quoted, tie('node')), { maxLength: 3, selector: ([name]) => JSON.parse(name) as string })
        .map((all) => `{${all.map((each) => each.join(':')).join(',')}}`),
    ),
  })).node;
  fc.assert(
    fc.property(json, (text) => {
      expect(hasLoneSurrogate(text)).toBe(has(JSON.parse(text)));
    }),
    { seed, numRuns: 2_000 },
  );
});
