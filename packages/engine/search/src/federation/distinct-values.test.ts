import { LosslessFloat } from '@fossick/documents';
import { expect, it } from 'vitest';
import { DistinctFilter, distinctValues } from './distinct-values.js';

it.each([
  [{ s: ' Red ' }, ['red']],
  [{ s: '' }, ['']],
  [{ s: [1, true, null, ['b']] }, ['1', 'true', 'b']],
  [
    { s: [2020, '2020', ' 2020 ', '2020.0', new LosslessFloat('2020.0')] },
    ['2020', '2020', '2020', '2020.0', '2020.0'],
  ],
  [{ s: { x: 1 }, t: 2 }, []],
  [{ s: null }, []],
])('reads the values of %j', (document, keys) => {
  expect(distinctValues(document, 's')).toEqual(keys);
});

it('reads numbers as the texts by which facets show them', () => {
  expect(distinctValues({ s: [1e21, 9007199254740993n, -0.5, '-0.5'] }, 's')).toEqual([
    '1000000000000000000000',
    '9007199254740993',
    '-0.5',
    '-0.5',
  ]);
});

it('follows dots into objects, arrays of them, and names with dots', () => {
  const document = { a: [{ b: 1 }, { b: [2], c: 9 }, 3], 'a.b': 4, ab: 5 };
  expect(distinctValues(document, 'a.b')).toEqual(['1', '2', '4']);
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
