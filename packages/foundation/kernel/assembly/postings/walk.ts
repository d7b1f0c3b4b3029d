// Scatters the documents of posting lists by field or position directly from the lists, without a position table: cheaper for large universes, because
// nothing is copied or merged.

import { docAt, indexWithin, isLive, keyEnd, left, nextBlockWithin, open, startKeys } from "./cursor";
import { LIST_PAIR_BYTES } from "../layout";
import { readMask, scatterFieldsOf, scatterMask } from "./occurrences";

/** For live documents of the lists within `universe`: sets their bits in bitmaps[field] (0: none) of every field they occur in. O(occurrences). */
export function scatterListFields(pairs: usize, listCount: u32, universe: usize, bitmaps: usize, fieldCount: u32): void {
  scatterLists(pairs, listCount, universe, bitmaps, fieldCount, true);
}

/** The same by bucketed position: bitmaps of the buckets 0 to 28. */
export function scatterListPositions(pairs: usize, listCount: u32, universe: usize, bitmaps: usize): void {
  scatterLists(pairs, listCount, universe, bitmaps, 0, false);
}

// @ts-ignore: decorator
@inline function scatterLists(pairs: usize, listCount: u32, universe: usize, bitmaps: usize, fieldCount: u32, isByField: bool): void {
  const end = pairs + <usize>listCount * LIST_PAIR_BYTES;
  const cursor = left;
  for (let p = pairs; p < end; p += LIST_PAIR_BYTES) {
    open(cursor, load<u32>(p), load<u32>(p, 4));
    while (nextBlockWithin(cursor, universe)) {
      const count = cursor.count;
      for (let i = indexWithin(cursor, 0, universe); i < count; i = indexWithin(cursor, i + 1, universe)) {
        const doc = docAt(cursor, i);
        if (!isLive(cursor, doc)) continue;
        const rest = startKeys(cursor, i) - 1;
        if (isByField) scatterFieldsOf(cursor.keyAt, rest, bitmaps, fieldCount, doc, false);
        else scatterMask(readMask(cursor.keyAt, rest, 0, 0, doc), bitmaps, doc);
        cursor.keyAt = keyEnd;
      }
    }
  }
}
