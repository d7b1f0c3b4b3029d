import type { SegmentId } from '@fossick/base';
import {
  columnsIdOf,
  DocSet,
  deletedPagesOf,
  deleteObsolete,
  type IndexManifest,
  type RowSink,
  type RowSource,
  readDeleted,
  readDocs,
  readManifest,
  replaceManifest,
  rowIdsOf,
  type SegmentInfo,
  TABLES,
  writePages,
  writeState,
} from '@fossick/segments';
import type { MergePlan } from './merge-segments.js';
import type { MergeWork } from './merge-work.js';

const NOTE_KEY = Buffer.from('merging');

/**
 * A merge on its way. Its rows are committed piece by piece under an id that no manifest names, so nobody sees them and other commits go in between; what
 * died meanwhile is worked out when the manifest names them. A note says which id it is, should the process die before.
 */
export class RunningMerge {
  private readonly plan: MergePlan;
  private readonly work: MergeWork;
  private readonly pieceBytes: number;
  private isNoted = false;

  /** `pieceBytes`: rough bytes of rows put between two pauses. */
  constructor(plan: MergePlan, work: MergeWork, pieceBytes: number) {
    this.plan = plan;
    this.work = work;
    this.pieceBytes = pieceBytes;
  }

  /** Whether there is something for `advance` to do. */
  get isReady(): boolean {
    return this.work.isReady || !this.isNoted;
  }

  /** The next piece, in a transaction of its own; true when the merge has come to its end, in one way or the other. */
  advance(rows: RowSink, manifest: IndexManifest): boolean {
    if (!this.plan.sources.every(({ info }) => manifest.segments.some((segment) => isSame(info, segment)))) {
      // Its segments were dropped or got other columns: nobody wants the result any more.
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

  /** Whether a segment goes into it. */
  takes(segmentId: SegmentId): boolean {
    return this.plan.sources.some(({ info }) => info.id === segmentId);
  }

  /** Puts rows that are there already. What the manifest says stays as it is, which a batch in the middle of its commits relies on. */
  putMade(rows: RowSink): void {
    if (this.isNoted) this.work.putMade(rows, this.pieceBytes);
  }

  /** Gives back what the merge holds. Its rows stay for `removeMergeLeft`. */
  stop(): void {
    this.work.stop();
  }

  /** Keeps its id from others. */
  private note(rows: RowSink, manifest: IndexManifest): void {
    if (this.isNoted) return;
    const { target } = this.plan;
    rows.put(TABLES.meta, NOTE_KEY, Buffer.from(JSON.stringify({ target })));
    replaceManifest(rows, { ...manifest, nextSegmentId: (target + 1) as SegmentId });
    this.isNoted = true;
  }

  private publish(rows: RowSink, manifest: IndexManifest, info: SegmentInfo): void {
    const { target, sources } = this.plan;
    const deleted = new DocSet();
    for (const source of sources) deleted.addWithout(readDeleted(rows, source.info.id, manifest), source.deletedDocs);
    deleted.keepOnly(readDocs(rows, target, manifest));
    const isLive = deleted.count < info.docCount;
    if (isLive) writePages(rows, deletedPagesOf(target), deleted);
    if (this.isNoted) rows.delete(TABLES.meta, NOTE_KEY);
    const dropped = manifest.segments.filter((segment) => sources.some((source) => isSame(source.info, segment)));
    const kept = manifest.segments.filter((segment) => !dropped.includes(segment));
    const gone = isLive ? dropped.flatMap(rowIdsOf) : [...dropped.flatMap(rowIdsOf), target];
    writeState(rows, {
      manifest: {
        ...manifest,
        segments: isLive ? [...kept, { ...info, deadCount: deleted.count }] : kept,
        nextSegmentId: Math.max(manifest.nextSegmentId, target + 1) as SegmentId,
        obsolete: deleteObsolete(rows, [...manifest.obsolete, ...gone]),
      },
    });
  }
}

/** Whether a merge has committed rows that no manifest names. One read. */
export function isMergeLeft(rows: RowSource): boolean {
  return rows.get(TABLES.meta, NOTE_KEY) !== undefined;
}

/** Removes the rows of a merge that does not go on: some now, others with later commits. */
export function removeMergeLeft(rows: RowSink): void {
  const note = rows.get(TABLES.meta, NOTE_KEY);
  if (note === undefined) return;
  const { target } = JSON.parse(Buffer.from(note).toString('utf8')) as { target: SegmentId };
  const manifest = readManifest(rows);
  replaceManifest(rows, { ...manifest, obsolete: deleteObsolete(rows, [...manifest.obsolete, target]) });
  rows.delete(TABLES.meta, NOTE_KEY);
}

function isSame(source: SegmentInfo, segment: SegmentInfo): boolean {
  return source.id === segment.id && columnsIdOf(source) === columnsIdOf(segment);
}
