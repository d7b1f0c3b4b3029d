import { DocSet, encodeDocSet } from './doc-set.js';
import { type IndexManifest, readSegmentDead, readSegmentDocs, rowIdsOf, type SegmentInfo } from './index-state.js';
import { deleteObsolete } from './obsolete-segments.js';
import { PARTS, putChunks, type RowSink, type RowSource } from './rows.js';

interface LiveSegment {
  info: SegmentInfo;
  readonly docs: DocSet;
  readonly dead: DocSet;
  /** Documents died in this batch. */
  isChanged: boolean;
}

/** The segments of an index as a running batch has them, and those it dropped. */
export class SegmentList {
  /** The id of the next segment; ids are never given twice. */
  nextId: number;
  private segments: LiveSegment[];
  private readonly obsolete: number[];

  constructor(rows: RowSource, manifest: IndexManifest) {
    this.nextId = manifest.nextSegmentId;
    this.obsolete = [...manifest.obsolete];
    this.segments = manifest.segments.map((info) => ({
      info,
      docs: readSegmentDocs(rows, info.id),
      dead: readSegmentDead(rows, info.id),
      isChanged: false,
    }));
  }

  get infos(): SegmentInfo[] {
    return this.segments.map(({ info }) => info);
  }

  add(info: SegmentInfo, docs: DocSet): void {
    this.segments.push({ info, docs, dead: new DocSet(), isChanged: false });
  }

  /** A document has another version, or none. */
  markDead(docId: number): void {
    for (const segment of this.segments) {
      if (segment.docs.has(docId) && segment.dead.add(docId)) segment.isChanged = true;
    }
  }

  dropAll(): void {
    for (const { info } of this.segments) this.obsolete.push(...rowIdsOf(info));
    this.segments = [];
  }

  /**
   * Gives every segment other columns: `build` writes those of its live documents under an id and answers what the
   * manifest says of them. One segment for each step.
   */
  *rebuildColumns(
    build: (columnsId: number, docIds: Uint32Array) => Pick<SegmentInfo, 'facetFields' | 'facetFieldIds'>,
  ): Generator<void> {
    for (const segment of this.segments) {
      const { docs, dead, info } = segment;
      const columnsId = this.nextId++;
      const columns = build(
        columnsId,
        docs.toArray().filter((docId) => !dead.has(docId)),
      );
      if (info.columnsId !== undefined) this.obsolete.push(info.columnsId);
      segment.info = { ...info, ...columns, columnsId };
      yield;
    }
  }

  /** Writes who died; segments without a living document go. */
  writeDead(rows: RowSink): void {
    for (const segment of this.segments) {
      if (!segment.isChanged) continue;
      if (segment.dead.count >= segment.docs.count) this.obsolete.push(...rowIdsOf(segment.info));
      else putChunks(rows, segment.info.id, PARTS.dead, encodeDocSet(segment.dead));
      segment.info = { ...segment.info, deadCount: segment.dead.count };
      segment.isChanged = false;
    }
    this.segments = this.segments.filter(({ dead, docs }) => dead.count < docs.count);
  }

  /** Deletes rows of what was dropped; answers the ids that still have some. */
  deleteObsolete(rows: RowSink): number[] {
    return deleteObsolete(rows, this.obsolete);
  }
}
