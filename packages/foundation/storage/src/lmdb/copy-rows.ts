import { compareBytes } from '@fossick/base';
import { flushFolder, makeFolder } from '@fossick/base/durable-names';
import type { Entry, Snapshot, Store } from '../store.js';

/** Bytes of rows written between two commits of a copy, which it holds in memory. */
const COPIED_AT_ONCE = 4 << 20;

/**
 * Copies every row of `source` into the new store that `open` makes of `folder`, one piece per step; then reads the
 * copy, compares it with its source and writes to it. lmdb's own compacting copy is not used: its result lacks the list
 * of free pages and ends the process at one of the next writes ([storage](../../../../../docs/internals/decisions/storage.md)).
 */
export function* copyRows(source: Snapshot, folder: string, open: (folder: string) => Store): Generator<void> {
  makeFolder(folder);
  const target = open(folder);
  try {
    for (const name of source.tableNames) yield* copyTable(source, target, name);
    for (const name of source.tableNames) yield* compareTable(source, target, name);
    // The second write uses pages that the first one freed.
    for (let write = 0; write < 2; write++) rewriteFirstRows(target, source.tableNames);
  } finally {
    // Closing only waits for asynchronous writes, and there are none.
    void target.close();
  }
  flushFolder(folder);
}

function* copyTable(source: Snapshot, target: Store, name: string): Generator<void> {
  // creates the table even if it has no rows
  target.transaction((txn) => txn.clear(name), 'later');
  let rows: Entry[] = [];
  let bytes = 0;
  const write = (): void => {
    target.transaction((txn) => {
      for (const { key, value } of rows) txn.put(name, key, value);
    }, 'later');
    rows = [];
    bytes = 0;
  };
  for (const row of source.table(name).range({})) {
    rows.push(row);
    bytes += row.key.length + row.value.length;
    if (bytes < COPIED_AT_ONCE) continue;
    write();
    yield;
  }
  write();
  yield;
}

function* compareTable(source: Snapshot, target: Store, name: string): Generator<void> {
  const copied = target.table(name).range({})[Symbol.iterator]();
  let bytes = 0;
  for (const { key, value } of source.table(name).range({})) {
    const { done, value: copy } = copied.next();
    const isSame = done !== true && compareBytes(copy.key, key) === 0 && Buffer.compare(copy.value, value) === 0;
    if (!isSame) throw new Error(`the copy of the store differs from it in table ${name}`);
    bytes += key.length + value.length;
    if (bytes < COPIED_AT_ONCE) continue;
    bytes = 0;
    yield;
  }
  if (copied.next().done !== true) throw new Error(`the copy of the store has rows too many in table ${name}`);
}

function rewriteFirstRows(target: Store, names: readonly string[]): void {
  target.transaction((txn) => {
    for (const name of names) {
      for (const { key, value } of target.table(name).range({ limit: 1 })) txn.put(name, key, value);
    }
  });
}
