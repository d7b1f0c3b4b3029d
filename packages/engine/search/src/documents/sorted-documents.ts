/** Documents in the order of `sort`, when many are needed: by the rank of each, not bucket by bucket. */

import type { DocId } from '@fossick/base';
import { type ColumnRanks, columnRanks, createSorter } from '@fossick/columns';
import type { SortEntry } from '@fossick/filter';
import type { IndexView } from '@fossick/index';
import type { Bitmap } from '@fossick/kernel';

/**
 * Up to this many documents are found bucket by bucket: each costs a walk over bitmaps, while the others cost nothing.
 */
const FEW_DOCUMENTS = 1_000;

type FieldEntry = Extract<SortEntry, { kind: 'field' }>;

/** The first `limit` documents of the universe in the order of the entries, ties in insertion order. */
export function sortedDocuments(
  view: IndexView,
  universe: Bitmap,
  entries: readonly SortEntry[],
  limit: number,
): readonly DocId[] {
  const fields = entries.filter((entry): entry is FieldEntry => entry.kind === 'field');
  if (limit <= FEW_DOCUMENTS || fields.length < entries.length) return byBuckets(view, universe, entries, 0, limit);
  return byRanks(view, universe, fields).slice(0, limit);
}

/** O(documents of the fields, and of the universe times its logarithm). */
function byRanks(view: IndexView, universe: Bitmap, entries: readonly FieldEntry[]): DocId[] {
  const ranks = entries.map((entry): ColumnRanks => columnRanks(view, universe, entry));
  const docIds = [...view.kernel.bitmaps.members(universe, 0, view.bitCount)];
  return docIds.sort((a, b) => {
    for (const of of ranks) if (of[a] !== of[b]) return of[a]! - of[b]!;
    return a - b;
  });
}

/** O(buckets * documents / 8) */
function byBuckets(
  view: IndexView,
  universe: Bitmap,
  entries: readonly SortEntry[],
  at: number,
  limit: number,
): DocId[] {
  const { kernel } = view;
  const entry = entries[at];
  if (entry === undefined) return [...kernel.bitmaps.members(universe, 0, limit)];
  const cursor = createSorter(view, entry);
  const left = kernel.bitmaps.copy(universe);
  const docIds: DocId[] = [];
  while (docIds.length < limit) {
    const mark = kernel.memory.mark();
    const bucket = kernel.bitmaps.create(view.bitCount);
    if (cursor.next(left, bucket) === null) break;
    kernel.bitmaps.andNot(left, bucket);
    for (const docId of byBuckets(view, bucket, entries, at + 1, limit - docIds.length)) docIds.push(docId);
    kernel.memory.release(mark);
  }
  return docIds;
}
