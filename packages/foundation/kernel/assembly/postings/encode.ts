// Writes one posting list from occurrences (u64: docId * 2^32 + key) that are sorted and distinct. The format is drawn in docs/internals/kernel-abi.md.

import { BLOCK_DOCS, SKIP_ENTRY_BYTES } from "../layout";
import { packedCounts, packedDeltas } from "../tables";

const PACKED_BYTES: usize = BLOCK_DOCS * 4;
// Deltas and counts of the block being packed, u32 each.
const deltas: usize = packedDeltas;
const counts: usize = packedCounts;

/** Adds a document to the block being packed, at byte offset `filled`: its distance to the previous document less one, and its occurrences less one. */
// @ts-ignore: decorator
@inline export function fillDoc(filled: usize, delta: u32, more: u32): void {
  store<u32>(deltas + filled, delta);
  store<u32>(counts + filled, more);
}

/** Packs the block of 128 documents, given all bits of their deltas and of their counts. Returns the end. */
export function packDocs(deltaBits: u32, countBits: u32, out: usize): usize {
  const docWidth = 32 - clz(deltaBits);
  const countWidth = 32 - clz(countBits);
  store<u8>(out, <u8>docWidth);
  store<u8>(out, <u8>countWidth, 1);
  return packBlock(counts, countWidth, packBlock(deltas, docWidth, out + 2));
}

/** Writes a document of the tail: twice its delta, plus one when it has several occurrences; their number less two follows. */
// @ts-ignore: decorator
@inline export function writeTailDoc(out: usize, delta: u32, more: u32): usize {
  const p = writeVarint(out, (<u64>delta << 1) | <u64>(more > 0));
  return more > 0 ? writeVarint(p, more - 1) : p;
}

// @ts-ignore: decorator
@inline export function writeVarint(out: usize, value: u64): usize {
  let rest = value;
  let p = out;
  while (rest > 127) {
    store<u8>(p++, <u8>(rest | 128));
    rest >>= 7;
  }
  store<u8>(p, <u8>rest);
  return p + 1;
}

/** An upper bound, in bytes, of the length of a list of this many occurrences. Packing may overwrite bytes up to it. */
export function encodedBytesMax(entryCount: u32): u64 { return 64 + <u64>entryCount * 18; }

/** Packs 128 values of `bits` bits each, least significant bit first, into 16 * bits bytes. */
function packBlock(values: usize, bits: u32, out: usize): usize {
  if (bits == 0) return out;
  let p = out;
  let word: u64 = 0;
  let filled: u32 = 0;
  for (let i: usize = 0; i < PACKED_BYTES; i += 4) {
    word |= <u64>load<u32>(values + i) << filled;
    filled += bits;
    if (filled >= 32) {
      store<u32>(p, <u32>word);
      p += 4;
      word >>= 32;
      filled -= 32;
    }
  }
  assert(filled == 0, "128 values end on a word");
  return p;
}

// @ts-ignore: decorator
@inline function docEnd(entry: usize, end: usize): usize {
  const doc = load<u32>(entry, 4);
  let p = entry + 8;
  while (p < end && load<u32>(p, 4) == doc) p += 8;
  return p;
}

function countDocs(entries: usize, end: usize): u32 {
  let count: u32 = 0;
  for (let p = entries; p < end; p = docEnd(p, end)) count++;
  return count;
}

/** Writes the keys of the entries in [from, end) of one document: the first, then each difference less one. */
// @ts-ignore: decorator
@inline function writeKeys(from: usize, end: usize, out: usize): usize {
  let key = load<u32>(from);
  let p = writeVarint(out, key);
  for (let e = from + 8; e < end; e += 8) {
    const next = load<u32>(e);
    assert(next > key, "keys ascend");
    p = writeVarint(p, next - key - 1);
    key = next;
  }
  return p;
}

/** Encodes `entryCount` > 0 entries at `out`, where encodedBytesMax(entryCount) bytes are free. Returns the end. O(entryCount). */
export function encodeList(entries: usize, entryCount: u32, out: usize): usize {
  const end = entries + (<usize>entryCount << 3);
  const docCount = countDocs(entries, end);
  const blockCount = docCount / BLOCK_DOCS;
  let p = writeVarint(out, docCount);
  if (blockCount == 0) return encodeTailKeys(entries, end, encodeTailDocs(entries, end, -1, p));
  const skips = p;
  const docs = skips + <usize>blockCount * SKIP_ENTRY_BYTES + 4;
  p = docs;
  let entry = entries;
  let before: u32 = -1;
  for (let block: u32 = 0; block < blockCount; block++) {
    let deltaBits: u32 = 0;
    let countBits: u32 = 0;
    for (let i: usize = 0; i < PACKED_BYTES; i += 4) {
      const doc = load<u32>(entry, 4);
      const next = docEnd(entry, end);
      const delta = doc - before - 1;
      const more = <u32>((next - entry) >> 3) - 1;
      fillDoc(i, delta, more);
      deltaBits |= delta;
      countBits |= more;
      before = doc;
      entry = next;
    }
    p = packDocs(deltaBits, countBits, p);
    const skip = skips + <usize>block * SKIP_ENTRY_BYTES;
    store<u32>(skip, before);
    store<u32>(skip, <u32>(p - docs), 4);
  }
  const tailEntries = entry;
  p = encodeTailDocs(entry, end, before, p);
  store<u32>(docs - 4, <u32>(p - docs));
  const keys = p;
  entry = entries;
  for (let block: u32 = 0; block < blockCount; block++) {
    for (let i = 0; i < BLOCK_DOCS; i++) {
      const next = docEnd(entry, end);
      p = writeKeys(entry, next, p);
      entry = next;
    }
    store<u32>(skips + <usize>block * SKIP_ENTRY_BYTES, <u32>(p - keys), 8);
  }
  return encodeTailKeys(tailEntries, end, p);
}

function encodeTailDocs(entries: usize, end: usize, before: u32, out: usize): usize {
  let p = out;
  let last = before;
  let entry = entries;
  while (entry < end) {
    const doc = load<u32>(entry, 4);
    const next = docEnd(entry, end);
    p = writeTailDoc(p, doc - last - 1, <u32>((next - entry) >> 3) - 1);
    last = doc;
    entry = next;
  }
  return p;
}

function encodeTailKeys(entries: usize, end: usize, out: usize): usize {
  let p = out;
  let entry = entries;
  while (entry < end) {
    const next = docEnd(entry, end);
    p = writeKeys(entry, next, p);
    entry = next;
  }
  return p;
}
