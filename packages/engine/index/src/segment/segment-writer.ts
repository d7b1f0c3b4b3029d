import type { DocId, SegmentId } from '@fossick/base';
import type { JsonObject } from '@fossick/documents';
import type { DocSet, SegmentInfo, SegmentRows } from '@fossick/format/building';

/** Collects documents until they are written as one segment. */
export interface SegmentWriter {
  /** Its documents. */
  readonly docs: DocSet;
  /** Rough bytes held in memory. O(faceted fields). */
  readonly heldBytes: number;
  /**
   * Adds a document that the segment does not have. `row`: its stored bytes; `document`: the same decoded, when the caller has it.
   */
  add(docId: DocId, row: Uint8Array, document: JsonObject | undefined): void;
  /** Removes a document. False when it is not in the segment. O(1). */
  remove(docId: DocId): boolean;
  /** Whether the document was added, even if it was removed since. */
  hasSeen(docId: DocId): boolean;
  /** Must be called after field names were rolled back: their ids may be reused for other fields. */
  forgetFieldIds(): void;
  /** Writes all rows of the segment and leaves the writer empty. `isLast`: no other segment follows in this batch. */
  write(sink: SegmentRows, segmentId: SegmentId, isLast: boolean): SegmentInfo;
}
