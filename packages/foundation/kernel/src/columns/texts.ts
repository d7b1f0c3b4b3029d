import { MERGED_COLUMN_BYTES, MERGED_TEXT_BYTES } from '../layout.js';
import { KernelPart } from '../memory-view.js';
import type { CountedTexts, NearTexts, TextRow } from './column-port.js';

/** Texts that one call of the kernel merges. */
const MERGED_AT_ONCE = 4_096;

/** Byte-sorted texts of columns. Results are copies. */
export class Texts extends KernelPart {
  /** A copy of one text. */
  at({ offsets, bytes }: TextRow, index: number): Uint8Array {
    const { u8, u32 } = this.memory;
    const at = offsets / 4 + index;
    return u8.slice(bytes + u32[at]!, bytes + u32[at + 1]!);
  }

  /** The first index whose text is not less than the key, or with `isAfter` greater than it; within [from, to) when given. O(log texts) */
  bound({ count, offsets, bytes }: TextRow, key: Uint8Array, isAfter: boolean, from = 0, to = count): number {
    const mark = this.memory.mark();
    const at = this.memory.scratch(key.length);
    this.memory.put(key, at);
    const bound = this.exports.textBound(offsets, bytes, from, to, at, key.length, Number(isAfter)) >>> 0;
    this.memory.release(mark);
    return bound;
  }

  /** For each of ascending indexes in `texts`, given plus `base`: the index of the same text in another row, -1 where it has none. */
  find(texts: TextRow, indices: Uint32Array, base: number, other: TextRow): Int32Array {
    if (indices.length === 0) return new Int32Array(0);
    const mark = this.memory.mark();
    const list = this.memory.written(indices);
    const out = this.memory.scratch(indices.byteLength);
    const { offsets, bytes, count } = other;
    this.exports.findTexts(texts.offsets, texts.bytes, list, indices.length, base, offsets, bytes, count, out);
    const found = new Int32Array(this.memory.copiedU32(out, indices.length).buffer);
    this.memory.release(mark);
    return found;
  }

  /** Visits each distinct text of several columns in byte order, with a column that has it, its index there and the sum of counts. O(texts * log columns) */
  merge(columns: readonly CountedTexts[], visit: (column: number, index: number, count: number) => void): void {
    const mark = this.memory.mark();
    const table = this.memory.scratch(columns.length * MERGED_COLUMN_BYTES);
    columns.forEach(({ texts, counts, live }, index) => {
      const { offsets, bytes, count } = texts;
      const [liveAt, countsAt] = [live === null ? 0 : this.memory.written(live), this.memory.written(counts)];
      this.memory.u32.set([offsets, bytes, count, liveAt, countsAt, 0], (table + index * MERGED_COLUMN_BYTES) / 4);
    });
    const out = this.memory.scratch(MERGED_AT_ONCE * MERGED_TEXT_BYTES);
    for (let found = MERGED_AT_ONCE; found === MERGED_AT_ONCE; ) {
      found = this.exports.mergeTexts(table, columns.length, MERGED_AT_ONCE, out) >>> 0;
      const words = this.memory.copiedU32(out, (found * MERGED_TEXT_BYTES) / 4);
      for (let at = 0; at < words.length; at += 3) visit(words[at]!, words[at + 1]!, words[at + 2]!);
    }
    this.memory.release(mark);
  }

  /**
   * Ranges [from, to) of texts, from `from` on, that begin with something within `edits` (insert, delete, replace, swap of neighbours) of a query of at least
   * one code point: a text, or a prefix of it that no shorter prefix of the query is closer to. Compares at most `lookCount` texts, and returns the index to
   * continue from. A deciding prefix decides for all texts that share it. O(query) for each comparison
   */
  near(texts: TextRow, query: Uint32Array, edits: number, from: number, lookCount: number): NearTexts {
    const mark = this.memory.mark();
    const list = this.memory.written(query);
    const out = this.memory.scratch(8 + lookCount * 8);
    const { offsets, bytes, count } = texts;
    const most = [lookCount, lookCount] as const;
    this.exports.nearTexts(offsets, bytes, from, count, list, query.length, edits, ...most, out);
    const [next, found] = this.memory.copiedU32(out, 2);
    const words = this.memory.copiedU32(out + 8, found! * 2);
    const ranges = Array.from({ length: found! }, (_, i) => [words[i * 2]!, words[i * 2 + 1]!] as const);
    this.memory.release(mark);
    return { ranges, next: next! };
  }

  /** Whether all texts are printable ASCII without upper-case letters. O(bytes / 16) */
  isPlain({ count, offsets, bytes }: TextRow): boolean {
    const [from, to] = [this.memory.u32[offsets / 4]!, this.memory.u32[offsets / 4 + count]!];
    return this.exports.isPlainText(bytes + from, bytes + to) !== 0;
  }
}
