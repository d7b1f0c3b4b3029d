import { openMemoryStore } from '@fossick/storage';
import { expect, it } from 'vitest';
import { RuleStore, ruleToJson } from './rule-store.js';

const at = (second: number): string => `2030-01-01T00:00:0${second}Z`;

it('keeps absent members, resets null ones and lists the newest change first', () => {
  const rules = new RuleStore(openMemoryStore());
  rules.apply([
    { ruleUid: 'a', change: { description: 'one', precedence: 3, active: false }, enqueuedAt: at(1) },
    { ruleUid: 'b', change: {}, enqueuedAt: at(2) },
    { ruleUid: 'a', change: { precedence: null, active: null }, enqueuedAt: at(3) },
  ]);
  expect(rules.list().map(({ uid }) => uid)).toEqual(['a', 'b']);
  expect(ruleToJson(rules.get('a')!)).toEqual({
    uid: 'a',
    description: 'one',
    lastUpdatedAt: at(3),
    active: true,
    conditions: {},
    actions: [],
  });
  rules.apply([{ ruleUid: 'a', change: null, enqueuedAt: at(4) }]);
  expect(rules.get('a')).toBeUndefined();
  expect(rules.clear()).toBe(1);
});
