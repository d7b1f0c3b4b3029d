// A pool of bitmaps of one size, which reuses released ones: `[u32 first free bitmap, u32 bit count, u32 first free bitmap that is empty, u32 pool of small
// ones]` in scratch. Free bitmaps are linked through their headers. A pool ends with the scratch region that it was made in.

import { scratchAlloc } from "../arena";
import { LISTED_MAX, bitmapAssign, bitmapClear, bitmapOfAnything, clearWithin, endOf, isListed, listEnd, listLanes, listOf, listedOf, setList, skipZeros } from "./bitmap";
import { BITMAP_HEADER_BYTES } from "../layout";

export function poolNew(bitCount: u32): usize {
  const pool = scratchAlloc(16);
  memory.fill(pool, 0, 16);
  store<u32>(pool, bitCount, 4);
  return pool;
}

/** The pool for compact bitmaps of this many lanes: one of small bitmaps where they are few, so that they do not use up cleared bitmaps, else this one. */
export function poolOfLanes(pool: usize, laneCount: u32): usize {
  if (laneCount > LISTED_MAX || load<u32>(pool, 4) <= LISTED_MAX << 7) return pool;
  if (load<u32>(pool, 12) == 0) store<u32>(pool, <u32>poolNew(LISTED_MAX << 7), 12);
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

/** Makes this many bitmaps free, if they are not yet: as many may be taken without scratch memory. */
export function poolReserve(pool: usize, count: u32): void {
  let found: u32 = 0;
  for (let free = load<u32>(pool); free != 0 && found < count; free = load<u32>(free, 4)) found++;
  for (let free = load<u32>(pool, 8); free != 0 && found < count; free = load<u32>(free, 4)) found++;
  for (; found < count; found++) poolRelease(pool, bitmapOfAnything(load<u32>(pool, 4)));
}

export function poolEmpty(pool: usize): usize {
  const empty = unlink(pool + 8);
  if (empty != 0) return empty;
  const taken = poolTake(pool);
  bitmapClear(taken);
  return taken;
}

export function poolCopy(pool: usize, source: usize): usize {
  if (isListed(source)) {
    const copy = intersectListed(pool, source, source);
    return copy != 0 ? copy : poolEmpty(pool);
  }
  const copy = poolTake(pool);
  bitmapAssign(copy, source);
  return copy;
}

/** The intersection of two bitmaps, 0 when it is empty. It has a list if its lanes are few. */
export function poolIntersection(pool: usize, a: usize, b: usize): usize {
  assert(load<u32>(a) == load<u32>(b), "bitmaps of different sizes");
  const listed = listedOf(a, b);
  if (listed != 0) return intersectListed(pool, listed, listed == a ? b : a);
  const target = intersectInto(pool, poolTake(pool), a, b, b, load<u32>(a) >> 2);
  if (target != 0) listLanes(target);
  return target;
}

/** The same with a list of its own. */
function intersectListed(pool: usize, listed: usize, other: usize): usize {
  const end = listEnd(listed);
  const target = poolEmpty(pool);
  let out = listOf(target);
  for (let p = listOf(listed); p < end; p += 4) {
    const lane = load<u32>(p);
    const bits = v128.and(v128.load(listed + lane, BITMAP_HEADER_BYTES), v128.load(other + lane, BITMAP_HEADER_BYTES));
    if (!v128.any_true(bits)) continue;
    v128.store(target + lane, bits, BITMAP_HEADER_BYTES);
    store<u32>(out, lane);
    out += 4;
  }
  setList(target, out);
  if (out != listOf(target)) return target;
  poolRelease(pool, target);
  return 0;
}

/** target = a & b & c, in this many lanes from the first on; 0, with the target released, when it is empty. */
export function intersectInto(pool: usize, target: usize, a: usize, b: usize, c: usize, laneCount: u32): usize {
  const end = <usize>BITMAP_HEADER_BYTES + (<usize>laneCount << 4);
  let any = i32x4.splat(0);
  for (let at = <usize>BITMAP_HEADER_BYTES; at < end; at += 16) {
    const bits = v128.and(v128.and(v128.load(a + at), v128.load(b + at)), v128.load(c + at));
    v128.store(target + at, bits);
    any = v128.or(any, bits);
  }
  if (v128.any_true(any)) return target;
  poolRelease(pool, target);
  return 0;
}

export function poolRelease(pool: usize, bitmap: usize): void { poolReleaseWithin(pool, bitmap, bitmap); }

/** Releases a bitmap that has no other bits than in the lanes of `within`, if that lists them: it is cleared by these. */
export function poolReleaseWithin(pool: usize, bitmap: usize, within: usize): void {
  const isCleared = isListed(within);
  if (isCleared) clearWithin(bitmap, within);
  if (!ASC_NO_ASSERT) assert(!isCleared || skipZeros(bitmap + BITMAP_HEADER_BYTES, endOf(bitmap)) == endOf(bitmap), "a bit outside the list");
  const list = isCleared ? pool + 8 : pool;
  store<u32>(bitmap, 0, 8);
  store<u32>(bitmap, load<u32>(list), 4);
  store<u32>(list, <u32>bitmap);
}
