import { parseSort } from '@fossick/filter';
import { expect, it } from 'vitest';
import { RuleCompatibility } from './check-rules.js';
import { type EffectiveRules, effectiveRules } from './rule-kinds.js';

function rulesOf(
  queryPosition: number,
  rankingRules: readonly string[],
  sort: readonly string[] = [],
  q: string | null = 'fox',
  matchingStrategy: 'last' | 'all' = 'last',
): EffectiveRules {
  const request = { q, matchingStrategy, rankingRules: null, queryMode: 'plain' } as const;
  return effectiveRules({
    uid: 'animals',
    queryPosition,
    rankingRules: [...rankingRules],
    sort: parseSort(sort),
    request,
    kind: 'keyword',
  });
}
const kindsOf = ({ rules }: EffectiveRules): string[] => rules.map(({ kind }) => kind);

it('joins neighbouring relevancy rules and drops them from placeholder searches', () => {
  const settings = ['sort', 'typo', 'words', 'age:desc', 'proximity', 'age:asc', 'typo'];
  const keyword = rulesOf(1, settings, ['age:asc', '_geoPoint(1, 2):desc']);
  expect(keyword.rules.map(({ kind, path }) => [kind, path])).toEqual([
    ['asc', 'queries[1].sort[0]'],
    ['geoDesc', 'queries[1].sort[1]'],
    ['relevancy', 'animals.rankingRules[1..=4]'],
  ]);
  expect(keyword.rules[2]?.text).toBe('relevancy (words, typo, proximity)');
  expect(keyword.notes).toHaveLength(5);
  expect(kindsOf(rulesOf(0, settings, [], null))).toEqual(['desc']);
});

it('leaves `words` out where every word has to match', () => {
  const { rules, notes } = rulesOf(0, ['words', 'typo'], [], 'fox', 'all');
  expect(rules[0]?.text).toBe('relevancy (typo)');
  expect(notes[0]).toContain('`matchingStrategy` is `all`');
});

it.each([
  ['relevancy against sort', [['words'], []], [['sort', 'words'], ['age:asc']], 'relevancy stands against a sort'],
  [
    'relevancy against geo',
    [['words'], []],
    [['sort'], ['_geoPoint(1, 2):asc']],
    'relevancy stands against a geo sort',
  ],
  ['opposite sorts', [['age:asc'], []], [['name:desc'], []], 'two sorts go in opposite directions'],
  ['sort against geo', [['age:asc'], []], [['sort'], ['_geoPoint(1, 2):asc']], 'a sort stands against a geo sort'],
  ['opposite geo', [['sort'], ['_geoPoint(1, 2):desc']], [['sort'], ['_geoPoint(3, 4):asc']], 'two geo sorts go in'],
])('refuses %s', (_, [rules = [], sort = []], [otherRules = [], otherSort = []], reason) => {
  const compatibility = new RuleCompatibility();
  compatibility.check(rulesOf(0, rules, sort));
  const check = (): void => compatibility.check(rulesOf(3, otherRules, otherSort));
  expect(check).toThrow(reason);
  expect(check).toThrow('queries[0] and queries[3]');
});

it('compares with the longest list so far, over the places that both have', () => {
  const compatibility = new RuleCompatibility();
  compatibility.check(rulesOf(0, ['age:asc', 'name:desc']));
  compatibility.check(rulesOf(1, ['size:asc']));
  compatibility.check(rulesOf(2, []));
  expect(() => compatibility.check(rulesOf(3, ['size:asc', 'name:asc']))).toThrow('animals.rankingRules[1]');
});
