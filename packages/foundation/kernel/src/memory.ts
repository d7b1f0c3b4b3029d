/** The account of what searches and merges hold in kernels and outside of them. */
export { type EvictingMemory, HeldByKey, HeldOnDemand } from './memory/held-on-demand.js';
export { HeldStructure, Pieces } from './memory/held-structures.js';
export {
  closeAccount,
  MemoryBudget,
  mergeBytesMax,
  newSharedBudget,
  reportProcess,
  type SharedBudget,
  setMerging,
} from './memory/memory-budget.js';
export { CountedMemory, MERGE_THREAD_BYTES, type MergeMemory, sleep, UNCOUNTED } from './memory/merge-account.js';
export { MergeAccount, MergeAccounts, type SharedMergeAccount } from './memory/merge-accounts.js';
export { type HeldMemory, SearchMemory, sharedKernelBytes } from './memory/search-memory.js';
