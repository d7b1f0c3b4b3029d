import { type IndexManifest, type RetiredSegment, readManifest } from './index-state.js';
import { deleteSegment, type RowSink } from './rows.js';

/** Rows of dropped segments outlive them by this long: longer than any view lasts. */
const RETIRED_KEEP_MS = 10_000;

/** Deletes rows of segments that were dropped long enough ago; answers those that are left. */
export function dropRetired(rows: RowSink, retired: readonly RetiredSegment[], nowMs: number): RetiredSegment[] {
  const isOld = ({ atMs }: RetiredSegment): boolean => nowMs - atMs > RETIRED_KEEP_MS;
  for (const { id } of retired.filter(isOld)) deleteSegment(rows, id);
  return retired.filter((segment) => !isOld(segment));
}

/** The manifest after the rows of long dropped segments are deleted. */
export function withoutOldSegments(rows: RowSink, nowMs: number): IndexManifest {
  const manifest = readManifest(rows);
  return { ...manifest, retired: dropRetired(rows, manifest.retired, nowMs) };
}
