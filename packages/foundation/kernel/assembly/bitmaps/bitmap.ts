// Dense bitmaps: `[u32 wordCount][u32 link of a pool][u32 lanes listed, plus one; 0: no list][u32 the list; 0: no room][u32 words]`, 16-byte aligned, wordCount
// a multiple of 4, so that every loop runs on whole v128 lanes. Operands of one call have equal wordCount.
//
// A bitmap in scratch may list the lanes where it has bits, if these are few: operations then look at no others, whatever the width of the index. A list holds
// byte offsets into the words, ascending; some may be of lanes that are empty by now. Only bits of listed lanes may be set, unless the list is ended before.

import { scratchAlloc } from "../arena";
import { BITMAP_HEADER_BYTES } from "../layout";

const HEADER: usize = BITMAP_HEADER_BYTES;

// @ts-ignore: decorator
@inline export function endOf(bitmap: usize): usize { return bitmap + HEADER + (<usize>load<u32>(bitmap) << 2); }

// @ts-ignore: decorator
@inline export function bitCapacity(bitmap: usize): u32 { return load<u32>(bitmap) << 5; }

// @ts-ignore: decorator
@inline export function setBit(bitmap: usize, bit: u32): void {
  if (!ASC_NO_ASSERT) assert(bit < bitCapacity(bitmap) && !isListed(bitmap), "bit outside of the bitmap, or of its list");
  const at = bitmap + (<usize>(bit >> 5) << 2);
  store<u32>(at, load<u32>(at, HEADER) | (<u32>1 << (bit & 31)), HEADER);
}

/** Whether the bit is set; false beyond the end of the bitmap. */
// @ts-ignore: decorator
@inline export function hasBit(bitmap: usize, bit: u32): bool {
  return bit < bitCapacity(bitmap) && ((load<u32>(bitmap + (<usize>(bit >> 5) << 2), HEADER) >> (bit & 31)) & 1) != 0;
}

/** The first u64 at or after `p` that is not 0, or `end`. Zeros are skipped 64 bytes at a time. */
// @ts-ignore: decorator
@inline export function skipZeros(p: usize, end: usize): usize { return p < end && load<u64>(p) == 0 ? skipManyZeros(p + 8, end) : p; }

function skipManyZeros(from: usize, end: usize): usize {
  let p = from;
  for (; p + 64 <= end; p += 64) {
    const low = v128.or(v128.load(p), v128.load(p, 16));
    const high = v128.or(v128.load(p, 32), v128.load(p, 48));
    if (v128.any_true(v128.or(low, high))) break;
  }
  while (p < end && load<u64>(p) == 0) p += 8;
  return p;
}

/** The most lanes of a list; from this many bits on, a bitmap in scratch has room for one. */
export const LISTED_MAX: u32 = 512;
const LISTED_BITS_MIN: u32 = LISTED_MAX << 9;

// @ts-ignore: decorator
@inline export function isListed(bitmap: usize): bool { return load<u32>(bitmap, 8) != 0; }
// @ts-ignore: decorator
@inline export function listOf(bitmap: usize): usize { return load<u32>(bitmap, 12); }
// @ts-ignore: decorator
@inline export function listEnd(bitmap: usize): usize { return listOf(bitmap) + (<usize>load<u32>(bitmap, 8) << 2) - 4; }
/** One of two bitmaps that has a list; 0: neither. */
// @ts-ignore: decorator
@inline export function listedOf(a: usize, b: usize): usize { return isListed(a) ? a : isListed(b) ? b : 0; }
export function setList(bitmap: usize, end: usize): void { store<u32>(bitmap, <u32>((end - listOf(bitmap)) >> 2) + 1, 8); }
// @ts-ignore: decorator
@inline export function endList(bitmap: usize): void { store<u32>(bitmap, 0, 8); }

/** Writes the lanes that are not empty to `lanes`, and gives up beyond `most` of them. Returns the end of what is written, 0 when it was given up. */
export function writeLanes(bitmap: usize, lanes: usize, most: u32): usize {
  const words = bitmap + HEADER;
  let out = lanes;
  if (isListed(bitmap)) {
    for (let p = listOf(bitmap); p < listEnd(bitmap); p += 4) {
      const lane = load<u32>(p);
      store<u32>(out, lane);
      if (v128.any_true(v128.load(words + lane))) out += 4;
    }
    return out;
  }
  const end = endOf(bitmap);
  const last = lanes + (<usize>most << 2);
  for (let p = skipZeros(words, end); p < end; ) {
    if (out == last) return 0;
    const lane = (p - words) & ~15;
    store<u32>(out, <u32>lane);
    out += 4;
    p = skipZeros(words + lane + 16, end);
  }
  return out;
}

