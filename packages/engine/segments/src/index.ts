export { SegmentBuilder } from './building/segment-builder.js';
export { isCoordinate, rebuildColumns } from './building/segment-columns.js';
export { type ListInSource, SegmentPairs } from './building/segment-pairs.js';
export { SegmentWindows, WINDOWS_HEADER_WORDS, WINDOWS_MAGIC } from './building/segment-windows.js';
export type { SegmentWriter } from './building/segment-writer.js';
export { decodeWordCounts, WordCountTable, wordCountKey } from './building/word-counts.js';
export { ByteReader, ByteWriter } from './rows/byte-codec.js';
export { CurrentRows } from './rows/current-rows.js';
export {
  deletedPagesOf,
  docPagesOf,
  LIVE_PAGES,
  type PageReader,
  pagesBelow,
  StoredDocs,
  writePages,
} from './rows/doc-pages.js';
export { DocSet, decodeDocSet, encodeDocSet, PAGE_WORDS } from './rows/doc-set.js';
export {
  deletedPages,
  livePages,
  makeTables,
  readDeleted,
  readDocs,
  readLive,
  upgradeSets,
} from './rows/document-sets.js';
export { ExternalIds } from './rows/external-ids.js';
export {
  decodeSettings,
  emptyManifest,
  type IndexManifest,
  readFieldNames,
  readManifest,
  readSettings,
  readVersion,
  replaceManifest,
  settingsByteCount,
  settingsRow,
  writeState,
} from './rows/index-state.js';
export { LiveDocuments } from './rows/live-documents.js';
export { deleteMoreObsolete, deleteObsolete } from './rows/obsolete-segments.js';
export { type PageChanges, readChanges } from './rows/page-changes.js';
export { decodePairHeader, endsBytes, PairDocs, type PairHeader } from './rows/pair-lists.js';
export { PartReader, PartWriter } from './rows/part-stream.js';
export {
  CHUNK_BYTES,
  deletePart,
  deleteSegment,
  documentKey,
  externalIdKey,
  fieldChunk,
  getChunks,
  LIST_ROW_BYTES,
  type ListPart,
  PARTS,
  type PartLocation,
  putChunks,
  putPart,
  type RowReader,
  type RowSink,
  type RowSource,
  readerOf,
  readSpan,
  readSpans,
  rowsOf,
  type SegmentPart,
  type SegmentRows,
  segmentKey,
  TABLES,
  tableChunk,
} from './rows/rows.js';
export { columnsIdOf, listsLocation, rowIdsOf, type SegmentInfo } from './rows/segment-info.js';
export { decodeOffsets, EXACT_PARTS, FUZZY_PARTS, type TableParts } from './rows/word-table.js';
export {
  checkVectors,
  countEmbeddings,
  givenVectors,
  isNewEntry,
  isVectorMap,
  keepVectors,
  mergeVectors,
  quantizedNames,
  type StoredVectors,
  shownVectors,
  singlePrecision,
  type VectorRules,
  type VectorsCheck,
  vectorRulesOf,
  withoutGenerated,
} from './vectors/document-vectors.js';
export {
  graphKind,
  readDirectory,
  readDocIds,
  readGraph,
  readTable,
  readValueRow,
  readValues,
  type TableInfo,
  ValueWriter,
  vectorsPerRow,
  writeDirectory,
  writeGraph,
  writeTable,
} from './vectors/vector-rows.js';
export { keyOf, type VectorTable } from './vectors/vector-table.js';
export { type IsQuantized, NUMBERS_AT_ONCE, needsGraph } from './vectors/write-vectors.js';
