// The word tables of a segment: the inverter's terms in byte order with their dictionary and posting lists.

import { heapAlloc, heapFree } from "../arena";
import { Inverter, inverterEncode, inverterSort, occurrenceCount, termsOf } from "./inverter";
import { treeBytes, treeStart, writeTree } from "../dictionaries/tree-writer";
import { WordSet, itemAt, itemBytes, itemLength, itemTag } from "./word-set";
import { sortEntries } from "./entries";

/** Runs with equal first bytes up to this length are sorted by comparing whole words. */
const SMALL: u32 = 12;

/**
 * Makes dictionary, offsets and posting lists of one table, without words that have no live occurrence. Returns the number of words. The parts are valid
 * until the next call or the reset.
 */
export function inverterTable(self: usize, table: u32): u32 {
  const inverter = changetype<Inverter>(self);
  const terms = termsOf(inverter);
  inverterSort(self);
  const order = heapAlloc((terms.count << 2) + 4);
  let count: u32 = 0;
  for (let term: u32 = 0; term < terms.count; term++) {
    if (itemTag(itemAt(terms, term)) != table || occurrenceCount(inverter, term) == 0) continue;
    store<u32>(order + (<usize>count << 2), term);
    count++;
  }
  sortWords(terms, order, count);
  const pairs = heapAlloc((count << 3) + 8);
  for (let i: u32 = 0; i < count; i++) {
    const entry = itemAt(terms, load<u32>(order + (<usize>i << 2)));
    store<u32>(pairs + (<usize>i << 3), <u32>itemBytes(entry));
    store<u32>(pairs + (<usize>i << 3), itemLength(entry), 4);
  }
  heapFree(inverter.dictionaryBlock);
  inverter.dictionaryBlock = writeTree(pairs, count);
  inverter.dictionary = treeStart;
  inverter.dictionaryBytes = treeBytes;
  heapFree(inverter.words);
  inverter.words = pairs;
  heapFree(inverter.offsets);
  inverter.offsets = heapAlloc((count << 2) + 4);
  inverterEncode(self, order, count, inverter.offsets);
  heapFree(order);
  return count;
}

export function inverterDictionary(self: usize): usize { return changetype<Inverter>(self).dictionary; }
export function inverterDictionaryBytes(self: usize): u32 { return changetype<Inverter>(self).dictionaryBytes; }
export function inverterOffsets(self: usize): usize { return changetype<Inverter>(self).offsets; }
export function inverterLists(self: usize): usize { return changetype<Inverter>(self).out; }

/** Sorts the items at `order` (u32 each) by the bytes of their words, four bytes at a time as numbers: most words differ early. O(total bytes, times a logarithm). */
function sortWords(set: WordSet, order: usize, count: u32): void {
  if (count < 2) return;
  const keys = heapAlloc(count << 3);
  sortFrom(set, order, keys, count, 0);
  heapFree(keys);
}

/** Sorts words that share their first `depth` bytes. */
function sortFrom(set: WordSet, order: usize, keys: usize, count: u32, depth: u32): void {
  if (count <= SMALL) {
    insertionSort(set, order, count);
    return;
  }
  for (let i: u32 = 0; i < count; i++) {
    const item = load<u32>(order + (<usize>i << 2));
    store<u64>(keys + (<usize>i << 3), (<u64>fourBytes(itemAt(set, item), depth) << 32) | item);
  }
  sortEntries(keys, count);
  for (let i: u32 = 0; i < count; i++) store<u32>(order + (<usize>i << 2), load<u32>(keys + (<usize>i << 3)));
  // The keys of a run are read before the recursion overwrites them with its own keys.
  let from: u32 = 0;
  while (from < count) {
    const key = load<u32>(keys + (<usize>from << 3), 4);
    let to = from + 1;
    while (to < count && load<u32>(keys + (<usize>to << 3), 4) == key) to++;
    if (to - from > 1) sortRun(set, order + (<usize>from << 2), keys + (<usize>from << 3), to - from, depth + 4);
    from = to;
  }
}

/** Words that end within the shared part come first; there are several only where words contain zero bytes. */
function sortRun(set: WordSet, order: usize, keys: usize, count: u32, depth: u32): void {
  let ended: u32 = 0;
  for (let i: u32 = 0; i < count; i++) {
    const item = load<u32>(order + (<usize>i << 2));
    if (itemLength(itemAt(set, item)) > depth) continue;
    store<u32>(order + (<usize>i << 2), load<u32>(order + (<usize>ended << 2)));
    store<u32>(order + (<usize>ended << 2), item);
    ended++;
  }
  insertionSort(set, order, ended);
  sortFrom(set, order + (<usize>ended << 2), keys + (<usize>ended << 3), count - ended, depth);
}

/** The four bytes at `depth`, the first one highest; zeros after the end. */
function fourBytes(entry: usize, depth: u32): u32 {
  const length = itemLength(entry);
  if (depth >= length) return 0;
  // Words are padded with zeros to a multiple of eight, and depth is a multiple of four.
  return bswap(load<u32>(itemBytes(entry) + depth));
}

function insertionSort(set: WordSet, order: usize, count: u32): void {
  for (let i: u32 = 1; i < count; i++) {
    const item = load<u32>(order + (<usize>i << 2));
    let at = i;
    while (at > 0 && isBefore(set, item, load<u32>(order + (<usize>(at - 1) << 2)))) {
      store<u32>(order + (<usize>at << 2), load<u32>(order + (<usize>(at - 1) << 2)));
      at--;
    }
    store<u32>(order + (<usize>at << 2), item);
  }
}

function isBefore(set: WordSet, left: u32, right: u32): bool {
  const a = itemAt(set, left);
  const b = itemAt(set, right);
  const compared = memory.compare(itemBytes(a), itemBytes(b), min(itemLength(a), itemLength(b)));
  return compared != 0 ? compared < 0 : itemLength(a) < itemLength(b);
}
