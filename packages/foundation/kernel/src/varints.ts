import type { KernelExports } from './kernel-exports.js';
import type { Memory } from './kernel-memory.js';
import { type Block, type U32Array, u32ArrayIn } from './ptr.js';

/** Groups of docids (see `orGroups`) and the key of each. */
export interface KeyedGroups {
  readonly keys: Uint32Array;
  readonly offsets: U32Array;
  readonly docIds: U32Array;
}

/** Rows of varints (LEB128, unsigned, below 2^32), as the engine stores numbers. */
export class Varints {
  private readonly exports: KernelExports;
  private readonly memory: Memory;

  constructor(exports: KernelExports, memory: Memory) {
    this.exports = exports;
    this.memory = memory;
  }

  /** 0 and the prefix sums of the numbers. O(bytes). */
  sums(bytes: Uint8Array): Uint32Array {
    const mark = this.memory.mark();
    const [from, count] = this.writeVarints(bytes);
    const out = this.scratchU32(count + 1);
    this.exports.sumVarints(from, bytes.length, out);
    const sums = this.memory.u32s(out, 0, count + 1);
    this.memory.release(mark);
    return sums;
  }

  /** Groups stored as `[key delta][count][deltas of ascending docids]`, in long-lived memory that the caller frees at `offsets`. O(bytes). */
  readGroups(bytes: Uint8Array): KeyedGroups {
    const mark = this.memory.mark();
    const [from, count] = this.writeVarints(bytes);
    // A group takes two numbers besides its docids, so keys and offsets never exceed the space of the numbers that are left.
    const block = this.memory.allocate((count + 1) * 4);
    const [keys, starts, docs] = [this.scratchU32(count), this.scratchU32(count + 1), this.scratchU32(count)];
    const groupCount = this.exports.readGroups(from, bytes.length, keys, starts, docs) >>> 0;
    const found = this.memory.u32s(keys, 0, groupCount);
    const offsets = u32ArrayIn(block, 0);
    const docIds = u32ArrayIn(block, (groupCount + 1) * 4);
    this.memory.writeU32(offsets, this.memory.u32s(starts, 0, groupCount + 1));
    this.memory.writeU32(docIds, this.memory.u32s(docs, 0, count - 2 * groupCount));
    this.memory.release(mark);
    return { keys: found, offsets, docIds };
  }

  private writeVarints(bytes: Uint8Array): readonly [from: Block, count: number] {
    const from = this.memory.scratchBytes(bytes);
    return [from, this.exports.countVarints(from, bytes.length) >>> 0];
  }

  private scratchU32(length: number): U32Array {
    return u32ArrayIn(this.memory.scratch(length * 4), 0);
  }
}
