export { type EvictingMemory, HeldByKey, HeldOnDemand } from './held-on-demand.js';
export {
  MemoryBudget,
  mergeBytesMax,
  newSharedBudget,
  reportProcess,
  type SharedBudget,
  setMerging,
} from './memory-budget.js';
export { CountedMemory, MERGE_THREAD_BYTES, type MergeMemory, sleep, UNCOUNTED } from './merge-account.js';
export { MergeAccount, MergeAccounts, type SharedMergeAccount } from './merge-accounts.js';
export { type HeldMemory, SearchMemory } from './search-memory.js';
export { type SharingThread, ThreadShares } from './thread-shares.js';
