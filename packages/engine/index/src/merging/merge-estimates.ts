import type { FieldId, SegmentId } from '@fossick/base';
import { columnByteCounts, columnMergeBytes } from '@fossick/columns';
import { columnsIdOf, type RowSource, type SegmentInfo } from '@fossick/format';
import { MERGE_THREAD_BYTES } from '@fossick/kernel/memory';
import { wordMergeBytes } from '@fossick/postings';
import { vectorMergeBytes } from '@fossick/vectors';

/** What a segment adds to a merge. */
interface SegmentBytes {
  readonly columnsId: SegmentId;
  readonly columns: ReadonlyMap<FieldId, number>;
  readonly words: number;
  readonly vectors: number;
}

/**
 * Estimates the memory of merges before they begin, from the sizes of the parts of their segments. A segment is measured
 * once: it never changes, but for its columns, which then have another id.
 */
export class MergeEstimates {
  private readonly measured = new Map<SegmentId, SegmentBytes>();

  /**
   * The most bytes that a merge of these segments holds at a time, in a thread of its own: columns, words and vectors
   * are merged one after the other. O(columns of all segments), and O(words) of those that are new.
   */
  bytesOf(rows: RowSource, segments: readonly SegmentInfo[]): number {
    const vectors = segments.reduce((sum, info) => sum + this.measure(rows, info).vectors, 0);
    return Math.max(this.bytesBesideVectors(rows, segments), MERGE_THREAD_BYTES + vectors);
  }

  /** The same for its words and columns alone. */
  bytesBesideVectors(rows: RowSource, segments: readonly SegmentInfo[]): number {
    const columns = columnMergeBytes(segments, (info) => this.measure(rows, info).columns);
    const words = segments.reduce((sum, info) => sum + this.measure(rows, info).words, 0);
    return MERGE_THREAD_BYTES + Math.max(columns, words);
  }

  /** Forgets segments that are gone. O(measured segments) */
  keepOnly(segments: readonly SegmentInfo[]): void {
    const ids = new Set(segments.map(({ id }) => id));
    for (const id of this.measured.keys()) if (!ids.has(id)) this.measured.delete(id);
  }

  private measure(rows: RowSource, info: SegmentInfo): SegmentBytes {
    const columnsId = columnsIdOf(info);
    const known = this.measured.get(info.id);
    if (known?.columnsId === columnsId) return known;
    const measured = {
      columnsId,
      columns: columnByteCounts(rows, info),
      words: wordMergeBytes(rows, info),
      vectors: vectorMergeBytes(rows, info.id),
    };
    this.measured.set(info.id, measured);
    return measured;
  }
}
