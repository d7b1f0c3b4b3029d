import type { SegmentId } from '@fossick/base';
import { getChunks, PARTS, type RowReader } from '@fossick/format';
import {
  type Block,
  type DocGroups,
  type Kernel,
  type Structure,
  type Structures,
  type U32Array,
  u32ArrayIn,
} from '@fossick/kernel';
import { HeldStructure } from '@fossick/kernel/memory';

/** The documents of a segment by field and number of words, in kernel memory: one block at `offsets`. */
export class WordCountGroups extends HeldStructure implements DocGroups {
  readonly count: number;
  readonly offsets: U32Array;
  readonly docs: U32Array;
  private readonly groupByKey: ReadonlyMap<number, number>;

  /** @param structure its numbers are where the documents begin in the block, and the keys */
  private constructor(structure: Structure) {
    super('columns', structure);
    const [docsAt, ...keys] = structure.numbers as readonly [number, ...number[]];
    const block = structure.blocks[0] as Block;
    this.count = keys.length;
    this.offsets = u32ArrayIn(block, 0);
    this.docs = u32ArrayIn(block, docsAt);
    this.groupByKey = new Map(keys.map((key, group) => [key, group]));
  }

  /** Null for a segment without any. */
  static read(
    kernel: Kernel,
    rows: RowReader,
    segmentId: SegmentId,
    structures: Structures = kernel.ownStructures,
  ): WordCountGroups | null {
    const bytes = getChunks(rows, segmentId, PARTS.wordCounts);
    if (bytes === undefined) return null;
    const structure = structures.load('word counts', () => {
      const before = kernel.memory.allocatedBytes;
      const { keys, offsets, docIds } = kernel.varints.readGroups(bytes);
      const byteCount = kernel.memory.allocatedBytes - before;
      return { blocks: [offsets], numbers: [docIds - offsets, ...keys], byteCount };
    });
    return new WordCountGroups(structure);
  }

  /** The group of a key (`wordCountKey`). */
  groupOf(key: number): number | undefined {
    return this.groupByKey.get(key);
  }
}
