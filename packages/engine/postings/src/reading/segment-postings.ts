import type { TermOrdinal } from '@fossick/base';
import type { Bitmap, BitmapRow, LivePostings, None } from '@fossick/kernel';
import type { WordTable } from './segment-terms.js';

/** A posting list with the fastest access to its documents. Valid until the view is released. */
export interface SegmentPostings extends LivePostings {
  /**
   * target |= live documents of the list, when it has a bitmap of them; else returns false, and the caller must walk
   * the list.
   */
  orDocs(target: Bitmap): boolean;
  /**
   * bitmaps[field] |= live documents of `within` with an occurrence in the field (0: none), when it has bitmaps by field; else
   * false.
   */
  orFields(within: Bitmap, bitmaps: readonly (Bitmap | None)[]): boolean;
  /**
   * Notes a walk over the positions in documents of `within`, and makes what is worth its memory after the walks noted so
   * far: one list of the words of a prefix; with `isPaired`, when the list is walked against others, its rank-indexed list.
   */
  prepareWalk(within: Bitmap, isPaired: boolean): void;
  /**
   * Lists to read the positions in documents of `within` from; null: the list itself. With `isPaired` each will be walked against
   * other lists, for which one merged list is better than the words of a prefix, unless documents are few.
   */
  positionLists(within: Bitmap, isPaired: boolean): readonly LivePostings[] | null;
  /** Notes a look-up of positions in documents of `within`, and makes the rank-indexed list once it is worth its memory. */
  prepareMasks(within: Bitmap): void;
  /**
   * Whether `orMasks` is the faster way to look up positions in documents of `within`, which it is for common words.
   */
  canUseMasks(within: Bitmap): boolean;
  /** target |= live documents of `within` with an occurrence in a position bucket whose bit is in `wanted`. */
  orMasks(target: Bitmap, within: Bitmap, wanted: number): void;
  /** The same for all buckets at once: `bitmaps` as in `PositionTables.scatterPositions`. Both need a rank-indexed list. */
  scatterMasks(within: Bitmap, bitmaps: BitmapRow): void;
}

/** A word of a segment: its table, and its ordinal there. */
export type WordLocation = readonly [table: WordTable, ordinal: TermOrdinal];
