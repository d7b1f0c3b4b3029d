import { describe, expect, it } from 'vitest';
import { globalScore, type ScoreDetail, scoreDetailsJson } from './score-details.js';

/** A worked example: the ranks of three rules and the resulting score. */
const PAINT_GARDEN: ScoreDetail[] = [
  { kind: 'words', matchingWords: 2, maxMatchingWords: 2 },
  { kind: 'typo', typoCount: 0, maxTypoCount: 2 },
  { kind: 'proximity', rank: 3, max: 4 },
  { kind: 'field', rank: 1, max: 1, isUnified: false },
  { kind: 'position', rank: 17, max: 21, isUnified: false },
  { kind: 'exactAttribute', rank: 1 },
  { kind: 'exactWords', matchingWords: 2, maxMatchingWords: 2 },
];

describe('globalScore', () => {
  it('combines ranks as the specification works it out', () => {
    expect(globalScore(PAINT_GARDEN)).toBeCloseTo(0.9490740740740741, 15);
  });
  it('is 1 when nothing ranks', () => {
    expect(globalScore([])).toBe(1);
    expect(globalScore([{ kind: 'sort', key: 'year:asc', isHidden: false, value: 3 }])).toBe(1);
  });
});

describe('scoreDetailsJson', () => {
  it('numbers the rules, and exactness once', () => {
    const json = scoreDetailsJson(PAINT_GARDEN) as Record<string, { order: number }>;
    expect(Object.entries(json).map(([key, { order }]) => `${key} ${order}`)).toEqual([
      'words 0',
      'typo 1',
      'proximity 2',
      'attributeRank 3',
      'wordPosition 4',
      'exactness 5',
    ]);
    expect(json.exactness).toMatchObject({
      matchType: 'noExactMatch',
      matchingWords: 2,
      maxMatchingWords: 2,
      score: 1 / 3,
    });
  });
});
