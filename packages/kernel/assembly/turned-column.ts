// A column turned around: the groups of each document (docs/kernel-abi.md). Number groups come first, string groups count on from them.

import { bitmapNext, hasBit, setBit } from "./bitmap";
import { isLive } from "./columns";
import { TURNED_HEADER_BYTES } from "./layout";

// @ts-ignore: decorator
@inline function docsOf(turned: usize): usize { return load<u32>(turned); }
// @ts-ignore: decorator
@inline function firstDocOf(turned: usize): u32 { return load<u32>(turned, 4); }
// @ts-ignore: decorator
@inline function docCountOf(turned: usize): u32 { return load<u32>(turned, 8); }
// @ts-ignore: decorator
@inline function groupCountOf(turned: usize): u32 { return load<u32>(turned, 12); }
// @ts-ignore: decorator
@inline function groupsOf(turned: usize): usize { return load<u32>(turned, 16); }
// @ts-ignore: decorator
@inline function startAt(turned: usize, place: u32): usize { return groupsOf(turned) + (<usize>load<u32>(turned + TURNED_HEADER_BYTES + (<usize>place << 2)) << 2); }

// @ts-ignore: decorator
@inline function docAt(turned: usize, place: u32): u32 {
  const docs = docsOf(turned);
  return docs == 0 ? firstDocOf(turned) + place : load<u32>(docs + (<usize>place << 2));
}

