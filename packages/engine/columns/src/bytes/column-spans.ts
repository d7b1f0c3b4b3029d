/** The sections of a stored column, and how spans of them are loaded into kernel memory. */

import type { Block, Kernel, MadeStructure, Structure } from '@fossick/kernel';
import { type HeldMemory, HeldStructure } from '@fossick/kernel/memory';
import { columnLayout, HEADER_BYTES, haveRests } from './column-format.js';

/** Stored bytes that are read in spans. */
export interface StoredBytes {
  /** Passes bytes [from, to) on in pieces, each with its offset in the span; a piece is valid until `take` returns. */
  read(from: number, to: number, take: (piece: Uint8Array, at: number) => void): void;
}

/** Whether a stored column has numbers that need rests, and none: an earlier release wrote it. Three small reads. */
export function hasRoundedNumbers(bytes: StoredBytes): boolean {
  const { numbers, rests } = columnLayout(new Uint32Array(copyOfSpan(bytes, 0, HEADER_BYTES).buffer));
  if (rests.to > rests.from || numbers.to === numbers.from) return false;
  const ends = [numbers.from, numbers.to - 8].flatMap((at) => [
    ...new Float64Array(copyOfSpan(bytes, at, at + 8).buffer),
  ]);
  return haveRests(ends);
}

/** Bytes in memory, with the interface of stored ones. */
export function storedInMemory(bytes: Uint8Array): StoredBytes {
  return { read: (from, to, take) => take(bytes.subarray(from, to), 0) };
}

/** A copy of bytes [from, to), at the start of its own buffer. */
export function copyOfSpan(bytes: StoredBytes, from: number, to: number): Uint8Array<ArrayBuffer> {
  const copy = new Uint8Array(to - from);
  bytes.read(from, to, (piece, at) => copy.set(piece, at));
  return copy;
}

/** Bytes in kernel memory. */
export class KernelBlock implements HeldMemory {
  private readonly kernel: Kernel;
  readonly byteCount: number;
  readonly kind = 'columns';
  readonly ptr: Block;

  constructor(kernel: Kernel, byteCount: number) {
    this.kernel = kernel;
    this.byteCount = byteCount;
    this.ptr = kernel.memory.allocate(byteCount);
  }

  free(): void {
    this.kernel.memory.free(this.ptr);
  }
}

/** Copies the bytes of a stored span to kernel memory, after the bytes `before`. The caller frees the block. */
export function madeSpan(
  kernel: Kernel,
  bytes: StoredBytes,
  from: number,
  to: number,
  before = new Uint8Array(0),
): MadeStructure {
  const byteCount = before.length + to - from;
  const { memory } = kernel;
  const block = memory.filled(byteCount, (target) => {
    memory.write(target, before);
    bytes.read(from, to, (piece, at) => memory.write(target, piece, before.length + at));
  });
  return { blocks: [block], byteCount };
}

/** A structure of a column in kernel memory. */
export class ColumnStructure extends HeldStructure {
  constructor(structure: Structure) {
    super('columns', structure);
  }

  /** Its first block. */
  get ptr(): Block {
    return this.structure.blocks[0] as Block;
  }
}
