import { TABLE_HEADER_BYTES } from '../layout.js';
import { KernelPart } from '../memory-view.js';
import type { Bitmap, BitmapRow, PositionTable } from '../ptr.js';
import { type LivePostings, type NearTargets, writtenPairs } from './live-postings.js';

/** Occurrences of the words of one search, sorted by document and key, in scratch. */
export class PositionTables extends KernelPart {
  /**
   * Occurrences of any of the lists in documents of `universe`: a position table in scratch, sorted by (docId, key), without duplicates:
   * `[u32 count, u32 0][u64 entries: docId * 2^32 + key]`. Skips blocks without a document of the universe.
   */
  gather(lists: readonly LivePostings[], universe: Bitmap): PositionTable {
    const pairs = writtenPairs(this.memory, lists);
    return this.memory.attempt(
      () => (this.exports.gatherPositions(pairs, lists.length, universe) >>> 0) as PositionTable,
    );
  }

  count(table: PositionTable): number {
    return this.memory.u32[table >>> 2]!;
  }

  /** A copy of the entries, two numbers each: key and docid. */
  entries(table: PositionTable): Uint32Array {
    const from = (table + TABLE_HEADER_BYTES) >>> 2;
    return this.memory.u32.slice(from, from + this.count(table) * 2);
  }

  /** For each entry in `universe`: sets the document's bit in bitmaps[fieldId] (0 entries are skipped). `bitmaps`: u32 pointers. */
  scatterFields(table: PositionTable, universe: Bitmap, bitmaps: BitmapRow, fieldCount: number): void {
    this.exports.scatterFields(table, universe, bitmaps, fieldCount);
  }

  /** The same by bucketed position: index p for p < 16, 16 for 24, 17 for 32, 18 for 64 ... 28 for 65536. */
  scatterPositions(table: PositionTable, universe: Bitmap, bitmaps: BitmapRow): void {
    this.exports.scatterPositions(table, universe, bitmaps);
  }

  /** For documents in `universe`: sets bits in the targets when an entry of `right` is 1/2/3 positions after one of `left`, same field. */
  near(left: PositionTable, right: PositionTable, universe: Bitmap, targets: NearTargets): void {
    this.exports.near(left, right, universe, targets[0], targets[1], targets[2]);
  }

  /** Sets the bits in `target` of the documents in `universe` where both tables have an entry in a common field. */
  sameField(left: PositionTable, right: PositionTable, universe: Bitmap, target: Bitmap): void {
    this.exports.sameField(left, right, universe, target);
  }
}
