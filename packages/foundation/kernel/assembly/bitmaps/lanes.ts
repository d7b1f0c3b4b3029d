// Bitmaps of few documents without their empty parts: a compact bitmap holds only the 16-byte lanes that a list of lanes names (u32 byte offsets into the
// words of a bitmap), one after another. Its lanes are at the place of a bitmap's words, so that a pool serves both.

import { LISTED_MAX, listOf, setList } from "./bitmap";
import { intersectInto, poolEmpty, poolRelease, poolTake } from "./bitmap-pool";
import { BITMAP_HEADER_BYTES } from "../layout";
import { tick } from "../ticks";

const WORDS: usize = BITMAP_HEADER_BYTES;

/** A compact copy of a bitmap. */
export function compactOf(pool: usize, bitmap: usize, lanes: usize, laneCount: u32): usize {
  const target = poolTake(pool);
  let out = target + WORDS;
  for (let lane = lanes; lane < lanes + (<usize>laneCount << 2); lane += 4, out += 16) {
    v128.store(out, v128.load(bitmap + WORDS + <usize>load<u32>(lane)));
  }
  return target;
}

export function copyCompact(pool: usize, compact: usize, laneCount: u32): usize {
  const copy = poolTake(pool);
  memory.copy(copy + WORDS, compact + WORDS, <usize>laneCount << 4);
  return copy;
}

/** compact |= other */
export function join(compact: usize, other: usize, laneCount: u32): void {
  for (let at = WORDS; at < WORDS + (<usize>laneCount << 4); at += 16) {
    v128.store(compact + at, v128.or(v128.load(compact + at), v128.load(other + at)));
  }
}

/** Whether `outer` has all documents of `inner`; both are compact. */
export function isWithin(inner: usize, outer: usize, laneCount: u32): bool {
  for (let at = WORDS; at < WORDS + (<usize>laneCount << 4); at += 16) {
    if (v128.any_true(v128.andnot(v128.load(inner + at), v128.load(outer + at)))) return false;
  }
  return true;
}

/** The intersection of a bitmap and a compact one, as a bitmap; 0 when it is empty. */
export function scatterIntersection(pool: usize, bitmap: usize, compact: usize, lanes: usize, laneCount: u32): usize {
  const target = poolEmpty(pool);
  let out = listOf(target);
  const listEnd = out == 0 ? out : out + (LISTED_MAX << 2);
  let any = false;
  for (let lane = lanes, p = compact + WORDS; lane < lanes + (<usize>laneCount << 2); lane += 4, p += 16) {
    const at = WORDS + <usize>load<u32>(lane);
    const bits = v128.and(v128.load(bitmap + at), v128.load(p));
    if (!v128.any_true(bits)) continue;
    any = true;
    v128.store(target + at, bits);
    if (out == listEnd) continue;
    store<u32>(out, load<u32>(lane));
    out += 4;
  }
  // a full list may lack lanes
  if (out != listEnd) setList(target, out);
  if (any) return target;
  poolRelease(pool, target);
  return 0;
}

/** A compact copy of the intersection of a bitmap and a compact one; 0 when it is empty. */
export function compactIntersection(pool: usize, bitmap: usize, compact: usize, lanes: usize, laneCount: u32): usize {
  const copy = compactOf(pool, bitmap, lanes, laneCount);
  return intersectInto(pool, copy, copy, compact, compact, laneCount);
}

/** found |= a & b of compact bitmaps; returns the new `found`, which is 0 while it is empty. */
export function orIntersection(pool: usize, found: usize, a: usize, b: usize, laneCount: u32): usize {
  tick();
  if (found == 0) return intersectInto(pool, poolTake(pool), a, b, b, laneCount);
  for (let at = WORDS; at < WORDS + (<usize>laneCount << 4); at += 16) {
    v128.store(found + at, v128.or(v128.load(found + at), v128.and(v128.load(a + at), v128.load(b + at))));
  }
  return found;
}

/** The intersection of four compact bitmaps (the last may be 0: of three); 0 when it is empty. */
export function intersectionOf(pool: usize, a: usize, b: usize, c: usize, d: usize, laneCount: u32): usize {
  const target = intersectInto(pool, poolTake(pool), a, b, c, laneCount);
  return target == 0 || d == 0 ? target : intersectInto(pool, target, target, d, d, laneCount);
}

/** compact &= ~other; clears the bitmap when `other` is 0. */
export function andNot(compact: usize, other: usize, laneCount: u32): void {
  if (other == 0) {
    memory.fill(compact + WORDS, 0, <usize>laneCount << 4);
    return;
  }
  for (let at = WORDS; at < WORDS + (<usize>laneCount << 4); at += 16) {
    v128.store(compact + at, v128.andnot(v128.load(compact + at), v128.load(other + at)));
  }
}
