import type { DocSet } from './doc-set.js';
import { readSegmentDead, readSegmentDocs, type SegmentInfo } from './index-state.js';
import type { RowSource } from './rows.js';

/** A segment as a batch knows it. Only its dead documents change. */
export interface LiveSegment {
  info: SegmentInfo;
  readonly docs: DocSet;
  readonly dead: DocSet;
  /** Documents died in this batch. */
  isChanged: boolean;
}

export function openSegments(rows: RowSource, infos: readonly SegmentInfo[]): LiveSegment[] {
  return infos.map((info) => ({
    info,
    docs: readSegmentDocs(rows, info.id),
    dead: readSegmentDead(rows, info.id),
    isChanged: false,
  }));
}
