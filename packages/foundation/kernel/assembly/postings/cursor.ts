// Reads posting lists block by block. A cursor holds one decoded block (or the tail) and a position in its keys. There are two cursors, both static, because
// no operation reads more than two lists at once. Lists are at any byte address. Decoding reads up to 16 bytes past a list; the arena keeps such reads within
// memory.

import { bitCapacity, bitmapNext, hasBit } from "../bitmaps/bitmap";
import { BITMAP_HEADER_BYTES, BLOCK_DOCS, SKIP_ENTRY_BYTES } from "../layout";
import { leftCursor, rightCursor } from "../tables";
import { tick } from "../ticks";
import { sumGaps, unpack } from "./unpack";

// A cursor's fields, then u32 docs[128], then u32 counts[128] (occurrences less one).
@unmanaged
export class Cursor {
  deleted: usize;
  blockCount: u32;
  tailCount: u32;
  /** Index of the decoded block; blockCount for the tail; blockCount + 1 past the end. */
  block: u32;
  skips: usize;
  docBytes: usize;
  keyBytes: usize;
  /** Number of decoded documents. */
  count: u32;
  /** Address of the next key, of the document at keyIndex. */
  keyAt: usize;
  keyIndex: u32;
  /** Address of the packed counts of the decoded block; 0 once they are unpacked. */
  packedCounts: usize;
  countBits: u32;
}

const DOCS: usize = 64;
const COUNTS: usize = 64 + 512;

export const left: Cursor = changetype<Cursor>(leftCursor);
export const right: Cursor = changetype<Cursor>(rightCursor);

let varintEnd: usize = 0;

/** Reads a varint of up to 64 bits; a global holds the address after it. */
// @ts-ignore: decorator
@inline function readVarint(p: usize): u64 {
  let at = p;
  let byte = <u64>load<u8>(at++);
  if (byte < 128) {
    varintEnd = at;
    return byte;
  }
  let value = byte & 127;
  let shift: u64 = 7;
  do {
    byte = <u64>load<u8>(at++);
    value |= (byte & 127) << shift;
    shift += 7;
  } while (byte >= 128);
  varintEnd = at;
  return value;
}

export function listDocCount(list: usize): u32 {
  return <u32>readVarint(list);
}

/** Opens a list. No block is decoded yet: call `nextBlock` or `seekBlock` next. */
export function open(cursor: Cursor, list: usize, deleted: usize): void {
  const docCount = <u32>readVarint(list);
  cursor.deleted = deleted;
  cursor.blockCount = docCount / BLOCK_DOCS;
  cursor.tailCount = docCount % BLOCK_DOCS;
  cursor.block = -1;
  cursor.count = 0;
  cursor.skips = varintEnd;
  if (cursor.blockCount == 0) {
    cursor.docBytes = varintEnd;
    cursor.keyBytes = 0;
  } else {
    cursor.docBytes = varintEnd + <usize>cursor.blockCount * SKIP_ENTRY_BYTES + 4;
    cursor.keyBytes = cursor.docBytes + load<u32>(cursor.docBytes - 4);
  }
}

// @ts-ignore: decorator
@inline export function docAt(cursor: Cursor, index: u32): u32 {
  return load<u32>(changetype<usize>(cursor) + (<usize>index << 2), DOCS);
}

// @ts-ignore: decorator
@inline function skipAt(cursor: Cursor, block: u32): usize {
  return cursor.skips + <usize>block * SKIP_ENTRY_BYTES;
}

/** The last document of the list. Its first block (or the tail) must be decoded; afterwards the tail is. */
export function lastDoc(cursor: Cursor): u32 {
  if (cursor.tailCount == 0) return load<u32>(skipAt(cursor, cursor.blockCount - 1));
  if (cursor.blockCount > 0) decode(cursor, cursor.blockCount);
  return docAt(cursor, cursor.tailCount - 1);
}

/** Decodes the next block; false at the end of the list. */
export function nextBlock(cursor: Cursor): bool {
  return decode(cursor, cursor.block + 1);
}

/** Decodes the first block after the current one that may hold a document >= doc; false when there is none. */
export function seekBlock(cursor: Cursor, doc: u32): bool {
  let block = cursor.block + 1;
  while (block < cursor.blockCount && load<u32>(skipAt(cursor, block)) < doc) block++;
  return decode(cursor, block);
}

