// Merges the lists of many words of one segment (those of a short prefix, or with a common part) into one by counting sort over documents: each occurrence is read twice and moved
// once, whatever the number of lists.

import { heapAlloc, heapFree } from "../arena";
import { blockCounts, blockDocs, keyEnd, left, listDocCount, nextBlock, open, readKey } from "./cursor";
import { fillDoc, packDocs, writeTailDoc, writeVarint } from "./encode";
import { BLOCK_DOCS, SKIP_ENTRY_BYTES } from "../layout";
import { tick } from "../ticks";

/** First gap of the sort of a document's keys, when it has more keys than this. */
const WIDE_STEP: u32 = 23;

// ends[doc]: the number of the document's keys while they are counted, the index of its next key while they are distributed, then the index after its last
// key.
let ends: usize = 0;
// Documents are from `docFirst` on; `ends` points before its block by as many entries.
let docFirst: u32 = 0;
let keys: usize = 0;
let mergedSize: u32 = 0;

// @ts-ignore: decorator
@inline function endOf(doc: u32): usize { return ends + (<usize>doc << 2); }
// @ts-ignore: decorator
@inline function varintBytes(value: u32): u32 { return (38 - clz(value | 1)) / 7; }

/**
 * One list of all occurrences of the lists, in long-lived memory; 0 when there are none. All documents are in [first, docBound); deleted ones are included.
 * With `fields` only occurrences in a field f where byte `fields[f]` is 1 are kept. O(occurrences + docBound - first).
 */
export function mergeWords(lists: usize, listCount: u32, first: u32, docBound: u32, fields: usize, fieldCount: u32): usize {
  docFirst = first;
  const block = heapAlloc((docBound - first + 1) << 2);
  memory.fill(block, 0, (<usize>(docBound - first) + 1) << 2);
  ends = block - (<usize>first << 2);
  const listsEnd = lists + (<usize>listCount << 2);
  for (let p = lists; p < listsEnd; p += 4) countKeys(load<u32>(p));
  keys = heapAlloc(max<u32>(16, startKeysOf(docBound) << 2));
  for (let p = lists; p < listsEnd; p += 4) dealKeys(load<u32>(p));
  const keyBytes = sortKeys(docBound, fields, fieldCount);
  const merged = encodeMerged(docBound, keyBytes);
  heapFree(keys);
  heapFree(block);
  return merged;
}

/** Bytes of the list that the last `mergeWords` made. */
export function mergedBytes(): u32 { return mergedSize; }

function countKeys(list: usize): void {
  const cursor = left;
  open(cursor, list, 0);
  while (nextBlock(cursor)) {
    const docs = blockDocs(cursor);
    const more = blockCounts(cursor);
    const end = <usize>cursor.count << 2;
    for (let i: usize = 0; i < end; i += 4) {
      const at = endOf(load<u32>(docs + i));
      store<u32>(at, load<u32>(at) + load<u32>(more + i) + 1);
    }
  }
}

/** Turns the number of keys of each document into the index of its first one; returns their sum. */
function startKeysOf(docBound: u32): u32 {
  let total: u64 = 0;
  for (let doc = docFirst; doc < docBound; doc++) {
    const at = endOf(doc);
    const count = load<u32>(at);
    store<u32>(at, <u32>total);
    total += count;
  }
  if (total > 0x3fff0000) unreachable();
  return <u32>total;
}

function dealKeys(list: usize): void {
  const cursor = left;
  open(cursor, list, 0);
  while (nextBlock(cursor)) {
    const docs = blockDocs(cursor);
    const more = blockCounts(cursor);
    const end = <usize>cursor.count << 2;
    let from = cursor.keyAt;
    for (let i: usize = 0; i < end; i += 4) {
      const at = endOf(load<u32>(docs + i));
      const rest = load<u32>(more + i);
      const start = load<u32>(at);
      store<u32>(at, start + rest + 1);
      let to = keys + (<usize>start << 2);
      let key = readKey(from);
      store<u32>(to, key);
      for (const last = to + (<usize>rest << 2); to < last; ) {
        key += readKey(keyEnd) + 1;
        to += 4;
        store<u32>(to, key);
      }
      from = keyEnd;
    }
  }
}

/**
 * Sorts each document's keys, drops duplicates (a word may be in both tables) and replaces them by their differences, which moves documents together. Returns
 * the encoded size in bytes.
 */
function sortKeys(docBound: u32, fields: usize, fieldCount: u32): u64 {
  let bytes: u64 = 0;
  let start = keys;
  let out = keys;
  for (let doc = docFirst; doc < docBound; doc++) {
    if ((doc & 63) == 0) tick();
    const at = endOf(doc);
    const end = keys + (<usize>load<u32>(at) << 2);
    const kept = fields == 0 ? end : keepFields(start, end, fields, fieldCount);
    if (start < kept) {
      if (kept - start > 4) sortRange(start, kept);
      let key = load<u32>(start);
      store<u32>(out, key);
      out += 4;
      bytes += varintBytes(key);
      for (let p = start + 4; p < kept; p += 4) {
        const next = load<u32>(p);
        if (next == key) continue;
        const difference = next - key - 1;
        store<u32>(out, difference);
        out += 4;
        bytes += varintBytes(difference);
        key = next;
      }
    }
    start = end;
    store<u32>(at, <u32>((out - keys) >> 2));
  }
  return bytes;
}

