// Rank-indexed lists: an index of a common word's list by document, so that single documents are looked up instead of sought. The rank of a document in the bitmap
// of the list's documents is its index.
//
// `[u32 docs window][u32 list, 0: no keys][u32 words of 64 bits][u32 documents]`, then u32 ranks[words] (documents before the word), u32 masks[documents]
// (bucketed positions, one bit each), and with keys u32 ends[documents + 1] (of their keys, from the list's address on).

import { scratchAlloc, scratchMark, scratchRelease } from "../arena";
import { hasBit, skipZeros } from "../bitmaps/bitmap";
import { Cursor, blockCounts, blockDocs, docAt, indexWithin, isLive, keyEnd, left, nextBlock, nextBlockWithin, open, skipKeys, startKeys } from "./cursor";
import { BITMAP_HEADER_BYTES, RANK_INDEX_HEADER_BYTES } from "../layout";
import { setTargets, joinKeys, NEAR, SAME_FIELD } from "./nearness";
import { readMask, scatterMask } from "./occurrences";
import { tick } from "../ticks";
import { firstBitOf, isInWindow, offsetOf, reachOf } from "../bitmaps/windows";

@unmanaged
class RankIndexedList {
  docs: u32;
  list: u32;
  wordCount: u32;
  docCount: u32;
}

// @ts-ignore: decorator
@inline function ranksOf(indexed: RankIndexedList): usize { return changetype<usize>(indexed) + RANK_INDEX_HEADER_BYTES; }
// @ts-ignore: decorator
@inline function masksAt(indexed: RankIndexedList): usize { return ranksOf(indexed) + (<usize>indexed.wordCount << 2); }
// @ts-ignore: decorator
@inline function endsAt(indexed: RankIndexedList): usize { return masksAt(indexed) + (<usize>indexed.docCount << 2); }

/** Writes header and ranks. O(words of the bitmap). */
function start(at: usize, docs: usize, docCount: u32, list: usize): RankIndexedList {
  const indexed = changetype<RankIndexedList>(at);
  indexed.docs = <u32>docs;
  indexed.list = <u32>list;
  indexed.wordCount = load<u32>(docs) >> 1;
  indexed.docCount = docCount;
  const ranks = ranksOf(indexed);
  let rank: u32 = 0;
  for (let i: usize = 0; i < <usize>indexed.wordCount; i++) {
    store<u32>(ranks + (i << 2), rank);
    rank += <u32>popcnt(load<u64>(docs + BITMAP_HEADER_BYTES + (i << 3)));
  }
  assert(rank == docCount, "the documents of the list");
  return indexed;
}

/**
 * Writes the rank-indexed list of a list with the `docCount` documents `docs`. It also sets the documents' bits in the windows bitmaps[field], unless `bitmaps` is
 * 0. O(occurrences).
 */
export function indexList(at: usize, docs: usize, docCount: u32, list: usize, bitmaps: usize, fieldCount: u32): void {
  const indexed = start(at, docs, docCount, list);
  const cursor = left;
  open(cursor, list, 0);
  const blockStart = blockDocs(cursor);
  let maskAt = masksAt(indexed);
  let end = endsAt(indexed);
  while (nextBlock(cursor)) {
    const more = blockCounts(cursor);
    const blockBytes = <usize>cursor.count << 2;
    let from = cursor.keyAt;
    if (end == endsAt(indexed)) store<u32>(end, <u32>(from - list));
    for (let i: usize = 0; i < blockBytes; i += 4) {
      const doc = load<u32>(blockStart + i);
      store<u32>(maskAt, readMask(from, load<u32>(more + i), bitmaps, fieldCount, doc));
      from = keyEnd;
      maskAt += 4;
      end += 4;
      store<u32>(end, <u32>(from - list));
    }
  }
}

/**
 * The same for the union of several lists, given by address, without keys. It also sets the documents' bits in bitmaps[field], unless `bitmaps` is 0.
 * O(occurrences + bits of the bitmap).
 */
export function indexWords(
  at: usize, docs: usize, docCount: u32, lists: usize, listCount: u32, bitmaps: usize, fieldCount: u32,
): void {
  const indexed = start(at, docs, docCount, 0);
  const mark = scratchMark();
  const bytes = <u32>load<u32>(docs) << 7;
  const first = firstBitOf(docs);
  const byDoc = scratchAlloc(bytes);
  memory.fill(byDoc, 0, bytes);
  const cursor = left;
  const blockStart = blockDocs(cursor);
  for (let p = lists; p < lists + (<usize>listCount << 2); p += 4) {
    open(cursor, load<u32>(p), 0);
    while (nextBlock(cursor)) {
      const more = blockCounts(cursor);
      const end = <usize>cursor.count << 2;
      let from = cursor.keyAt;
      for (let i: usize = 0; i < end; i += 4) {
        const doc = load<u32>(blockStart + i);
        const mask = readMask(from, load<u32>(more + i), bitmaps, fieldCount, doc);
        from = keyEnd;
        const to = byDoc + (<usize>(doc - first) << 2);
        store<u32>(to, load<u32>(to) | mask);
      }
    }
  }
  let out = masksAt(indexed);
  const words = docs + BITMAP_HEADER_BYTES;
  const end = words + (<usize>indexed.wordCount << 3);
  for (let p = skipZeros(words, end); p < end; p = skipZeros(p + 8, end)) {
    for (let bits = load<u64>(p); bits != 0; bits &= bits - 1, out += 4) {
      store<u32>(out, load<u32>(byDoc + ((((p - words) << 3) + <usize>ctz(bits)) << 2)));
    }
  }
  scratchRelease(mark);
}

