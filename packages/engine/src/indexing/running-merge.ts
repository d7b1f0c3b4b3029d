import { createKernel, type Kernel } from '@fossick/kernel';
import { CurrentRows } from './current-rows.js';
import { deadPagesOf, writePages } from './doc-pages.js';
import { DocSet } from './doc-set.js';
import { readDead } from './document-sets.js';
import { columnsIdOf, type IndexManifest, rowIdsOf, type SegmentInfo, writeState } from './index-state.js';
import { type Merged, mergeSegments } from './merge-segments.js';
import { deleteSegment, type RowSink, type RowSource, TABLES } from './rows.js';

/** Rough bytes of columns and counts that a document has. */
const DOC_BYTES = 64;
const NOTE_KEY = Buffer.from('merging');

/**
 * A merge on its way. Its rows are committed piece by piece under an id that no manifest names, so nobody sees them and other commits go in between; what
 * died meanwhile is worked out when the manifest names them. A note says which id it is, should the process die before.
 */
export class RunningMerge {
  private readonly rows = new CurrentRows();
  private readonly steps: Generator<number, Merged>;
  private readonly target: number;
  private readonly pieceBytes: number;
  private isNoted = false;

  /**
   * `pieceBytes`: rough bytes of rows written between two pauses; what is smaller is not paused, and done in `kernel`. `vectorBytes`: what the vectors of
   * the chosen segments take while they are merged.
   */
  constructor(
    manifest: IndexManifest,
    private readonly chosen: readonly SegmentInfo[],
    kernel: Kernel,
    pieceBytes: number,
    vectorBytes = 0,
  ) {
    this.target = manifest.nextSegmentId;
    const isWhole = bytesOf(chosen) + vectorBytes <= pieceBytes;
    this.pieceBytes = isWhole ? Number.POSITIVE_INFINITY : pieceBytes;
    // Others use the shared kernel between the pieces, and may let go of it.
    this.steps = mergeSegments(isWhole ? kernel : createKernel(), this.rows, chosen, this.target, manifest);
  }

  /** The next piece, in a transaction of its own; true when the merge has come to its end, in one way or the other. */
  advance(rows: RowSink, manifest: IndexManifest): boolean {
    if (!this.chosen.every((source) => manifest.segments.some((segment) => isSame(source, segment)))) {
      // Its segments were dropped or got other columns: nobody wants the result any more.
      this.stop();
      removeMergeLeft(rows);
      return true;
    }
    this.rows.continueWith(rows);
    try {
      for (let left = this.pieceBytes; left > 0; ) {
        const { done, value } = this.steps.next();
        if (done === true) {
          this.publish(rows, manifest, value);
          return true;
        }
        left -= value;
      }
      this.note(rows, manifest);
      return false;
    } finally {
      this.rows.continueWith(undefined);
    }
  }

  /** Gives back what the merge holds in the kernel. Its rows stay for `removeMergeLeft`. */
  stop(): void {
    this.steps.return(undefined as never);
  }

  private note(rows: RowSink, manifest: IndexManifest): void {
    if (this.isNoted) return;
    rows.put(TABLES.meta, NOTE_KEY, Buffer.from(JSON.stringify({ target: this.target })));
    writeState(rows, { manifest: { ...manifest, nextSegmentId: this.target + 1 } });
    this.isNoted = true;
  }

  private publish(rows: RowSink, manifest: IndexManifest, { info, docs, deadBefore }: Merged): void {
    const dead = new DocSet();
    for (const { id } of this.chosen) dead.addWithout(readDead(rows, id, manifest), deadBefore.get(id)!);
    dead.keepOnly(docs);
    const isLive = dead.count < docs.count;
    if (!isLive) deleteSegment(rows, this.target);
    else writePages(rows, deadPagesOf(this.target), dead);
    if (this.isNoted) rows.delete(TABLES.meta, NOTE_KEY);
    const dropped = manifest.segments.filter((segment) => this.chosen.some((source) => isSame(source, segment)));
    const kept = manifest.segments.filter((segment) => !dropped.includes(segment));
    writeState(rows, {
      manifest: {
        ...manifest,
        segments: isLive ? [...kept, { ...info, deadCount: dead.count }] : kept,
        nextSegmentId: Math.max(manifest.nextSegmentId, this.target + 1),
        obsolete: [...manifest.obsolete, ...dropped.flatMap(rowIdsOf)],
      },
    });
  }
}

/** Whether a merge has committed rows that no manifest names. One read. */
export function isMergeLeft(rows: RowSource): boolean {
  return rows.get(TABLES.meta, NOTE_KEY) !== undefined;
}

/** Removes the rows of a merge that does not go on. */
export function removeMergeLeft(rows: RowSink): void {
  const note = rows.get(TABLES.meta, NOTE_KEY);
  if (note === undefined) return;
  const { target } = JSON.parse(Buffer.from(note).toString('utf8')) as { target: number };
  deleteSegment(rows, target);
  rows.delete(TABLES.meta, NOTE_KEY);
}

function isSame(source: SegmentInfo, segment: SegmentInfo): boolean {
  return source.id === segment.id && columnsIdOf(source) === columnsIdOf(segment);
}

function bytesOf(segments: readonly SegmentInfo[]): number {
  return segments.reduce((sum, { postingBytes, docCount }) => sum + postingBytes + docCount * DOC_BYTES, 0);
}
