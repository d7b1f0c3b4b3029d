import { expect, it } from 'vitest';
import { mergeRanked } from './merge-ranked.js';
import { compareRanked, type Ranked, type ScoreItem, scoreItems } from './score-items.js';

const ranked = (items: readonly ScoreItem[], weightedScore = 0, queryPosition = 0): Ranked => ({
  items,
  weightedScore,
  queryPosition,
});
const score = (value: number): ScoreItem => ({ kind: 'score', value });
const sorted = (value: unknown, isAscending = true): ScoreItem => ({ kind: 'sort', isAscending, value });
const geo = (distance: number | null, isAscending = true): ScoreItem => ({ kind: 'geo', isAscending, distance });

it('makes one weighted number of neighbouring ranks and keeps values apart', () => {
  const items = scoreItems(
    [
      { kind: 'words', matchingWords: 1, maxMatchingWords: 2 },
      { kind: 'typo', typoCount: 1, maxTypoCount: 1 },
      { kind: 'sort', key: 'a:b:desc', isHidden: true, value: 'x' },
      { kind: 'geoSort', key: '_geoPoint(1, 2):asc', value: null, distance: null },
      { kind: 'proximity', rank: 1, max: 4 },
    ],
    2,
  );
  // words 1/2 then typo 1/2: (1 - 1) * 2 + 1 of 4
  expect(items).toEqual([score(0.5), sorted('x', false), geo(null), score(0.5)]);
  expect(scoreItems([{ kind: 'pin', position: 3 }], 2)).toEqual([]);
});

it.each([
  ['the larger number', [score(0.9)], [score(0.8)], 1],
  ['numbers a rounding apart are equal', [score(0.3)], [score(0.1 + 0.2)], 0],
  ['ascending: the smaller value', [sorted(1)], [sorted(2)], 1],
  ['descending: the larger value', [sorted('b', false)], [sorted('a', false)], 1],
  ['numbers before strings, descending too', [sorted(1, false)], [sorted('a', false)], 1],
  ['a value before none', [sorted('z')], [sorted(null)], 1],
  ['strings by their bytes, not by UTF-16 units', [sorted('\uffff')], [sorted('\u{10000}')], 1],
  ['the nearer point, ascending', [geo(10)], [geo(20)], 1],
  ['the farther point, descending', [geo(20, false)], [geo(10, false)], 1],
  ['a point before none', [geo(1)], [geo(null)], 1],
  ['a point before none, descending', [geo(1, false)], [geo(null, false)], 1],
  ['a vector is a number', [{ kind: 'vector', value: 0.7 } as const], [score(0.6)], 1],
  ['the longer list of two equal ones', [score(1), sorted(1)], [score(1)], 1],
])('%s goes first', (_, a, b, expected) => {
  expect(Math.sign(compareRanked(ranked(a), ranked(b)))).toBe(expected);
  expect(Math.sign(compareRanked(ranked(b), ranked(a)))).toBe(expected === 0 ? 0 : -1);
});

it('falls back to the remaining items and then to the weighted score where items cannot be compared', () => {
  const long = ranked([sorted(1), score(0.1)], 0.1);
  expect(compareRanked(long, ranked([score(0.9)], 0.9))).toBeGreaterThan(0);
  expect(compareRanked(ranked([sorted(1)], 0.2), ranked([sorted(1, false)], 0.4))).toBeLessThan(0);
  expect(compareRanked(ranked([geo(1)], 0.5), ranked([sorted(1)], 0.5))).toBe(0);
});

it('merges lists head by head, equals by query position, and keeps the order inside a list', () => {
  const first = [ranked([score(0.5)], 0.5, 2), ranked([score(0.9)], 0.9, 2)];
  const second = [ranked([score(0.7)], 0.7, 1), ranked([score(0.5)], 0.5, 1)];
  expect(
    [...mergeRanked([first, second, []])].map(({ weightedScore, queryPosition }) => [weightedScore, queryPosition]),
  ).toEqual([
    [0.7, 1],
    [0.5, 1],
    [0.5, 2],
    [0.9, 2],
  ]);
});
