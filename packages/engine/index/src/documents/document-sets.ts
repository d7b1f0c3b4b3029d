import { type SegmentId, utf8Bytes } from '@fossick/base';
import {
  DocSet,
  decodeDocSet,
  deletePart,
  getChunks,
  type IndexManifest,
  PARTS,
  type RowReader,
  type RowSink,
  type RowSource,
  readManifest,
  type SegmentPart,
  TABLES,
  writeState,
} from '@fossick/format';
import {
  deletedPagesOf,
  docPagesOf,
  LIVE_PAGES,
  type PageReader,
  type PagesLocation,
  pageReader,
  pagesBelow,
  readPages,
  writePages,
} from './doc-pages.js';

type Bound = Pick<IndexManifest, 'docIdBound' | 'docForm'>;

/** All live documents. O(pages) */
export function readLive(rows: RowSource, manifest: Bound): DocSet {
  return manifest.docForm === 'pages' ? readAll(rows, LIVE_PAGES, manifest) : oldLive(rows);
}

/** All documents of a segment when it was written. O(pages) */
export function readDocs(rows: RowSource, segmentId: SegmentId, manifest: Bound): DocSet {
  return manifest.docForm === 'pages'
    ? readAll(rows, docPagesOf(segmentId), manifest)
    : oldSet(rows, segmentId, PARTS.docs);
}

/** The deleted documents of a segment. O(pages) */
export function readDeleted(rows: RowSource, segmentId: SegmentId, manifest: Bound): DocSet {
  return manifest.docForm === 'pages'
    ? readAll(rows, deletedPagesOf(segmentId), manifest)
    : oldSet(rows, segmentId, PARTS.deleted);
}

/** Reads the live documents page by page. */
export function livePages(rows: RowReader, manifest: Bound): PageReader {
  if (manifest.docForm === 'pages') return pageReader(rows, LIVE_PAGES);
  const live = oldLive(rows);
  return (page) => live.page(page);
}

/** Reads the deleted documents of a segment page by page. */
export function deletedPages(rows: RowReader, segmentId: SegmentId, manifest: Bound): PageReader {
  if (manifest.docForm === 'pages') return pageReader(rows, deletedPagesOf(segmentId));
  const deleted = oldSet(rows, segmentId, PARTS.deleted);
  return (page) => deleted.page(page);
}

/**
 * Rewrites the sets of documents of an older release's index in pages: such a release rewrote each as one value with every commit.
 * Returns whether there was something to do. O(documents)
 */
export function upgradeSets(rows: RowSink): boolean {
  const manifest = readManifest(rows);
  if (manifest.docForm === 'pages') return false;
  makeTables(rows);
  writePages(rows, LIVE_PAGES, oldLive(rows));
  rows.delete(TABLES.meta, OLD_LIVE_KEY);
  for (const { id } of manifest.segments) {
    writePages(rows, docPagesOf(id), oldSet(rows, id, PARTS.docs));
    writePages(rows, deletedPagesOf(id), oldSet(rows, id, PARTS.deleted));
    for (const part of [PARTS.docs, PARTS.deleted]) deletePart(rows, id, part);
  }
  writeState(rows, { manifest: { ...manifest, docForm: 'pages' } });
  return true;
}

/**
 * Creates the tables of an index. Creating a table blocks others from opening the store until the transaction ends, so it is not done in
 * the transaction of a large batch.
 */
export function makeTables(rows: RowSink): void {
  for (const table of Object.values(TABLES)) rows.get(table, OLD_LIVE_KEY);
}

const OLD_LIVE_KEY = utf8Bytes('live');

function oldLive(rows: RowSource): DocSet {
  const bytes = rows.get(TABLES.meta, OLD_LIVE_KEY);
  return bytes === undefined ? new DocSet() : decodeDocSet(bytes);
}

function oldSet(rows: RowSource, segmentId: SegmentId, part: SegmentPart): DocSet {
  const bytes = getChunks(rows, segmentId, part);
  return bytes === undefined ? new DocSet() : decodeDocSet(bytes);
}

function readAll(rows: RowSource, location: PagesLocation, { docIdBound }: Bound): DocSet {
  return readPages(rows, location, pagesBelow(docIdBound));
}
