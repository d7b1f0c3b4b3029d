export { compareBytes } from '@fossick/base';
export type {
  BeforeCommit,
  Change,
  ChangeSet,
  Clear,
  Delete,
  DeleteRange,
  Put,
} from './changes/change-set.js';
export { renameDurably, replaceFile } from './durable-files.js';
export {
  composeKey,
  type KeyPart,
  prefixEnd,
  readText,
  readU32,
  readU64,
  text,
  u8,
  u32,
  u32Key,
  u64,
  u64Key,
} from './keys.js';
export { lostStoreCount, renewLostStores } from './lmdb/environment/lost-stores.js';
export { lastCommitOf, type StoreUse, storeBytes, storeOrigin, storeUse } from './lmdb/file/store-file.js';
export {
  checkStore,
  type LmdbStoreOptions,
  openLmdbStore,
  repairStore,
  type StoreCheck,
  type StoreCheckLimits,
} from './lmdb/open-store.js';
export { type MemoryStoreOptions, openMemoryStore } from './memory/memory-store.js';
export type { Durability, Entry, RangeOptions, Snapshot, Store, Table, WriteTransaction } from './store.js';
