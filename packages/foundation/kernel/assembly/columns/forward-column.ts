// A forward column: the groups of each document (docs/internals/kernel-abi.md). Number groups come first; string groups are numbered after them.

import { bitmapNext, hasBit, setBit } from "../bitmaps/bitmap";
import { scratchAlloc, scratchMark, scratchRelease } from "../arena";
import { isLive } from "./columns";
import { FORWARD_HEADER_BYTES } from "../layout";

/** A table of rows by docid is not worth its memory when fewer than one docid in 32 has a document. */
const DOCIDS_PER_ROW_MAX: u32 = 32;
/** Bytes for 64 docids: u64 bits, u32 documents before them, four unused. */
const WORD_BYTES_LOG: usize = 4;

/** The group of a row that has none yet. */
const NO_GROUP: u32 = 0xffffffff;

// @ts-ignore: decorator
@inline function docsOf(forward: usize): usize { return load<u32>(forward); }
// @ts-ignore: decorator
@inline function firstDocOf(forward: usize): u32 { return load<u32>(forward, 4); }
// @ts-ignore: decorator
@inline function docCountOf(forward: usize): u32 { return load<u32>(forward, 8); }
function groupCountOf(forward: usize): u32 { return load<u32>(forward, 12); }
// @ts-ignore: decorator
@inline function groupsOf(forward: usize): usize { return load<u32>(forward, 16); }
// @ts-ignore: decorator
@inline function startAt(forward: usize, row: u32): usize { return groupsOf(forward) + (<usize>load<u32>(forward + FORWARD_HEADER_BYTES + (<usize>row << 2)) << 2); }

// @ts-ignore: decorator
@inline function docAt(forward: usize, row: u32): u32 {
  const docs = docsOf(forward);
  return docs == 0 ? firstDocOf(forward) + row : load<u32>(docs + (<usize>row << 2));
}

