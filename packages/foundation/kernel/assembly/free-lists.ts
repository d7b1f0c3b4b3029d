// The free blocks of one part of the heap, by class of size: `[a bit for each class that has some][the head of each class's list]`. arena.ts has the layout of blocks.

export const HEADER: usize = 16;
export const MIN_BLOCK: usize = 32;
export const FREE: u32 = 1;
const CLASS_COUNT: i32 = 448;
const HEADS: usize = 64;
export const PART_BYTES: i32 = 64 + 1792;

// @ts-ignore: decorator
@inline export function sizeOf(block: usize): usize { return load<u32>(block, 4) & ~FREE; }
// @ts-ignore: decorator
@inline export function isFree(block: usize): bool { return (load<u32>(block, 4) & FREE) != 0; }

function classOf(size: usize): i32 {
  const units = <u32>(size >> 4);
  if (units < 32) return units;
  const level = 31 - clz(units);
  return 32 + ((level - 5) << 4) + ((units >> (level - 4)) & 15);
}

/** Takes a block out of its class's list. */
export function unlink(part: usize, block: usize): void {
  const klass = classOf(sizeOf(block));
  const next = load<u32>(block, HEADER);
  const previous = load<u32>(block, HEADER + 4);
  if (next != 0) store<u32>(next, previous, HEADER + 4);
  if (previous != 0) { store<u32>(previous, next, HEADER); return; }
  store<u32>(part + (klass << 2), next, HEADS);
  if (next == 0) {
    const word = part + ((klass >> 5) << 2);
    store<u32>(word, load<u32>(word) & ~(<u32>1 << (klass & 31)));
  }
}

/** Makes a block of `size` bytes a free one. */
export function link(part: usize, block: usize, size: usize): void {
  const klass = classOf(size);
  const head = load<u32>(part + (klass << 2), HEADS);
  store<u32>(block, <u32>size | FREE, 4);
  store<u32>(block + size, <u32>size);
  store<u32>(block, head, HEADER);
  store<u32>(block, 0, HEADER + 4);
  if (head != 0) store<u32>(head, <u32>block, HEADER + 4);
  store<u32>(part + (klass << 2), <u32>block, HEADS);
  const word = part + ((klass >> 5) << 2);
  store<u32>(word, load<u32>(word) | (<u32>1 << (klass & 31)));
}

/** The least size that guarantees that every block of its class holds `size` bytes. */
export function classSize(size: usize): usize {
  const units = <u32>(size >> 4);
  return units < 32 ? size : size + (((<usize>1 << (27 - clz(units))) - 1) << 4);
}

/** The first free block of the classes whose blocks all hold `size` bytes, or 0. */
export function findFree(part: usize, size: usize): usize {
  const klass = classOf(classSize(size));
  let index = klass >> 5;
  let bits = load<u32>(part + (index << 2)) & (~<u32>0 << (klass & 31));
  while (bits == 0) {
    if (++index >= CLASS_COUNT / 32) return 0;
    bits = load<u32>(part + (index << 2));
  }
  return load<u32>(part + (((index << 5) + <i32>ctz(bits)) << 2), HEADS);
}
