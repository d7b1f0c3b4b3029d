// Reads the keys of one document: its fields and positions. Keys of a document lie one after another, the first in full, then each difference less one;
// `rest` keys follow the first. Afterwards `keyEnd` is the address of the next document's keys.

import { setBit } from "../bitmaps/bitmap";
import { poolEmpty } from "../bitmaps/bitmap-pool";
import { keyEnd, readKey } from "./cursor";
import { POSITION_BUCKETS } from "../layout";
import { setInWindow } from "../bitmaps/windows";

/** Bucket of a position: p < 16 is its own bucket, p < 24 is in 24, else in the least power of two >= p; as an index 0 to 28. */
// @ts-ignore: decorator
@inline export function bucketOf(position: u32): u32 {
  if (position < 16) return position;
  if (position < 24) return 16;
  return 44 - clz(position - 1);
}

/** Sets the document's bit in the bitmap of the key's field, if there is one. `areWindows`: they have a window's header, which scratch bitmaps lack. */
// @ts-ignore: decorator
@inline function setInField(bitmaps: usize, fieldCount: u32, key: u32, doc: u32, areWindows: bool): void {
  const field = key >> 16;
  if (field >= fieldCount) return;
  const bitmap = load<u32>(bitmaps + (<usize>field << 2));
  if (bitmap == 0) return;
  if (areWindows) setInWindow(bitmap, doc);
  else setBit(bitmap, doc);
}

/** Sets the document's bit in bitmaps[field] (0: none) of all its fields. */
// @ts-ignore: decorator
@inline export function scatterFieldsOf(from: usize, rest: u32, bitmaps: usize, fieldCount: u32, doc: u32, areWindows: bool): void {
  let key = readKey(from);
  setInField(bitmaps, fieldCount, key, doc, areWindows);
  for (let left = rest; left != 0; left--) {
    const next = key + readKey(keyEnd) + 1;
    if (next >> 16 != key >> 16) setInField(bitmaps, fieldCount, next, doc, areWindows);
    key = next;
  }
}

/** The same for windows; returns the document's mask of position buckets. */
// @ts-ignore: decorator
@inline export function readMask(from: usize, rest: u32, bitmaps: usize, fieldCount: u32, doc: u32): u32 {
  let key = readKey(from);
  let mask: u32 = 1 << bucketOf(key & 0xffff);
  setInField(bitmaps, fieldCount, key, doc, true);
  for (let left = rest; left != 0; left--) {
    const next = key + readKey(keyEnd) + 1;
    mask |= 1 << bucketOf(next & 0xffff);
    if (next >> 16 != key >> 16) setInField(bitmaps, fieldCount, next, doc, true);
    key = next;
  }
  return mask;
}

/**
 * Sets the document's bit in the bitmaps of its position buckets (0: none), once for each bucket. An odd entry stands for a bitmap that is made when it is
 * needed, for all buckets with this entry, by the pool after the last one, which has enough free.
 */
// @ts-ignore: decorator
@inline export function scatterMask(all: u32, bitmaps: usize, doc: u32): void {
  for (let mask = all; mask != 0; mask &= mask - 1) {
    let bitmap = load<u32>(bitmaps + (<usize>ctz(mask) << 2));
    if (bitmap & 1) bitmap = madeFor(bitmaps, bitmap);
    if (bitmap != 0) setBit(bitmap, doc);
  }
}

function madeFor(bitmaps: usize, entry: u32): u32 {
  const end = bitmaps + (POSITION_BUCKETS << 2);
  const made = <u32>poolEmpty(load<u32>(end));
  for (let p = bitmaps; p < end; p += 4) if (load<u32>(p) == entry) store<u32>(p, made);
  return made;
}
