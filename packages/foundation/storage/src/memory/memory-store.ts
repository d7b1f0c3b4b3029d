import { compareBytes, compareUtf8, partitionPoint } from '@fossick/base';
import type { BeforeCommit } from '../changes/change-set.js';
import { recordedWork } from '../changes/record-changes.js';
import type { Entry, RangeOptions, Store, Table, WriteTransaction } from '../store.js';

type Tables = Map<string, SortedTable>;

export interface MemoryStoreOptions {
  /** Asked before each commit, with its changes. */
  readonly beforeCommit?: BeforeCommit;
}

/** A store that lives as long as the object: for tests and temporary instances. Nothing is durable. */
export function openMemoryStore({ beforeCommit }: MemoryStoreOptions = {}): Store {
  const tables: Tables = new Map();
  let isClosed = false;
  let isWriting = false;
  let commitCount = 0;
  const assertOpen = (): void => {
    if (isClosed) throw new Error('the store is closed');
  };
  return {
    table: (name) => {
      assertOpen();
      return readTable(tables, name);
    },
    transaction: (work, durability = 'now') => {
      assertOpen();
      if (isWriting) throw new Error('a transaction is already running');
      isWriting = true;
      const undo: (() => void)[] = [];
      try {
        const txn = writeTransaction(tables, undo);
        const result = beforeCommit === undefined ? work(txn) : recordedWork(txn, work, durability, beforeCommit);
        commitCount += 1;
        return result;
      } catch (error) {
        for (const step of undo.reverse()) step();
        throw error;
      } finally {
        isWriting = false;
      }
    },
    flush: async () => assertOpen(),
    size: () => ({ diskBytes: 0, usedBytes: [...tables.values()].reduce((sum, table) => sum + bytesOf(table), 0) }),
    tableSizes: () => {
      const sizes = [...tables].map(([name, table]) => [name, bytesOf(table)] as const);
      return Object.fromEntries(sizes.sort(([a], [b]) => compareUtf8(a, b)));
    },
    snapshot: (work, names) => {
      assertOpen();
      const wanted = [...tables].filter(([name]) => names === undefined || names.includes(name));
      const shares = wanted.map(([name, table]) => ({ name, ...table.share() }));
      const frozen: Tables = new Map(shares.map(({ name, table }) => [name, table]));
      const tableNames = [...frozen.keys()].sort((a, b) => compareUtf8(a, b));
      const end = (): void => {
        for (const { release } of shares) release();
      };
      return endedBy(end, () => work({ tableNames, table: (name) => readTable(frozen, name) }));
    },
    copyTo: () => Promise.reject(new Error('a store in memory has no files to copy')),
    get commitCount() {
      return commitCount;
    },
    isBusy: false,
    close: async () => {
      isClosed = true;
    },
  };
}

/** Runs `work`, then `end`: after the promise that it returns, if it does. */
function endedBy<T>(end: () => void, work: () => T): T {
  let isRunning = false;
  try {
    const result = work();
    if (result instanceof Promise) {
      isRunning = true;
      return result.finally(end) as T;
    }
    return result;
  } finally {
    if (!isRunning) end();
  }
}

/** A copy with a buffer of its own: `slice` of a Buffer would be a view. */
function copyOf(bytes: Uint8Array): Uint8Array {
  return new Uint8Array(bytes);
}

function copied(bytes: Uint8Array | undefined): Uint8Array | undefined {
  return bytes === undefined ? undefined : copyOf(bytes);
}

/** Bytes of all keys and values. O(rows) */
function bytesOf(table: SortedTable): number {
  let bytes = 0;
  for (const { key, value } of table.range({})) bytes += key.length + value.length;
  return bytes;
}

function readTable(tables: Tables, name: string): Table {
  return {
    get: (key) => copied(tables.get(name)?.get(key)),
    read: (key, use) => {
      const value = tables.get(name)?.get(key);
      return value === undefined ? undefined : use(value);
    },
    has: (key) => tables.get(name)?.get(key) !== undefined,
    range: (options) => tables.get(name)?.range(options) ?? [],
    count: () => tables.get(name)?.size ?? 0,
  };
}

