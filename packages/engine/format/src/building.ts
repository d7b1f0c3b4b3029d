/** Rows as the building of segments needs them: without the manifest, whose settings load embedders. */
export { ByteReader, ByteWriter } from './byte-codec.js';
export { boundOf, DocSet, NO_DOCUMENT, PAGE_DOCS, PAGE_WORDS } from './doc-set.js';
export { PartReader, PartWriter } from './part-stream.js';
export {
  CHUNK_BYTES,
  deletePart,
  fieldChunk,
  getChunks,
  LIST_ROW_BYTES,
  type ListPart,
  listsLocation,
  PARTS,
  putChunks,
  putPart,
  type RowReader,
  type RowSink,
  type RowSource,
  readRow,
  type SegmentInfo,
  type SegmentPart,
  type SegmentRows,
  segmentKey,
  TABLES,
  tableChunk,
} from './rows.js';
export { encodeTrigrams } from './trigram-table.js';
