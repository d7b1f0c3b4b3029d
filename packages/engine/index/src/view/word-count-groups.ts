import type { SegmentId } from '@fossick/base';
import { getChunks, PARTS, type RowReader } from '@fossick/format';
import type { DocGroups, Kernel, U32Array } from '@fossick/kernel';
import type { HeldMemory } from '@fossick/kernel/memory';

/** The documents of a segment by field and number of words, in kernel memory: one block at `offsets`. */
export class WordCountGroups implements HeldMemory, DocGroups {
  private readonly kernel: Kernel;
  readonly kind = 'columns';
  readonly byteCount: number;
  readonly count: number;
  readonly offsets: U32Array;
  readonly docs: U32Array;
  private readonly groupByKey: ReadonlyMap<number, number>;

  private constructor(kernel: Kernel, bytes: Uint8Array) {
    this.kernel = kernel;
    const before = kernel.memory.allocatedBytes;
    const { keys, offsets, docIds } = kernel.varints.readGroups(bytes);
    this.byteCount = kernel.memory.allocatedBytes - before;
    this.count = keys.length;
    this.offsets = offsets;
    this.docs = docIds;
    this.groupByKey = new Map(Array.from(keys, (key, group) => [key, group]));
  }

  /** Null for a segment without any. */
  static read(kernel: Kernel, rows: RowReader, segmentId: SegmentId): WordCountGroups | null {
    const bytes = getChunks(rows, segmentId, PARTS.wordCounts);
    return bytes === undefined ? null : new WordCountGroups(kernel, bytes);
  }

  /** The group of a key (`wordCountKey`). */
  groupOf(key: number): number | undefined {
    return this.groupByKey.get(key);
  }

  free(): void {
    this.kernel.memory.free(this.offsets);
  }
}
