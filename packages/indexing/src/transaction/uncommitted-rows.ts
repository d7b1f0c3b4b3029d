import type { SegmentId } from '@fossick/base';
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
} from '@fossick/segments';
import type { Store } from '@fossick/storage';

/**
 * A batch too large for one transaction in memory commits part of its rows early: rows of documents that are not live
 * yet and of segments no manifest names, so nobody sees them. This note, written with them, says which: should the
 * batch never get to its end, they are removed again.
 */
export interface UncommittedRows {
  readonly primaryKey: string;
  /** Names of the fields by their ids, those of the staged documents included. */
  readonly fieldNames: readonly string[];
  readonly docs: DocSet;
  /** The first segment id nobody may use before these rows are gone or published, and the one behind the last. */
  readonly segmentIds: readonly [from: SegmentId, to: SegmentId];
}

const KEY = Buffer.from('staged');
/** Documents removed in one transaction. */
const DOCS_PER_CLEANING = 20_000;

export function writeUncommitted(sink: RowSink, staged: UncommittedRows): void {
  const docs = Buffer.from(encodeDocSet(staged.docs)).toString('base64');
  sink.put(TABLES.meta, KEY, Buffer.from(JSON.stringify({ ...staged, docs })));
}

/** The rows are published by this very commit. */
export function forgetUncommitted(sink: RowSink): void {
  sink.delete(TABLES.meta, KEY);
}

/** Removes what a batch left behind that did not get to its end. Nothing to do: one read. O(staged rows). */
export function removeUncommitted(store: Store): void {
  while (readUncommitted(rowsOf(store)) !== undefined) store.transaction(removeSome);
}

function removeSome(rows: RowSink): void {
  const staged = readUncommitted(rows);
  if (staged === undefined) return;
  const [from, to] = staged.segmentIds;
  // What was published since is none of them: the note goes with the commit that publishes.
  for (let id = Math.max(from, readManifest(rows).nextSegmentId) as SegmentId; id < to; id++) deleteSegment(rows, id);
  const docIds = staged.docs.toArray();
  for (const docId of docIds.subarray(0, DOCS_PER_CLEANING)) {
    staged.docs.delete(docId);
    const bytes = rows.get(TABLES.documents, documentKey(docId));
    if (bytes === undefined) continue;
    const externalId = externalIdOf(decodeDocument(bytes, staged.fieldNames), staged.primaryKey);
    rows.delete(TABLES.documents, documentKey(docId));
    rows.delete(TABLES.ids, externalIdKey(externalId));
  }
  if (staged.docs.count === 0) forgetUncommitted(rows);
  else writeUncommitted(rows, { ...staged, segmentIds: [to, to] });
}

function readUncommitted(rows: RowSource): UncommittedRows | undefined {
  const bytes = rows.get(TABLES.meta, KEY);
  if (bytes === undefined) return undefined;
  const stored = JSON.parse(Buffer.from(bytes).toString('utf8')) as Omit<UncommittedRows, 'docs'> & { docs: string };
  return { ...stored, docs: decodeDocSet(new Uint8Array(Buffer.from(stored.docs, 'base64'))) };
}
