import { expect, it } from 'vitest';
import { DistinctFilter, distinctValues } from './document-values.js';

it.each([
  [{ s: ' Red ' }, ['sred']],
  [{ s: '' }, ['s']],
  [{ s: [1, true, null, ['b']] }, ['n1', 'strue', 'sb']],
  [{ s: { x: 1 }, t: 2 }, []],
  [{ s: null }, []],
])('reads the values of %j', (document, keys) => {
  expect(distinctValues(document, 's')).toEqual(keys);
});

it('follows dots into objects, arrays of them, and names with dots', () => {
  const document = { a: [{ b: 1 }, { b: [2], c: 9 }, 3], 'a.b': 4, ab: 5 };
  expect(distinctValues(document, 'a.b')).toEqual(['n1', 'n2', 'n4']);
});

it('admits hits that share no value with earlier ones, and hits without values', () => {
  const filter = new DistinctFilter();
  expect([['n1', 'sa'], ['sb'], ['n1', 'sc'], ['sc'], [], []].map((values) => filter.admit(values))).toEqual([
    true,
    true,
    false,
    true,
    true,
    true,
  ]);
});
