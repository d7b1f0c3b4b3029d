// Binary heaps of (distance, node): u64 entries, the bits of the distance above the node. Distances are never negative, so entries are ordered by distance,
// ties by node. A heap is `[u32 count][u32 capacity][u64 entries ...]`.

import { scratchAlloc } from "../arena";

const HEADER: usize = 8;

export function heapScratch(capacity: u32): usize {
  const heap = scratchAlloc(<u32>HEADER + (capacity << 3));
  store<u32>(heap, 0);
  store<u32>(heap, capacity, 4);
  return heap;
}

// @ts-ignore: decorator
@inline export function entryOf(distance: f32, node: u32): u64 { return (<u64>reinterpret<u32>(distance) << 32) | <u64>node; }
// @ts-ignore: decorator
@inline export function nodeOf(entry: u64): u32 { return <u32>entry; }
export function distanceOf(entry: u64): f32 { return reinterpret<f32>(<u32>(entry >> 32)); }
// @ts-ignore: decorator
@inline export function heapCount(heap: usize): u32 { return load<u32>(heap); }
// @ts-ignore: decorator
@inline export function heapIsFull(heap: usize): bool { return load<u32>(heap) == load<u32>(heap, 4); }
// @ts-ignore: decorator
@inline export function heapTop(heap: usize): u64 { return load<u64>(heap, HEADER); }
// @ts-ignore: decorator
@inline export function heapEntries(heap: usize): usize { return heap + HEADER; }

/** Adds an entry to a heap whose root is the farthest. The heap must not be full. O(log count). */
export function pushFarthest(heap: usize, entry: u64): void {
  const entries = heap + HEADER;
  let at = <usize>load<u32>(heap);
  store<u32>(heap, <u32>at + 1);
  while (at > 0) {
    const parent = (at - 1) >> 1;
    const above = load<u64>(entries + (parent << 3));
    if (above >= entry) break;
    store<u64>(entries + (at << 3), above);
    at = parent;
  }
  store<u64>(entries + (at << 3), entry);
}

/** Replaces the farthest entry. O(log count). */
export function replaceFarthest(heap: usize, entry: u64): void { sinkFarthest(heap + HEADER, <usize>load<u32>(heap), entry); }

function sinkFarthest(entries: usize, count: usize, entry: u64): void {
  let at: usize = 0;
  for (;;) {
    let child: usize = 2 * at + 1;
    if (child >= count) break;
    let below = load<u64>(entries + (child << 3));
    if (child + 1 < count) {
      const other = load<u64>(entries + (child << 3), 8);
      if (other > below) {
        below = other;
        child++;
      }
    }
    if (below <= entry) break;
    store<u64>(entries + (at << 3), below);
    at = child;
  }
  store<u64>(entries + (at << 3), entry);
}

/** Adds an entry to a heap whose root is the nearest. The heap must not be full. O(log count). */
export function pushNearest(heap: usize, entry: u64): void {
  const entries = heap + HEADER;
  let at = <usize>load<u32>(heap);
  store<u32>(heap, <u32>at + 1);
  while (at > 0) {
    const parent = (at - 1) >> 1;
    const above = load<u64>(entries + (parent << 3));
    if (above <= entry) break;
    store<u64>(entries + (at << 3), above);
    at = parent;
  }
  store<u64>(entries + (at << 3), entry);
}

/** Removes and returns the nearest. The heap must not be empty. O(log count). */
export function popNearest(heap: usize): u64 {
  const entries = heap + HEADER;
  const nearest = load<u64>(entries);
  const count = <usize>load<u32>(heap) - 1;
  store<u32>(heap, <u32>count);
  const entry = load<u64>(entries + (count << 3));
  let at: usize = 0;
  for (;;) {
    let child: usize = 2 * at + 1;
    if (child >= count) break;
    let below = load<u64>(entries + (child << 3));
    if (child + 1 < count) {
      const other = load<u64>(entries + (child << 3), 8);
      if (other < below) {
        below = other;
        child++;
      }
    }
    if (below >= entry) break;
    store<u64>(entries + (at << 3), below);
    at = child;
  }
  store<u64>(entries + (at << 3), entry);
  return nearest;
}

/** Sorts the entries of a heap whose root is the farthest, nearest first; it is no heap afterwards. O(count * log count). */
export function sortFarthest(heap: usize): void {
  const entries = heap + HEADER;
  for (let count = <usize>load<u32>(heap); count > 1; count--) {
    const last = load<u64>(entries + ((count - 1) << 3));
    store<u64>(entries + ((count - 1) << 3), load<u64>(entries));
    sinkFarthest(entries, count - 1, last);
  }
}
