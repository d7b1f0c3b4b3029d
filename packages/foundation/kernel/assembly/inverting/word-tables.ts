// The word tables of a segment: the inverter's terms in byte order with their dictionary and posting lists.

import { heapAlloc, heapFree } from "../arena";
import { Inverter, inverterEncode, inverterSort, occurrenceCount, termsOf } from "./inverter";
import { treeBytes, treeStart, writeTree } from "../dictionaries/tree-writer";
import { sortWords } from "./word-sort";
import { itemAt, itemBytes, itemLength, itemTag } from "./word-set";

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
