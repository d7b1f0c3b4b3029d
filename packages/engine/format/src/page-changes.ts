import { type SegmentId, utf8Bytes, utf8Text } from '@fossick/base';
import { type RowSink, type RowSource, TABLES } from './rows.js';

/** Pages changed by commits, by segment (doc-pages.ts; 0: live documents). */
export type PageChanges = ReadonlyMap<SegmentId, ReadonlySet<number>>;
/** Changes of one commit; null: the pages are unknown. */
export type CommitChanges = ReadonlyMap<SegmentId, readonly number[] | null>;

/** The number of commits whose changed pages are stored; a reader that missed more commits reads everything again. */
const COMMITS_REMEMBERED = 64;
const NAME = utf8Bytes('changes');

/** `changes`, then f64 big-endian: the version of the commit. */
function changesKey(version: number): Uint8Array {
  const key = new Uint8Array(NAME.length + 8);
  key.set(NAME);
  new DataView(key.buffer).setFloat64(NAME.length, version);
  return key;
}

/** Stores the changes of a commit, and deletes the oldest entry. */
export function writeChanges(sink: RowSink, version: number, changes: CommitChanges): void {
  sink.delete(TABLES.meta, changesKey(version - COMMITS_REMEMBERED));
  const lists = [...changes].filter(([, pages]) => pages === null || pages.length > 0);
  if (lists.some(([, pages]) => pages === null)) return;
  const note = lists.map(([segmentId, pages]) => [segmentId, ...pages!]);
  sink.put(TABLES.meta, changesKey(version), utf8Bytes(JSON.stringify(note)));
}

/** Pages that changed after one version and up to another; undefined when unknown. O(changes) */
export function readChanges(rows: RowSource, from: number, to: number): PageChanges | undefined {
  if (from > to || to - from > COMMITS_REMEMBERED) return undefined;
  const changes = new Map<SegmentId, Set<number>>();
  for (let version = from + 1; version <= to; version++) {
    const note = rows.get(TABLES.meta, changesKey(version));
    if (note === undefined) return undefined;
    for (const [segmentId, ...pages] of JSON.parse(utf8Text(note)) as [SegmentId, ...number[]][]) {
      const known = changes.get(segmentId);
      if (known === undefined) changes.set(segmentId, new Set(pages));
      else for (const page of pages) known.add(page);
    }
  }
  return changes;
}
