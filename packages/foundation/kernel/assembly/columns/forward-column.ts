// A forward column: the groups of each document (docs/kernel-abi.md). Number groups come first; string groups are numbered after them.

import { bitmapNext, hasBit, setBit } from "../bitmaps/bitmap";
import { isLive } from "./columns";
import { FORWARD_HEADER_BYTES } from "../layout";

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

/** The first row from `row` on whose document counts; the number of rows when there is none. */
function nextRow(forward: usize, universe: usize, deleted: usize, row: u32): u32 {
  const count = docCountOf(forward);
  if (docsOf(forward) != 0 || universe == 0) {
    while (row < count && !isLive(universe, deleted, docAt(forward, row))) row++;
    return row;
  }
  const first = firstDocOf(forward);
  while (row < count) {
    const doc = bitmapNext(universe, first + row);
    if (doc < 0 || <u32>doc - first >= count) return count;
    if (deleted == 0 || !hasBit(deleted, doc)) return doc - first;
    row = doc - first + 1;
  }
  return count;
}

/** The first document from `from` on that counts, -1 when there is none. */
export function nextLiveDoc(forward: usize, universe: usize, deleted: usize, from: u32): i32 {
  const row = nextRow(forward, universe, deleted, rowFrom(forward, from));
  return row < docCountOf(forward) ? docAt(forward, row) : -1;
}

/**
 * Fills starts and groups. The host has written the header but not the starts; room follows for docCount + 1 starts and for as many groups as both sides have
 * entries. All entries must be documents of the table. O(entries), times log documents where docids have gaps.
 */
export function toForward(
  forward: usize, numberOffsets: usize, numberDocs: usize, numberCount: u32, stringOffsets: usize, stringDocs: usize, stringCount: u32,
): void {
  const docCount = docCountOf(forward);
  const starts = forward + FORWARD_HEADER_BYTES;
  memory.fill(starts, 0, (<usize>docCount + 1) << 2);
  countEntries(forward, numberOffsets, numberDocs, numberCount);
  countEntries(forward, stringOffsets, stringDocs, stringCount);
  let sum: u32 = 0;
  for (let i: usize = 0; i <= <usize>docCount; i++) {
    sum += load<u32>(starts + (i << 2));
    store<u32>(starts + (i << 2), sum);
  }
  // Each start holds its row's end until here: rows are filled from the end, beginning with the last group.
  fillEntries(forward, stringOffsets, stringDocs, stringCount, numberCount);
  fillEntries(forward, numberOffsets, numberDocs, numberCount, 0);
}

function countEntries(forward: usize, offsets: usize, docIds: usize, groupCount: u32): void {
  if (groupCount == 0) return;
  const end = docIds + (<usize>load<u32>(offsets + (<usize>groupCount << 2)) << 2);
  for (let p = docIds + (<usize>load<u32>(offsets) << 2); p < end; p += 4) {
    const row = rowFrom(forward, load<u32>(p));
    assert(row < docCountOf(forward) && docAt(forward, row) == load<u32>(p), "document outside of the table");
    const at = forward + FORWARD_HEADER_BYTES + (<usize>row << 2);
    store<u32>(at, load<u32>(at) + 1);
  }
}

function fillEntries(forward: usize, offsets: usize, docIds: usize, groupCount: u32, base: u32): void {
  if (groupCount == 0) return;
  const groups = groupsOf(forward);
  let p = docIds + (<usize>load<u32>(offsets + (<usize>groupCount << 2)) << 2);
  for (let g = groupCount; g > 0; g--) {
    const from = docIds + (<usize>load<u32>(offsets + (<usize>(g - 1) << 2)) << 2);
    while (p > from) {
      p -= 4;
      const at = forward + FORWARD_HEADER_BYTES + (<usize>rowFrom(forward, load<u32>(p)) << 2);
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
