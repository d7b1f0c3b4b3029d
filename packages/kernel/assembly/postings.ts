// Questions about documents of posting lists.

import { bitCapacity, setBit } from "./bitmap";
import {
  Cursor, docAt, firstKey, indexOf, isLive, keyEnd, left, listDocCount, nextBlock, nextKey, open, readKey, right, seekBlock, skipKeys, startKeys,
} from "./cursor";
import { LIST_PAIR_BYTES } from "./layout";

export function postingsDocCount(list: usize): u32 { return listDocCount(list); }

/** target |= live documents of the list. O(documents). */
export function orDocs(target: usize, list: usize, deleted: usize): void {
  const cursor = left;
  open(cursor, list, deleted);
  while (nextBlock(cursor)) {
    const count = cursor.count;
    assert(docAt(cursor, count - 1) < bitCapacity(target), "document outside of the bitmap");
    if (deleted == 0) {
      for (let i: u32 = 0; i < count; i++) setBit(target, docAt(cursor, i));
      continue;
    }
    for (let i: u32 = 0; i < count; i++) {
      const doc = docAt(cursor, i);
      if (isLive(cursor, doc)) setBit(target, doc);
    }
  }
}

/** The same for all lists of the (list, deleted) pairs. */
export function orListsDocs(target: usize, pairs: usize, listCount: u32): void {
  const end = pairs + <usize>listCount * LIST_PAIR_BYTES;
  for (let p = pairs; p < end; p += LIST_PAIR_BYTES) orDocs(target, load<u32>(p), load<u32>(p, 4));
}

/** The same for documents with an occurrence in a field whose byte is 1. O(occurrences). */
export function orDocsInFields(target: usize, list: usize, deleted: usize, fields: usize, fieldCount: u32): void {
  const cursor = left;
  open(cursor, list, deleted);
  while (nextBlock(cursor)) {
    const count = cursor.count;
    for (let i: u32 = 0; i < count; i++) {
      const doc = docAt(cursor, i);
      if (isLive(cursor, doc) && occursInFields(cursor, i, fields, fieldCount)) setBit(target, doc);
    }
  }
}

function occursInFields(cursor: Cursor, index: u32, fields: usize, fieldCount: u32): bool {
  let rest = startKeys(cursor, index);
  let key = firstKey(cursor);
  while (true) {
    rest--;
    const field = key >> 16;
    if (field < fieldCount && load<u8>(fields + field) == 1) {
      if (rest > 0) skipKeys(cursor, rest);
      return true;
    }
    if (rest == 0) return false;
    key = nextKey(cursor, key);
  }
}

/** Counts up to `limit`. */
export function adjacentCount(leftList: usize, leftDeleted: usize, rightList: usize, rightDeleted: usize, limit: u32): u32 {
  return countCommon(leftList, leftDeleted, rightList, rightDeleted, true, limit);
}

/** Counts up to `limit`. */
export function sameFieldCount(leftList: usize, leftDeleted: usize, rightList: usize, rightDeleted: usize, limit: u32): u32 {
  return countCommon(leftList, leftDeleted, rightList, rightDeleted, false, limit);
}

/** Walks the common documents of both lists, each list skipping blocks by the other's next document. */
function countCommon(
  leftList: usize, leftDeleted: usize, rightList: usize, rightDeleted: usize, isAdjacent: bool, limit: u32,
): u32 {
  open(left, leftList, leftDeleted);
  open(right, rightList, rightDeleted);
  if (!nextBlock(left) || !nextBlock(right)) return 0;
  let i: u32 = 0;
  let j: u32 = 0;
  let count: u32 = 0;
  while (count < limit) {
    const a = docAt(left, i);
    const b = docAt(right, j);
    if (a == b) {
      if (isLive(left, a) && isLive(right, a)) count += <u32>(isAdjacent ? meetAdjacent(i, j) : meetInField(i, j));
      i++;
      j++;
    } else if (a < b) {
      i = indexOf(left, i + 1, b);
    } else {
      j = indexOf(right, j + 1, a);
    }
    if (i == left.count) {
      if (!seekBlock(left, max(b, a))) return count;
      i = 0;
    }
    if (j == right.count) {
      if (!seekBlock(right, max(b, a))) return count;
      j = 0;
    }
  }
  return count;
}

/** Whether a right occurrence follows a left one at once, in documents i and j of the decoded blocks. */
export function meetAdjacent(i: u32, j: u32): bool {
  let leftRest = startKeys(left, i);
  let rightRest = startKeys(right, j);
  let p = left.keyAt;
  let q = right.keyAt;
  let a = readKey(p);
  p = keyEnd;
  let b = readKey(q);
  q = keyEnd;
  let isMet = false;
  while (true) {
    if (a < b) {
      if (a + 1 == b && a >> 16 == b >> 16) {
        isMet = true;
        break;
      }
      if (leftRest == 1) break;
      leftRest--;
      a += readKey(p) + 1;
      p = keyEnd;
    } else {
      if (rightRest == 1) break;
      rightRest--;
      b += readKey(q) + 1;
      q = keyEnd;
    }
  }
  left.keyAt = p;
  right.keyAt = q;
  finishKeys(leftRest, rightRest);
  return isMet;
}

/** Whether documents i and j of the decoded blocks have occurrences in a same field. */
export function meetInField(i: u32, j: u32): bool {
  let leftRest = startKeys(left, i);
  let rightRest = startKeys(right, j);
  let a = firstKey(left);
  let b = firstKey(right);
  while (a >> 16 != b >> 16) {
    if (a < b) {
      if (leftRest == 1) break;
      leftRest--;
      a = nextKey(left, a);
    } else {
      if (rightRest == 1) break;
      rightRest--;
      b = nextKey(right, b);
    }
  }
  finishKeys(leftRest, rightRest);
  return a >> 16 == b >> 16;
}

// @ts-ignore: decorator
@inline function finishKeys(leftRest: u32, rightRest: u32): void {
  if (leftRest > 1) skipKeys(left, leftRest - 1);
  if (rightRest > 1) skipKeys(right, rightRest - 1);
}
