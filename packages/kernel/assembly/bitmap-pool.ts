// A pool of bitmaps of one size, which reuses released ones: `[u32 first free bitmap, u32 bit count, u32 first free bitmap that is empty, u32 pool of small
// ones]` in scratch. Free bitmaps are linked through the first reserved word of their headers. A pool ends with the scratch region that it was made in.

import { scratchAlloc } from "./arena";
import { bitmapAssign, bitmapClear, bitmapIsEmpty, bitmapOfAnything, endOf } from "./bitmap";
import { BITMAP_HEADER_BYTES } from "./layout";

export function poolNew(bitCount: u32): usize {
  const pool = scratchAlloc(16);
  memory.fill(pool, 0, 16);
  store<u32>(pool, bitCount, 4);
  return pool;
}

/** Lanes of a small bitmap: those of 500 documents. */
const SMALL_LANES: u32 = 512;

/**
 * The pool for compact bitmaps of so many lanes: a pool of small bitmaps where they are few, else this one. So compact bitmaps do not use up the cleared
 * bitmaps that ranking rules need.
 */
export function poolOfLanes(pool: usize, laneCount: u32): usize {
  if (laneCount > SMALL_LANES || load<u32>(pool, 4) <= SMALL_LANES << 7) return pool;
  if (load<u32>(pool, 12) == 0) store<u32>(pool, <u32>poolNew(SMALL_LANES << 7), 12);
  return load<u32>(pool, 12);
}

// @ts-ignore: decorator
@inline function unlink(from: usize): usize {
  const free = <usize>load<u32>(from);
  if (free != 0) store<u32>(from, load<u32>(free, 4));
  return free;
}

/** A bitmap with undefined contents. */
// @ts-ignore: decorator
@inline export function poolTake(pool: usize): usize {
  let free = unlink(pool);
  if (free == 0) free = unlink(pool + 8);
  return free != 0 ? free : bitmapOfAnything(load<u32>(pool, 4));
}

export function poolEmpty(pool: usize): usize {
  const empty = unlink(pool + 8);
  if (empty != 0) return empty;
  const taken = poolTake(pool);
  bitmapClear(taken);
  return taken;
}

export function poolCopy(pool: usize, source: usize): usize {
  const copy = poolTake(pool);
  bitmapAssign(copy, source);
  return copy;
}

/** The intersection of two bitmaps, 0 when it is empty. */
export function poolMeet(pool: usize, a: usize, b: usize): usize {
  const target = poolTake(pool);
  if (meetInto(target, a, b)) return target;
  poolRelease(pool, target);
  return 0;
}

/** target = a & b; returns whether it has a bit. */
function meetInto(target: usize, a: usize, b: usize): bool {
  assert(load<u32>(target) == load<u32>(a) && load<u32>(a) == load<u32>(b), "bitmaps of different sizes");
  const end = endOf(target);
  const toA = a - target;
  const toB = b - target;
  let any = i32x4.splat(0);
  for (let p = target + BITMAP_HEADER_BYTES; p < end; p += 16) {
    const bits = v128.and(v128.load(p + toA), v128.load(p + toB));
    v128.store(p, bits);
    any = v128.or(any, bits);
  }
  return v128.any_true(any);
}

export function poolRelease(pool: usize, bitmap: usize): void {
  store<u32>(bitmap, load<u32>(pool), 4);
  store<u32>(pool, <u32>bitmap);
}

/**
 * Releases a bitmap that has no other bits than the `count` docids at `docIds` (u32 each): these are cleared one by one, which writes fewer bytes than the
 * bitmap has.
 */
export function poolReleaseCleared(pool: usize, bitmap: usize, docIds: usize, count: u32): void {
  for (let p = docIds; p < docIds + (<usize>count << 2); p += 4) store<u64>(bitmap + (<usize>(load<u32>(p) >> 6) << 3), 0, BITMAP_HEADER_BYTES);
  assert(bitmapIsEmpty(bitmap), "a document that was not told of");
  store<u32>(bitmap, load<u32>(pool, 8), 4);
  store<u32>(pool, <u32>bitmap, 8);
}
