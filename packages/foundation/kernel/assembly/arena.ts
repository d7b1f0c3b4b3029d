// The kernel's only allocator: long-lived blocks (heap) and a stack of chunks for one search (scratch).
//
// A block is `[u32 size of the block before it][u32 own size | 1 when free][u32 attempt][u32 owner][payload ...]`, sizes in bytes with
// the header, multiples of 16. The owner is the number of the thread that has allocated the block, 0 once it is shared (heapShare). Free blocks hold `[next][previous]` of their class's list in the payload. Classes are those of a two-level
// segregated fit (Masmano et al., TLSF, 2004): every multiple of 16 bytes below 512, then 16 steps for each power of two. Neighbouring free
// blocks are merged at once. A used block of size 0 ends the heap, so that reading up to 16 bytes past any payload is harmless.
//
// The state of the heap is in memory, because threads that share a memory have one heap, which a lock protects (lock.ts). Scratch is of one thread.

import { HEAP_STATE } from "./layout";
import { lock, unlock } from "./lock";
import { heapFirst, thread } from "./tables";

const HEADER: usize = 16;
const MIN_BLOCK: usize = 32;
const FREE: u32 = 1;
const CLASS_COUNT: i32 = 448;
/** The least growth of the heap within memory that is there already. */
const GROW_BYTES_MIN: usize = 4 << 20;
/** The least growth of memory, which otherwise doubles: untouched pages cost nothing, but V8 recounts all memory at each growth and collects its heap. */
const GROW_PAGES_MIN: u32 = 1024;
const CHUNK_BYTES_MIN: u32 = 1 << 18;
/** The largest allocation: a larger size, rounded up to its class, would overflow. */
const ALLOC_BYTES_MAX: u32 = 0xe0000000;

/** Memory addresses end here. The last page is left out, so that the sum of an address and a small size never overflows. */
const PAGES_MAX: u32 = 0xffff;

/**
 * Asks the host to free blocks, when memory may not grow and no free block holds `bytes`. It throws when nothing is left to free; the arena is then
 * unchanged.
 */
// @ts-ignore: decorator
@external("host", "reclaim")
declare function reclaim(bytes: u32): void;

/** The state of the heap, at the same address in each thread. */
@unmanaged
class Heap {
  start: usize;
  /** Address of the closing block's header; 0: the heap was never used. */
  end: usize;
  /** Pages of memory that it may have, counted from 0xffff down, so that memory of zeros has no limit. */
  pagesKept: u32;
  usedBytes: usize;
}

const STATE_BYTES: i32 = 16 + 64 + 1792;
const state: usize = ASC_FEATURE_THREADS ? HEAP_STATE : memory.data(STATE_BYTES, 16);
const heap = changetype<Heap>(state);
const classBits: usize = state + 16;
const heads: usize = state + 16 + 64;
/** The number that marks the blocks of the running attempt; 0: no attempt runs. */
let attempt: u32 = 0, attempts: u32 = 0;
/** Bytes of the blocks of this thread, and of its scratch among them. */
let ownBytes: usize = 0, scratchBytes: usize = 0;

// A chunk is `[previous chunk][its end][the previous chunk's top][unused][bytes ...]`.
let chunk: usize = 0, chunkEnd: usize = 0, top: usize = 0;

// @ts-ignore: decorator
@inline function sizeOf(block: usize): usize { return load<u32>(block, 4) & ~FREE; }
// @ts-ignore: decorator
@inline function isFree(block: usize): bool { return (load<u32>(block, 4) & FREE) != 0; }

function classOf(size: usize): i32 {
  const units = <u32>(size >> 4);
  if (units < 32) return units;
  const level = 31 - clz(units);
  return 32 + ((level - 5) << 4) + ((units >> (level - 4)) & 15);
}

function unlink(block: usize): void {
  const klass = classOf(sizeOf(block));
  const next = load<u32>(block, HEADER);
  const previous = load<u32>(block, HEADER + 4);
  if (next != 0) store<u32>(next, previous, HEADER + 4);
  if (previous != 0) { store<u32>(previous, next, HEADER); return; }
  store<u32>(heads + (klass << 2), next);
  if (next == 0) {
    const word = classBits + ((klass >> 5) << 2);
    store<u32>(word, load<u32>(word) & ~(<u32>1 << (klass & 31)));
  }
}

function link(block: usize, size: usize): void {
  const klass = classOf(size);
  const head = load<u32>(heads + (klass << 2));
  store<u32>(block, <u32>size | FREE, 4);
  store<u32>(block + size, <u32>size);
  store<u32>(block, head, HEADER);
  store<u32>(block, 0, HEADER + 4);
  if (head != 0) store<u32>(head, <u32>block, HEADER + 4);
  store<u32>(heads + (klass << 2), <u32>block);
  const word = classBits + ((klass >> 5) << 2);
  store<u32>(word, load<u32>(word) | (<u32>1 << (klass & 31)));
}

/** The least size that guarantees that every block of its class holds `size` bytes. */
function classSize(size: usize): usize {
  const units = <u32>(size >> 4);
  return units < 32 ? size : size + (((<usize>1 << (27 - clz(units))) - 1) << 4);
}

