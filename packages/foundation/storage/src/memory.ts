/** Stores in memory and their interface, for every platform: nothing of LMDB is loaded. */

export { openMemoryStore } from './memory/memory-store.js';
export type { Entry, RangeOptions, Snapshot, Store, Table, WriteTransaction } from './store.js';
