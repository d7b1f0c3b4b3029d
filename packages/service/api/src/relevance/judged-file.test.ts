import { expect, it } from 'vitest';
import { meanOf, ndcg, parseJudged } from './judged-file.js';

it('the gain of an order is that of the definition', () => {
  const grades = { a: 3, b: 2, c: 0, d: 1 };
  // (7 + 3/log2(3) + 1/log2(4)) is the best
  const best = 7 + 3 / Math.log2(3) + 0.5;
  expect(ndcg(['a', 'b', 'd', 'c'], grades, 10)).toBe(1);
  expect(ndcg(['d', 'x', 'a'], grades, 10)).toBeCloseTo((1 + 7 / 2) / best, 12);
  expect(ndcg(['b', 'a'], grades, 1)).toBeCloseTo(3 / 7, 12);
  expect(ndcg([], grades, 10)).toBe(0);
  // a document counts once, and names of the language are no documents
  expect(ndcg(['d', 'd', 'd'], grades, 10)).toBeCloseTo(1 / best, 12);
  expect(ndcg(['constructor', '__proto__'], grades, 10)).toBe(0);
});

it('without a document of use no order is better than another', () => {
  expect([ndcg(['a'], {}, 10), ndcg(['a'], { a: 0, b: 0 }, 10)]).toEqual([null, null]);
  expect([meanOf([0.5, null, 1]), meanOf([null]), meanOf([])]).toEqual([0.75, null, null]);
});

it('a file is read with its defaults', () => {
  const search = { index: 'films', search: { q: 'sea' }, grades: { 1: 3 } };
  expect(parseJudged(JSON.stringify({ searches: [search] }))).toEqual({
    ...{ k: 10, atLeast: null },
    searches: [{ ...search, primaryKey: 'id' }],
  });
});

it.each([
  ['[', /no JSON/],
  ['[]', /no object/],
  ['{}', /`searches` is no array/],
  ['{"atleast":0.9,"searches":[]}', /^`atleast` is none of k, atLeast, searches$/],
  ['{"searches":[{"index":"a","search":{},"grade":{}}]}', /^`searches\[0\]\.grade` is none of /],
  ['{"searches":[],"k":0}', /`k` is no whole number/],
  ['{"searches":[],"k":2.5}', /`k`/],
  ['{"searches":[],"atLeast":"0.5"}', /`atLeast`/],
  ['{"searches":[1]}', /`searches\[0\]` is no object/],
  ['{"searches":[{"search":{},"grades":{}}]}', /`searches\[0\]\.index`/],
  ['{"searches":[{"index":"a","search":{},"grades":{}},{"index":"a","search":[],"grades":{}}]}', /\[1\]\.search`/],
  ['{"searches":[{"index":"a","search":{},"grades":{"7":-1}}]}', /\[0\]\.grades\.7`/],
])('a wrong file says where it is wrong: %s', (text, said) => {
  expect(() => parseJudged(text)).toThrow(said);
});