/** The first free block of the classes whose blocks all hold `size` bytes, or 0. */
function findFree(size: usize): usize {
  const klass = classOf(classSize(size));
  let index = klass >> 5;
  let bits = load<u32>(classBits + (index << 2)) & (~<u32>0 << (klass & 31));
  while (bits == 0) {
    if (++index >= CLASS_COUNT / 32) return 0;
    bits = load<u32>(classBits + (index << 2));
  }
  return load<u32>(heads + (((index << 5) + <i32>ctz(bits)) << 2));
}

/** Limits memory to this many bytes, a shared one without the tables of threads, rounded down to pages of 64 KiB. Memory that it has already stays. */
export function limitMemory(bytes: u32): void {
  const most = <u64>bytes + (ASC_FEATURE_THREADS ? <u64>heapFirst() : 0);
  heap.pagesKept = PAGES_MAX - <u32>min<u64>(most >> 16, PAGES_MAX);
}

// @ts-ignore: decorator
@inline function pagesMax(): u32 { return PAGES_MAX - heap.pagesKept; }

/** Makes a free block of at least `size` bytes at the end of the heap. Returns false, with no other effect, when memory may not grow so far. */
function growHeap(size: usize): bool {
  if (heap.end == 0) {
    const first = heapFirst();
    if (!ensureMemory(first + HEADER)) return false;
    heap.start = first;
    heap.end = first;
    store<u32>(first, 0);
    store<u32>(first, 0, 4);
  }
  let least = size;
  const block = heap.end;
  const last = load<u32>(block);
  if (last != 0 && isFree(block - last)) least -= min(<usize>last, size - MIN_BLOCK);
  const step = max(least, max(GROW_BYTES_MIN, (block >> 4) & ~15));
  const isWhole = ensureMemory(<u64>block + step + HEADER);
  if (!isWhole && !ensureMemory(<u64>block + least + HEADER)) return false;
  const end = ((block + (isWhole ? step : least) + HEADER + 0xffff) & ~0xffff) - HEADER;
  heap.end = end;
  store<u32>(end, 0, 4);
  store<u32>(block, <u32>(end - block), 4);
  release(block);
  return true;
}

/** A shared memory has all its pages from the start: they cost nothing until they are written. */
function ensureMemory(end: u64): bool {
  const pages = <u32>((end + 0xffff) >> 16);
  const have = <u32>memory.size();
  const most = pagesMax();
  if (pages > most || pages <= have) return pages <= most;
  if (ASC_FEATURE_THREADS) return false;
  const ample = max(pages, min(most, max(have << 1, GROW_PAGES_MIN)));
  return memory.grow(<i32>(ample - have)) >= 0 || memory.grow(<i32>(pages - have)) >= 0;
}

/** Returns a block to its class, merged with its free neighbours. */
function release(block: usize): usize {
  let start = block;
  let size = sizeOf(block);
  // its header stays when it is merged with the block before it, and shows a second release
  if (ASC_FEATURE_THREADS || !ASC_NO_ASSERT) store<u32>(block, <u32>size | FREE, 4);
  const after = block + size;
  if (isFree(after)) {
    unlink(after);
    size += sizeOf(after);
  }
  const before = load<u32>(block);
  if (before != 0 && isFree(block - before)) {
    start = block - before;
    unlink(start);
    size += before;
  }
  link(start, size);
  return start;
}

/** A block of at least `size` bytes, or 0 when memory may not grow so far. */
function take(size: usize): usize {
  let block = findFree(size);
  if (block == 0) {
    if (!growHeap(classSize(size))) return 0;
    block = findFree(size);
  }
  unlink(block);
  const whole = sizeOf(block);
  let taken = whole;
  if (whole - size >= MIN_BLOCK) {
    taken = size;
    store<u32>(block + size, <u32>size);
    link(block + size, whole - size);
  }
  store<u32>(block, <u32>taken, 4);
  store<u32>(block, attempt, 8);
  store<u32>(block, thread, 12);
  heap.usedBytes += taken;
  ownBytes += taken;
  return block;
}

/** `n` bytes, 16-byte aligned, contents undefined. The host throws when memory is exhausted; the arena is then unchanged. O(1). */
export function heapAlloc(n: u32): usize {
  while (n > ALLOC_BYTES_MAX) reclaim(n);
  const size = max(MIN_BLOCK, (<usize>n + HEADER + 15) & ~15);
  let block = taken(size);
  while (block == 0) {
    reclaim(n);
    block = taken(size);
  }
  return block + HEADER;
}

function taken(size: usize): usize {
  lock();
  const block = take(size);
  unlock();
  return block;
}

/** Frees a block of heapAlloc; 0 is ignored. O(1). */
export function heapFree(p: usize): void {
  if (p == 0) return;
  const block = p - HEADER;
  assert(!isFree(block), "freed twice");
  // one thread must not corrupt what others use
  if (ASC_FEATURE_THREADS && isFree(block)) unreachable();
  lock();
  count(block);
  release(block);
  unlock();
}

