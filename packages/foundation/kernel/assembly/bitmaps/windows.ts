// Windows: bitmaps of a stretch of the index, for what is cached of one segment's lists. `[u32 wordCount][u32 first word][8 unused][u32 words]`: their words
// are those of a bitmap from `first word` on; both numbers are multiples of 4. A bitmap made on the heap is a window of the whole index, and windows of one stretch are joined like bitmaps.

import { heapAlloc } from "../arena";
import { combineLane, countBetween, endList, hasBit, isListed, listEnd, listOf, Op, setBit } from "./bitmap";
import { Cursor, docAt, lastDoc, left, nextBlock, open } from "../postings/cursor";
import { BITMAP_HEADER_BYTES } from "../layout";
import { readEnd, readNumber } from "../varints";

const HEADER: usize = BITMAP_HEADER_BYTES;

/** Byte offset of the window's first word within a bitmap's words. */
// @ts-ignore: decorator
@inline export function offsetOf(window: usize): usize { return <usize>load<u32>(window, 4) << 2; }
/** The same for the end of the window. */
// @ts-ignore: decorator
@inline export function reachOf(window: usize): usize { return offsetOf(window) + (<usize>load<u32>(window) << 2); }
// @ts-ignore: decorator
@inline export function firstBitOf(window: usize): u32 { return load<u32>(window, 4) << 5; }

/** An empty window for bits [firstBit, firstBit + bitCount), extended to whole lanes, in long-lived memory. */
export function windowHeap(firstBit: u32, bitCount: u32): usize {
  const firstLane = firstBit >> 7;
  const lanes = ((firstBit + max<u32>(bitCount, 1) + 127) >> 7) - firstLane;
  const window = heapAlloc(<u32>HEADER + (lanes << 4));
  memory.fill(window, 0, HEADER + (<usize>lanes << 4));
  store<u32>(window, lanes << 2);
  store<u32>(window, firstLane << 2, 4);
  return window;
}

// @ts-ignore: decorator
@inline export function setInWindow(window: usize, bit: u32): void {
  const word = (bit >> 5) - load<u32>(window, 4);
  assert(word < load<u32>(window), "bit outside of the window");
  const at = window + (<usize>word << 2);
  store<u32>(at, load<u32>(at, HEADER) | (<u32>1 << (bit & 31)), HEADER);
}

/** Whether the bit is set; false outside of the window. */
export function isInWindow(window: usize, bit: u32): bool {
  const word = (bit >> 5) - load<u32>(window, 4);
  return word < load<u32>(window) && ((load<u32>(window + (<usize>word << 2), HEADER) >> (bit & 31)) & 1) != 0;
}

/** target |= window & within & ~without; an absent (0) mask masks nothing. The bitmap must cover all documents of the window. */
export function windowOr(target: usize, window: usize, within: usize, without: usize): void {
  const from = window + HEADER;
  const end = from + (<usize>load<u32>(window) << 2);
  const offset = offsetOf(window) + HEADER;
  assert(reachOf(window) <= <usize>load<u32>(target) << 2, "the window reaches beyond the bitmap");
  const toTarget = target + offset - from;
  const toWithin = within + offset - from;
  const toWithout = without + offset - from;
  endList(target);
  // a bitmap of deleted documents may be shorter than the index
  const withoutEnd = without == 0 ? from : from + <usize>max<isize>(0, <isize>(<usize>load<u32>(without) << 2) - <isize>offsetOf(window));
  const listed = within != 0 && isListed(within) ? within : 0;
  let next = listed != 0 ? listOf(listed) : 0;
  for (let p = from; p < end; p += 16) {
    if (listed != 0) {
      if (next == listEnd(listed)) return;
      p = from + <usize>load<u32>(next) - offsetOf(window);
      next += 4;
      if (p < from) continue;
      if (p >= end) return;
    }
    let bits = v128.load(p);
    if (within != 0) bits = v128.and(bits, v128.load(p + toWithin));
    if (p < withoutEnd) bits = v128.andnot(bits, v128.load(p + toWithout));
    v128.store(p + toTarget, v128.or(v128.load(p + toTarget), bits));
  }
}

/** The number of bits of a bitmap within the window's stretch. */
export function countBeside(bitmap: usize, window: usize): u32 {
  return countBetween(bitmap, bitmap, offsetOf(window), min(reachOf(window), <usize>load<u32>(bitmap) << 2));
}

/** Writes the first and the last document of all lists at the addresses to `out`. No list is empty. O(lists). */
export function wordsRange(lists: usize, listCount: u32, out: usize): void {
  const cursor: Cursor = left;
  let first: u32 = -1;
  let last: u32 = 0;
  for (let p = lists; p < lists + (<usize>listCount << 2); p += 4) {
    open(cursor, load<u32>(p), 0);
    if (!nextBlock(cursor)) continue;
    first = min(first, docAt(cursor, 0));
    last = max(last, lastDoc(cursor));
  }
  store<u32>(out, first);
  store<u32>(out, last, 4);
}

/** Sets documents stored as lanes (as many bytes as the target's words), or as differences from `firstBit` on: those of `within` (0: all) and not `without`. */
export function windowAddStored(target: usize, firstBit: u32, from: usize, bytes: u32, within: usize, without: usize): void {
  endList(target);
  if (bytes == load<u32>(target) << 2) {
    for (let i = from; i < from + <usize>bytes; i += 16) combineLane(Op.Or, target + HEADER + i - from, i);
    return;
  }
  const end = from + <usize>bytes;
  let bit = firstBit - 1;
  for (let p = from; p < end; p = readEnd) {
    bit += readNumber(p) + 1;
    if ((within == 0 || hasBit(within, bit)) && (without == 0 || !hasBit(without, bit))) setBit(target, bit);
  }
}