/** The first row whose document is `doc` or a later one; the number of rows when there is none. */
function rowFrom(forward: usize, doc: u32): u32 {
  const first = firstDocOf(forward);
  if (doc <= first) return 0;
  const count = docCountOf(forward);
  const docs = docsOf(forward);
  if (docs == 0) return min(doc - first, count);
  let low: u32 = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (load<u32>(docs + (<usize>middle << 2)) < doc) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The row of a document; -1 when it has none. */
export function forwardRowOf(forward: usize, doc: u32): i32 {
  const row = rowFrom(forward, doc);
  return row < docCountOf(forward) && docAt(forward, row) == doc ? row : -1;
}

/** The first row from `row` on whose document counts; the number of rows when there is none. O(log of the rows passed over) for each member of the universe. */
function nextRow(forward: usize, universe: usize, deleted: usize, row: u32): u32 {
  const count = docCountOf(forward);
  if (universe == 0) {
    while (row < count && !isLive(0, deleted, docAt(forward, row))) row++;
    return row;
  }
  while (row < count) {
    const doc = bitmapNext(universe, docAt(forward, row));
    if (doc < 0) return count;
    row = rowAfter(forward, row, doc);
    if (row == count) return count;
    if (docAt(forward, row) != <u32>doc) continue;
    if (deleted == 0 || !hasBit(deleted, doc)) return row;
    row++;
  }
  return count;
}

/** The first row from `row` on whose document is `doc` or a later one; the document of `row` is not later. By galloping. */
function rowAfter(forward: usize, row: u32, doc: u32): u32 {
  const count = docCountOf(forward);
  const docs = docsOf(forward);
  if (docs == 0) return min(doc - firstDocOf(forward), count);
  let low = row;
  let step: u32 = 1;
  while (low + step < count && load<u32>(docs + (<usize>(low + step) << 2)) < doc) {
    low += step;
    step <<= 1;
  }
  let high = min(low + step, count);
  while (low < high) {
    const middle = (low + high) >> 1;
    if (load<u32>(docs + (<usize>middle << 2)) < doc) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The first document from `from` on that counts, -1 when there is none. */
export function nextLiveDoc(forward: usize, universe: usize, deleted: usize, from: u32): i32 {
  const row = nextRow(forward, universe, deleted, rowFrom(forward, from));
  return row < docCountOf(forward) ? docAt(forward, row) : -1;
}

/**
 * Fills starts and groups. The host has written the header but not the starts; room follows for docCount + 1 starts and for `entryCount` groups, which both sides
 * have, or those of their entries that are in `within`. These must be documents of the table. O(entries), times log documents where most docids are gaps.
 */
export function toForward(
  forward: usize, numberOffsets: usize, numberDocs: usize, numberCount: u32, stringOffsets: usize, stringDocs: usize, stringCount: u32,
  entryCount: u32, within: usize,
): void {
  const docCount = docCountOf(forward);
  const starts = forward + FORWARD_HEADER_BYTES;
  const mark = scratchMark();
  const ranks = docsOf(forward) == 0 ? <usize>0 : rowRanks(docsOf(forward), docCount);
  if (entryCount == docCount) memory.fill(groupsOf(forward), 0xff, <usize>docCount << 2);
  const isSingle = entryCount == docCount && fillSingle(forward, ranks, within, numberOffsets, numberDocs, numberCount, 0)
    && fillSingle(forward, ranks, within, stringOffsets, stringDocs, stringCount, numberCount);
  if (isSingle) {
    for (let i: u32 = 0; i <= docCount; i++) store<u32>(starts + (<usize>i << 2), i);
  } else {
    memory.fill(starts, 0, (<usize>docCount + 1) << 2);
    countEntries(forward, ranks, within, numberOffsets, numberDocs, numberCount);
    countEntries(forward, ranks, within, stringOffsets, stringDocs, stringCount);
    let sum: u32 = 0;
    for (let i: usize = 0; i <= <usize>docCount; i++) {
      sum += load<u32>(starts + (i << 2));
      store<u32>(starts + (i << 2), sum);
    }
    // Each start holds its row's end until here: rows are filled from the end, beginning with the last group.
    fillEntries(forward, ranks, within, stringOffsets, stringDocs, stringCount, numberCount);
    fillEntries(forward, ranks, within, numberOffsets, numberDocs, numberCount, 0);
  }
  scratchRelease(mark);
}

/** Sets the bits of the documents of all groups that count. Returns how many entries they have. */
export function entriesWithin(universe: usize, deleted: usize, offsets: usize, docIds: usize, groupCount: u32, hits: usize): u32 {
  if (groupCount == 0) return 0;
  let count: u32 = 0;
  const end = docIds + (<usize>load<u32>(offsets + (<usize>groupCount << 2)) << 2);
  for (let p = docIds + (<usize>load<u32>(offsets) << 2); p < end; p += 4) {
    const doc = load<u32>(p);
    if (!isLive(universe, deleted, doc)) continue;
    setBit(hits, doc);
    count++;
  }
  return count;
}

/** The row of a document of the table. O(1) with `ranks`. */
// @ts-ignore: decorator
@inline function rowOf(forward: usize, ranks: usize, doc: u32): u32 {
  return ranks == 0 ? rowFrom(forward, doc) : rankOf(ranks, doc - firstDocOf(forward));
}

/** Writes the group of each document to its row, which has none yet. Returns false when a document has two groups: then the rows are not valid. */
function fillSingle(forward: usize, ranks: usize, within: usize, offsets: usize, docIds: usize, groupCount: u32, base: u32): bool {
  const groups = groupsOf(forward);
  for (let g: u32 = 0; g < groupCount; g++) {
    const end = docIds + (<usize>load<u32>(offsets + (<usize>(g + 1) << 2)) << 2);
    for (let p = docIds + (<usize>load<u32>(offsets + (<usize>g << 2)) << 2); p < end; p += 4) {
      if (within != 0 && !hasBit(within, load<u32>(p))) continue;
      const row = rowOf(forward, ranks, load<u32>(p));
      assert(row < docCountOf(forward) && docAt(forward, row) == load<u32>(p), "document outside of the table");
      const at = groups + (<usize>row << 2);
      if (load<u32>(at) != NO_GROUP) return false;
      store<u32>(at, base + g);
    }
  }
  return true;
}

function countEntries(forward: usize, ranks: usize, within: usize, offsets: usize, docIds: usize, groupCount: u32): void {
  if (groupCount == 0) return;
  const end = docIds + (<usize>load<u32>(offsets + (<usize>groupCount << 2)) << 2);
  for (let p = docIds + (<usize>load<u32>(offsets) << 2); p < end; p += 4) {
    if (within != 0 && !hasBit(within, load<u32>(p))) continue;
    const row = rowOf(forward, ranks, load<u32>(p));
    assert(row < docCountOf(forward) && docAt(forward, row) == load<u32>(p), "document outside of the table");
    const at = forward + FORWARD_HEADER_BYTES + (<usize>row << 2);
    store<u32>(at, load<u32>(at) + 1);
  }
}

function fillEntries(forward: usize, ranks: usize, within: usize, offsets: usize, docIds: usize, groupCount: u32, base: u32): void {
  if (groupCount == 0) return;
  const groups = groupsOf(forward);
  let p = docIds + (<usize>load<u32>(offsets + (<usize>groupCount << 2)) << 2);
  for (let g = groupCount; g > 0; g--) {
    const from = docIds + (<usize>load<u32>(offsets + (<usize>(g - 1) << 2)) << 2);
    while (p > from) {
      p -= 4;
      if (within != 0 && !hasBit(within, load<u32>(p))) continue;
      const at = forward + FORWARD_HEADER_BYTES + (<usize>rowOf(forward, ranks, load<u32>(p)) << 2);
      const slot = load<u32>(at) - 1;
      store<u32>(at, slot);
      store<u32>(groups + (<usize>slot << 2), base + g - 1);
    }
  }
}

/** counts[g] = documents of group g that count. `counts` is filled with zeros first. O(groups + documents + their groups). */
export function countByDocument(forward: usize, universe: usize, deleted: usize, counts: usize): void {
  memory.fill(counts, 0, <usize>groupCountOf(forward) << 2);
  const docCount = docCountOf(forward);
  for (let i = nextRow(forward, universe, deleted, 0); i < docCount; i = nextRow(forward, universe, deleted, i + 1)) {
    const end = startAt(forward, i + 1);
    for (let g = startAt(forward, i); g < end; g += 4) {
      const at = counts + (<usize>load<u32>(g) << 2);
      store<u32>(at, load<u32>(at) + 1);
    }
  }
}

/** Writes the groups of all documents that count, one for each entry, unordered. With `out` 0 it only counts them. Returns how many. */
export function gatherGroups(forward: usize, universe: usize, deleted: usize, out: usize): u32 {
  const docCount = docCountOf(forward);
  let found: u32 = 0;
  for (let i = nextRow(forward, universe, deleted, 0); i < docCount; i = nextRow(forward, universe, deleted, i + 1)) {
    const start = startAt(forward, i);
    const bytes = startAt(forward, i + 1) - start;
    if (out != 0) memory.copy(out + (<usize>found << 2), start, bytes);
    found += <u32>(bytes >> 2);
  }
  return found;
}

/**
 * For each document that counts and has a group: u64 group << 32 | docid of its first group in sort order, which is the least one, or with `isDescending` the
 * greatest number, else the greatest string. In docid order. Returns how many.
 */
export function gatherFirsts(forward: usize, universe: usize, deleted: usize, numberCount: u32, isDescending: bool, out: usize): u32 {
  const docCount = docCountOf(forward);
  let found: u32 = 0;
  for (let i = nextRow(forward, universe, deleted, 0); i < docCount; i = nextRow(forward, universe, deleted, i + 1)) {
    const start = startAt(forward, i);
    const end = startAt(forward, i + 1);
    if (start == end) continue;
    let at = start;
    if (isDescending) {
      at = end - 4;
      if (load<u32>(start) < numberCount) while (load<u32>(at) >= numberCount) at -= 4;
    }
    store<u64>(out + (<usize>found << 3), (<u64>load<u32>(at) << 32) | docAt(forward, i));
    found++;
  }
  return found;
}

/**
 * Goes through the documents of [from, to) that count, in docid order. A document none of whose groups is in `seen` is a first: its bit is set in `firsts`,
 * its groups are set in `seen` and listed from out[1] on. Ends after `limit` firsts. out[0] = number of firsts. Returns the number of listed groups.
 */
export function firstsBetween(
  forward: usize, universe: usize, deleted: usize, seen: usize, from: u32, to: u32, limit: u32, firsts: usize, out: usize,
): u32 {
  const docCount = docCountOf(forward);
  let listed: u32 = 0;
  let count: u32 = 0;
  for (let i = nextRow(forward, universe, deleted, rowFrom(forward, from)); i < docCount; i = nextRow(forward, universe, deleted, i + 1)) {
    const doc = docAt(forward, i);
    if (doc >= to || count == limit) break;
    const start = startAt(forward, i);
    const end = startAt(forward, i + 1);
    let g = start;
    while (g < end && !hasBit(seen, load<u32>(g))) g += 4;
    if (g < end) continue;
    setBit(firsts, doc);
    count++;
    for (g = start; g < end; g += 4) {
      setBit(seen, load<u32>(g));
      listed++;
      store<u32>(out + (<usize>listed << 2), load<u32>(g));
    }
  }
  store<u32>(out, count);
  return listed;
}

/**
 * The rows of `count` ascending documents by docid, in scratch: a bitmap with the number of documents before each word (rank directory), with docids counted from the first; 0 when most docids between the first and the last are gaps.
 * O(docids)
 */
function rowRanks(docs: usize, count: u32): usize {
  if (count == 0) return 0;
  const first = load<u32>(docs);
  const span = load<u32>(docs + (<usize>(count - 1) << 2)) - first + 1;
  if (span / DOCIDS_PER_ROW_MAX > count) return 0;
  const words = (<usize>span + 63) >> 6;
  const ranks = scratchAlloc(<u32>(words << WORD_BYTES_LOG));
  memory.fill(ranks, 0, words << WORD_BYTES_LOG);
  for (let row: u32 = 0; row < count; row++) {
    const docId = load<u32>(docs + (<usize>row << 2)) - first;
    const at = ranks + (<usize>(docId >> 6) << WORD_BYTES_LOG);
    store<u64>(at, load<u64>(at) | (<u64>1 << (docId & 63)));
  }
  let before: u32 = 0;
  for (let at = ranks; at < ranks + (words << WORD_BYTES_LOG); at += 1 << WORD_BYTES_LOG) {
    store<u32>(at, before, 8);
    before += <u32>popcnt<u64>(load<u64>(at));
  }
  return ranks;
}

/** The number of documents before the one with this docid, counted from the first. O(1) */
// @ts-ignore: decorator
@inline function rankOf(ranks: usize, docId: u32): u32 {
  const at = ranks + (<usize>(docId >> 6) << WORD_BYTES_LOG);
  return load<u32>(at, 8) + <u32>popcnt<u64>(load<u64>(at) & ((<u64>1 << (docId & 63)) - 1));
}
