export type { Bitmaps } from './bitmaps.js';
export type * from './column-port.js';
export type { FuzzyMatches, FuzzyWords } from './dictionaries.js';
export { isKernelFault, KernelMemoryError } from './fault.js';
export type * from './inverter-port.js';
export { createKernel, type KernelOptions } from './kernel.js';
export {
  NO_NODE,
  WINDOW_FIELDS_MAX,
  WINDOW_POSITIONS,
  WORD_BYTES_MAX,
} from './layout.js';
export type { LivePostings, NearTargets, ResidentList } from './live-postings.js';
export type { NearNodes } from './near-nodes.js';
export type { PathPlan, PathPlanShape } from './path-plan-port.js';
export { NEEDS_DOCS } from './path-plan-port.js';
export type { Kernel } from './port.js';
export {
  type Bitmap,
  type BitmapRow,
  type Block,
  blockIn,
  type Dictionary,
  type F64Array,
  f64ArrayIn,
  joinPostingLists,
  type Mark,
  type MaskedList,
  type None,
  type Pool,
  type PositionTable,
  type PostingList,
  type PostingLists,
  postingListIn,
  postingListOf,
  postingListsIn,
  postingListsOf,
  type TermId,
  type U32Array,
  u32ArrayIn,
  type Window,
} from './ptr.js';
export type { KeyedGroups } from './varints.js';
export { GRAPH_DEGREE, VectorGraph } from './vector-graph.js';
export {
  type MemoryPart,
  type VectorKind,
  VectorSet,
  type VectorsByDocument,
  type WantedDocuments,
} from './vector-set.js';
export { readWindowRecords, type StoredWindows, WindowWriter } from './window-writer.js';
