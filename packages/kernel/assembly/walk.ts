// Answers questions about places straight from posting lists, document by document, without a position table in between: for large
// universes the cheaper way, as nothing is copied or merged.

import { bitmapNext, hasBit, setBit } from "./bitmap";
import {
  Cursor, docAt, indexOf, isLive, keyEnd, left, nextBlock, nextBlockWithin, open, readKey, right, seekBlock, skipKeys, startKeys,
} from "./cursor";
import { LIST_PAIR_BYTES } from "./layout";
import { meetAdjacent, meetInField } from "./postings";
import { bucketOf } from "./tables";

/** For live documents of the lists within `universe`: sets their bits in bitmaps[field] (0: none) of every field they occur in. O(occurrences). */
export function scatterListFields(pairs: usize, listCount: u32, universe: usize, bitmaps: usize, fieldCount: u32): void {
  const end = pairs + <usize>listCount * LIST_PAIR_BYTES;
  for (let p = pairs; p < end; p += LIST_PAIR_BYTES) {
    const cursor = left;
    open(cursor, load<u32>(p), load<u32>(p, 4));
    while (nextBlockWithin(cursor, universe)) {
      const count = cursor.count;
      for (let i: u32 = 0; i < count; i++) {
        const doc = docAt(cursor, i);
        if (hasBit(universe, doc) && isLive(cursor, doc)) scatterDocFields(cursor, i, doc, bitmaps, fieldCount);
      }
    }
  }
}

function scatterDocFields(cursor: Cursor, index: u32, doc: u32, bitmaps: usize, fieldCount: u32): void {
  let rest = startKeys(cursor, index);
  let at = cursor.keyAt;
  let key: u32 = -1;
  let before: u32 = -1;
  do {
    key += readKey(at) + 1;
    at = keyEnd;
    const field = key >> 16;
    if (field != before) {
      before = field;
      const bitmap = field < fieldCount ? load<u32>(bitmaps + (<usize>field << 2)) : 0;
      if (bitmap != 0) setBit(bitmap, doc);
    }
  } while (--rest != 0);
  cursor.keyAt = at;
}

/** The same by bucketed position: bitmaps of the places 0 to 28. */
export function scatterListPositions(pairs: usize, listCount: u32, universe: usize, bitmaps: usize): void {
  const end = pairs + <usize>listCount * LIST_PAIR_BYTES;
  for (let p = pairs; p < end; p += LIST_PAIR_BYTES) {
    const cursor = left;
    open(cursor, load<u32>(p), load<u32>(p, 4));
    while (nextBlockWithin(cursor, universe)) {
      const count = cursor.count;
      for (let i: u32 = 0; i < count; i++) {
        const doc = docAt(cursor, i);
        if (hasBit(universe, doc) && isLive(cursor, doc)) scatterDocPositions(cursor, i, doc, bitmaps);
      }
    }
  }
}

function scatterDocPositions(cursor: Cursor, index: u32, doc: u32, bitmaps: usize): void {
  // A document with many occurrences writes each bitmap once.
  for (let places = placesOf(cursor, index); places != 0; places &= places - 1) {
    const bitmap = load<u32>(bitmaps + (<usize>ctz(places) << 2));
    if (bitmap != 0) setBit(bitmap, doc);
  }
}

/** Bucketed positions of a document, one bit each. */
// @ts-ignore: decorator
@inline export function placesOf(cursor: Cursor, index: u32): u32 {
  let rest = startKeys(cursor, index);
  let at = cursor.keyAt;
  let key: u32 = -1;
  let places: u32 = 0;
  do {
    key += readKey(at) + 1;
    at = keyEnd;
    places |= <u32>1 << bucketOf(key & 0xffff);
  } while (--rest != 0);
  cursor.keyAt = at;
  return places;
}

// @ts-ignore: decorator
@inline function advance(cursor: Cursor, index: u32, doc: u32): u32 {
  const next = index + 1;
  return next < cursor.count && docAt(cursor, next) < doc ? indexOf(cursor, next + 1, doc) : next;
}

/** What `nearLists` looks for. */
export const NEAR: u32 = 0;
export const SAME_FIELD: u32 = 1;
export const ADJACENT: u32 = 2;

/**
 * For live documents of both lists within `universe`: sets the bit in near1, near2 or near3 where an occurrence of the right list stands
 * 1, 2 or 3 positions after one of the left, same field; in near1 alone for SAME_FIELD, where they share a field, and for ADJACENT, where one follows the other at once. O(occurrences of common documents).
 */
export function nearLists(
  leftList: usize, leftDeleted: usize, rightList: usize, rightDeleted: usize, universe: usize, kind: u32,
  near1: usize, near2: usize, near3: usize,
): void {
  open(left, leftList, leftDeleted);
  open(right, rightList, rightDeleted);
  if (!nextBlockWithin(left, universe) || !nextBlock(right)) return;
  let i: u32 = 0;
  let j: u32 = 0;
  while (true) {
    const a = docAt(left, i);
    const b = docAt(right, j);
    if (a == b) {
      if (hasBit(universe, a) && isLive(left, a) && isLive(right, a)) {
        if (kind == NEAR) meetNear(i, j, a, near1, near2, near3);
        else if (kind == SAME_FIELD ? meetInField(i, j) : meetAdjacent(i, j)) setBit(near1, a);
      }
      i++;
      j++;
    } else if (a < b) {
      i = advance(left, i, b);
    } else {
      j = advance(right, j, a);
    }
    if (i == left.count || j == right.count) {
      const bit = bitmapNext(universe, max(a, b));
      if (bit == -1) return;
      if (i == left.count) {
        if (!seekBlock(left, <u32>bit)) return;
        i = 0;
      }
      if (j == right.count) {
        if (!seekBlock(right, <u32>bit)) return;
        j = 0;
      }
    }
  }
}

function meetNear(i: u32, j: u32, doc: u32, near1: usize, near2: usize, near3: usize): void {
  let leftRest = startKeys(left, i);
  let rightRest = startKeys(right, j);
  let p = left.keyAt;
  let q = right.keyAt;
  let a: u32 = readKey(p);
  p = keyEnd;
  // Left places among the three before the present one: bit d - 1 for the place d before it. Keys of one field are consecutive numbers.
  let behind: u32 = 0;
  let at: u32 = 0;
  let found: u32 = 0;
  let b: u32 = -1;
  do {
    b += readKey(q) + 1;
    q = keyEnd;
    const step = b - at;
    behind = step < 3 ? (behind << step) & 7 : 0;
    at = b;
    while (leftRest != 0 && a < b) {
      const distance = b - a;
      if (distance <= 3) behind |= <u32>1 << (distance - 1);
      if (--leftRest != 0) {
        a += readKey(p) + 1;
        p = keyEnd;
      }
    }
    // A place of the field before: its positions end where this field's begin.
    const position = b & 0xffff;
    found |= position >= 3 ? behind : behind & ((<u32>1 << position) - 1);
    rightRest--;
  } while (rightRest != 0 && found != 7 && (leftRest != 0 || behind != 0));
  finish(left, p, leftRest == 0 ? 0 : leftRest - 1);
  finish(right, q, rightRest);
  if (found & 1) setBit(near1, doc);
  if (found & 2) setBit(near2, doc);
  if (found & 4) setBit(near3, doc);
}

/** Leaves a document's keys behind: `rest` of them were not read. */
// @ts-ignore: decorator
@inline function finish(cursor: Cursor, keyAt: usize, rest: u32): void {
  cursor.keyAt = keyAt;
  if (rest != 0) skipKeys(cursor, rest);
}