/** Moves the keys of wanted fields to the start of the range; returns their end. */
function keepFields(start: usize, end: usize, fields: usize, fieldCount: u32): usize {
  let to = start;
  for (let p = start; p < end; p += 4) {
    const key = load<u32>(p);
    const field = key >> 16;
    if (field >= fieldCount || load<u8>(fields + field) != 1) continue;
    store<u32>(to, key);
    to += 4;
  }
  return to;
}

/** Insertion sort, for longer ranges after a pass with a wide gap: keys come as a few ascending runs. */
function sortRange(start: usize, end: usize): void {
  if (end - start > <usize>WIDE_STEP << 3) {
    if (end - start > <usize>WIDE_STEP << 6) insertInSteps(start, end, (<usize>WIDE_STEP * WIDE_STEP) << 2);
    insertInSteps(start, end, <usize>WIDE_STEP << 2);
    insertInSteps(start, end, 5 << 2);
  }
  insertInSteps(start, end, 4);
}

// @ts-ignore: decorator
@inline function insertInSteps(start: usize, end: usize, step: usize): void {
  for (let p = start + step; p < end; p += 4) {
    const value = load<u32>(p);
    let q = p;
    while (q >= start + step && load<u32>(q - step) > value) {
      store<u32>(q, load<u32>(q - step));
      q -= step;
    }
    store<u32>(q, value);
  }
}

/** The documents part of the list: its parameters and its size in bytes. */
let docCount: u32 = 0;
let docBytes: u64 = 0;

/** Computes the size of the documents part, so that the list gets a block of its exact size. */
function measureDocs(docBound: u32): void {
  docCount = 0;
  docBytes = 0;
  let before: u32 = -1;
  let keyStart: u32 = 0;
  let deltaBits: u32 = 0;
  let countBits: u32 = 0;
  let tailBytes: u64 = 0;
  for (let doc = docFirst; doc < docBound; doc++) {
    if ((doc & 255) == 0) tick();
    const keyEndHere = load<u32>(endOf(doc));
    if (keyEndHere == keyStart) continue;
    const delta = doc - before - 1;
    const more = keyEndHere - keyStart - 1;
    deltaBits |= delta;
    countBits |= more;
    tailBytes += varintBytes(delta << 1);
    if (delta >> 31 != 0) unreachable();
    if (more > 0) tailBytes += varintBytes(more - 1);
    before = doc;
    keyStart = keyEndHere;
    docCount++;
    if (docCount % BLOCK_DOCS == 0) {
      docBytes += 2 + (((32 - clz(deltaBits)) + (32 - clz(countBits))) << 4);
      deltaBits = 0;
      countBits = 0;
      tailBytes = 0;
    }
  }
  docBytes += tailBytes;
}

/** Writes the list (docs/internals/kernel-abi.md) from key differences and the documents' ends. */
function encodeMerged(docBound: u32, keyBytes: u64): usize {
  measureDocs(docBound);
  if (docCount == 0) return 0;
  const blockCount = docCount / BLOCK_DOCS;
  const headBytes = varintBytes(docCount) + (blockCount == 0 ? 0 : blockCount * <u32>SKIP_ENTRY_BYTES + 4);
  const size = headBytes + docBytes + keyBytes;
  if (size > 0xfff00000) unreachable();
  mergedSize = <u32>size;
  const list = heapAlloc(mergedSize);
  let skip = writeVarint(list, docCount);
  const docs = list + headBytes;
  const keysOut = docs + <usize>docBytes;
  if (blockCount != 0) store<u32>(docs - 4, <u32>docBytes);
  let p = docs;
  let q = keysOut;
  let before: u32 = -1;
  let keyStart: u32 = 0;
  let filled: usize = 0;
  let deltaBits: u32 = 0;
  let countBits: u32 = 0;
  let left = docCount;
  const tailFrom = docCount % BLOCK_DOCS;
  for (let doc = docFirst; left != 0; doc++) {
    if ((doc & 63) == 0) tick();
    const keyEndHere = load<u32>(endOf(doc));
    if (keyEndHere == keyStart) continue;
    const delta = doc - before - 1;
    const more = keyEndHere - keyStart - 1;
    before = doc;
    for (let k = keys + (<usize>keyStart << 2); k < keys + (<usize>keyEndHere << 2); k += 4) q = writeVarint(q, load<u32>(k));
    keyStart = keyEndHere;
    if (left <= tailFrom) {
      p = writeTailDoc(p, delta, more);
    } else {
      fillDoc(filled, delta, more);
      deltaBits |= delta;
      countBits |= more;
      filled += 4;
      if (filled == 4 * BLOCK_DOCS) {
        p = packDocs(deltaBits, countBits, p);
        deltaBits = 0;
        countBits = 0;
        store<u32>(skip, doc);
        store<u32>(skip, <u32>(p - docs), 4);
        store<u32>(skip, <u32>(q - keysOut), 8);
        skip += SKIP_ENTRY_BYTES;
        filled = 0;
      }
    }
    left--;
  }
  assert(p == keysOut && q == list + mergedSize, "the list was measured right");
  return list;
}
