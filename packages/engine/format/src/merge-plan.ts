import type { SegmentId } from '@fossick/base';
import type { DocSet } from './doc-set.js';
import type { IndexManifest } from './index-state.js';
import type { RowReader, RowSink, RowSource, SegmentInfo } from './rows.js';

/** Where segments are read from, and where the rows of the merged one are written. */
export type MergeRows = (RowSource | RowReader) & Pick<RowSink, 'put'>;

/** What a merge is made of, all as of its start: what dies in the sources later is no concern of the work. */
export interface MergePlan {
  readonly sources: readonly MergeSource[];
  /** The id of the segment that is written. */
  readonly target: SegmentId;
  readonly manifest: IndexManifest;
}

export interface MergeSource {
  readonly info: SegmentInfo;
  /** Documents to leave out. */
  readonly deletedDocs: DocSet;
}
