// The kernel's only allocator: long-lived blocks (heap) and a stack of chunks for one search (scratch).
//
// A block is `[u32 size of the block before it][u32 own size | 1 when free][8 unused bytes][payload ...]`, sizes in bytes with the header,
// multiples of 16. Free blocks hold `[next][previous]` of their class's list in the payload. Classes are those of a two-level
// segregated fit (Masmano et al., TLSF, 2004): every multiple of 16 bytes below 512, then 16 steps for each power of two. Neighbouring free
// blocks are merged at once. A used block of size 0 ends the heap, so that reading up to 16 bytes past any payload is harmless.

const HEADER: usize = 16;
const MIN_BLOCK: usize = 32;
const FREE: u32 = 1;
const CLASS_COUNT: i32 = 448;
/** Pages that nobody has touched yet take no memory; each growth takes a tenth of a millisecond and more. */
const GROW_BYTES_MIN: usize = 4 << 20;
const CHUNK_BYTES_MIN: u32 = 1 << 18;

const heads: usize = memory.data(1792, 16);
const classBits: usize = memory.data(64, 16);
let heapEnd: usize = 0; // address of the closing block's header
let usedBytes: usize = 0;
let scratchBytes: usize = 0;

// A chunk is `[previous chunk][its end][the previous chunk's top][unused][bytes ...]`.
let chunk: usize = 0;
let chunkEnd: usize = 0;
let top: usize = 0;

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
  if (previous != 0) {
    store<u32>(previous, next, HEADER);
    return;
  }
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

/** The first block of a class whose every block holds `size` bytes, or 0. */
function findFree(size: usize): usize {
  let wanted = size;
  const units = <u32>(size >> 4);
  if (units >= 32) wanted += ((<usize>1 << (27 - clz(units))) - 1) << 4;
  const klass = classOf(wanted);
  let index = klass >> 5;
  let bits = load<u32>(classBits + (index << 2)) & (~<u32>0 << (klass & 31));
  while (bits == 0) {
    if (++index >= CLASS_COUNT / 32) return 0;
    bits = load<u32>(classBits + (index << 2));
  }
  return load<u32>(heads + (((index << 5) + <i32>ctz(bits)) << 2));
}

/** Adds a free block of at least `size` bytes at the end of memory. Traps when the host refuses to grow it. */
function growHeap(size: usize): void {
  if (heapEnd == 0) {
    heapEnd = (__heap_base + 15) & ~15;
    ensureMemory(heapEnd + HEADER);
    store<u32>(heapEnd, 0);
    store<u32>(heapEnd, 0, 4);
  }
  let wanted = size;
  const last = load<u32>(heapEnd);
  if (last != 0 && isFree(heapEnd - last)) wanted -= min(<usize>last, size - MIN_BLOCK);
  // A step in proportion keeps the number of growths, each of which detaches the host's views, logarithmic.
  wanted = max(wanted, max(GROW_BYTES_MIN, (heapEnd >> 4) & ~15));
  if (<u64>heapEnd + wanted + HEADER > 0xffff0000) wanted = size;
  const block = heapEnd;
  ensureMemory(block + wanted + HEADER);
  const end = (<usize>memory.size() << 16) - HEADER;
  heapEnd = end;
  store<u32>(end, 0, 4);
  store<u32>(block, <u32>(end - block), 4);
  release(block);
}

function ensureMemory(end: usize): void {
  const pages = <i32>((<u64>end + 0xffff) >> 16);
  const have = memory.size();
  if (pages > have && memory.grow(pages - have) < 0) unreachable();
}

/** Returns a block to its class, merged with its free neighbours. */
function release(block: usize): void {
  let start = block;
  let size = sizeOf(block);
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
}

/** `n` bytes, 16-byte aligned, contents undefined. Traps when memory ends. O(1). */
export function heapAlloc(n: u32): usize {
  if (n > 0xfffe0000) unreachable();
  const size = max(MIN_BLOCK, (<usize>n + HEADER + 15) & ~15);
  let block = findFree(size);
  if (block == 0) {
    growHeap(size + (size >> 4) & ~15);
    block = findFree(size);
    if (block == 0) {
      growHeap(size + (size >> 3) + 256 & ~15);
      block = findFree(size);
      if (block == 0) unreachable();
    }
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
  usedBytes += taken;
  return block + HEADER;
}

/** Frees what heapAlloc gave; 0 is ignored. O(1). */
export function heapFree(p: usize): void {
  if (p == 0) return;
  const block = p - HEADER;
  assert(!isFree(block), "freed twice");
  usedBytes -= sizeOf(block);
  release(block);
}

/** Bytes held by long-lived allocations, headers included, scratch chunks not. */
export function heapUsedBytes(): usize { return usedBytes - scratchBytes; }

function pushChunk(capacity: u32): void {
  const next = heapAlloc(capacity + 16);
  const bytes = sizeOf(next - HEADER);
  store<u32>(next, <u32>chunk);
  store<u32>(next, <u32>(next + bytes - HEADER), 4);
  store<u32>(next, <u32>top, 8);
  scratchBytes += bytes;
  chunk = next;
  chunkEnd = next + bytes - HEADER;
  top = next + 16;
}

/** `n` bytes, 16-byte aligned, contents undefined, until the release of an earlier mark. */
export function scratchAlloc(n: u32): usize {
  if (n > 0xfffd0000) unreachable();
  const size = (n + 15) & ~15;
  if (chunk == 0 || size > <u32>(chunkEnd - top)) pushChunk(max(size, CHUNK_BYTES_MIN));
  const p = top;
  top += size;
  return p;
}

/** The top of the scratch stack, which names its chunk too: chunks never touch, a header lies between. */
export function scratchMark(): usize {
  if (chunk == 0) pushChunk(CHUNK_BYTES_MIN);
  return top;
}

/** Frees everything made in scratch since the mark. The first chunk is kept. */
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