/** The first place whose document is `doc` or a later one; their number when there is none. */
function placeFrom(turned: usize, doc: u32): u32 {
  const first = firstDocOf(turned);
  if (doc <= first) return 0;
  const count = docCountOf(turned);
  const docs = docsOf(turned);
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

/** The place of a document, -1 when it has none. */
export function placeOf(turned: usize, doc: u32): i32 {
  const place = placeFrom(turned, doc);
  return place < docCountOf(turned) && docAt(turned, place) == doc ? place : -1;
}

/** The first place from `place` on whose document counts; their number when there is none. */
function nextPlace(turned: usize, universe: usize, dead: usize, place: u32): u32 {
  const count = docCountOf(turned);
  if (docsOf(turned) != 0 || universe == 0) {
    while (place < count && !isLive(universe, dead, docAt(turned, place))) place++;
    return place;
  }
  const first = firstDocOf(turned);
  while (place < count) {
    const doc = bitmapNext(universe, first + place);
    if (doc < 0 || <u32>doc - first >= count) return count;
    if (dead == 0 || !hasBit(dead, doc)) return doc - first;
    place = doc - first + 1;
  }
  return count;
}

/** The first document from `from` on that counts, -1 when there is none. */
export function nextLiveDoc(turned: usize, universe: usize, dead: usize, from: u32): i32 {
  const place = nextPlace(turned, universe, dead, placeFrom(turned, from));
  return place < docCountOf(turned) ? docAt(turned, place) : -1;
}

/**
 * Fills starts and groups. The header is written before by the host, all but its starts; they have docCount + 1 words behind it, groups as many as
 * both sides have entries. All entries must be documents of the table. O(entries), times log documents where these have gaps.
 */
export function turnColumn(
  turned: usize, numberOffsets: usize, numberDocs: usize, numberCount: u32, stringOffsets: usize, stringDocs: usize, stringCount: u32,
): void {
  const docCount = docCountOf(turned);
  const starts = turned + TURNED_HEADER_BYTES;
  memory.fill(starts, 0, (<usize>docCount + 1) << 2);
  countEntries(turned, numberOffsets, numberDocs, numberCount);
  countEntries(turned, stringOffsets, stringDocs, stringCount);
  let sum: u32 = 0;
  for (let i: usize = 0; i <= <usize>docCount; i++) {
    sum += load<u32>(starts + (i << 2));
    store<u32>(starts + (i << 2), sum);
  }
  // Each start was its end until now: filled from behind, groups from the last one on.
  fillEntries(turned, stringOffsets, stringDocs, stringCount, numberCount);
  fillEntries(turned, numberOffsets, numberDocs, numberCount, 0);
}

function countEntries(turned: usize, offsets: usize, docIds: usize, groupCount: u32): void {
  if (groupCount == 0) return;
  const end = docIds + (<usize>load<u32>(offsets + (<usize>groupCount << 2)) << 2);
  for (let p = docIds + (<usize>load<u32>(offsets) << 2); p < end; p += 4) {
    const place = placeFrom(turned, load<u32>(p));
    assert(place < docCountOf(turned) && docAt(turned, place) == load<u32>(p), "document outside of the table");
    const at = turned + TURNED_HEADER_BYTES + (<usize>place << 2);
    store<u32>(at, load<u32>(at) + 1);
  }
}

function fillEntries(turned: usize, offsets: usize, docIds: usize, groupCount: u32, base: u32): void {
  if (groupCount == 0) return;
  const groups = groupsOf(turned);
  let p = docIds + (<usize>load<u32>(offsets + (<usize>groupCount << 2)) << 2);
  for (let g = groupCount; g > 0; g--) {
    const from = docIds + (<usize>load<u32>(offsets + (<usize>(g - 1) << 2)) << 2);
    while (p > from) {
      p -= 4;
      const at = turned + TURNED_HEADER_BYTES + (<usize>placeFrom(turned, load<u32>(p)) << 2);
      const slot = load<u32>(at) - 1;
      store<u32>(at, slot);
      store<u32>(groups + (<usize>slot << 2), base + g - 1);
    }
  }
}

/** counts[g] = documents of group g that count. `counts` is filled with zeros first. O(groups + documents + their groups). */
export function countByDocument(turned: usize, universe: usize, dead: usize, counts: usize): void {
  memory.fill(counts, 0, <usize>groupCountOf(turned) << 2);
  const docCount = docCountOf(turned);
  for (let i = nextPlace(turned, universe, dead, 0); i < docCount; i = nextPlace(turned, universe, dead, i + 1)) {
    const end = startAt(turned, i + 1);
    for (let g = startAt(turned, i); g < end; g += 4) {
      const at = counts + (<usize>load<u32>(g) << 2);
      store<u32>(at, load<u32>(at) + 1);
    }
  }
}

/** The groups of all documents that count, one for each entry, in no order; `out` 0: only answers how many. */
export function gatherGroups(turned: usize, universe: usize, dead: usize, out: usize): u32 {
  const docCount = docCountOf(turned);
  let found: u32 = 0;
  for (let i = nextPlace(turned, universe, dead, 0); i < docCount; i = nextPlace(turned, universe, dead, i + 1)) {
    const start = startAt(turned, i);
    const bytes = startAt(turned, i + 1) - start;
    if (out != 0) memory.copy(out + (<usize>found << 2), start, bytes);
    found += <u32>(bytes >> 2);
  }
  return found;
}

/**
 * For each document that counts and has a group: u64 group << 32 | docid, of its first group in the order of a sort: the least one, or with
 * `isDescending` the greatest number, else the greatest string. In docid order. Answers how many.
 */
export function gatherFirsts(turned: usize, universe: usize, dead: usize, numberCount: u32, isDescending: bool, out: usize): u32 {
  const docCount = docCountOf(turned);
  let found: u32 = 0;
  for (let i = nextPlace(turned, universe, dead, 0); i < docCount; i = nextPlace(turned, universe, dead, i + 1)) {
    const start = startAt(turned, i);
    const end = startAt(turned, i + 1);
    if (start == end) continue;
    let at = start;
    if (isDescending) {
      at = end - 4;
      if (load<u32>(start) < numberCount) while (load<u32>(at) >= numberCount) at -= 4;
    }
    store<u64>(out + (<usize>found << 3), (<u64>load<u32>(at) << 32) | docAt(turned, i));
    found++;
  }
  return found;
}

/**
 * Goes through the documents of [from, to) that count, in docid order: one whose groups have no bit in `seen` is a first and gets its bit in
 * `firsts`; its groups get theirs in `seen` and are listed at out[1] and on. Ends after `limit` firsts. out[0] = how many firsts; answers how
 * many groups are listed.
 */
export function firstsBetween(
  turned: usize, universe: usize, dead: usize, seen: usize, from: u32, to: u32, limit: u32, firsts: usize, out: usize,
): u32 {
  const docCount = docCountOf(turned);
  let listed: u32 = 0;
  let count: u32 = 0;
  for (let i = nextPlace(turned, universe, dead, placeFrom(turned, from)); i < docCount; i = nextPlace(turned, universe, dead, i + 1)) {
    const doc = docAt(turned, i);
    if (doc >= to || count == limit) break;
    const start = startAt(turned, i);
    const end = startAt(turned, i + 1);
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