/** Eight bytes of a bitmap that may end before them: missing bytes are 0. */
// @ts-ignore: decorator
@inline function wordBeside(bitmap: usize, offset: usize): u64 {
  return offset < <usize>BITMAP_HEADER_BYTES + (<usize>load<u32>(bitmap) << 2) ? load<u64>(bitmap + offset) : 0;
}

/** The end of the part of a bitmap's words that overlaps the window. */
// @ts-ignore: decorator
@inline function endBeside(bitmap: usize, window: usize): usize {
  return bitmap + BITMAP_HEADER_BYTES + min(reachOf(window), <usize>load<u32>(bitmap) << 2);
}

/** target |= documents of `within`, not in `deleted` (0: none), that have a position bucket of `wanted`. O(words of the window + documents of both). */
export function orMasks(target: usize, at: usize, within: usize, deleted: usize, wanted: u32): void {
  const indexed = changetype<RankIndexedList>(at);
  const docs = <usize>indexed.docs;
  assert(load<u32>(target) == load<u32>(within), "bitmaps of different sizes");
  const mask = masksAt(indexed);
  const words = within + BITMAP_HEADER_BYTES + offsetOf(docs);
  const end = endBeside(within, docs);
  const toTarget = target - within;
  for (let w = skipZeros(words, end); w < end; w = skipZeros(w + 8, end)) {
    const i = w - words;
    const here = load<u64>(docs + BITMAP_HEADER_BYTES + i);
    let candidates = here & load<u64>(w);
    if (deleted != 0) candidates &= ~wordBeside(deleted, w - within);
    if (candidates == 0) continue;
    tick();
    const first = mask + (<usize>load<u32>(ranksOf(indexed) + (i >> 1)) << 2);
    let found: u64 = 0;
    for (; candidates != 0; candidates &= candidates - 1) {
      const bit = candidates & -candidates;
      if (load<u32>(first + (<usize>popcnt(here & (bit - 1)) << 2)) & wanted) found |= bit;
    }
    if (found != 0) store<u64>(w + toTarget, load<u64>(w + toTarget) | found);
  }
}

/** For documents of `within`, not in `deleted`: sets their bits in the bitmaps (by bucket, 0: none) of all their position buckets. */
export function scatterMasks(at: usize, within: usize, deleted: usize, bitmaps: usize): void {
  const indexed = changetype<RankIndexedList>(at);
  const docs = <usize>indexed.docs;
  const words = within + BITMAP_HEADER_BYTES + offsetOf(docs);
  const end = endBeside(within, docs);
  const firstDoc = firstBitOf(docs);
  for (let w = skipZeros(words, end); w < end; w = skipZeros(w + 8, end)) {
    const i = w - words;
    let candidates = load<u64>(w);
    const here = load<u64>(docs + BITMAP_HEADER_BYTES + i);
    candidates &= here;
    if (deleted != 0) candidates &= ~wordBeside(deleted, w - within);
    tick();
    for (; candidates != 0; candidates &= candidates - 1) {
      const below = (candidates & -candidates) - 1;
      const rank = load<u32>(ranksOf(indexed) + (i >> 1)) + <u32>popcnt(here & below);
      const doc = firstDoc + <u32>(i << 3) + <u32>popcnt(below);
      scatterMask(load<u32>(masksAt(indexed) + (<usize>rank << 2)), bitmaps, doc);
    }
  }
}

/** Buckets of more than one position. */
const WIDE_BUCKETS: u32 = 0xffff0000;

/** Buckets of the next position: a bucket of several positions is its own successor too. */
// @ts-ignore: decorator
@inline function adjacentMask(mask: u32): u32 { return (mask << 1) | (mask & WIDE_BUCKETS); }

/** Buckets of the next three positions; the wide buckets span more than three. */
// @ts-ignore: decorator
@inline function followingMask(mask: u32): u32 {
  const narrow = mask & ~WIDE_BUCKETS;
  return adjacentMask(mask) | (narrow << 2) | (narrow << 3);
}

