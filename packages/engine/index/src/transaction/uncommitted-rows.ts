import { base64Bytes, base64Text, type SegmentId, utf8Bytes, utf8Text } from '@fossick/base';
import { decodeDocument, externalIdOf } from '@fossick/documents';
import {
  type DocSet,
  decodeDocSet,
  deleteSegment,
  documentKey,
  encodeDocSet,
  externalIdKey,
  type RowSink,
  type RowSource,
  readManifest,
  rowsOf,
  TABLES,
} from '@fossick/format';
import type { Store } from '@fossick/storage';

/**
 * A batch too large for one transaction in memory commits part of its rows early: rows of documents that are not live
 * yet, and of segments that no manifest lists, so nobody sees them. This note is written with them and lists them: if
 * the batch never finishes, they are removed.
 */
export interface UncommittedRows {
  readonly primaryKey: string;
  /** Names of the fields by their ids, including those of the uncommitted documents. */
  readonly fieldNames: readonly string[];
  readonly docs: DocSet;
  /** The first segment id that is reserved until these rows are removed or published, and the id after the last one. */
  readonly segmentIds: readonly [from: SegmentId, to: SegmentId];
}

const KEY = utf8Bytes('staged');
/** Documents removed in one transaction. */
const DOCS_PER_CLEANING = 20_000;

export function writeUncommitted(sink: RowSink, uncommitted: UncommittedRows): void {
  const docs = base64Text(encodeDocSet(uncommitted.docs));
  sink.put(TABLES.meta, KEY, utf8Bytes(JSON.stringify({ ...uncommitted, docs })));
}

/** This commit publishes the rows. */
export function forgetUncommitted(sink: RowSink): void {
  sink.delete(TABLES.meta, KEY);
}

/** Removes the rows of an unfinished batch. One read when there are none. O(uncommitted rows) */
export function removeUncommitted(store: Store): void {
  while (readUncommitted(rowsOf(store)) !== undefined) store.transaction(removeSome);
}

function removeSome(rows: RowSink): void {
  const uncommitted = readUncommitted(rows);
  if (uncommitted === undefined) return;
  const [from, to] = uncommitted.segmentIds;
  // Segments published since are not removed: the commit that publishes also removes the note.
  for (let id = Math.max(from, readManifest(rows).nextSegmentId) as SegmentId; id < to; id++) deleteSegment(rows, id);
  const docIds = uncommitted.docs.toArray();
  for (const docId of docIds.subarray(0, DOCS_PER_CLEANING)) {
    uncommitted.docs.delete(docId);
    const bytes = rows.get(TABLES.documents, documentKey(docId));
    if (bytes === undefined) continue;
    const externalId = externalIdOf(decodeDocument(bytes, uncommitted.fieldNames), uncommitted.primaryKey);
    rows.delete(TABLES.documents, documentKey(docId));
    rows.delete(TABLES.ids, externalIdKey(externalId));
  }
  if (uncommitted.docs.count === 0) forgetUncommitted(rows);
  else writeUncommitted(rows, { ...uncommitted, segmentIds: [to, to] });
}

function readUncommitted(rows: RowSource): UncommittedRows | undefined {
  const bytes = rows.get(TABLES.meta, KEY);
  if (bytes === undefined) return undefined;
  const stored = JSON.parse(utf8Text(bytes)) as Omit<UncommittedRows, 'docs'> & { docs: string };
  return { ...stored, docs: decodeDocSet(base64Bytes(stored.docs)) };
}