/** Lists the lanes of a bitmap; false where it has no room for so many. O(words) */
export function listLanes(bitmap: usize): bool {
  if (isListed(bitmap)) return true;
  const end: usize = listOf(bitmap) == 0 ? 0 : writeLanes(bitmap, listOf(bitmap), LISTED_MAX);
  if (end == 0) return false;
  setList(bitmap, end);
  return true;
}

/** Whether the bitmap has at most this many bits; `most` is at most LISTED_MAX. It then has a list, if it has room. O(words) */
export function bitmapIsSparse(bitmap: usize, most: u32): bool {
  if (listOf(bitmap) != 0 && !listLanes(bitmap)) return false;
  return bitmapCount(bitmap) <= most;
}

export function bitmapScratch(bitCount: u32): usize {
  const bitmap = bitmapOfAnything(bitCount);
  bitmapClear(bitmap);
  return bitmap;
}

/** The same with undefined bits. */
export function bitmapOfAnything(bitCount: u32): usize {
  const wordCount = <u32>max<u64>(((<u64>bitCount + 127) >> 7) << 2, 4);
  const byteCount = <u32>HEADER + (wordCount << 2);
  const bitmap = scratchAlloc(byteCount + (bitCount < LISTED_BITS_MIN ? 0 : LISTED_MAX << 2));
  store<u64>(bitmap, wordCount);
  store<u64>(bitmap, bitCount < LISTED_BITS_MIN ? 0 : <u64>(<u32>bitmap + byteCount) << 32, 8);
  return bitmap;
}

export function bitmapCopy(source: usize): usize {
  const copy = bitmapOfAnything(bitCapacity(source));
  bitmapAssign(copy, source);
  return copy;
}

export function bitmapClear(bitmap: usize): void {
  if (isListed(bitmap)) clearWithin(bitmap, bitmap);
  else memory.fill(bitmap + HEADER, 0, <usize>load<u32>(bitmap) << 2);
}

/** Clears the lanes that `within` lists. */
export function clearWithin(bitmap: usize, within: usize): void {
  const end = listEnd(within);
  for (let p = listOf(within); p < end; p += 4) v128.store(bitmap + load<u32>(p), i32x4.splat(0), HEADER);
}

export function bitmapAssign(target: usize, source: usize): void {
  endList(target);
  assert(load<u32>(target) == load<u32>(source), "bitmaps of different sizes");
  memory.copy(target + HEADER, source + HEADER, <usize>load<u32>(source) << 2);
}

export const enum Op { And, Or, AndNot }

/** target = target OP other; in the lanes of `listed` alone, unless it is 0. */
// @ts-ignore: decorator
@inline function combine(op: Op, target: usize, other: usize, listed: usize): void {
  assert(load<u32>(target) == load<u32>(other), "bitmaps of different sizes");
  const end = listed != 0 ? listEnd(listed) : endOf(target);
  if (listed != 0) for (let p = listOf(listed); p < end; p += 4) combineLane(op, target + load<u32>(p) + HEADER, other + load<u32>(p) + HEADER);
  else for (let a = target + HEADER, b = other + HEADER; a < end; a += 16, b += 16) combineLane(op, a, b);
}

// @ts-ignore: decorator
@inline export function combineLane(op: Op, target: usize, other: usize): void {
  const a = v128.load(target);
  const b = v128.load(other);
  v128.store(target, op == Op.And ? v128.and(a, b) : op == Op.Or ? v128.or(a, b) : v128.andnot(a, b));
}

export function bitmapAnd(target: usize, other: usize): void {
  if (isListed(other) && !isListed(target) && listOf(target) != 0) return keepListed(target, other);
  combine(Op.And, target, other, isListed(target) ? target : 0);
}

/** target &= listed, and gives the target the list. */
function keepListed(target: usize, listed: usize): void {
  assert(load<u32>(target) == load<u32>(listed), "bitmaps of different sizes");
  const from = listOf(listed);
  const end = listEnd(listed);
  let kept = target + HEADER;
  for (let p = from; p < end; p += 4) {
    const lane = target + HEADER + load<u32>(p);
    memory.fill(kept, 0, lane - kept);
    combineLane(Op.And, lane, listed + HEADER + load<u32>(p));
    kept = lane + 16;
  }
  memory.fill(kept, 0, endOf(target) - kept);
  memory.copy(listOf(target), from, end - from);
  setList(target, listOf(target) + (end - from));
}

export function bitmapOr(target: usize, other: usize): void {
  endList(target);
  combine(Op.Or, target, other, isListed(other) ? other : 0);
}

