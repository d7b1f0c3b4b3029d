import { createHmac } from 'node:crypto';
import { openMemoryStore } from '@fossick/storage';
import { expect, it } from 'vitest';
import { openLocalChanges } from '../changes/local-changes.js';
import { Guard } from './access.js';
import { requireIndex } from './access-to.js';
import { type ApiKey, keyValue } from './api-key.js';
import { KeyStore } from './key-store.js';

const MASTER_KEY = 'a-master-key-of-this-test';
const store = openMemoryStore();
const keys = await KeyStore.open(store, openLocalChanges(store), MASTER_KEY);
const guard = new Guard(keys);
const PAST = '2020-01-02T03:04:05.000Z';

async function addKey(
  uid: string,
  actions: string[],
  indexes: string[],
  expiresAt: string | null = null,
): Promise<string> {
  const dates = { createdAt: PAST, updatedAt: PAST };
  const key: ApiKey = { uid, name: null, description: null, actions, indexes, expiresAt, ...dates };
  await keys.add(key);
  return keyValue(uid, MASTER_KEY);
}

function tenantToken(apiKeyUid: string, claims: object, secret = keyValue(apiKeyUid, MASTER_KEY)): string {
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const signed = `${part({ alg: 'HS256', typ: 'JWT' })}.${part({ apiKeyUid, searchRules: ['books'], ...claims })}`;
  return `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`;
}

const UIDS = [1, 2, 3].map((n) => `0000000${n}-0000-4000-8000-000000000000`);
const searchKey = await addKey(UIDS[0]!, ['search'], ['books']);
const expiredKey = await addKey(UIDS[1]!, ['*'], ['*'], PAST);
await addKey(UIDS[2]!, ['documents.get'], ['*']);
const seconds = Date.parse(PAST) / 1000;
const UNKNOWN = 'The API key or tenant token is unknown.';

it.each([
  [
    'an expired tenant token',
    tenantToken(UIDS[0]!, { exp: seconds }),
    'search',
    `The tenant token expired at ${PAST}.`,
  ],
  ['a tenant token for writing', tenantToken(UIDS[0]!, {}), 'documents.add', '`documents.add`'],
  [
    'a tenant token whose key may not search',
    tenantToken(UIDS[2]!, {}),
    'search',
    'lacks the right to the action `search`',
  ],
  [
    'a tenant token whose key expired',
    tenantToken(UIDS[1]!, {}),
    'search',
    `API key of the tenant token expired at ${PAST}`,
  ],
  ['an expired key', expiredKey, 'search', `The API key expired at ${PAST}.`],
  ['a key without the right', searchKey, 'documents.add', 'lacks the right to the action `documents.add`'],
  // who holds no secret of this server learns nothing
  ['an expired token of another signature', tenantToken(UIDS[0]!, { exp: seconds }, 'x'), 'search', UNKNOWN],
  ['a token of an unknown key', tenantToken('00000009-0000-4000-8000-000000000000', {}, 'x'), 'search', UNKNOWN],
  ['an unknown key', 'f'.repeat(64), 'search', UNKNOWN],
])('%s is told why it is refused', (_, token, action, reason) => {
  const refused = { code: 'invalid_api_key', message: expect.stringContaining(reason) };
  expect(() => guard.authorize(`Bearer ${token}`, action)).toThrow(expect.objectContaining(refused));
});

it.each([
  ['a list', ['HS256']],
  ['an object', { toString: 'HS256' }],
  ['a list of lists', [['HS256']]],
  ['a number', 256],
  ['true', true],
  ['null', null],
  ['a name in other letters', 'hs256'],
  ['none', 'none'],
  ['what every object inherits', 'constructor'],
])('an algorithm that is %s is unknown', (_, alg) => {
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const signed = `${part({ alg, typ: 'JWT' })}.${part({ apiKeyUid: UIDS[0], searchRules: ['books'] })}`;
  const signature = createHmac('sha256', keyValue(UIDS[0]!, MASTER_KEY)).update(signed).digest('base64url');
  const refused = { code: 'invalid_api_key', message: UNKNOWN };
  expect(() => guard.authorize(`Bearer ${signed}.${signature}`, 'search')).toThrow(expect.objectContaining(refused));
});

it('an index out of reach is named', () => {
  const reason = expect.objectContaining({ message: expect.stringContaining('does not reach the index `films`') });
  expect(() => guard.authorize(`Bearer ${searchKey}`, 'search', 'films')).toThrow(reason);
  expect(() => requireIndex(guard.authorize(`Bearer ${searchKey}`, 'search', 'books'), 'films')).toThrow(reason);
});
