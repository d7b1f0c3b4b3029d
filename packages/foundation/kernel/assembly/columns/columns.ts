// Columns: groups of docids in CSR form, u32 offsets[groupCount + 1] into u32 docIds. A document counts when it is in `universe` (0: every
// document) and not in `deleted` (0: none).

import { scratchAlloc, scratchMark, scratchRelease } from "../arena";
import { bitCapacity, bitmapCount, bitmapMembers, hasBit, setBit } from "../bitmaps/bitmap";
import { BITMAP_HEADER_BYTES } from "../layout";

/** A group is searched for each member of the universe, instead of read through, when it has this many times more entries than the universe has members. */
const SPARSE_SHARE: u32 = 16;

// @ts-ignore: decorator
@inline function startOf(offsets: usize, docIds: usize, group: u32): usize {
  return docIds + (<usize>load<u32>(offsets + (<usize>group << 2)) << 2);
}

// @ts-ignore: decorator
@inline export function isLive(universe: usize, deleted: usize, doc: u32): bool {
  return (universe == 0 || hasBit(universe, doc)) && (deleted == 0 || !hasBit(deleted, doc));
}

export function orGroups(target: usize, offsets: usize, docIds: usize, from: u32, to: u32, universe: usize, deleted: usize): void {
  if (from < to) orDocsBetween(target, startOf(offsets, docIds, from), startOf(offsets, docIds, to), universe, deleted);
}

/** The same for `count` listed groups; `base` is subtracted from each number of the list. */
export function orListedGroups(
  target: usize, offsets: usize, docIds: usize, list: usize, count: u32, base: u32, universe: usize, deleted: usize,
): void {
  const end = list + (<usize>count << 2);
  for (let p = list; p < end; p += 4) {
    const group = load<u32>(p) - base;
    orDocsBetween(target, startOf(offsets, docIds, group), startOf(offsets, docIds, group + 1), universe, deleted);
  }
}

function orDocsBetween(target: usize, from: usize, end: usize, universe: usize, deleted: usize): void {
  if (universe == 0 && deleted == 0) {
    for (let p = from; p < end; p += 4) setBit(target, load<u32>(p));
    return;
  }
  for (let p = from; p < end; p += 4) if (isLive(universe, deleted, load<u32>(p))) setBit(target, load<u32>(p));
}

/** counts[g - from] = documents of group g that count, for groups [from, to). */
export function countGroups(universe: usize, deleted: usize, offsets: usize, docIds: usize, from: u32, to: u32, counts: usize): void {
  if (from >= to) return;
  const mark = scratchMark();
  const memberCount = universe == 0 ? <u32>-1 : bitmapCount(universe);
  let p = startOf(offsets, docIds, from);
  let members: usize = 0;
  if (<u64>memberCount * SPARSE_SHARE < <u64>((startOf(offsets, docIds, to) - p) >> 2)) {
    members = scratchAlloc((memberCount << 2) + 4);
    bitmapMembers(universe, 0, memberCount, members);
  }
  for (let g = from; g < to; g++) {
    const end = startOf(offsets, docIds, g + 1);
    const isSparse = members != 0 && <u64>memberCount * SPARSE_SHARE < (<u64>(end - p) >> 2);
    store<u32>(
      counts + (<usize>(g - from) << 2),
      isSparse ? countFound(members, memberCount, deleted, p, end) : countLive(universe, deleted, p, end),
    );
    p = end;
  }
  scratchRelease(mark);
}

/** Entries of [from, end) that count. They ascend, so the last entry shows whether all of them fit into the universe. */
function countLive(universe: usize, deleted: usize, from: usize, end: usize): u32 {
  if (universe == 0 && deleted == 0) return <u32>((end - from) >> 2);
  let count: u32 = 0;
  if (from == end) return count;
  if (universe == 0 || deleted != 0 || load<u32>(end - 4) >= bitCapacity(universe)) {
    for (let p = from; p < end; p += 4) count += <u32>isLive(universe, deleted, load<u32>(p));
    return count;
  }
  const words = universe + BITMAP_HEADER_BYTES;
  for (let p = from; p < end; p += 4) {
    const doc = load<u32>(p);
    count += (load<u32>(words + (<usize>(doc >> 5) << 2)) >> (doc & 31)) & 1;
  }
  return count;
}

/** Members (ascending, not deleted) that are among the ascending entries of [from, end). Each is searched from the previous one on, by galloping. */
function countFound(members: usize, memberCount: u32, deleted: usize, from: usize, end: usize): u32 {
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
    // entries before p are less than doc, those from `high` on are not
    while (p < high) {
      const middle = p + (((high - p) >> 3) << 2);
      if (load<u32>(middle) < doc) p = middle + 4;
      else high = middle;
    }
    if (p < end && load<u32>(p) == doc && (deleted == 0 || !hasBit(deleted, doc))) count++;
  }
  return count;
}

/**
 * Groups with a document that counts, from `from` to `to` (exclusive) in steps of `step` (1 or -1), at most `limit`, each as [u32 group][u32 documents].
 * Returns how many.
 */
export function presentGroups(
  universe: usize, deleted: usize, offsets: usize, docIds: usize, from: i32, to: i32, step: i32, limit: u32, out: usize,
): u32 {
  let found: u32 = 0;
  for (let g = from; g != to && found < limit; g += step) {
    const count = countLive(universe, deleted, startOf(offsets, docIds, g), startOf(offsets, docIds, g + 1));
    if (count == 0) continue;
    const at = out + (<usize>found << 3);
    store<u32>(at, g);
    store<u32>(at, count, 4);
    found++;
  }
  return found;
}

/** The first group with a document that counts, from `from` on in steps of `step`; -1 when there is none. */
export function nextGroup(
  universe: usize, deleted: usize, offsets: usize, docIds: usize, groupCount: i32, from: i32, step: i32,
): i32 {
  for (let g = from; g >= 0 && g < groupCount; g += step) {
    const end = startOf(offsets, docIds, g + 1);
    for (let p = startOf(offsets, docIds, g); p < end; p += 4) if (isLive(universe, deleted, load<u32>(p))) return g;
  }
  return -1;
}

/** The index of the first entry of a group that counts; -1 when there is none. */
export function firstEntry(universe: usize, deleted: usize, offsets: usize, docIds: usize, group: u32): i32 {
  const end = startOf(offsets, docIds, group + 1);
  for (let p = startOf(offsets, docIds, group); p < end; p += 4) {
    if (isLive(universe, deleted, load<u32>(p))) return <i32>((p - docIds) >> 2);
  }
  return -1;
}
