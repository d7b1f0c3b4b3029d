// Bitmaps of few documents without their empty parts: a compact bitmap holds only the 16-byte lanes that a list of lanes names (u32 byte offsets into the
// words of a bitmap), one after another. Its lanes lie where a bitmap's words would, so that a pool serves both.

import { skipZeros } from "./bitmap";
import { poolEmpty, poolRelease, poolTake } from "./bitmap-pool";
import { BITMAP_HEADER_BYTES } from "./layout";
import { tick } from "./ticks";

// @ts-ignore: decorator
@inline const WORDS: usize = BITMAP_HEADER_BYTES;

/** Lists the lanes of a bitmap that are not zero. Returns how many. */
export function listLanes(bitmap: usize, lanes: usize): u32 {
  const words = bitmap + WORDS;
  const end = words + (<usize>load<u32>(bitmap) << 2);
  let out = lanes;
  for (let p = skipZeros(words, end); p < end; ) {
    const lane = (p - words) & ~15;
    store<u32>(out, <u32>lane);
    out += 4;
    p = skipZeros(words + lane + 16, end);
  }
  return <u32>((out - lanes) >> 2);
}

/** A compact copy of a bitmap. */
export function compactOf(pool: usize, bitmap: usize, lanes: usize, laneCount: u32): usize {
  const target = poolTake(pool);
  let out = target + WORDS;
  for (let lane = lanes; lane < lanes + (<usize>laneCount << 2); lane += 4, out += 16) {
    v128.store(out, v128.load(bitmap + WORDS + <usize>load<u32>(lane)));
  }
  return target;
}

/** A compact copy of the intersection of a bitmap and a compact one; 0 when it is empty. */
export function compactMeeting(pool: usize, bitmap: usize, compact: usize, lanes: usize, laneCount: u32): usize {
  const target = poolTake(pool);
  let any = i32x4.splat(0);
  let at = WORDS;
  for (let lane = lanes; lane < lanes + (<usize>laneCount << 2); lane += 4, at += 16) {
    const bits = v128.and(v128.load(bitmap + WORDS + <usize>load<u32>(lane)), v128.load(compact + at));
    v128.store(target + at, bits);
    any = v128.or(any, bits);
  }
  return keptIf(v128.any_true(any), pool, target);
}

/** The intersection of a bitmap and a compact one, as a bitmap; 0 when it is empty. */
export function scatterMeeting(pool: usize, bitmap: usize, compact: usize, lanes: usize, laneCount: u32): usize {
  const end = compact + WORDS + (<usize>laneCount << 4);
  let lane = lanes;
  let p = compact + WORDS;
  for (; p < end; p += 16, lane += 4) {
    if (v128.any_true(v128.and(v128.load(bitmap + WORDS + <usize>load<u32>(lane)), v128.load(p)))) break;
  }
  if (p == end) return 0;
  const target = poolEmpty(pool);
  for (; p < end; p += 16, lane += 4) {
    const at = WORDS + <usize>load<u32>(lane);
    v128.store(target + at, v128.and(v128.load(bitmap + at), v128.load(p)));
  }
  return target;
}

/** found |= a & b of compact bitmaps; returns the new `found`, which is 0 while it is empty. */
export function addMeeting(pool: usize, found: usize, a: usize, b: usize, laneCount: u32): usize {
  tick();
  const end = WORDS + (<usize>laneCount << 4);
  if (found != 0) {
    for (let at = WORDS; at < end; at += 16) {
      v128.store(found + at, v128.or(v128.load(found + at), v128.and(v128.load(a + at), v128.load(b + at))));
    }
    return found;
  }
  const target = poolTake(pool);
  let any = i32x4.splat(0);
  for (let at = WORDS; at < end; at += 16) {
    const bits = v128.and(v128.load(a + at), v128.load(b + at));
    v128.store(target + at, bits);
    any = v128.or(any, bits);
  }
  return keptIf(v128.any_true(any), pool, target);
}

/** The intersection of four compact bitmaps (the last may be 0: of three); 0 when it is empty. */
export function meetingOf(pool: usize, a: usize, b: usize, c: usize, d: usize, laneCount: u32): usize {
  const target = poolTake(pool);
  const last = d != 0 ? d : c;
  let any = i32x4.splat(0);
  for (let at = WORDS; at < WORDS + (<usize>laneCount << 4); at += 16) {
    const bits = v128.and(v128.and(v128.load(a + at), v128.load(b + at)), v128.and(v128.load(c + at), v128.load(last + at)));
    v128.store(target + at, bits);
    any = v128.or(any, bits);
  }
  return keptIf(v128.any_true(any), pool, target);
}

// @ts-ignore: decorator
@inline function keptIf(isKept: bool, pool: usize, bitmap: usize): usize {
  if (isKept) return bitmap;
  poolRelease(pool, bitmap);
  return 0;
}

/** compact &= ~other; clears the bitmap when `other` is 0. */
export function takeAway(compact: usize, other: usize, laneCount: u32): void {
  if (other == 0) {
    memory.fill(compact + WORDS, 0, <usize>laneCount << 4);
    return;
  }
  for (let at = WORDS; at < WORDS + (<usize>laneCount << 4); at += 16) {
    v128.store(compact + at, v128.andnot(v128.load(compact + at), v128.load(other + at)));
  }
}