/** `nearLists` over two rank-indexed lists with keys. O(words of the bitmap + occurrences in common documents of the universe). */
export function nearIndexed(
  leftAt: usize, leftDeleted: usize, rightAt: usize, rightDeleted: usize, universe: usize, kind: u32, target1: usize, target2: usize, target3: usize,
): void {
  setTargets(target1, target2, target3);
  const left = changetype<RankIndexedList>(leftAt);
  const right = changetype<RankIndexedList>(rightAt);
  // both are then addressed by the universe's word addresses
  const leftWords = <usize>left.docs - offsetOf(left.docs);
  const rightWords = <usize>right.docs - offsetOf(right.docs);
  const leftRanks = ranksOf(left) - (offsetOf(left.docs) >> 1);
  const rightRanks = ranksOf(right) - (offsetOf(right.docs) >> 1);
  const words = universe + BITMAP_HEADER_BYTES;
  const start = words + max(offsetOf(left.docs), offsetOf(right.docs));
  const end = min(endBeside(universe, left.docs), endBeside(universe, right.docs));
  for (let w = skipZeros(start, end); w < end; w = skipZeros(w + 8, end)) {
    const at = w - universe;
    const i = w - words;
    let candidates = load<u64>(w);
    const ofLeft = load<u64>(leftWords + at);
    const ofRight = load<u64>(rightWords + at);
    candidates &= ofLeft & ofRight;
    if (leftDeleted != 0) candidates &= ~wordBeside(leftDeleted, at);
    if (rightDeleted != 0) candidates &= ~wordBeside(rightDeleted, at);
    tick();
    for (; candidates != 0; candidates &= candidates - 1) {
      const below = (candidates & -candidates) - 1;
      const x = (<usize>load<u32>(leftRanks + (i >> 1)) + <usize>popcnt(ofLeft & below)) << 2;
      const y = (<usize>load<u32>(rightRanks + (i >> 1)) + <usize>popcnt(ofRight & below)) << 2;
      if (kind != SAME_FIELD) {
        const mask = load<u32>(masksAt(left) + x);
        if (((kind == NEAR ? followingMask(mask) : adjacentMask(mask)) & load<u32>(masksAt(right) + y)) == 0) continue;
      }
      const p = endsAt(left) + x;
      const q = endsAt(right) + y;
      const doc = <u32>(i << 3) + <u32>popcnt(below);
      joinKeys(kind, doc, left.list + load<u32>(p), left.list + load<u32>(p, 4), right.list + load<u32>(q), right.list + load<u32>(q, 4));
    }
  }
}

/** `nearLists` over a walked list and an indexed one with keys; `isLeft`: the rank-indexed list is the left one. */
export function nearHalfIndexed(
  list: usize, deleted: usize, indexedAt: usize, indexedDeleted: usize, isLeft: bool, universe: usize, kind: u32,
  target1: usize, target2: usize, target3: usize,
): void {
  setTargets(target1, target2, target3);
  const indexed = changetype<RankIndexedList>(indexedAt);
  const docs = <usize>indexed.docs;
  const docWords = docs + BITMAP_HEADER_BYTES - offsetOf(docs);
  const ranks = ranksOf(indexed) - (offsetOf(docs) >> 1);
  const cursor: Cursor = left;
  open(cursor, list, deleted);
  while (nextBlockWithin(cursor, universe)) {
    const count = cursor.count;
    for (let i = indexWithin(cursor, 0, universe); i < count; i = indexWithin(cursor, i + 1, universe)) {
      const doc = docAt(cursor, i);
      if (!isInWindow(docs, doc) || !isLive(cursor, doc)) continue;
      if (indexedDeleted != 0 && hasBit(indexedDeleted, doc)) continue;
      // An earlier list has set it already.
      if (kind != NEAR && hasBit(target1, doc)) continue;
      const rest = startKeys(cursor, i);
      const p = cursor.keyAt;
      skipKeys(cursor, rest);
      const here = load<u64>(docWords + (<usize>(doc >> 6) << 3));
      const below = (<u64>1 << (doc & 63)) - 1;
      const rank = <usize>load<u32>(ranks + (<usize>(doc >> 6) << 2)) + <usize>popcnt(here & below);
      const ends = endsAt(indexed) + (rank << 2);
      const q = indexed.list + load<u32>(ends);
      const qEnd = indexed.list + load<u32>(ends, 4);
      if (isLeft) joinKeys(kind, doc, q, qEnd, p, cursor.keyAt);
      else joinKeys(kind, doc, p, cursor.keyAt, q, qEnd);
    }
  }
}

/** `nearHalfIndexed` for each of the lists at the addresses, all of one segment. O(documents of all lists + occurrences in common ones). */
export function nearWordsIndexed(
  lists: usize, listCount: u32, deleted: usize, indexedAt: usize, indexedDeleted: usize, isLeft: bool, universe: usize, kind: u32,
  target1: usize, target2: usize, target3: usize,
): void {
  for (let p = lists; p < lists + (<usize>listCount << 2); p += 4) {
    nearHalfIndexed(load<u32>(p), deleted, indexedAt, indexedDeleted, isLeft, universe, kind, target1, target2, target3);
  }
}
