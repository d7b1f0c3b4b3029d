import type { SegmentId } from '@fossick/base';
import { deleteSegment, type IndexManifest, type RowSink, readManifest, replaceManifest } from '@fossick/format';

/** Rows deleted in one transaction: 8 MiB of posting lists, some 5 ms; four times as long for the rows of 64 KiB of older segments. */
const ROWS_AT_ONCE = 1_024;

/**
 * Deletes rows of segments that no manifest names any more, at most ROWS_AT_ONCE; returns the ids of segments with rows left. Open
 * views can still read them: the store keeps their commit.
 */
export function deleteObsolete(rows: RowSink, ids: readonly SegmentId[]): SegmentId[] {
  let left = ROWS_AT_ONCE;
  let done = 0;
  for (const id of ids) {
    left -= deleteSegment(rows, id, left);
    if (left <= 0) break;
    done += 1;
  }
  return ids.slice(done);
}

/** The same for segments left over by earlier commits; returns whether there were any. Views see no change. */
export function deleteMoreObsolete(rows: RowSink, manifest: IndexManifest = readManifest(rows)): boolean {
  if (manifest.obsolete.length === 0) return false;
  replaceManifest(rows, { ...manifest, obsolete: deleteObsolete(rows, manifest.obsolete) });
  return true;
}
