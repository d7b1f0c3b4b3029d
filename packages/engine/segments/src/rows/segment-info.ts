import type { FieldId, SegmentId } from '@fossick/base';
import { CHUNK_BYTES, type ListPart, type PartLocation } from './rows.js';

/** The manifest's entry of one segment. */
export interface SegmentInfo {
  readonly id: SegmentId;
  /** Documents when it was written; deleted ones included. */
  readonly docCount: number;
  /** Documents deleted or rewritten since. */
  readonly deadCount: number;
  /** Words of the fuzzy and of the exact table. */
  readonly wordCounts: readonly [fuzzy: number, exact: number];
  readonly postingBytes: number;
  /** Bytes in a row of its posting lists and windows; absent in segments of earlier releases: CHUNK_BYTES. */
  readonly rowBytes?: number;
  /** Id of the rows of its rebuilt columns; absent when the columns are under the segment's own id. */
  readonly columnsId?: SegmentId;
  /** Names of fields with a facet column in this segment. */
  readonly facetFields: readonly string[];
  /** Ids of those fields, in the same order. */
  readonly facetFieldIds: readonly FieldId[];
}

/** The id of the rows of a segment's columns. */
export function columnsIdOf({ id, columnsId }: SegmentInfo): SegmentId {
  return columnsId ?? id;
}

/** The location of posting lists or windows of the segment. */
export function listsLocation(
  { id, rowBytes = CHUNK_BYTES }: Pick<SegmentInfo, 'id' | 'rowBytes'>,
  part: ListPart,
): PartLocation {
  return { segmentId: id, part, firstChunk: 0, rowBytes };
}

/** Every id that the segment has rows under. */
export function rowIdsOf(info: SegmentInfo): SegmentId[] {
  return info.columnsId === undefined ? [info.id] : [info.id, info.columnsId];
}
