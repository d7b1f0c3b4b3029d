// Joins occurrences of several lists: into a position table for a search, or into one list for a merge of segments.

import { heapAlloc, scratchAlloc } from "../arena";
import { Cursor, docAt, firstKey, indexWithin, isLive, left, nextBlock, nextBlockWithin, nextKey, open, startKeys } from "./cursor";
import { encodedBytesMax, encodeList } from "./encode";
import { closeRun, commitEntries, endEntries, entriesLength, mergeRuns, reserveEntries, startEntries } from "../inverting/entries";
import { LIST_PAIR_BYTES, SKIP_ENTRY_BYTES, TABLE_HEADER_BYTES } from "../layout";

/** Appends the occurrences of one document. */
function appendDoc(cursor: Cursor, index: u32, doc: u32): void {
  const count = startKeys(cursor, index);
  const capacity = reserveEntries(count);
  const high = <u64>doc << 32;
  let key = firstKey(cursor);
  store<u64>(capacity, high | key);
  const end = capacity + (<usize>count << 3);
  for (let p = capacity + 8; p < end; p += 8) {
    key = nextKey(cursor, key);
    store<u64>(p, high | key);
  }
  commitEntries(count);
}

/** Appends the live occurrences in documents of `universe` (0: all documents). */
function appendList(list: usize, deleted: usize, universe: usize): void {
  const cursor = left;
  open(cursor, list, deleted);
  const start = entriesLength();
  while (universe == 0 ? nextBlock(cursor) : nextBlockWithin(cursor, universe)) {
    const count = cursor.count;
    for (let i: u32 = 0; i < count; i++) {
      if (universe != 0) {
        i = indexWithin(cursor, i, universe);
        if (i == count) break;
      }
      const doc = docAt(cursor, i);
      if (isLive(cursor, doc)) appendDoc(cursor, i, doc);
    }
  }
  closeRun(start);
}

/** `pairs`: listCount times (u32 list, u32 deleted). Returns the address of the entries; the caller must call `endEntries`. */
function gather(pairs: usize, listCount: u32, universe: usize, reserved: u32): usize {
  startEntries();
  reserveEntries(reserved);
  const end = pairs + <usize>listCount * LIST_PAIR_BYTES;
  for (let p = pairs; p < end; p += LIST_PAIR_BYTES) appendList(load<u32>(p), load<u32>(p, 4), universe);
  return mergeRuns();
}

/** A position table in scratch. O(occurrences * log of the number of lists that overlap). */
export function gatherPositions(pairs: usize, listCount: u32, universe: usize): usize {
  const entries = gather(pairs, listCount, universe, 0);
  const count = entriesLength();
  const table = scratchAlloc(TABLE_HEADER_BYTES + (count << 3));
  store<u32>(table, count);
  store<u32>(table, 0, 4);
  memory.copy(table + TABLE_HEADER_BYTES, entries, <usize>count << 3);
  endEntries();
  return table;
}

/** Bytes of the keys in whole blocks, at least as many as occurrences, up to 2^25: entries that grow by doubling touch twice the memory. */
function keyBytesOf(pairs: usize, listCount: u32): u32 {
  let bytes: u64 = 0;
  for (let i: u32 = 0; i < listCount; i++) {
    open(left, load<u32>(pairs + <usize>i * LIST_PAIR_BYTES), 0);
    if (left.blockCount > 0) bytes += load<u32>(left.docBytes - 4 - SKIP_ENTRY_BYTES, 8);
  }
  return <u32>min<u64>(bytes, 1 << 25);
}

/** One list of all live documents, in long-lived memory: `[u32 byteCount, u32 0][bytes]`. 0 when no document is left. */
export function mergePostings(pairs: usize, listCount: u32): usize {
  const entries = gather(pairs, listCount, 0, keyBytesOf(pairs, listCount));
  const count = entriesLength();
  if (count == 0) { endEntries(); return 0; }
  const bytes = encodedBytesMax(count) + 8;
  if (bytes > 0xfff00000) unreachable();
  const out = heapAlloc(<u32>bytes);
  const end = encodeList(entries, count, out + 8);
  endEntries();
  store<u32>(out, <u32>(end - out - 8));
  return out;
}
