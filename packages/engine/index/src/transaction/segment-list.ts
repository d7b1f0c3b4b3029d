import type { DocId, DocIds, SegmentId } from '@fossick/base';
import { type DocSet, type IndexManifest, type RowSink, rowIdsOf, type SegmentInfo } from '@fossick/format';
import { deletedPagesOf, docPagesOf, StoredDocs } from '../documents/doc-pages.js';
import { readDocs } from '../documents/document-sets.js';
import { deleteObsolete } from '../documents/obsolete-segments.js';

interface LiveSegment {
  info: SegmentInfo;
  /** The documents it was written with. */
  readonly docs: Pick<DocSet, 'has'>;
  readonly deleted: StoredDocs;
  /** Whether documents of it were deleted in this batch. */
  isChanged: boolean;
}

/** The segments of an index during a batch, and those that the batch dropped. */
export class SegmentList {
  private readonly rows: RowSink;
  /** The id of the next segment; ids are never reused. */
  nextId: SegmentId;
  private segments: LiveSegment[];
  private readonly obsolete: SegmentId[];
  /** Whether this batch writes all segments that there are. */
  areNew: boolean;

  /** `rows`: those of the open transaction. */
  constructor(rows: RowSink, manifest: IndexManifest) {
    this.rows = rows;
    this.nextId = manifest.nextSegmentId;
    this.obsolete = [...manifest.obsolete];
    this.areNew = manifest.segments.length === 0;
    this.segments = manifest.segments.map((info) => ({
      info,
      docs: new StoredDocs(rows, docPagesOf(info.id), info.docCount),
      deleted: new StoredDocs(rows, deletedPagesOf(info.id), info.deadCount),
      isChanged: false,
    }));
  }

  get infos(): SegmentInfo[] {
    return this.segments.map(({ info }) => info);
  }

  add(info: SegmentInfo, docs: DocSet): void {
    this.segments.push({
      info,
      docs,
      deleted: new StoredDocs(this.rows, deletedPagesOf(info.id), 0),
      isChanged: false,
    });
  }

  /** The document was replaced or deleted. */
  markDeleted(docId: DocId): void {
    for (const segment of this.segments) {
      if (segment.deleted.count < segment.info.docCount && segment.docs.has(docId) && segment.deleted.add(docId))
        segment.isChanged = true;
    }
  }

  dropAll(): void {
    for (const { info } of this.segments) this.obsolete.push(...rowIdsOf(info));
    this.segments = [];
    this.areNew = true;
  }

  /**
   * Replaces the columns of segments, of all unless `isWanted` is given: `build` writes those of its live documents under an id and returns their
   * entry in the manifest. One segment per step.
   */
  *rebuildColumns(
    manifest: IndexManifest,
    build: (columnsId: SegmentId, docIds: DocIds) => Pick<SegmentInfo, 'facetFields' | 'facetFieldIds'>,
    isWanted: (info: SegmentInfo) => boolean = () => true,
  ): Generator<void> {
    for (const segment of this.segments) {
      const { deleted, info } = segment;
      if (!isWanted(info)) continue;
      const columnsId = this.nextId++ as SegmentId;
      const docIds = readDocs(this.rows, info.id, manifest).toArray();
      const columns = build(columnsId, docIds.filter((docId) => !deleted.has(docId as DocId)) as DocIds);
      if (info.columnsId !== undefined) this.obsolete.push(info.columnsId);
      segment.info = { ...info, ...columns, columnsId };
      yield;
    }
  }

  /**
   * Writes the deleted documents; segments without live documents are dropped. Returns the changed pages, by segment.
   */
  writeDeleted(): Map<SegmentId, readonly number[] | null> {
    const written = new Map<SegmentId, readonly number[] | null>();
    for (const segment of this.segments) {
      if (!segment.isChanged) continue;
      if (segment.deleted.count >= segment.info.docCount) this.obsolete.push(...rowIdsOf(segment.info));
      else written.set(segment.info.id, segment.deleted.write());
      segment.info = { ...segment.info, deadCount: segment.deleted.count };
      segment.isChanged = false;
    }
    this.segments = this.segments.filter(({ deleted, info }) => deleted.count < info.docCount);
    return written;
  }

  /** Deletes rows of dropped segments; returns the ids that still have some. */
  deleteObsolete(): SegmentId[] {
    return deleteObsolete(this.rows, this.obsolete);
  }
}
