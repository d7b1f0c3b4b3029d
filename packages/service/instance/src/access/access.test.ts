import { timingSafeEqual } from 'node:crypto';
import { openMemoryStore } from '@fossick/storage';
import { beforeEach, expect, it, vi } from 'vitest';
import { openLocalChanges } from '../changes/local-changes.js';
import { Guard } from './access.js';
import { KeyStore } from './key-store.js';

vi.mock('node:crypto', async (load) => {
  const crypto = await load<typeof import('node:crypto')>();
  return { ...crypto, timingSafeEqual: vi.fn(crypto.timingSafeEqual) };
});
const compared = vi.mocked(timingSafeEqual);
const MASTER_KEY = 'a-master-key-of-this-test';
const store = openMemoryStore();
const guard = new Guard(await KeyStore.open(store, openLocalChanges(store), MASTER_KEY));

beforeEach(() => {
  compared.mockClear();
});

it.each([
  ['the master key', MASTER_KEY, true],
  ['its beginning', MASTER_KEY.slice(0, -1), false],
  ['more than it', `${MASTER_KEY}x`, false],
  ['other letter case', MASTER_KEY.toUpperCase(), false],
  ['a single letter', 'a', false],
  ['a long text', 'a'.repeat(100_000), false],
])('compares %s in constant time, as digests of one length', (_, token, isRight) => {
  const authorize = () => guard.authorize(`Bearer ${token}`, 'keys.get');
  if (isRight) expect(authorize().hiddenIndexes).toEqual([]);
  else expect(authorize).toThrow(expect.objectContaining({ code: 'invalid_api_key' }));
  const [left, right] = compared.mock.calls[0]!;
  expect([left.byteLength, right.byteLength]).toEqual([32, 32]);
});
