import { openMemoryStore } from '@fossick/storage';
import { expect, it } from 'vitest';
import { openLocalChanges } from '../changes/local-changes.js';
import { type ApiKey, DEFAULT_KEYS, keyValue } from './api-key.js';
import { KeyStore, replaceKeys, storedKeys } from './key-store.js';

const MASTER_KEY = 'a-master-key-of-this-test';
const UID = '00000001-0000-4000-8000-000000000000';
const KEY: ApiKey = {
  uid: UID,
  name: 'one',
  description: null,
  actions: ['search'],
  indexes: ['*'],
  expiresAt: null,
  createdAt: '2030-01-01T00:00:00.000Z',
  updatedAt: '2030-01-01T00:00:00.000Z',
};

it('the keys in memory follow the rows, regardless of who changes them', async () => {
  const store = openMemoryStore();
  const changes = openLocalChanges(store);
  const [here, there] = [
    await KeyStore.open(store, changes, MASTER_KEY),
    await KeyStore.open(store, changes, MASTER_KEY),
  ];
  await here.add(KEY);
  expect(there.byValue(keyValue(UID, MASTER_KEY))).toEqual(KEY);
  await there.edit(UID, (key) => ({ ...key, name: 'two' }));
  expect(here.byUid(UID)?.name).toBe('two');
  await here.delete(UID);
  expect([there.byUid(UID), there.byValue(keyValue(UID, MASTER_KEY))]).toEqual([undefined, undefined]);
  await replaceKeys(changes, [KEY]);
  expect(here.list()).toEqual([KEY]);
});

it('a key is added once, and one that is gone is not edited', async () => {
  const store = openMemoryStore();
  const keys = await KeyStore.open(store, openLocalChanges(store), MASTER_KEY);
  await keys.add(KEY);
  await expect(keys.add(KEY)).rejects.toThrow(expect.objectContaining({ code: 'api_key_already_exists' }));
  await keys.delete(UID);
  expect(await keys.edit(UID, (key) => key)).toBeUndefined();
  expect(storedKeys(store)).toHaveLength(DEFAULT_KEYS.length);
});

it('the default keys are made once, in one commit, also when two open an empty store together', async () => {
  const store = openMemoryStore();
  const changes = openLocalChanges(store);
  const before = store.commitCount;
  const opened = await Promise.all([1, 2].map(() => KeyStore.open(store, changes, MASTER_KEY)));
  expect(store.commitCount).toBe(before + 1);
  expect(opened.map((keys) => keys.list().map(({ name }) => name))).toEqual(
    opened.map(() => DEFAULT_KEYS.map(({ name }) => name)),
  );
});
