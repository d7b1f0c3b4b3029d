import { randomUUID } from 'node:crypto';
import { readUuid } from '@fossick/api';
import { apiError } from '@fossick/base';
import type { Change, ChangeSet, Store } from '@fossick/storage';
import { commitComputed } from '../changes/local-changes.js';
import type { Condition, InstanceChanges } from '../changes/port.js';
import { type ApiKey, DEFAULT_KEYS, keyValue } from './api-key.js';

const TABLE = 'keys';
const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Every key in a store, newest first. */
export function storedKeys(store: Store): ApiKey[] {
  const keys = [...store.table(TABLE).range({})].map(({ value }) => JSON.parse(decoder.decode(value)) as ApiKey);
  return keys.sort(newestFirst);
}
function newestFirst(a: ApiKey, b: ApiKey): number {
  return a.createdAt < b.createdAt ? 1 : a.createdAt > b.createdAt ? -1 : 0;
}
/** Replaces all keys of the store by these, in one commit. */
export async function replaceKeys(changes: InstanceChanges, keys: readonly ApiKey[]): Promise<void> {
  await changes.commit([{ kind: 'clear', table: TABLE }, ...keys.map(putOf)]);
}

function putOf(key: ApiKey): Change {
  return { kind: 'put', table: TABLE, key: encoder.encode(key.uid), value: encoder.encode(JSON.stringify(key)) };
}

/** The durable set of API keys, all of it in memory: an instance has tens of keys and every request reads them. */
export class KeyStore {
  private readonly store: Store;
  private readonly changes: InstanceChanges;
  private readonly master: string;
  private readonly keyByUid = new Map<string, ApiKey>();
  private readonly uidByValue = new Map<string, string>();
  private readonly listeners = new Set<() => void>();

  private constructor(store: Store, changes: InstanceChanges, masterKey: string) {
    this.store = store;
    this.changes = changes;
    this.master = masterKey;
    this.load();
    changes.onChange((rows) => this.follow(rows));
  }

  /** Opens the keys of an instance; an empty set gets the default keys. `changes`: of the same store. */
  static async open(store: Store, changes: InstanceChanges, masterKey: string): Promise<KeyStore> {
    const keys = new KeyStore(store, changes, masterKey);
    if (keys.keyByUid.size === 0) await keys.createDefaults();
    return keys;
  }

  /** Calls `listener` after each change of keys, also by other nodes. */
  onChange(listener: () => void): Disposable {
    this.listeners.add(listener);
    return { [Symbol.dispose]: () => void this.listeners.delete(listener) };
  }

  get masterKey(): string {
    return this.master;
  }
  /** Newest first. */
  list(): ApiKey[] {
    return [...this.keyByUid.values()].sort(newestFirst);
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
  /** Adds a key. Throws api_key_already_exists, and the errors of the store or log, as do the other changes. */
  async add(key: ApiKey): Promise<void> {
    await commitComputed(this.changes, () => {
      if (this.keyByUid.has(key.uid)) throw apiError('api_key_already_exists', key.uid);
      return { changes: [putOf(key)], conditions: [this.unchanged(key.uid)], result: undefined };
    });
  }

  /** Replaces a key by what `next` makes of it; resolves with it, or undefined when there is none. */
  edit(uid: string, next: (before: ApiKey) => ApiKey): Promise<ApiKey | undefined> {
    return commitComputed(this.changes, () => {
      const before = this.keyByUid.get(uid);
      if (before === undefined) return { changes: [], conditions: [], result: undefined };
      const result = next(before);
      return { changes: [putOf(result)], conditions: [this.unchanged(uid)], result };
    });
  }

  async delete(uid: string): Promise<void> {
    await this.changes.commit([{ kind: 'delete', table: TABLE, key: encoder.encode(uid) }]);
  }

  /** The row of a key is as it is now. */
  private unchanged(uid: string): Condition {
    const key = encoder.encode(uid);
    return { kind: 'row', table: TABLE, key, value: this.store.table(TABLE).get(key) ?? null };
  }

  /** Takes over changes of rows. */
  private follow(rows: ChangeSet): void {
    const own = rows.filter(({ table }) => table === TABLE);
    if (own.length === 0) return;
    for (const row of own) {
      if (row.kind === 'put') this.remember(JSON.parse(decoder.decode(row.value)) as ApiKey);
      else if (row.kind === 'delete') this.forget(decoder.decode(row.key));
      else this.load();
    }
    for (const listener of [...this.listeners]) listener();
  }

  private load(): void {
    this.keyByUid.clear();
    this.uidByValue.clear();
    for (const { value } of this.store.table(TABLE).range({}))
      this.remember(JSON.parse(decoder.decode(value)) as ApiKey);
  }

  private remember(key: ApiKey): void {
    this.keyByUid.set(key.uid, key);
    this.uidByValue.set(keyValue(key.uid, this.master), key.uid);
  }

  private forget(uid: string): void {
    this.keyByUid.delete(uid);
    this.uidByValue.delete(keyValue(uid, this.master));
  }

  /** Without effect when another node has made keys meanwhile. */
  private async createDefaults(): Promise<void> {
    const now = Date.now();
    const keys = DEFAULT_KEYS.map((wanted, i): ApiKey => {
      // the list is newest first and shows the defaults in table order, so each is a millisecond older than the
      // previous one
      const date = new Date(now - i).toISOString();
      const uid = randomUUID();
      return { ...wanted, uid, indexes: ['*'], expiresAt: null, createdAt: date, updatedAt: date };
    });
    await this.changes.commit(keys.map(putOf), [{ kind: 'empty', table: TABLE }]);
  }
}