/** Counts that the block is not used any more. */
// @ts-ignore: decorator
@inline function count(block: usize): void {
  const bytes = sizeOf(block);
  heap.usedBytes -= bytes;
  if (load<u32>(block, 12) == thread) ownBytes -= bytes;
}

/**
 * Frees everything of this thread, scratch included, also after a call that was aborted in any state outside of the allocator. Memory does not shrink.
 */
export function heapReset(): void {
  scratchBytes = 0;
  chunk = 0;
  chunkEnd = 0;
  top = 0;
  attempt = 0;
  if (ASC_FEATURE_THREADS) {
    heapFreeOwned(thread);
    ownBytes = 0;
    return;
  }
  memory.fill(heads, 0, 1792);
  memory.fill(classBits, 0, 64);
  heap.usedBytes = 0;
  ownBytes = 0;
  if (heap.end == heap.start) return;
  store<u32>(heap.start, <u32>(heap.end - heap.start), 4);
  release(heap.start);
}

/** Frees what a thread has allocated and not shared: it has ended, or begins anew. O(blocks of the heap) */
export function heapFreeOwned(owner: u32): void { freeMarked(owner, 0); }

/** Frees the blocks of a thread, of an attempt if it is not 0. O(blocks of the heap) */
function freeMarked(owner: u32, ofAttempt: u32): void {
  lock();
  for (let block = heap.start; block < heap.end; block += sizeOf(block)) {
    if (isFree(block) || load<u32>(block, 12) != owner || (ofAttempt != 0 && load<u32>(block, 8) != ofAttempt)) continue;
    count(block);
    block = release(block);
  }
  unlock();
}

/** The block belongs to no thread from now on: it stays when this one ends. */
export function heapShare(p: usize): void {
  if (load<u32>(p - HEADER, 12) == thread) ownBytes -= sizeOf(p - HEADER);
  store<u32>(p - HEADER, 0, 12);
}

/** The block belongs to this thread again, which frees it. */
export function heapOwn(p: usize): void {
  ownBytes += sizeOf(p - HEADER);
  store<u32>(p - HEADER, thread, 12);
}

/** Begins an attempt: all that is allocated until its end can be freed together. Attempts do not nest. */
export function attemptStart(): void {
  assert(attempt == 0, "an attempt within an attempt");
  attempt = ++attempts;
}

/** Ends the attempt and keeps what it allocated. */
export function attemptEnd(): void { attempt = 0; }

/** Frees what the attempt allocated in the heap; scratch is released by its mark. O(blocks of the heap). */
export function attemptAbandon(): void {
  freeMarked(thread, attempt);
  attempt = 0;
}

/** Bytes of memory that were ever used: the heap's end, in a shared memory its size. */
export function heapEndBytes(): usize { return heap.end + HEADER - (ASC_FEATURE_THREADS ? heap.start : 0); }

/** Bytes that all threads use in this memory, scratch included. */
export function heapTotalBytes(): usize { return heap.usedBytes; }

/** Bytes of long-lived allocations of this thread with their headers, without scratch chunks. */
export function heapUsedBytes(): usize { return ownBytes - scratchBytes; }

function pushChunk(capacity: u32): void {
  const next = heapAlloc(capacity + 16);
  store<u32>(next - HEADER, 0, 8);
  const bytes = sizeOf(next - HEADER);
  store<u32>(next, <u32>chunk);
  store<u32>(next, <u32>(next + bytes - HEADER), 4);
  store<u32>(next, <u32>top, 8);
  scratchBytes += bytes;
  chunk = next;
  chunkEnd = next + bytes - HEADER;
  top = next + 16;
}

/** `n` bytes, 16-byte aligned, contents undefined, valid until an earlier mark is released. */
export function scratchAlloc(n: u32): usize {
  while (n > ALLOC_BYTES_MAX - 32) reclaim(n);
  const size = (n + 15) & ~15;
  if (chunk == 0 || size > <u32>(chunkEnd - top)) pushChunk(max(size, CHUNK_BYTES_MIN));
  const p = top;
  top += size;
  return p;
}

/** The top of the scratch stack. It identifies its chunk, because a header separates two chunks. */
export function scratchMark(): usize {
  if (chunk == 0) pushChunk(CHUNK_BYTES_MIN);
  return top;
}

/** Frees all scratch since the mark. The first chunk is kept. */
export function scratchRelease(mark: usize): void {
  while (mark < chunk || mark > chunkEnd) {
    const previous = load<u32>(chunk);
    assert(previous != 0, "unknown mark");
    if (previous == 0) return;
    const previousTop = load<u32>(chunk, 8);
    scratchBytes -= sizeOf(chunk - HEADER);
    heapFree(chunk);
    chunk = previous;
    chunkEnd = load<u32>(chunk, 4);
    top = previousTop;
  }
  assert(mark <= top, "mark already released");
  top = mark;
}

/** Reallocates a block to `bytes` bytes, copies the first `usedBytes`, and frees the old block. O(usedBytes). */
export function grown(block: usize, usedBytes: u32, bytes: u32): usize {
  const larger = heapAlloc(bytes);
  memory.copy(larger, block, usedBytes);
  heapFree(block);
  return larger;
}
