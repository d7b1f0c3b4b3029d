import { type SegmentId, utf8Bytes, utf8Text } from '@fossick/base';
import {
  columnsIdOf,
  DocSet,
  type IndexManifest,
  type MergePlan,
  type RowSink,
  type RowSource,
  readManifest,
  replaceManifest,
  rowIdsOf,
  type SegmentInfo,
  TABLES,
  writeState,
} from '@fossick/format';
import { deletedPagesOf, writePages } from '../documents/doc-pages.js';
import { readDeleted, readDocs } from '../documents/document-sets.js';
import { deleteObsolete } from '../documents/obsolete-segments.js';
import type { MergeWork } from './merge-work.js';

/** Pieces of rows that a commit between two of a batch puts: as much as a merging thread makes until the next one. */
const PIECES_IN_BATCH = 8;
const NOTE_KEY = utf8Bytes('merging');

/**
 * A running merge. Its rows are committed piece by piece under an id that no manifest lists, so nobody sees them and
 * other commits can happen in between; documents deleted meanwhile are applied when the manifest lists the segment. A
 * note stores the id, in case the process dies before.
 */
export class RunningMerge {
  private readonly plan: MergePlan;
  private readonly work: MergeWork;
  private readonly pieceBytes: number;
  private isRecorded = false;

  /** `pieceBytes`: approximate bytes of rows put between two pauses. */
  constructor(plan: MergePlan, work: MergeWork, pieceBytes: number) {
    this.plan = plan;
    this.work = work;
    this.pieceBytes = pieceBytes;
  }

  /** Whether `advance` has something to do. */
  get isReady(): boolean {
    return this.work.isReady || !this.isRecorded;
  }

  /** Does the next piece, in a transaction of its own; true when the merge is over, finished or aborted. */
  advance(rows: RowSink, manifest: IndexManifest): boolean {
    if (!this.plan.sources.every(({ info }) => manifest.segments.some((segment) => isSame(info, segment)))) {
      // Its source segments were dropped or got new columns: the result is of no use.
      this.stop();
      removeMergeLeft(rows);
      return true;
    }
    const info = this.work.put(rows, this.pieceBytes);
    if (info === undefined) {
      this.note(rows, manifest);
      return false;
    }
    this.publish(rows, manifest, info);
    this.work.stop();
    return true;
  }

  /** Resolves when nothing of it runs any more. */
  get ended(): Promise<void> {
    return this.work.ended;
  }

  /** Whether the segment is one of its sources. */
  takes(segmentId: SegmentId): boolean {
    return this.plan.sources.some(({ info }) => info.id === segmentId);
  }

  /**
   * Puts rows that are ready, several pieces of them since no update waits. Leaves the manifest unchanged, which a batch
   * between two of its commits relies on.
   */
  putMade(rows: RowSink): void {
    if (this.isRecorded) this.work.putMade(rows, this.pieceBytes * PIECES_IN_BATCH);
  }

  /** Frees what the merge holds. Its rows stay until `removeMergeLeft`. */
  stop(): void {
    this.work.stop();
  }

  /** Reserves its segment id. */
  private note(rows: RowSink, manifest: IndexManifest): void {
    if (this.isRecorded) return;
    const { target } = this.plan;
    rows.put(TABLES.meta, NOTE_KEY, utf8Bytes(JSON.stringify({ target })));
    replaceManifest(rows, { ...manifest, nextSegmentId: (target + 1) as SegmentId });
    this.isRecorded = true;
  }

  private publish(rows: RowSink, manifest: IndexManifest, info: SegmentInfo): void {
    const { target, sources } = this.plan;
    const deleted = new DocSet();
    for (const source of sources) deleted.addWithout(readDeleted(rows, source.info.id, manifest), source.deletedDocs);
    deleted.keepOnly(readDocs(rows, target, manifest));
    const isLive = deleted.count < info.docCount;
    if (isLive) writePages(rows, deletedPagesOf(target), deleted);
    if (this.isRecorded) rows.delete(TABLES.meta, NOTE_KEY);
    const dropped = manifest.segments.filter((segment) => sources.some((source) => isSame(source.info, segment)));
    const remaining = manifest.segments.filter((segment) => !dropped.includes(segment));
    const gone = isLive ? dropped.flatMap(rowIdsOf) : [...dropped.flatMap(rowIdsOf), target];
    writeState(rows, {
      manifest: {
        ...manifest,
        segments: isLive ? [...remaining, { ...info, deadCount: deleted.count }] : remaining,
        nextSegmentId: Math.max(manifest.nextSegmentId, target + 1) as SegmentId,
        obsolete: deleteObsolete(rows, [...manifest.obsolete, ...gone]),
      },
    });
  }
}

/** Whether a merge has committed rows that no manifest lists. One read. */
export function isMergeLeft(rows: RowSource): boolean {
  return rows.get(TABLES.meta, NOTE_KEY) !== undefined;
}

/** Removes the rows of an aborted merge: some now, the rest with later commits. */
export function removeMergeLeft(rows: RowSink): void {
  const note = rows.get(TABLES.meta, NOTE_KEY);
  if (note === undefined) return;
  const { target } = JSON.parse(utf8Text(note)) as { target: SegmentId };
  const manifest = readManifest(rows);
  replaceManifest(rows, { ...manifest, obsolete: deleteObsolete(rows, [...manifest.obsolete, target]) });
  rows.delete(TABLES.meta, NOTE_KEY);
}

function isSame(source: SegmentInfo, segment: SegmentInfo): boolean {
  return source.id === segment.id && columnsIdOf(source) === columnsIdOf(segment);
}