/** Decodes the next block whose range of docids has a bit in the bitmap; false when there is none. */
export function nextBlockWithin(cursor: Cursor, universe: usize): bool {
  let block = cursor.block + 1;
  if (block >= cursor.blockCount) return decode(cursor, block);
  const from = block == 0 ? 0 : load<u32>(skipAt(cursor, block - 1)) + 1;
  const bit = bitmapNext(universe, from);
  if (bit == -1) {
    cursor.block = cursor.blockCount + 1;
    return false;
  }
  return seekBlock(cursor, <u32>bit);
}

function decode(cursor: Cursor, block: u32): bool {
  tick();
  cursor.block = block;
  if (block < cursor.blockCount) {
    decodeBlock(cursor, block);
    return true;
  }
  if (block > cursor.blockCount || cursor.tailCount == 0) {
    cursor.block = cursor.blockCount + 1;
    return false;
  }
  decodeTail(cursor);
  return true;
}

function decodeBlock(cursor: Cursor, block: u32): void {
  let before: u32 = -1;
  let at = cursor.docBytes;
  cursor.keyAt = cursor.keyBytes;
  if (block > 0) {
    const skip = skipAt(cursor, block - 1);
    before = load<u32>(skip);
    at += load<u32>(skip, 4);
    cursor.keyAt += load<u32>(skip, 8);
  }
  const bits = <u32>load<u8>(at);
  cursor.countBits = load<u8>(at, 1);
  cursor.count = BLOCK_DOCS;
  cursor.keyIndex = 0;
  cursor.packedCounts = at + 2 + (<usize>bits << 4);
  const docs = changetype<usize>(cursor) + DOCS;
  unpack(at + 2, bits, docs);
  sumGaps(docs, before);
}

/** Unpacks the block's counts on first use: most readers need documents only. */
function unpackCounts(cursor: Cursor): void {
  unpack(cursor.packedCounts, cursor.countBits, changetype<usize>(cursor) + COUNTS);
  cursor.packedCounts = 0;
}

function decodeTail(cursor: Cursor): void {
  let before: u32 = -1;
  let at = cursor.docBytes;
  let keyOffset: usize = 0;
  if (cursor.blockCount > 0) {
    const skip = skipAt(cursor, cursor.blockCount - 1);
    before = load<u32>(skip);
    at += load<u32>(skip, 4);
    keyOffset = load<u32>(skip, 8);
  }
  const count = cursor.tailCount;
  const base = changetype<usize>(cursor);
  for (let i: usize = 0; i < <usize>count << 2; i += 4) {
    // Most keys have two or three bytes. Loading four never leaves memory.
    const word = load<u32>(at);
    let value: u64;
    if ((word & 0x80) == 0) {
      value = word & 0x7f;
      at += 1;
    } else if ((word & 0x8000) == 0) {
      value = (word & 0x7f) | ((word & 0x7f00) >> 1);
      at += 2;
    } else if ((word & 0x800000) == 0) {
      value = (word & 0x7f) | ((word & 0x7f00) >> 1) | ((word & 0x7f0000) >> 2);
      at += 3;
    } else {
      value = readVarint(at);
      at = varintEnd;
    }
    before += <u32>(value >> 1) + 1;
    store<u32>(base + i, before, DOCS);
    let more: u32 = 0;
    if (value & 1) {
      more = <u32>readVarint(at) + 1;
      at = varintEnd;
    }
    store<u32>(base + i, more, COUNTS);
  }
  cursor.count = count;
  cursor.keyIndex = 0;
  cursor.packedCounts = 0;
  cursor.keyAt = cursor.blockCount > 0 ? cursor.keyBytes + keyOffset : at;
}

/** The address after `n` varints from p on. Ends are found 16 bytes at a time: the last byte of a varint has its high bit clear. */
function skipVarints(p: usize, n: u32): usize {
  if (n == 0) return p;
  let at = p;
  let rest = n;
  while (true) {
    let ends = ~i8x16.bitmask(v128.load(at)) & 0xffff;
    const count = <u32>popcnt(ends);
    if (count >= rest) {
      for (; rest > 1; rest--) ends &= ends - 1;
      return at + <usize>ctz(ends) + 1;
    }
    rest -= count;
    at += 16;
  }
}

/** The address after the key that `readKey` read. */
export let keyEnd: usize = 0;

