export { ByteWriter } from './byte-codec.js';
export { CurrentRows } from './current-rows.js';
export { bitCount, DocSet, decodeDocSet, encodeDocSet, NO_DOCUMENT, PAGE_DOCS, PAGE_WORDS } from './doc-set.js';
export { isListPart, listRowBytesOf, partsLayout, WHOLE_LAYOUT } from './file-layout.js';
export {
  emptyManifest,
  hasExpiryAttribute,
  type IndexManifest,
  readFieldNames,
  readManifest,
  readVersion,
  replaceManifest,
  settingsRow,
  writeState,
} from './index-state.js';
export type { MergePlan, MergeRows, MergeSource } from './merge-plan.js';
export { type PageChanges, readChanges } from './page-changes.js';
export { PartReader, PartWriter } from './part-stream.js';
export {
  CHUNK_BYTES,
  columnsIdOf,
  deletePart,
  deleteSegment,
  documentKey,
  externalIdKey,
  fieldChunk,
  getChunks,
  LIST_ROW_BYTES,
  listsLocation,
  PARTS,
  type PartLocation,
  partByteCount,
  putChunks,
  putPart,
  type RowReader,
  type RowSink,
  type RowSource,
  readerOf,
  readSpan,
  readSpans,
  rowIdsOf,
  rowsOf,
  type SegmentInfo,
  type SegmentPart,
  type SegmentRows,
  segmentKey,
  TABLES,
  tableChunk,
} from './rows.js';
export { encodeTrigrams, TrigramTable } from './trigram-table.js';
