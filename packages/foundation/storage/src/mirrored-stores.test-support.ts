import { existsSync, mkdirSync, realpathSync } from 'node:fs';
import { applyChanges, decodeChanges, encodeChanges } from './changes.js';
import {
  compareBytes,
  type LmdbStoreOptions,
  openMemoryStore,
  openLmdbStore as openPlainStore,
  type Snapshot,
  type Store,
} from './index.js';

/**
 * The storage package as the tests of the project `mirrored` see it (vitest.config.ts): every store that this thread
 * opens in a folder is mirrored into a second store by the encoded change sets of its commits, and when its last handle
 * is closed the rows of both must be equal.
 */
export * from './index.js';

interface Mirror {
  readonly store: Store;
  handleCount: number;
}
/** By folder, while a handle of it is open. */
const mirrors = new Map<string, Mirror>();

/** What was compared in this thread, for the setup of the tests. */
export const mirroring = { commitCount: 0, rowCount: 0, differences: [] as string[] };

export function openLmdbStore(options: LmdbStoreOptions): Store {
  const { mayCreate = true } = options;
  if (mayCreate) mkdirSync(options.folder, { recursive: true });
  // a missing folder is the error of the store itself
  const folder = existsSync(options.folder) ? realpathSync(options.folder) : options.folder;
  let pending: Uint8Array | undefined;
  const store = openPlainStore({
    ...options,
    beforeCommit: (changes, durability, txn) => {
      // the mirror follows once the commit has succeeded
      pending = encodeChanges(changes);
      return options.beforeCommit?.(changes, durability, txn);
    },
    onCommit: (waitedMs) => {
      const changes = pending;
      pending = undefined;
      const mirror = mirrors.get(folder);
      if (changes !== undefined && mirror !== undefined) {
        mirror.store.transaction((txn) => applyChanges(txn, decodeChanges(changes)));
        mirroring.commitCount += 1;
      }
      options.onCommit?.(waitedMs);
    },
  });
  const mirror = mirrors.get(folder) ?? { store: copyOf(store), handleCount: 0 };
  mirrors.set(folder, mirror);
  mirror.handleCount += 1;
  const close = store.close.bind(store);
  let isOpen = true;
  return Object.assign(store, {
    close: () => {
      if (isOpen && --mirror.handleCount === 0) {
        mirrors.delete(folder);
        compare(folder, store, mirror.store);
      }
      isOpen = false;
      return close();
    },
  });
}

/** A store in memory with the rows that a folder has when its first handle is opened. */
function copyOf(store: Store): Store {
  const copy = openMemoryStore();
  store.snapshot((snapshot) => {
    copy.transaction((txn) => {
      for (const name of snapshot.tableNames) {
        for (const { key, value } of snapshot.table(name).range({})) txn.put(name, key, value);
      }
    });
  });
  return copy;
}

function compare(folder: string, store: Store, mirror: Store): void {
  store.snapshot((left) => {
    mirror.snapshot((right) => {
      for (const name of new Set([...left.tableNames, ...right.tableNames])) {
        const difference = differenceOf(left, right, name);
        if (difference !== undefined) mirroring.differences.push(`${folder} ${name}: ${difference}`);
      }
    });
  });
}

function differenceOf(left: Snapshot, right: Snapshot, table: string): string | undefined {
  const mirrored = right.table(table).range({})[Symbol.iterator]();
  for (const { key, value } of left.table(table).range({})) {
    const { done, value: row } = mirrored.next();
    mirroring.rowCount += 1;
    if (done === true) return `the mirror lacks ${key}`;
    if (compareBytes(row.key, key) !== 0) return `${key} is ${row.key} in the mirror`;
    if (Buffer.compare(row.value, value) !== 0) return `the mirror has another value of ${key}`;
  }
  const { done, value: row } = mirrored.next();
  return done === true ? undefined : `the mirror has ${row.key} too much`;
}
