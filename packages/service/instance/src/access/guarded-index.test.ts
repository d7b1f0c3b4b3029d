import { createHmac } from 'node:crypto';
import { openMemoryStore } from '@fossick/storage';
import { expect, it } from 'vitest';
import { openLocalChanges } from '../changes/local-changes.js';
import { Guard } from './access.js';
import { type ApiKey, keyValue } from './api-key.js';
import { callerHeaders, withinCaller } from './caller-scope.js';
import { guardedUid } from './guarded-index.js';
import { KeyStore } from './key-store.js';

const MASTER_KEY = 'a-master-key-of-this-test';
const store = openMemoryStore();
const keys = await KeyStore.open(store, openLocalChanges(store), MASTER_KEY);
const guard = new Guard(keys, [
  { name: 'ledger', action: 'stats.get' },
  { name: 'orders', action: 'tasks.get' },
]);
const [LEDGER, ORDERS] = ['ledger', 'orders'].map(guardedUid) as [string, string];
const OPEN = new Guard(undefined, [{ name: 'ledger', action: 'stats.get' }]);

let made = 0;
async function keyOf(actions: string[], indexes: string[]): Promise<string> {
  made += 1;
  const uid = `0000000${made}-0000-4000-8000-000000000000`;
  const date = '2020-01-02T03:04:05.000Z';
  const key: ApiKey = {
    uid,
    name: null,
    description: null,
    actions,
    indexes,
    expiresAt: null,
    createdAt: date,
    updatedAt: date,
  };
  await keys.add(key);
  return keyValue(uid, MASTER_KEY);
}

it.each<[string[], string[], string[]]>([
  [['search'], ['*'], []],
  [['search', 'stats.get'], ['*'], [LEDGER]],
  [['search', 'tasks.get'], ['*'], [ORDERS]],
  [['*'], ['*'], [LEDGER, ORDERS]],
  [['search', 'stats.*'], ['_foss*'], [LEDGER]],
  [['search'], ['_foss*'], []],
  [['search'], [ORDERS, '_foss*'], [ORDERS]],
  [['search', 'tasks.get'], [LEDGER], [LEDGER]],
])('a key of %j on %j sees of the guarded indexes %j', async (actions, indexes, seen) => {
  const access = guard.authorize(`Bearer ${await keyOf(actions, indexes)}`, 'search');
  expect([LEDGER, ORDERS].filter(access.allowsIndex)).toEqual(seen);
  const hidden = [LEDGER, ORDERS].filter((uid) => !seen.includes(uid));
  expect(access.hiddenIndexes).toEqual(indexes.includes('*') ? hidden : null);
  // another instance, which may have no such extension
  const there = withinCaller(OPEN.authorize(undefined, 'search'), callerHeaders(access.scope));
  expect([LEDGER, ORDERS].filter(there.allowsIndex)).toEqual(seen);
});

it('a tenant token sees none, unless its key names it', async () => {
  const seenBy = async (indexes: string[]): Promise<string[]> => {
    const secret = await keyOf(['*'], indexes);
    const uid = `0000000${made}-0000-4000-8000-000000000000`;
    const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
    const signed = `${part({ alg: 'HS256', typ: 'JWT' })}.${part({ apiKeyUid: uid, searchRules: ['*'] })}`;
    const token = `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`;
    const { allowsIndex } = guard.authorize(`Bearer ${token}`, 'search');
    return [LEDGER, ORDERS, 'films'].filter(allowsIndex);
  };
  expect(await seenBy(['*'])).toEqual(['films']);
  expect(await seenBy([LEDGER, 'films'])).toEqual([LEDGER, 'films']);
});

it('without a master key everything is open', () => {
  expect(OPEN.authorize(undefined, 'search').allowsIndex(LEDGER)).toBe(true);
});