export function bitmapAndNot(target: usize, other: usize): void { combine(Op.AndNot, target, other, listedOf(other, target)); }

/** Clears the bits of `part` in the bitmap; returns the number of bits of `part`. */
export function bitmapSubtract(bitmap: usize, part: usize): u32 {
  bitmapAndNot(bitmap, part);
  return bitmapCount(part);
}

export function bitmapCount(bitmap: usize): u32 { return bitmapIntersectionCount(bitmap, bitmap); }

export function bitmapIntersectionCount(a: usize, b: usize): u32 {
  assert(load<u32>(a) == load<u32>(b), "bitmaps of different sizes");
  return countBetween(a, b, 0, <usize>load<u32>(a) << 2);
}

/** The number of common bits between two bytes of their words, both multiples of 16. */
export function countBetween(a: usize, b: usize, from: usize, to: usize): u32 {
  const listed = listedOf(a, b);
  let count: u64 = 0;
  if (listed == 0) {
    for (let lane = from; lane < to; lane += 16) count += countLane(a + lane, b + lane);
    return <u32>count;
  }
  const end = listEnd(listed);
  for (let p = listOf(listed); p < end; p += 4) {
    const lane = <usize>load<u32>(p);
    if (lane >= from && lane < to) count += countLane(a + lane, b + lane);
  }
  return <u32>count;
}

// @ts-ignore: decorator
@inline function countLane(a: usize, b: usize): u64 {
  return popcnt(load<u64>(a, HEADER) & load<u64>(b, HEADER)) + popcnt(load<u64>(a, HEADER + 8) & load<u64>(b, HEADER + 8));
}

export function bitmapIsEmpty(bitmap: usize): bool {
  return isListed(bitmap) ? bitmapCount(bitmap) == 0 : skipZeros(bitmap + HEADER, endOf(bitmap)) == endOf(bitmap);
}

export function bitmapSet(bitmap: usize, bit: u32): void {
  endList(bitmap);
  setBit(bitmap, bit);
}

export function bitmapUnset(bitmap: usize, bit: u32): void {
  if (bit >= bitCapacity(bitmap)) return;
  const at = bitmap + (<usize>(bit >> 5) << 2);
  store<u32>(at, load<u32>(at, HEADER) & ~(<u32>1 << (bit & 31)), HEADER);
}

export function bitmapHas(bitmap: usize, bit: u32): bool { return hasBit(bitmap, bit); }

/** The first set bit at or after `from`, -1 when none. */
export function bitmapNext(bitmap: usize, from: u32): i32 {
  if (from >= bitCapacity(bitmap)) return -1;
  const words = bitmap + HEADER;
  const end = endOf(bitmap);
  let p = words + (<usize>(from >> 6) << 3);
  let word = load<u64>(p) & (~<u64>0 << (from & 63));
  if (word == 0) {
    p = skipZeros(p + 8, end);
    if (p >= end) return -1;
    word = load<u64>(p);
  }
  return <i32>(((p - words) << 3) + <usize>ctz(word));
}

/** Writes the set bits to `out` (u32 each), ascending: skips the first `skip` and writes at most `limit`. Returns how many. */
export function bitmapMembers(bitmap: usize, skip: u32, limit: u32, out: usize): u32 {
  const words = bitmap + HEADER;
  if (isListed(bitmap) && skip == 0) {
    let count: u32 = 0;
    for (let p = listOf(bitmap); p < listEnd(bitmap) && count < limit; p += 4) {
      const lane = words + load<u32>(p);
      count += membersBetween(words, lane, lane + 16, 0, limit - count, out + (<usize>count << 2));
    }
    return count;
  }
  return membersBetween(words, words, endOf(bitmap), skip, limit, out);
}

function membersBetween(words: usize, from: usize, end: usize, skip: u32, limit: u32, out: usize): u32 {
  let skipped: u32 = skip;
  let count: u32 = 0;
  for (let p = skipZeros(from, end); p < end && count < limit; p = skipZeros(p + 8, end)) {
    let word = load<u64>(p);
    if (skipped > 0) {
      const here = <u32>popcnt(word);
      if (here <= skipped) {
        skipped -= here;
        continue;
      }
      for (; skipped > 0; skipped--) word &= word - 1;
    }
    const base = <u32>((p - words) << 3);
    for (; word != 0 && count < limit; word &= word - 1) {
      store<u32>(out + (<usize>count << 2), base + <u32>ctz(word));
      count++;
    }
  }
  return count;
}

export function bitmapSetMany(bitmap: usize, docIds: usize, count: u32): void {
  endList(bitmap);
  for (let p = docIds; p < docIds + (<usize>count << 2); p += 4) setBit(bitmap, load<u32>(p));
}
