export type { Bitmaps } from './bitmaps/bitmaps.js';
export type * from './columns/column-port.js';
export type { FuzzyMatches, FuzzyWords } from './dictionaries/dictionaries.js';
export { isKernelFault, KernelLostError, KernelMemoryError } from './fault.js';
export { giveKernel, type KernelSource } from './instance.js';
export type { ClassifiedWord, Inverter, UnitRules, WordTableParts } from './inverting/inverter.js';
export { readWindowRecords, type StoredWindows, WindowWriter } from './inverting/window-writer.js';
export { createKernel, type Kernel } from './kernel.js';
export {
  NO_NODE,
  WINDOW_FIELDS_MAX,
  WINDOW_POSITIONS,
  WORD_BYTES_MAX,
} from './layout.js';
export type { PathPlan } from './paths/path-plans.js';
export { type LivePostings, loadedList, type NearTargets, type ResidentList } from './postings/live-postings.js';
export {
  type Bitmap,
  type BitmapRow,
  type Block,
  blockIn,
  type ColumnByDocument,
  type Dictionary,
  type F64Array,
  f64ArrayIn,
  joinPostingLists,
  type Mark,
  NEEDS_DOCS,
  type None,
  type Pool,
  type PositionTable,
  type PostingList,
  type PostingLists,
  postingListIn,
  postingListOf,
  postingListsIn,
  postingListsOf,
  type RankIndexedList,
  type TermId,
  type U32Array,
  u32ArrayIn,
  type Window,
} from './ptr.js';
export type { Directory } from './shared/directory.js';
export type { MadeStructure, Structure, Structures } from './shared/structures.js';
export type { KeyedGroups } from './varints.js';
export type { NearNodes } from './vectors/near-nodes.js';
export { GRAPH_DEGREE, VectorGraph } from './vectors/vector-graph.js';
export {
  type MemoryPart,
  type VectorKind,
  VectorSet,
  type VectorsByDocument,
  type WantedDocuments,
} from './vectors/vector-set.js';
