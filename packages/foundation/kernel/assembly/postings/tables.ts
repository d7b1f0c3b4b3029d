// Position tables: `[u32 count, u32 0][u64 entries: docId * 2^32 + key]`, ascending and distinct, key = fieldId * 65536 + position.

import { bitmapNext, hasBit, setBit } from "../bitmaps/bitmap";
import { TABLE_HEADER_BYTES } from "../layout";
import { bucketOf, scatterMask } from "./occurrences";

// @ts-ignore: decorator
@inline function firstOf(table: usize): usize { return table + TABLE_HEADER_BYTES; }
// @ts-ignore: decorator
@inline function endOf(table: usize): usize { return table + TABLE_HEADER_BYTES + (<usize>load<u32>(table) << 3); }

/** The first entry at or after `p` whose value is >= bound, by galloping: O(log distance). */
// @ts-ignore: decorator
@inline function seek(p: usize, end: usize, bound: u64): usize {
  // Most searches end within a few entries.
  let at = p;
  for (let i = 0; i < 4; i++) {
    if (at >= end || load<u64>(at) >= bound) return at;
    at += 8;
  }
  return gallop(at, end, bound);
}

function gallop(p: usize, end: usize, bound: u64): usize {
  let low = p;
  let step: usize = 64;
  while (step < end - low && load<u64>(low + step) < bound) {
    low += step;
    step <<= 1;
  }
  let high = min(end, low + step);
  while (low < high) {
    const middle = low + (((high - low) >> 4) << 3);
    if (load<u64>(middle) < bound) low = middle + 8;
    else high = middle;
  }
  return low;
}

/** The first entry from `p` on of a document of the universe, or `end`. Gaps between sparse documents are skipped. */
// @ts-ignore: decorator
@inline function within(p: usize, end: usize, universe: usize): usize {
  return p >= end || hasBit(universe, load<u32>(p, 4)) ? p : nextWithin(p, end, universe);
}

function nextWithin(from: usize, end: usize, universe: usize): usize {
  let p = from;
  while (p < end && !hasBit(universe, load<u32>(p, 4))) {
    const doc = bitmapNext(universe, load<u32>(p, 4));
    if (doc == -1) return end;
    p = seek(p + 8, end, <u64>doc << 32);
  }
  return p;
}

export function scatterFields(table: usize, universe: usize, bitmaps: usize, fieldCount: u32): void {
  const end = endOf(table);
  for (let p = within(firstOf(table), end, universe); p < end; p = within(p + 8, end, universe)) {
    const field = load<u32>(p) >> 16;
    if (field >= fieldCount) continue;
    const bitmap = load<u32>(bitmaps + (<usize>field << 2));
    if (bitmap != 0) setBit(bitmap, load<u32>(p, 4));
  }
}

export function scatterPositions(table: usize, universe: usize, bitmaps: usize): void {
  const end = endOf(table);
  for (let p = within(firstOf(table), end, universe); p < end; p = within(p + 8, end, universe))
    scatterMask(1 << bucketOf(load<u32>(p) & 0xffff), bitmaps, load<u32>(p, 4));
}

/** O(smaller table * log of the larger) at best, O(both) at worst. */
export function near(leftTable: usize, rightTable: usize, universe: usize, near1: usize, near2: usize, near3: usize): void {
  let a = firstOf(leftTable);
  const aEnd = endOf(leftTable);
  let b = firstOf(rightTable);
  const bEnd = endOf(rightTable);
  while (a < aEnd && b < bEnd) {
    const target = load<u64>(b);
    let x = load<u64>(a);
    if (x + 3 < target) {
      a = seek(a + 8, aEnd, target - 3);
      continue;
    }
    if (x >= target) {
      b = seek(b + 8, bEnd, x + 1);
      continue;
    }
    const doc = <u32>(target >> 32);
    if (hasBit(universe, doc)) {
      for (let p = a; ; ) {
        if (x >> 16 == target >> 16) {
          const distance = target - x;
          setBit(distance == 1 ? near1 : distance == 2 ? near2 : near3, doc);
        }
        p += 8;
        if (p >= aEnd) break;
        x = load<u64>(p);
        if (x >= target) break;
      }
    }
    b += 8;
  }
}

export function sameField(leftTable: usize, rightTable: usize, universe: usize, target: usize): void {
  let a = firstOf(leftTable);
  const aEnd = endOf(leftTable);
  let b = firstOf(rightTable);
  const bEnd = endOf(rightTable);
  while (a < aEnd && b < bEnd) {
    const x = load<u64>(a) >> 16;
    const y = load<u64>(b) >> 16;
    if (x < y) {
      a = seek(a + 8, aEnd, y << 16);
    } else if (y < x) {
      b = seek(b + 8, bEnd, x << 16);
    } else {
      const doc = <u32>(x >> 16);
      if (hasBit(universe, doc)) setBit(target, doc);
      // The document has its bit: continue with the next one.
      a = seek(a + 8, aEnd, (<u64>doc + 1) << 32);
    }
  }
}
