// Growable lists of occurrences (u64: docId * 2^32 + key), and how they are sorted.

import { grown, heapAlloc, heapFree } from "../arena";
import { tick } from "../ticks";

/** Insertion sort is used below this many entries. */
const SMALL: u32 = 24;
/** From this many runs on, two radix passes over the docids and one over the documents are cheaper than log2(runs) merge passes. */
const RADIX_RUNS_MIN: u32 = 16;
const RADIX_BITS: u32 = 11;
const RADIX_DIGITS: u32 = 1 << 11;

// The only growable list: its entries, and the starts (u32 entry indexes) of its ascending runs.
let entries: usize = 0;
let entryCapacity: u32 = 0;
let entryCount: u32 = 0;
let runs: usize = 0;
let runCapacity: u32 = 0;
let runCount: u32 = 0;

export function startEntries(): void {
  entryCapacity = 4096;
  entries = heapAlloc(entryCapacity << 3);
  entryCount = 0;
  runCapacity = 64;
  runs = heapAlloc(runCapacity << 2);
  runCount = 0;
}

/** Address where up to `count` entries may be written before `commitEntries`. */
export function reserveEntries(count: u32): usize {
  if (entryCount + count > entryCapacity) growEntries(count);
  return entries + (<usize>entryCount << 3);
}

function growEntries(count: u32): void {
  if (<u64>entryCount + count > 0x1fff0000) unreachable();
  const doubled = min<u32>(entryCapacity << 1, 0x1fff0000);
  entryCapacity = max(doubled, entryCount + count);
  entries = grown(entries, entryCount << 3, entryCapacity << 3);
}

export function commitEntries(count: u32): void { entryCount += count; }

/** Declares that an ascending run starts here; it is joined to the previous run where that keeps the order. Call it after the run is written. */
export function closeRun(start: u32): void {
  if (start == entryCount) return;
  if (start > 0 && load<u64>(entries + (<usize>(start - 1) << 3)) < load<u64>(entries + (<usize>start << 3))) return;
  if (runCount == runCapacity) {
    runCapacity <<= 1;
    runs = grown(runs, runCount << 2, runCapacity << 2);
  }
  store<u32>(runs + (<usize>runCount << 2), start);
  runCount++;
}

export function entriesLength(): u32 { return entryCount; }

/**
 * Merges all runs and drops duplicates. Returns the address of the entries, valid until `endEntries`. O(n log runs) for few runs, O(n) for many (the words of
 * a short prefix).
 */
export function mergeRuns(): usize {
  if (runCount < 2) return entries;
  if (runCount >= RADIX_RUNS_MIN) return sortRuns();
  let source = entries;
  let target = heapAlloc(entryCount << 3);
  while (runCount > 1) {
    let out: u32 = 0;
    let kept: u32 = 0;
    for (let r: u32 = 0; r < runCount; r += 2) {
      const from = runStart(r);
      const middle = r + 1 < runCount ? runStart(r + 1) : entryCount;
      const end = r + 2 < runCount ? runStart(r + 2) : entryCount;
      const start = out;
      out = mergeTwo(source, from, middle, end, target, out);
      store<u32>(runs + (<usize>kept << 2), start);
      kept++;
    }
    runCount = kept;
    entryCount = out;
    const swapped = source;
    source = target;
    target = swapped;
  }
  heapFree(target);
  entries = source;
  return source;
}

/** Radix-sorts by document, then sorts the entries of each document, which are few. */
function sortRuns(): usize {
  let source = entries;
  let target = heapAlloc(max<u32>(entryCount, 1) << 3);
  const counts = heapAlloc(RADIX_DIGITS << 2);
  let used: u32 = 0;
  const end = entries + (<usize>entryCount << 3);
  for (let p = entries; p < end; p += 8) used |= load<u32>(p, 4);
  for (let shift: u32 = 0; shift < 32 && used >> shift != 0; shift += RADIX_BITS) {
    tick();
    sortByDigit(source, target, counts, shift);
    const swapped = source;
    source = target;
    target = swapped;
  }
  heapFree(counts);
  heapFree(target);
  entries = source;
  sortDocuments();
  entryCount = distinctEntries(entries, entryCount);
  return entries;
}

/** One stable pass over the digit of the docid at `shift`. */
function sortByDigit(source: usize, target: usize, counts: usize, shift: u32): void {
  const end = source + (<usize>entryCount << 3);
  memory.fill(counts, 0, RADIX_DIGITS << 2);
  for (let p = source; p < end; p += 8) {
    const at = counts + (<usize>((load<u32>(p, 4) >> shift) & (RADIX_DIGITS - 1)) << 2);
    store<u32>(at, load<u32>(at) + 1);
  }
  let before: u32 = 0;
  for (let at = counts; at < counts + (RADIX_DIGITS << 2); at += 4) {
    const count = load<u32>(at);
    store<u32>(at, before);
    before += count;
  }
  for (let p = source; p < end; p += 8) {
    const at = counts + (<usize>((load<u32>(p, 4) >> shift) & (RADIX_DIGITS - 1)) << 2);
    const slot = load<u32>(at);
    store<u32>(at, slot + 1);
    store<u64>(target + (<usize>slot << 3), load<u64>(p));
  }
}

