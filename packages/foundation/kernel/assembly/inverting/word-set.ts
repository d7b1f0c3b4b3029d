// A growing set of byte strings, each with a number and a value: the words of a segment under construction.
//
// Slots are u64, `hash << 32 | item + 1`, 0 when free; an item is `[u32 address][u32 length << 8 | tag][u32 hash][u32 value]`. The strings lie in chunks
// `[u32 previous chunk][u32 bytes][8 unused][strings ...]`, each 8-byte aligned and zero-padded to a multiple of 8, so that they are compared and hashed
// eight bytes at a time. The string to look up is in the probe, padded alike.

import { heapAlloc, heapFree } from "../arena";
import { probeBytes } from "../tables";

/** Longest string, in bytes. */
export const SET_BYTES_MAX: u32 = 1024;
/** No item. */
export const NO_ITEM: u32 = 0xffffffff;
const ITEM_BYTES: usize = 16;
const CHUNK_BYTES: u32 = 1 << 16;
const FIRST_SLOTS: u32 = 256;
const FIRST_CHUNK_BYTES: u32 = 4096;

/** Where the caller writes the string to look up; it then calls `padProbe`. */
export const probe: usize = probeBytes;

@unmanaged
export class WordSet {
  slots: usize;
  mask: u32;
  count: u32;
  items: usize;
  itemCapacity: u32;
  chunk: usize;
  chunkAt: usize;
  chunkEnd: usize;
  heldBytes: u32;
}

// @ts-ignore: decorator
@inline export function padProbe(length: u32): void { store<u64>(probe + length, 0); }

// @ts-ignore: decorator
@inline export function itemAt(set: WordSet, item: u32): usize { return set.items + <usize>item * ITEM_BYTES; }
// @ts-ignore: decorator
@inline export function itemBytes(entry: usize): usize { return load<u32>(entry); }
// @ts-ignore: decorator
@inline export function itemLength(entry: usize): u32 { return load<u32>(entry, 4) >> 8; }
export function itemTag(entry: usize): u32 { return load<u32>(entry, 4) & 0xff; }
export function itemValue(entry: usize): u32 { return load<u32>(entry, 12); }
export function setItemValue(entry: usize, value: u32): void { store<u32>(entry, value, 12); }

/** Hash of the probe. */
export function hashProbe(length: u32, tag: u32): u32 {
  let hash: u64 = 0x9e3779b97f4a7c15 ^ (<u64>length << 8 | tag);
  const end = probe + length;
  for (let p = probe; p < end; p += 8) {
    hash = (hash ^ load<u64>(p)) * 0xff51afd7ed558ccd;
    hash ^= hash >> 32;
  }
  return <u32>(hash ^ (hash >> 15));
}

function isProbe(entry: usize, length: u32, tag: u32): bool {
  if (load<u32>(entry, 4) != (length << 8 | tag)) return false;
  const bytes = itemBytes(entry);
  for (let at: usize = 0; at < <usize>length; at += 8) if (load<u64>(bytes + at) != load<u64>(probe + at)) return false;
  return true;
}

/** The item of the probe, or NO_ITEM. */
export function findItem(set: WordSet, hash: u32, length: u32, tag: u32): u32 {
  if (set.count == 0) return NO_ITEM;
  const mask = set.mask;
  let slot = hash & mask;
  let held = load<u64>(set.slots + (<usize>slot << 3));
  while (held != 0) {
    const item = <u32>held - 1;
    if (<u32>(held >> 32) == hash && isProbe(itemAt(set, item), length, tag)) return item;
    slot = (slot + 1) & mask;
    held = load<u64>(set.slots + (<usize>slot << 3));
  }
  return NO_ITEM;
}

/** Adds the probe, which must not be in the set. Returns its item: items are numbered from 0. */
export function addItem(set: WordSet, hash: u32, length: u32, tag: u32): u32 {
  const item = set.count;
  if (set.slots == 0 || (item << 1) > set.mask) growSlots(set);
  if (item == set.itemCapacity) growItems(set);
  const entry = itemAt(set, item);
  store<u32>(entry, <u32>copyProbe(set, length));
  store<u32>(entry, length << 8 | tag, 4);
  store<u32>(entry, hash, 8);
  store<u32>(entry, 0, 12);
  set.count = item + 1;
  insertItem(set, hash, item);
  return item;
}

// @ts-ignore: decorator
@inline function insertItem(set: WordSet, hash: u32, item: u32): void {
  const mask = set.mask;
  let slot = hash & mask;
  while (load<u64>(set.slots + (<usize>slot << 3)) != 0) slot = (slot + 1) & mask;
  store<u64>(set.slots + (<usize>slot << 3), (<u64>hash << 32) | (item + 1));
}

function growSlots(set: WordSet): void {
  const slotCount = set.slots == 0 ? FIRST_SLOTS : (set.mask + 1) << 1;
  if (slotCount > 1 << 28) unreachable();
  if (set.slots != 0) set.heldBytes -= (set.mask + 1) << 3;
  heapFree(set.slots);
  set.slots = heapAlloc(slotCount << 3);
  memory.fill(set.slots, 0, <usize>slotCount << 3);
  set.mask = slotCount - 1;
  set.heldBytes += slotCount << 3;
  for (let item: u32 = 0; item < set.count; item++) insertItem(set, load<u32>(itemAt(set, item), 8), item);
}

function growItems(set: WordSet): void {
  const capacity = max<u32>(128, set.itemCapacity << 1);
  const items = heapAlloc(capacity * <u32>ITEM_BYTES);
  memory.copy(items, set.items, <usize>set.count * ITEM_BYTES);
  heapFree(set.items);
  set.items = items;
  set.heldBytes += (capacity - set.itemCapacity) * <u32>ITEM_BYTES;
  set.itemCapacity = capacity;
}

function copyProbe(set: WordSet, length: u32): usize {
  const bytes = (<usize>length + 7) & ~7;
  if (bytes > set.chunkEnd - set.chunkAt) {
    const capacity = set.chunk == 0 ? FIRST_CHUNK_BYTES : CHUNK_BYTES;
    const chunk = heapAlloc(capacity + 16);
    store<u32>(chunk, <u32>set.chunk);
    set.chunk = chunk;
    set.chunkAt = chunk + 16;
    set.chunkEnd = chunk + 16 + capacity;
    set.heldBytes += capacity + 32;
  }
  const at = set.chunkAt;
  memory.copy(at, probe, bytes);
  set.chunkAt = at + bytes;
  return at;
}

/** Frees all memory. */
export function clearSet(set: WordSet): void {
  heapFree(set.slots);
  heapFree(set.items);
  let chunk = set.chunk;
  while (chunk != 0) {
    const previous = load<u32>(chunk);
    heapFree(chunk);
    chunk = previous;
  }
  memory.fill(changetype<usize>(set), 0, offsetof<WordSet>());
}