function writeTransaction(tables: Tables, undo: (() => void)[]): WriteTransaction {
  const open = (name: string): SortedTable => {
    let table = tables.get(name);
    if (table === undefined) {
      table = new SortedTable();
      tables.set(name, table);
    }
    return table;
  };
  const remember = (table: SortedTable, key: Uint8Array): void => {
    const before = table.get(key);
    undo.push(before === undefined ? () => table.delete(key) : () => table.put(key, before));
  };
  const deleteAll = (name: string, keys: readonly Uint8Array[]): void => {
    const table = open(name);
    for (const key of keys) {
      remember(table, key);
      table.delete(key);
    }
  };
  return {
    get: (name, key) => copied(tables.get(name)?.get(key)),
    put: (name, key, value) => {
      if (key.length === 0) throw new RangeError('an empty key');
      const table = open(name);
      const ownKey = copyOf(key);
      remember(table, ownKey);
      table.put(ownKey, copyOf(value));
    },
    delete: (name, key) => deleteAll(name, [copyOf(key)]),
    deleteRange: (name, start, end, limit) => {
      const found = open(name).range({ start, end, ...(limit === undefined ? {} : { limit }) });
      const keys = [...found].map((entry) => entry.key);
      deleteAll(name, keys);
      return keys.length;
    },
    clear: (name) =>
      deleteAll(
        name,
        [...open(name).range({})].map((entry) => entry.key),
      ),
  };
}

/** Two parallel arrays sorted by key. Frozen while an iteration reads it: writes then go to a copy. */
interface Version {
  keys: Uint8Array[];
  values: Uint8Array[];
  readers: number;
}

/** The sorted map of a table of the memory store. Lookups O(log n), writes O(n) moves: enough for small stores. */
class SortedTable {
  private version: Version = { keys: [], values: [], readers: 0 };

  get size(): number {
    return this.version.keys.length;
  }

  get(key: Uint8Array): Uint8Array | undefined {
    const at = lowerBound(this.version.keys, key);
    const found = this.version.keys[at];
    return found !== undefined && compareBytes(found, key) === 0 ? this.version.values[at] : undefined;
  }

  put(key: Uint8Array, value: Uint8Array): void {
    const { keys, values } = this.writable();
    const at = lowerBound(keys, key);
    const found = keys[at];
    if (found !== undefined && compareBytes(found, key) === 0) {
      values[at] = value;
      return;
    }
    keys.splice(at, 0, key);
    values.splice(at, 0, value);
  }

  delete(key: Uint8Array): void {
    if (this.get(key) === undefined) return;
    const { keys, values } = this.writable();
    const at = lowerBound(keys, key);
    keys.splice(at, 1);
    values.splice(at, 1);
  }

  /** A generator over one frozen version: it does not see writes made while it runs. */
  *range(options: RangeOptions): Generator<Entry> {
    const version = this.version;
    const first = options.start === undefined ? 0 : lowerBound(version.keys, options.start);
    const end = options.end === undefined ? version.keys.length : lowerBound(version.keys, options.end);
    const count = Math.min(Math.max(end - first, 0), options.limit ?? Number.POSITIVE_INFINITY);
    version.readers += 1;
    try {
      for (let step = 0; step < count; step += 1) {
        const at = options.reverse === true ? end - 1 - step : first + step;
        yield { key: new Uint8Array(version.keys[at]!), value: new Uint8Array(version.values[at]!) };
      }
    } finally {
      version.readers -= 1;
    }
  }

  /** The same rows in another table, until `release`: what is written to this one meanwhile goes to a copy. O(1) */
  share(): { readonly table: SortedTable; readonly release: () => void } {
    const { version } = this;
    const table = new SortedTable();
    table.version = version;
    version.readers += 1;
    return {
      table,
      release: () => {
        version.readers -= 1;
      },
    };
  }

  private writable(): Version {
    if (this.version.readers > 0) {
      this.version = { keys: [...this.version.keys], values: [...this.version.values], readers: 0 };
    }
    return this.version;
  }
}

function lowerBound(keys: readonly Uint8Array[], key: Uint8Array): number {
  return partitionPoint(0, keys.length, (at) => compareBytes(keys[at]!, key) < 0);
}
