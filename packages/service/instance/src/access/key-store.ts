import { randomUUID } from 'node:crypto';
import { readUuid } from '@fossick/api';
import type { Store } from '@fossick/storage';
import { type ApiKey, DEFAULT_KEYS, keyValue } from './api-key.js';

const TABLE = 'keys';
const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Every key in a store, newest first. */
export function storedKeys(store: Store): ApiKey[] {
  const keys = [...store.table(TABLE).range({})].map(({ value }) => JSON.parse(decoder.decode(value)) as ApiKey);
  return keys.sort((a, b) => (a.createdAt < b.createdAt ? 1 : a.createdAt > b.createdAt ? -1 : 0));
}
/** Replaces all keys of the store by these, in one commit. */
export function replaceKeys(store: Store, keys: readonly ApiKey[]): void {
  store.transaction((txn) => {
    txn.clear(TABLE);
    for (const key of keys) txn.put(TABLE, encoder.encode(key.uid), encoder.encode(JSON.stringify(key)));
  });
}

/** The durable set of API keys, all of it in memory: an instance has tens of keys and every request reads them. */
export class KeyStore {
  private readonly store: Store;
  private readonly master: string;
  private readonly keyByUid = new Map<string, ApiKey>();
  private readonly uidByValue = new Map<string, string>();

  private constructor(store: Store, masterKey: string) {
    this.store = store;
    this.master = masterKey;
    for (const { value } of store.table(TABLE).range({})) this.remember(JSON.parse(decoder.decode(value)) as ApiKey);
  }

  /** Opens the keys of an instance; an empty set gets the default keys. */
  static open(store: Store, masterKey: string): KeyStore {
    const keys = new KeyStore(store, masterKey);
    if (keys.keyByUid.size === 0) keys.createDefaults();
    return keys;
  }

  get masterKey(): string {
    return this.master;
  }
  /** Newest first. */
  list(): ApiKey[] {
    return [...this.keyByUid.values()].sort((a, b) =>
      a.createdAt < b.createdAt ? 1 : a.createdAt > b.createdAt ? -1 : 0,
    );
  }
  byUid(uid: string): ApiKey | undefined {
    return this.keyByUid.get(uid);
  }
  byValue(value: string): ApiKey | undefined {
    const uid = this.uidByValue.get(value);
    return uid === undefined ? undefined : this.keyByUid.get(uid);
  }
  /** By uid or by value, because paths contain either. */
  find(uidOrValue: string): ApiKey | undefined {
    return this.byUid(readUuid(uidOrValue) ?? '') ?? this.byValue(uidOrValue);
  }
  put(key: ApiKey): void {
    this.store.transaction((txn) => txn.put(TABLE, encoder.encode(key.uid), encoder.encode(JSON.stringify(key))));
    this.remember(key);
  }
  delete(uid: string): void {
    this.store.transaction((txn) => txn.delete(TABLE, encoder.encode(uid)));
    this.keyByUid.delete(uid);
    this.uidByValue.delete(keyValue(uid, this.master));
  }

  private remember(key: ApiKey): void {
    this.keyByUid.set(key.uid, key);
    this.uidByValue.set(keyValue(key.uid, this.master), key.uid);
  }
  private createDefaults(): void {
    const now = Date.now();
    DEFAULT_KEYS.forEach((wanted, i) => {
      // the list is newest first and shows the defaults in table order, so each is a millisecond older than the
      // previous one
      const date = new Date(now - i).toISOString();
      const uid = randomUUID();
      this.put({ ...wanted, uid, indexes: ['*'], expiresAt: null, createdAt: date, updatedAt: date });
    });
  }
}
