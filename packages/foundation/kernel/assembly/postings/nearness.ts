// Proximity of words: the only loop over the keys of a document of two lists, and the walk over the common documents of two lists, in which each list skips
// blocks up to the other's next document. Rank-indexed lists have their own walks (rank-indexed-list.ts), which share the loop over keys.

import { bitmapNext, hasBit, setBit } from "../bitmaps/bitmap";
import { Cursor, docAt, indexOf, isLive, keyEnd, left, nextBlock, nextBlockWithin, open, readKey, right, seekBlock, skipKeys, startKeys } from "./cursor";

/** Kinds of proximity: at distance 1, 2 or 3 in the same field; in a common field; adjacent. */
export const NEAR: u32 = 0;
export const SAME_FIELD: u32 = 1;
export const ADJACENT: u32 = 2;

let near1: usize = 0;
let near2: usize = 0;
let near3: usize = 0;

/** Sets the target bitmaps of `joinKeys`; without them (0) it only returns its result. */
// @ts-ignore: decorator
@inline export function setTargets(target1: usize, target2: usize, target3: usize): void {
  near1 = target1;
  near2 = target2;
  near3 = target3;
}

/** Whether keys [p, pEnd) and [q, qEnd) of a document are near in the sense of `kind`; sets the document's bits. O(keys). */
// @ts-ignore: decorator
@inline export function joinKeys(kind: u32, doc: u32, p: usize, pEnd: usize, q: usize, qEnd: usize): bool {
  if (kind == NEAR) {
    const found = nearKeys(p, pEnd, q, qEnd);
    if (found & 1) setBit(near1, doc);
    if (found & 2) setBit(near2, doc);
    if (found & 4) setBit(near3, doc);
    return found != 0;
  }
  const isFound = kind == SAME_FIELD ? shareField(p, pEnd, q, qEnd) : isAdjacent(p, pEnd, q, qEnd);
  if (isFound && near1 != 0) setBit(near1, doc);
  return isFound;
}

/** Distances 1 to 3, one bit each, at which a right key follows a left one of the same field. Keys of one field are consecutive numbers. */
function nearKeys(leftFrom: usize, leftEnd: usize, rightFrom: usize, rightEnd: usize): u32 {
  let p = leftFrom;
  let q = rightFrom;
  let a = readKey(p);
  p = keyEnd;
  let hasLeft = true;
  // Left positions among the three before the current one: bit d - 1 for distance d.
  let before: u32 = 0;
  let at: u32 = 0;
  let found: u32 = 0;
  let b: u32 = -1;
  do {
    b += readKey(q) + 1;
    q = keyEnd;
    const step = b - at;
    before = step < 3 ? (before << step) & 7 : 0;
    at = b;
    while (hasLeft && a < b) {
      const distance = b - a;
      if (distance <= 3) before |= <u32>1 << (distance - 1);
      if (p < leftEnd) {
        a += readKey(p) + 1;
        p = keyEnd;
      } else {
        hasLeft = false;
      }
    }
    // A position of the previous field: its keys end where this field's begin.
    const position = b & 0xffff;
    found |= position >= 3 ? before : before & ((<u32>1 << position) - 1);
  } while (q < rightEnd && found != 7 && (hasLeft || before != 0));
  return found;
}

/** Whether a right key directly follows a left one of the same field. */
function isAdjacent(leftFrom: usize, leftEnd: usize, rightFrom: usize, rightEnd: usize): bool {
  let a = readKey(leftFrom);
  let p = keyEnd;
  let b = readKey(rightFrom);
  let q = keyEnd;
  while (true) {
    if (a < b) {
      if (a + 1 == b && (b & 0xffff) != 0) return true;
      if (p == leftEnd) return false;
      a += readKey(p) + 1;
      p = keyEnd;
    } else {
      if (q == rightEnd) return false;
      b += readKey(q) + 1;
      q = keyEnd;
    }
  }
}

function shareField(leftFrom: usize, leftEnd: usize, rightFrom: usize, rightEnd: usize): bool {
  let a = readKey(leftFrom);
  let p = keyEnd;
  let b = readKey(rightFrom);
  let q = keyEnd;
  while (a >> 16 != b >> 16) {
    if (a < b) {
      if (p == leftEnd) return false;
      a += readKey(p) + 1;
      p = keyEnd;
    } else {
      if (q == rightEnd) return false;
      b += readKey(q) + 1;
      q = keyEnd;
    }
  }
  return true;
}

/**
 * For live documents of both lists within `universe`: sets the bit in near1, near2 or near3 where an occurrence of the right list is 1, 2 or 3 positions after one of the left in the same field.
 * SAME_FIELD (a common field) and ADJACENT (distance 1) set bits in near1 alone. O(occurrences of common documents).
 */
export function nearLists(
  leftList: usize, leftDeleted: usize, rightList: usize, rightDeleted: usize, universe: usize, kind: u32,
  near1: usize, near2: usize, near3: usize,
): void {
  setTargets(near1, near2, near3);
  open(left, leftList, leftDeleted);
  open(right, rightList, rightDeleted);
  nearInCommon(universe, kind, -1);
}

/** Live documents of both lists that are near in the sense of `kind`, counted up to `limit`. */
export function nearDocsCount(leftList: usize, leftDeleted: usize, rightList: usize, rightDeleted: usize, kind: u32, limit: u32): u32 {
  setTargets(0, 0, 0);
  open(left, leftList, leftDeleted);
  open(right, rightList, rightDeleted);
  return nearInCommon(0, kind, limit);
}

/** Walks the common documents of both opened lists within `universe` (0: all) until `limit` of them are near; returns how many are. */
function nearInCommon(universe: usize, kind: u32, limit: u32): u32 {
  if (!(universe == 0 ? nextBlock(left) : nextBlockWithin(left, universe)) || !nextBlock(right)) return 0;
  let i: u32 = 0;
  let j: u32 = 0;
  let count: u32 = 0;
  while (count < limit) {
    const a = docAt(left, i);
    const b = docAt(right, j);
    if (a == b) {
      if ((universe == 0 || hasBit(universe, a)) && isLive(left, a) && isLive(right, a)) count += <u32>isNearAt(kind, i, j, a);
      i++;
      j++;
    } else if (a < b) {
      i = advance(left, i, b);
    } else {
      j = advance(right, j, a);
    }
    if (i == left.count || j == right.count) {
      let next = max(a, b);
      if (universe != 0) {
        const bit = bitmapNext(universe, next);
        if (bit == -1) break;
        next = <u32>bit;
      }
      if (i == left.count) {
        if (!seekBlock(left, next)) break;
        i = 0;
      }
      if (j == right.count) {
        if (!seekBlock(right, next)) break;
        j = 0;
      }
    }
  }
  return count;
}

/** `joinKeys` for documents i and j of the decoded blocks. */
// @ts-ignore: decorator
@inline function isNearAt(kind: u32, i: u32, j: u32, doc: u32): bool {
  const leftCount = startKeys(left, i);
  const p = left.keyAt;
  skipKeys(left, leftCount);
  const rightCount = startKeys(right, j);
  const q = right.keyAt;
  skipKeys(right, rightCount);
  return joinKeys(kind, doc, p, left.keyAt, q, right.keyAt);
}

// @ts-ignore: decorator
@inline function advance(cursor: Cursor, index: u32, doc: u32): u32 {
  const next = index + 1;
  return next < cursor.count && docAt(cursor, next) < doc ? indexOf(cursor, next + 1, doc) : next;
}
