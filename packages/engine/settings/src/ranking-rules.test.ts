import { expect, test } from 'vitest';
import { RANKING_RULES, readRankingRule } from './ranking-rules.js';

test('a rule is one of the names, or the order of the values of a field', () => {
  for (const name of RANKING_RULES) expect(readRankingRule(name)).toEqual({ kind: 'named', name });
  expect(readRankingRule('price:asc')).toEqual({ kind: 'field', field: 'price', direction: 'asc' });
  // the last colon counts, and a field may have the name of a rule
  expect(readRankingRule('a:b:desc')).toEqual({ kind: 'field', field: 'a:b', direction: 'desc' });
  expect(readRankingRule('typo:asc')).toEqual({ kind: 'field', field: 'typo', direction: 'asc' });
  for (const text of ['', ':asc', 'price', 'price:up', 'price:asc ', 'toString'])
    expect(readRankingRule(text)).toBeUndefined();
});
