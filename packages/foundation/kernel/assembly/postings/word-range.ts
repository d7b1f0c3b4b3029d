// Operations on all words of a range at once (those of a short prefix), directly on their stored lists. `lists`: u32 addresses. Deleted documents are
// included.

import { blockCounts, blockDocs, keyEnd, left, listDocCount, nextBlock, open } from "./cursor";
import { scatterFieldsOf } from "./occurrences";
import { setInWindow } from "../bitmaps/windows";

/** The sum of the document counts of the lists. O(lists). */
export function wordsDocCount(lists: usize, listCount: u32): u32 {
  let count: u64 = 0;
  for (let p = lists; p < lists + (<usize>listCount << 2); p += 4) count += listDocCount(load<u32>(p));
  return <u32>min<u64>(count, 0x7fffffff);
}

/** Sets the documents of all lists in a window. O(documents of all lists). */
export function orWordsDocs(target: usize, lists: usize, listCount: u32): void {
  const cursor = left;
  const docs = blockDocs(cursor);
  for (let p = lists; p < lists + (<usize>listCount << 2); p += 4) {
    open(cursor, load<u32>(p), 0);
    while (nextBlock(cursor)) {
      const end = docs + (<usize>cursor.count << 2);
      for (let at = docs; at < end; at += 4) setInWindow(target, load<u32>(at));
    }
  }
}

/** Sets the documents' bits in the windows bitmaps[field] (0: none) of every field that any of the lists has an occurrence in. O(occurrences of all lists). */
export function scatterWordsFields(lists: usize, listCount: u32, bitmaps: usize, fieldCount: u32): void {
  const cursor = left;
  const docs = blockDocs(cursor);
  for (let p = lists; p < lists + (<usize>listCount << 2); p += 4) {
    open(cursor, load<u32>(p), 0);
    while (nextBlock(cursor)) {
      const more = blockCounts(cursor);
      const end = <usize>cursor.count << 2;
      let from = cursor.keyAt;
      for (let i: usize = 0; i < end; i += 4) {
        scatterFieldsOf(from, load<u32>(more + i), bitmaps, fieldCount, load<u32>(docs + i), true);
        from = keyEnd;
      }
    }
  }
}