function sortDocuments(): void {
  const end = entries + (<usize>entryCount << 3);
  for (let p = entries; p < end; ) {
    const doc = load<u32>(p, 4);
    let q = p + 8;
    let isSorted = true;
    while (q < end && load<u32>(q, 4) == doc) {
      isSorted = isSorted && load<u32>(q - 8) < load<u32>(q);
      q += 8;
    }
    if (!isSorted) quickSort(p, <u32>((q - p) >> 3), 64);
    if ((doc & 31) == 0) tick();
    p = q;
  }
}

// @ts-ignore: decorator
@inline function runStart(run: u32): u32 { return load<u32>(runs + (<usize>run << 2)); }

/** Merges source[from, middle) and source[middle, end) to target[out...]; returns the end there. */
function mergeTwo(source: usize, from: u32, middle: u32, end: u32, target: usize, out: u32): u32 {
  let a = source + (<usize>from << 3);
  const aEnd = source + (<usize>middle << 3);
  let b = aEnd;
  const bEnd = source + (<usize>end << 3);
  let p = target + (<usize>out << 3);
  while (a < aEnd && b < bEnd) {
    const x = load<u64>(a);
    const y = load<u64>(b);
    store<u64>(p, min(x, y));
    p += 8;
    a += <usize>(x <= y) << 3;
    b += <usize>(y <= x) << 3;
  }
  memory.copy(p, a, aEnd - a);
  p += aEnd - a;
  memory.copy(p, b, bEnd - b);
  p += bEnd - b;
  return <u32>((p - target) >> 3);
}

export function endEntries(): void {
  heapFree(entries);
  heapFree(runs);
  entries = 0;
  runs = 0;
}

/** Sorts `count` u64 in place. Ascending input costs one pass. Introsort that recurses into the smaller side only: O(n log n). */
export function sortEntries(start: usize, count: u32): void {
  const end = start + (<usize>count << 3);
  let p = start + 8;
  while (p < end && load<u64>(p - 8) <= load<u64>(p)) p += 8;
  if (p < end) quickSort(start, count, 2 * (32 - clz(count)));
}

function quickSort(start: usize, count: u32, depth: u32): void {
  let from = start;
  let n = count;
  let rest = depth;
  while (n > SMALL) {
    if (rest-- == 0) {
      heapSort(from, n);
      return;
    }
    const split = partition(from, n);
    const rightCount = n - split;
    if (split < rightCount) {
      quickSort(from, split, rest);
      from += <usize>split << 3;
      n = rightCount;
    } else {
      quickSort(from + (<usize>split << 3), rightCount, rest);
      n = split;
    }
  }
  insertionSort(from, n);
}

/** Hoare's partition around the median of three. Returns the size of the left part: between 1 and n - 1. */
function partition(from: usize, n: u32): u32 {
  const first = load<u64>(from);
  const middle = load<u64>(from + (<usize>((n - 1) >> 1) << 3));
  const last = load<u64>(from + (<usize>(n - 1) << 3));
  const low = min(first, last);
  const high = max(first, last);
  const pivot = max(low, min(middle, high));
  let i = from - 8;
  let j = from + (<usize>n << 3);
  while (true) {
    do { i += 8; } while (load<u64>(i) < pivot);
    do { j -= 8; } while (load<u64>(j) > pivot);
    if (i >= j) {
      const left = <u32>((j - from) >> 3) + 1;
      return left == n ? n - 1 : left;
    }
    const swapped = load<u64>(i);
    store<u64>(i, load<u64>(j));
    store<u64>(j, swapped);
  }
}

function insertionSort(from: usize, n: u32): void {
  const end = from + (<usize>n << 3);
  for (let p = from + 8; p < end; p += 8) {
    const value = load<u64>(p);
    let q = p;
    while (q > from && load<u64>(q - 8) > value) {
      store<u64>(q, load<u64>(q - 8));
      q -= 8;
    }
    store<u64>(q, value);
  }
}

function heapSort(from: usize, n: u32): void {
  for (let i = n >> 1; i > 0; i--) siftDown(from, i - 1, n);
  for (let last = n - 1; last > 0; last--) {
    const at = from + (<usize>last << 3);
    const value = load<u64>(at);
    store<u64>(at, load<u64>(from));
    store<u64>(from, value);
    siftDown(from, 0, last);
  }
}

function siftDown(from: usize, root: u32, n: u32): void {
  const value = load<u64>(from + (<usize>root << 3));
  let hole = root;
  while (true) {
    let child: u32 = 2 * hole + 1;
    if (child >= n) break;
    if (child + 1 < n && load<u64>(from + (<usize>child << 3)) < load<u64>(from + (<usize>child << 3), 8)) child++;
    const candidate = load<u64>(from + (<usize>child << 3));
    if (candidate <= value) break;
    store<u64>(from + (<usize>hole << 3), candidate);
    hole = child;
  }
  store<u64>(from + (<usize>hole << 3), value);
}

/** Drops repeated neighbours of sorted entries in place; returns how many remain. */
export function distinctEntries(start: usize, count: u32): u32 {
  if (count < 2) return count;
  const end = start + (<usize>count << 3);
  let p = start + 8;
  while (p < end && load<u64>(p - 8) != load<u64>(p)) p += 8;
  let out = p;
  for (; p < end; p += 8) {
    const value = load<u64>(p);
    if (value == load<u64>(out - 8)) continue;
    store<u64>(out, value);
    out += 8;
  }
  return <u32>((out - start) >> 3);
}
