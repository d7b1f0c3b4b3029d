import { LIST_PAIR_BYTES } from '../layout.js';
import type { MemoryView } from '../memory-view.js';
import type { Bitmap, None, PostingList, PostingLists, Ptr, RankIndexedList } from '../ptr.js';

/** One posting list of a segment, resident in kernel memory, with the segment's bitmap of deleted documents (0: none deleted). */
export interface LivePostings {
  /** Its address; throws for a list that `load` must read into memory first. */
  readonly ptr: PostingList;
  /** Reads the list into memory, unless it is there; absent: it is. May grow the memory, which detaches its views. */
  load?(): void;
  readonly deleted: Bitmap | None;
  /** Its rank-indexed list, with keys; 0 or absent: none. */
  readonly indexed?: RankIndexedList | None;
  /** Addresses of the lists of a prefix, while `ptr` would have to merge them; null or absent: it is one list. */
  readonly words?: PostingLists | null;
  /** Makes the rank-indexed list, if the list may have one. */
  makeMasks?(): void;
}

/** A list in long-lived memory, with its size. */
export interface ResidentList<List> {
  readonly ptr: List;
  readonly byteCount: number;
}

/** Bitmaps for documents where one word is 1, 2 and 3 positions after another. */
export type NearTargets = readonly [near1: Bitmap, near2: Bitmap, near3: Bitmap];

/** The address of a list, which is loaded first. */
export function loadedList(list: LivePostings): PostingList {
  list.load?.();
  return list.ptr;
}

/** (list, deleted documents) of each, in scratch. */
export function writtenPairs(memory: MemoryView, lists: readonly LivePostings[]): Ptr {
  const pairs = memory.scratch(lists.length * LIST_PAIR_BYTES);
  for (const list of lists) list.load?.(); // before the views are read, which it may detach
  const { u32 } = memory;
  let at = pairs >>> 2;
  for (const { ptr, deleted } of lists) {
    u32[at++] = ptr;
    u32[at++] = deleted;
  }
  return pairs;
}
