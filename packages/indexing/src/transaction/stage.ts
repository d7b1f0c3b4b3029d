import type { SegmentId } from '@fossick/base';
import type { RowSink } from '@fossick/segments';
import { DocSet } from '@fossick/segments';
import { forgetUncommitted, type UncommittedRows, writeUncommitted } from './uncommitted-rows.js';

/** Rows written before they are committed: the store keeps them in memory until then. */
const PENDING_BYTES_MAX = 4 << 20;
/** Their share of the memory for indexing. */
const PENDING_SHARE = 1 / 8;
/** Rough bytes a document takes beside its row: the row of its id, keys, room in pages. */
const ROW_OVERHEAD_BYTES = 64;

/**
 * Which rows of a running batch may be committed early (uncommitted-rows.ts): those nobody sees before the batch ends. Once
 * the batch touches a row that others see, all of the rest waits for the last commit.
 */
export class Stage {
  private readonly firstSegmentId: SegmentId;
  /** Documents whose rows are new with this batch. */
  readonly docs = new DocSet();
  private pendingBytes = 0;
  private isOpen = true;
  private hasCommitted = false;
  private readonly bytesMax: number;

  constructor(firstSegmentId: SegmentId, maxIndexingBytes: number) {
    this.firstSegmentId = firstSegmentId;
    this.bytesMax = Math.min(PENDING_BYTES_MAX, maxIndexingBytes * PENDING_SHARE);
  }

  /** Notes bytes that a commit would take out of memory: of a document's row. */
  addRow(rowBytes: number): void {
    this.pendingBytes += rowBytes + ROW_OVERHEAD_BYTES;
  }

  /** The same of a segment, whose other parts take about as much as its postings. */
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

  /** Writes the note that goes with an early commit. */
  commit(rows: RowSink, note: Pick<UncommittedRows, 'primaryKey' | 'fieldNames'>, nextSegmentId: SegmentId): void {
    this.pendingBytes = 0;
    this.hasCommitted = true;
    writeUncommitted(rows, { ...note, docs: this.docs, segmentIds: [this.firstSegmentId, nextSegmentId] });
  }

  /** The rows are seen from this commit on. */
  publish(rows: RowSink): void {
    this.close();
    if (this.hasCommitted) forgetUncommitted(rows);
  }
}