/** Reads a key or a difference of keys, at most 5 bytes, and sets `keyEnd`. Keys have 3 bytes in all fields but the first. */
// @ts-ignore: decorator
@inline export function readKey(p: usize): u32 {
  const bytes = load<u32>(p);
  if ((bytes & 0x80) == 0) {
    keyEnd = p + 1;
    return bytes & 0x7f;
  }
  if ((bytes & 0x8000) == 0) {
    keyEnd = p + 2;
    return (bytes & 0x7f) | ((bytes & 0x7f00) >> 1);
  }
  if ((bytes & 0x800000) == 0) {
    keyEnd = p + 3;
    return (bytes & 0x7f) | ((bytes & 0x7f00) >> 1) | ((bytes & 0x7f0000) >> 2);
  }
  return readLongKey(p);
}

function readLongKey(p: usize): u32 {
  const value = <u32>readVarint(p);
  keyEnd = varintEnd;
  return value;
}

/** Address of the counts of the decoded block's documents: u32 each, less one. */
// @ts-ignore: decorator
@inline export function blockCounts(cursor: Cursor): usize {
  if (cursor.packedCounts != 0) unpackCounts(cursor);
  return changetype<usize>(cursor) + COUNTS;
}

/** Address of the documents of the decoded block, u32 each. */
// @ts-ignore: decorator
@inline export function blockDocs(cursor: Cursor): usize { return changetype<usize>(cursor) + DOCS; }

/**
 * Positions the cursor at the keys of the document at `index` of the decoded block and returns their number. `index` must not be less than in an earlier
 * call.
 */
export function startKeys(cursor: Cursor, index: u32): u32 {
  if (cursor.packedCounts != 0) unpackCounts(cursor);
  const counts = changetype<usize>(cursor) + COUNTS;
  assert(index >= cursor.keyIndex, "keys are read forwards");
  if (index > cursor.keyIndex) {
    let skipped = index - cursor.keyIndex;
    const end = counts + (<usize>index << 2);
    for (let p = counts + (<usize>cursor.keyIndex << 2); p < end; p += 4) skipped += load<u32>(p);
    cursor.keyAt = skipVarints(cursor.keyAt, skipped);
  }
  cursor.keyIndex = index + 1;
  return load<u32>(counts + (<usize>index << 2)) + 1;
}

/** The first key after `startKeys`. The caller must read all keys of the document, or call `skipKeys`. */
// @ts-ignore: decorator
@inline export function firstKey(cursor: Cursor): u32 {
  const key = readKey(cursor.keyAt);
  cursor.keyAt = keyEnd;
  return key;
}

// @ts-ignore: decorator
@inline export function nextKey(cursor: Cursor, key: u32): u32 {
  const next = key + readKey(cursor.keyAt) + 1;
  cursor.keyAt = keyEnd;
  return next;
}

/** Most documents have one key, whose end is within the eight bytes loaded. */
// @ts-ignore: decorator
@inline export function skipKeys(cursor: Cursor, count: u32): void {
  const at = cursor.keyAt;
  cursor.keyAt = count == 1 ? at + <usize>(ctz(~load<u64>(at) & 0x8080808080808080) >> 3) + 1 : skipVarints(at, count);
}

// @ts-ignore: decorator
@inline export function isLive(cursor: Cursor, doc: u32): bool {
  return cursor.deleted == 0 || !hasBit(cursor.deleted, doc);
}

/** The first index >= from in the decoded block whose document is >= doc; cursor.count when there is none. */
export function indexOf(cursor: Cursor, from: u32, doc: u32): u32 {
  let low = from;
  let high = cursor.count;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (docAt(cursor, middle) < doc) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The first index >= from in the decoded block of a document with a bit in the bitmap; cursor.count when there is none. Of sparse ones it tests four at a time. */
export function indexWithin(cursor: Cursor, from: u32, universe: usize): u32 {
  const docs = blockDocs(cursor);
  const end = docs + (<usize>cursor.count << 2);
  let p = docs + (<usize>from << 2);
  if (load<u32>(end - 4) < bitCapacity(universe)) {
    for (; p + 16 <= end; p += 16) {
      if ((bitsFrom(universe, load<u32>(p)) | bitsFrom(universe, load<u32>(p, 4)) | bitsFrom(universe, load<u32>(p, 8)) | bitsFrom(universe, load<u32>(p, 12))) & 1) break;
    }
  }
  while (p < end && !hasBit(universe, load<u32>(p))) p += 4;
  return <u32>((p - docs) >> 2);
}

// @ts-ignore: decorator
@inline function bitsFrom(bitmap: usize, bit: u32): u32 {
  return load<u32>(bitmap + (<usize>(bit >> 5) << 2), BITMAP_HEADER_BYTES) >> (bit & 31);
}
