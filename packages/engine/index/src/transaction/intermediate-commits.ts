import type { SegmentId } from '@fossick/base';
import { DocSet, type RowSink } from '@fossick/format';
import { forgetUncommitted, type UncommittedRows, writeUncommitted } from './uncommitted-rows.js';

/** Bytes of rows before an intermediate commit: the store keeps uncommitted rows in memory. */
const PENDING_BYTES_MAX = 4 << 20;
/** Share of the indexing memory that they may take. */
const PENDING_SHARE = 1 / 8;
/** Approximate bytes of a document in addition to its row: the row of its id, keys, free space in pages. */
const ROW_OVERHEAD_BYTES = 64;

/**
 * Which rows of a running batch may be committed early (uncommitted-rows.ts): those that nobody sees before the batch
 * ends. Once the batch changes a visible row, everything else waits for the last commit.
 */
export class IntermediateCommits {
  private readonly firstSegmentId: SegmentId;
  /** Documents whose rows are new in this batch. */
  readonly docs = new DocSet();
  private pendingBytes = 0;
  private isOpen = true;
  private hasCommitted = false;
  private readonly bytesMax: number;

  constructor(firstSegmentId: SegmentId, maxIndexingBytes: number) {
    this.firstSegmentId = firstSegmentId;
    this.bytesMax = Math.min(PENDING_BYTES_MAX, maxIndexingBytes * PENDING_SHARE);
  }

  /** Counts the bytes of a document's row, which a commit would release from memory. */
  addRow(rowBytes: number): void {
    this.pendingBytes += rowBytes + ROW_OVERHEAD_BYTES;
  }

  /** The same for a segment; its other parts take about as much as its postings. */
  addSegment(postingBytes: number): void {
    this.pendingBytes += postingBytes * 2;
  }

  close(): void {
    this.isOpen = false;
  }

  /** Whether the rows so far should be committed now. */
  get isDue(): boolean {
    return this.isOpen && this.pendingBytes >= this.bytesMax;
  }

  /** Writes the note that accompanies an early commit. */
  commit(rows: RowSink, note: Pick<UncommittedRows, 'primaryKey' | 'fieldNames'>, nextSegmentId: SegmentId): void {
    this.pendingBytes = 0;
    this.hasCommitted = true;
    writeUncommitted(rows, { ...note, docs: this.docs, segmentIds: [this.firstSegmentId, nextSegmentId] });
  }

  /** This commit makes the rows visible. */
  publish(rows: RowSink): void {
    this.close();
    if (this.hasCommitted) forgetUncommitted(rows);
  }
}
