import { openMemoryStore } from '@fossick/storage';
import { expect, it } from 'vitest';
import { openLocalChanges } from '../changes/local-changes.js';
import { RuleStore, ruleToJson } from './rule-store.js';

function emptyRules(): RuleStore {
  const store = openMemoryStore();
  return new RuleStore(store, openLocalChanges(store));
}

const at = (second: number): string => `2030-01-01T00:00:0${second}Z`;

it('keeps absent members, resets null ones and lists the newest change first', async () => {
  const rules = emptyRules();
  await rules.apply([
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
  await rules.apply([{ ruleUid: 'a', change: null, enqueuedAt: at(4) }]);
  expect(rules.get('a')).toBeUndefined();
  expect(await rules.clear()).toBe(1);
});

it('tries rules by precedence, then in order of creation, a freed rank first', async () => {
  const rules = emptyRules();
  const create = (ruleUid: string, precedence: number | null) => ({
    ruleUid,
    change: { precedence },
    enqueuedAt: at(1),
  });
  await rules.apply([create('z', null), create('gone', null), create('y', 2), create('x', 1), create('w', 2)]);
  await rules.apply([{ ruleUid: 'gone', change: null, enqueuedAt: at(2) }, create('late', null)]);
  await rules.apply([{ ruleUid: 'y', change: { description: 'changed' }, enqueuedAt: at(3) }]);
  expect(rules.inPrecedence().map(({ uid }) => uid)).toEqual(['x', 'y', 'w', 'z', 'late']);
});
