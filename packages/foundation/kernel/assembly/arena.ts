// The kernel's only allocator: long-lived blocks (heap) and a stack of chunks for one search (scratch).
//
// A block is `[u32 size of the block before it][u32 own size | 1 when free][u32 attempt][u32 owner][payload ...]`, sizes in bytes with
// the header, multiples of 16. The owner is the number of the thread that has allocated the block, 0 once it is shared (heapShare). Free blocks hold `[next][previous]` of their class's list in the payload. Classes are those of a two-level
// segregated fit (Masmano et al., TLSF, 2004): every multiple of 16 bytes below 512, then 16 steps for each power of two. Neighbouring free
// blocks are merged at once. A used block of size 0 ends the heap, so that reading up to 16 bytes past any payload is harmless.
//
// The state of the heap is in memory, because threads that share a memory have one heap, which a lock protects (lock.ts). Scratch is of one thread.
// What a thread keeps for itself there only it can free, so that small blocks of idle threads would part the free memory: a list of 35 MB found no place
// in 480 MB. Therefore a part at the end of a shared memory is for small blocks. Where it is full they are among the others.

import { classSize, findFree, FREE, HEADER, isFree, link, MIN_BLOCK, PART_BYTES, sizeOf, unlink } from "./free-lists";
import { HEAP_STATE } from "./layout";
import { lock, unlock } from "./lock";
import { heapFirst, thread } from "./tables";

/** The least growth of the heap within memory that is there already. */
const GROW_BYTES_MIN: usize = 4 << 20;
/** The least growth of memory, which otherwise doubles: untouched pages cost nothing, but V8 recounts all memory at each growth and collects its heap. */
const GROW_PAGES_MIN: u32 = 1024;
const CHUNK_BYTES_MIN: u32 = 1 << 18;
/** The largest allocation: a larger size, rounded up to its class, would overflow. */
const ALLOC_BYTES_MAX: u32 = 0xe0000000;

/** Blocks below this size are in the part for small ones, which has this share of a shared memory (SMALL_SHARE of src/shared/shared-memory.ts). */
const SMALL_BLOCK: usize = 1 << 16;
const SMALL_SHARE: u32 = 16;

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
  /** The first address of the part for small blocks, and the end of those that were ever used. */
  smallStart: usize;
  smallHigh: usize;
}

const STATE_BYTES: i32 = 32 + PART_BYTES;
const state: usize = ASC_FEATURE_THREADS ? HEAP_STATE : memory.data(STATE_BYTES, 16);
const heap = changetype<Heap>(state);
const main: usize = state + 32;
const small: usize = main + PART_BYTES;
/** The number that marks the blocks of the running attempt; 0: no attempt runs. */
let attempt: u32 = 0, attempts: u32 = 0;
/** Bytes of the blocks of this thread, and of its scratch among them. */
let ownBytes: usize = 0, scratchBytes: usize = 0;

// A chunk is `[previous chunk][its end][the previous chunk's top][unused][bytes ...]`.
let chunk: usize = 0, chunkEnd: usize = 0, top: usize = 0;

/** The part of the heap that a block is in. */
// @ts-ignore: decorator
@inline function partOf(block: usize): usize { return ASC_FEATURE_THREADS && block >= heap.smallStart ? small : main; }

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
    if (ASC_FEATURE_THREADS) startSmall();
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

// @ts-ignore: decorator
@inline function smallPages(): u32 { return <u32>memory.size() / SMALL_SHARE; }

/** Makes one free block of the part for small ones. */
function startSmall(): void {
  const end = (<usize>memory.size() << 16) - HEADER;
  const start = end + HEADER - (<usize>smallPages() << 16);
  heap.smallStart = start;
  heap.smallHigh = start;
  store<u32>(start, 0);
  store<u32>(end, <u32>(end - start));
  store<u32>(end, 0, 4);
  link(small, start, end - start);
}

/** A shared memory has all its pages from the start: they cost nothing until they are written. */
function ensureMemory(end: u64): bool {
  let pages = <u32>((end + 0xffff) >> 16);
  let have = <u32>memory.size();
  const most = pagesMax();
  if (ASC_FEATURE_THREADS) {
    const used = <u32>((heap.smallHigh - heap.smallStart + 0xffff) >> 16);
    pages += used;
    have -= smallPages() - used;
  }
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
  const part = partOf(block);
  const after = block + size;
  if (isFree(after)) {
    unlink(part, after);
    size += sizeOf(after);
  }
  const before = load<u32>(block);
  if (before != 0 && isFree(block - before)) {
    start = block - before;
    unlink(part, start);
    size += before;
  }
  link(part, start, size);
  return start;
}

/** A block of at least `size` bytes, or 0 when memory may not grow so far. */
function take(size: usize): usize {
  let part = main;
  let block: usize = 0;
  if (ASC_FEATURE_THREADS && size < SMALL_BLOCK) {
    block = findFree(small, size);
    if (block != 0) part = small;
  }
  if (block == 0) block = findFree(main, size);
  if (block == 0) {
    if (!growHeap(classSize(size))) return 0;
    block = findFree(main, size);
  }
  unlink(part, block);
  const whole = sizeOf(block);
  let taken = whole;
  if (whole - size >= MIN_BLOCK) {
    taken = size;
    store<u32>(block + size, <u32>size);
    link(part, block + size, whole - size);
  }
  if (ASC_FEATURE_THREADS && part == small) heap.smallHigh = max(heap.smallHigh, block + taken);
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
  memory.fill(main, 0, PART_BYTES);
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
  freeMarkedFrom(heap.start, owner, ofAttempt);
  if (ASC_FEATURE_THREADS && heap.smallStart != 0) freeMarkedFrom(heap.smallStart, owner, ofAttempt);
  unlock();
}

/** The same for one part, from its first block to the block of size 0 that ends it. */
function freeMarkedFrom(start: usize, owner: u32, ofAttempt: u32): void {
  if (start == 0) return;
  for (let block = start; sizeOf(block) != 0; block += sizeOf(block)) {
    if (isFree(block) || load<u32>(block, 12) != owner || (ofAttempt != 0 && load<u32>(block, 8) != ofAttempt)) continue;
    count(block);
    block = release(block);
  }
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
export function heapEndBytes(): usize {
  return ASC_FEATURE_THREADS ? heap.end + HEADER - heap.start + (heap.smallHigh - heap.smallStart) : heap.end + HEADER;
}

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
