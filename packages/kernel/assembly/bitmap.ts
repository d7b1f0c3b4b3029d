// Dense bitmaps: `[u32 wordCount, 3 x u32 reserved][u32 words]`, 16-byte aligned, wordCount a multiple of 4, so that every loop runs on
// whole v128 lanes. Operands of one call have equal wordCount.

import { heapAlloc, scratchAlloc } from "./arena";
import { BITMAP_HEADER_BYTES } from "./layout";

// @ts-ignore: decorator
@inline const HEADER: usize = BITMAP_HEADER_BYTES;

// @ts-ignore: decorator
@inline export function endOf(bitmap: usize): usize { return bitmap + HEADER + (<usize>load<u32>(bitmap) << 2); }

// @ts-ignore: decorator
@inline export function bitCapacity(bitmap: usize): u32 { return load<u32>(bitmap) << 5; }

// @ts-ignore: decorator
@inline export function setBit(bitmap: usize, bit: u32): void {
  assert(bit < bitCapacity(bitmap), "bit outside of the bitmap");
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
@inline export function skipZeros(p: usize, end: usize): usize {
  return p < end && load<u64>(p) == 0 ? skipManyZeros(p + 8, end) : p;
}

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

function init(bitmap: usize, wordCount: u32): usize {
  memory.fill(bitmap, 0, HEADER + (<usize>wordCount << 2));
  store<u32>(bitmap, wordCount);
  return bitmap;
}

// @ts-ignore: decorator
@inline function wordsFor(bitCount: u32): u32 { return <u32>max<u64>(((<u64>bitCount + 127) >> 7) << 2, 4); }

export function bitmapScratch(bitCount: u32): usize {
  const wordCount = wordsFor(bitCount);
  return init(scratchAlloc(<u32>HEADER + (wordCount << 2)), wordCount);
}

/** The same with undefined bits. */
export function bitmapOfAnything(bitCount: u32): usize {
  const wordCount = wordsFor(bitCount);
  const bitmap = scratchAlloc(<u32>HEADER + (wordCount << 2));
  store<u32>(bitmap, wordCount);
  return bitmap;
}

export function bitmapHeap(bitCount: u32): usize {
  const wordCount = wordsFor(bitCount);
  return init(heapAlloc(<u32>HEADER + (wordCount << 2)), wordCount);
}

export function bitmapCopy(source: usize): usize {
  const copy = bitmapOfAnything(bitCapacity(source));
  bitmapAssign(copy, source);
  return copy;
}

export function bitmapClear(bitmap: usize): void {
  memory.fill(bitmap + HEADER, 0, <usize>load<u32>(bitmap) << 2);
}

export function bitmapAssign(target: usize, source: usize): void {
  assert(load<u32>(target) == load<u32>(source), "bitmaps of different sizes");
  memory.copy(target + HEADER, source + HEADER, <usize>load<u32>(source) << 2);
}

export function bitmapAnd(target: usize, other: usize): void {
  assert(load<u32>(target) == load<u32>(other), "bitmaps of different sizes");
  const end = endOf(target);
  for (let a = target + HEADER, b = other + HEADER; a < end; a += 16, b += 16) {
    v128.store(a, v128.and(v128.load(a), v128.load(b)));
  }
}

export function bitmapOr(target: usize, other: usize): void {
  assert(load<u32>(target) == load<u32>(other), "bitmaps of different sizes");
  const end = endOf(target);
  for (let a = target + HEADER, b = other + HEADER; a < end; a += 16, b += 16) {
    v128.store(a, v128.or(v128.load(a), v128.load(b)));
  }
}

export function bitmapAndNot(target: usize, other: usize): void {
  assert(load<u32>(target) == load<u32>(other), "bitmaps of different sizes");
  const end = endOf(target);
  for (let a = target + HEADER, b = other + HEADER; a < end; a += 16, b += 16) {
    v128.store(a, v128.andnot(v128.load(a), v128.load(b)));
  }
}

/** target |= source & within & ~without; an absent (0) mask masks nothing. */
export function bitmapOrMasked(target: usize, source: usize, within: usize, without: usize): void {
  assert(load<u32>(target) == load<u32>(source), "bitmaps of different sizes");
  assert(within == 0 || load<u32>(target) == load<u32>(within), "bitmaps of different sizes");
  assert(without == 0 || load<u32>(target) == load<u32>(without), "bitmaps of different sizes");
  if (within == 0 && without == 0) {
    bitmapOr(target, source);
    return;
  }
  const end = endOf(target);
  const toSource = source - target;
  const toWithin = (within == 0 ? source : within) - target;
  const toWithout = without - target;
  for (let a = target + HEADER; a < end; a += 16) {
    let bits = v128.and(v128.load(a + toSource), v128.load(a + toWithin));
    if (without != 0) bits = v128.andnot(bits, v128.load(a + toWithout));
    v128.store(a, v128.or(v128.load(a), bits));
  }
}

/** Clears the bits of `part` in the bitmap; returns the number of bits of `part`. */
export function bitmapTakeOut(bitmap: usize, part: usize): u32 {
  assert(load<u32>(bitmap) == load<u32>(part), "bitmaps of different sizes");
  const end = endOf(part);
  let count: u64 = 0;
  for (let q = skipZeros(part + HEADER, end); q < end; q = skipZeros(q + 8, end)) {
    const bits = load<u64>(q);
    const p = bitmap + (q - part);
    count += popcnt(bits);
    store<u64>(p, load<u64>(p) & ~bits);
  }
  return <u32>count;
}

export function bitmapCount(bitmap: usize): u32 {
  const end = endOf(bitmap);
  let count: u64 = 0;
  for (let p = bitmap + HEADER; p < end; p += 16) count += popcnt(load<u64>(p)) + popcnt(load<u64>(p, 8));
  return <u32>count;
}

export function bitmapIntersectionCount(a: usize, b: usize): u32 {
  assert(load<u32>(a) == load<u32>(b), "bitmaps of different sizes");
  const end = endOf(a);
  let count: u64 = 0;
  for (let p = a + HEADER, q = b + HEADER; p < end; p += 16, q += 16) {
    count += popcnt(load<u64>(p) & load<u64>(q)) + popcnt(load<u64>(p, 8) & load<u64>(q, 8));
  }
  return <u32>count;
}

export function bitmapIsEmpty(bitmap: usize): bool {
  const end = endOf(bitmap);
  for (let p = bitmap + HEADER; p < end; p += 16) if (v128.any_true(v128.load(p))) return false;
  return true;
}

export function bitmapSet(bitmap: usize, bit: u32): void { setBit(bitmap, bit); }

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
  const end = endOf(bitmap);
  let skipped: u32 = skip;
  let count: u32 = 0;
  for (let p = skipZeros(words, end); p < end && count < limit; p = skipZeros(p + 8, end)) {
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
  for (let p = docIds; p < docIds + (<usize>count << 2); p += 4) setBit(bitmap, load<u32>(p));
}
