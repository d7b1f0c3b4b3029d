// Columns: groups of docids in CSR form, u32 offsets[groupCount + 1] into u32 docIds.

import { scratchAlloc, scratchMark, scratchRelease } from "./arena";
import { bitCapacity, bitmapCount, bitmapMembers, hasBit, setBit, skipZeros } from "./bitmap";
import { BITMAP_HEADER_BYTES } from "./layout";

/** A group so many times as long as the bitmap's members are many is searched for each of them, and not read through. */
const SPARSE_SHARE: u32 = 16;

export function orGroups(target: usize, offsets: usize, docIds: usize, from: u32, to: u32): void {
  if (from >= to) return;
  const end = docIds + (<usize>load<u32>(offsets + (<usize>to << 2)) << 2);
  for (let p = docIds + (<usize>load<u32>(offsets + (<usize>from << 2)) << 2); p < end; p += 4) setBit(target, load<u32>(p));
}

export function countGroups(bitmap: usize, offsets: usize, docIds: usize, groupCount: u32, counts: usize): void {
  const mark = scratchMark();
  const memberCount = bitmapCount(bitmap);
  const entryCount = load<u32>(offsets + (<usize>groupCount << 2)) - load<u32>(offsets);
  let members: usize = 0;
  if (<u64>memberCount * SPARSE_SHARE < entryCount) {
    members = scratchAlloc((memberCount << 2) + 4);
    bitmapMembers(bitmap, 0, memberCount, members);
  }
  let p = docIds + (<usize>load<u32>(offsets) << 2);
  for (let g: u32 = 0; g < groupCount; g++) {
    const end = docIds + (<usize>load<u32>(offsets + (<usize>g << 2), 4) << 2);
    const isSparse = members != 0 && <u64>memberCount * SPARSE_SHARE < (<u64>(end - p) >> 2);
    store<u32>(counts + (<usize>g << 2), isSparse ? countFound(members, memberCount, p, end) : countHeld(bitmap, p, end));
    p = end;
  }
  scratchRelease(mark);
}

/**
 * Turns groups around: the groups of each of `docCount` documents from `firstDoc` on, ascending, in `groups`, from starts[i] up to starts[i + 1].
 * All entries must lie there. O(entries + documents).
 */
export function groupsByDocument(
  offsets: usize, docIds: usize, groupCount: u32, firstDoc: u32, docCount: u32, starts: usize, groups: usize,
): void {
  memory.fill(starts, 0, (<usize>docCount + 1) << 2);
  const first = docIds + (<usize>load<u32>(offsets) << 2);
  const end = docIds + (<usize>load<u32>(offsets + (<usize>groupCount << 2)) << 2);
  for (let p = first; p < end; p += 4) {
    assert(load<u32>(p) - firstDoc < docCount, "document outside of the table");
    const at = starts + (<usize>(load<u32>(p) - firstDoc) << 2);
    store<u32>(at, load<u32>(at) + 1);
  }
  let sum: u32 = 0;
  for (let i: usize = 0; i <= <usize>docCount; i++) {
    sum += load<u32>(starts + (i << 2));
    store<u32>(starts + (i << 2), sum);
  }
  // Each start was its end until now: filled from behind, groups from the last one on.
  let p = end;
  for (let g = groupCount; g > 0; g--) {
    const from = docIds + (<usize>load<u32>(offsets + (<usize>(g - 1) << 2)) << 2);
    while (p > from) {
      p -= 4;
      const at = starts + (<usize>(load<u32>(p) - firstDoc) << 2);
      const slot = load<u32>(at) - 1;
      store<u32>(at, slot);
      store<u32>(groups + (<usize>slot << 2), g - 1);
    }
  }
}

/**
 * counts[g] = documents of the bitmap in group g, from what groupsByDocument made; groups with any are listed in `found`, in no order.
 * Answers how many. `counts` is all zeros. O(words of the bitmap + groups of its documents).
 */
export function countByDocument(
  bitmap: usize, starts: usize, groups: usize, firstDoc: u32, docCount: u32, counts: usize, found: usize,
): u32 {
  let foundCount: u32 = 0;
  const end = firstDoc + docCount;
  const words = bitmap + BITMAP_HEADER_BYTES;
  const wordsEnd = words + (<usize>(min(bitCapacity(bitmap), end + 63) >> 6) << 3);
  for (let p = skipZeros(words + (<usize>(firstDoc >> 6) << 3), wordsEnd); p < wordsEnd; p = skipZeros(p + 8, wordsEnd)) {
    for (let bits = load<u64>(p); bits != 0; bits &= bits - 1) {
      const doc = (<u32>(p - words) << 3) + <u32>ctz(bits);
      if (doc < firstDoc || doc >= end) continue;
      const start = starts + (<usize>(doc - firstDoc) << 2);
      const last = groups + (<usize>load<u32>(start, 4) << 2);
      for (let g = groups + (<usize>load<u32>(start) << 2); g < last; g += 4) {
        const group = load<u32>(g);
        const at = counts + (<usize>group << 2);
        const count = load<u32>(at);
        store<u32>(at, count + 1);
        if (count != 0) continue;
        store<u32>(found + (<usize>foundCount << 2), group);
        foundCount++;
      }
    }
  }
  return foundCount;
}

/** Entries of [from, end) that the bitmap holds. They ascend: the last tells whether all have a place in it. */
function countHeld(bitmap: usize, from: usize, end: usize): u32 {
  let count: u32 = 0;
  if (from == end) return count;
  let p = from;
  if (load<u32>(end - 4) >= bitCapacity(bitmap)) {
    for (; p < end; p += 4) count += <u32>hasBit(bitmap, load<u32>(p));
    return count;
  }
  const words = bitmap + BITMAP_HEADER_BYTES;
  for (; p < end; p += 4) {
    const doc = load<u32>(p);
    count += (load<u32>(words + (<usize>(doc >> 5) << 2)) >> (doc & 31)) & 1;
  }
  return count;
}

/** Members, ascending, that are among the ascending entries of [from, end): each looked for behind the one before, in steps that double. */
function countFound(members: usize, memberCount: u32, from: usize, end: usize): u32 {
  let count: u32 = 0;
  let p = from;
  const membersEnd = members + (<usize>memberCount << 2);
  for (let m = members; m < membersEnd && p < end; m += 4) {
    const doc = load<u32>(m);
    let step: usize = 4;
    while (p + step < end && load<u32>(p + step) < doc) {
      p += step;
      step <<= 1;
    }
    let high = min(p + step, end);
    // entries before p are less than doc, those from high on are not
    while (p < high) {
      const middle = p + (((high - p) >> 3) << 2);
      if (load<u32>(middle) < doc) p = middle + 4;
      else high = middle;
    }
    if (p < end && load<u32>(p) == doc) count++;
  }
  return count;
}

/** The first group from `from` on in steps of `step` with a document in the bitmap, -1 when none. */
export function nextGroup(bitmap: usize, offsets: usize, docIds: usize, groupCount: i32, from: i32, step: i32): i32 {
  for (let g = from; g >= 0 && g < groupCount; g += step) {
    const at = offsets + (<usize>g << 2);
    const end = docIds + (<usize>load<u32>(at, 4) << 2);
    for (let p = docIds + (<usize>load<u32>(at) << 2); p < end; p += 4) if (hasBit(bitmap, load<u32>(p))) return g;
  }
  return -1;
}
