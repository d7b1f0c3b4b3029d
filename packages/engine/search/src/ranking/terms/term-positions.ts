/** The documents of terms by field and by position: from gathered tables, from rank-indexed lists, or by walking the lists. */

import type { Bitmap, BitmapRow, Kernel, None } from '@fossick/kernel';
import type { SegmentPostings } from '@fossick/postings';
import type { ListsBySegment } from '../../query/lexicon.js';
import type { BitmapPool } from './bitmap-pool.js';
import { type Occurrences, positionLists } from './near-words.js';
import type { PositionTables } from './position-tables.js';

/** Upper bounds of the position buckets. */
export const POSITION_BUCKETS = [
  0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 24, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768,
  65536,
] as const;

export class TermPositions {
  private readonly pool: BitmapPool;
  private readonly kernel: Kernel;
  private readonly tables: PositionTables;

  constructor(pool: BitmapPool, tables: PositionTables) {
    this.pool = pool;
    this.kernel = pool.kernel;
    this.tables = tables;
  }

  /**
   * Sets the bits of documents of `universe` in bitmaps[field] for all fields of their occurrences; 0 for none. `pointers`: the
   * same as u32s.
   */
  scatterFields(
    { key, lists }: Occurrences,
    universe: Bitmap,
    bitmaps: readonly (Bitmap | None)[],
    pointers: BitmapRow,
  ): void {
    const tables = this.tables.known(key, universe);
    lists.forEach((ofSegment, segment) => {
      if (ofSegment.length === 0) return;
      const table = tables?.[segment];
      if (table) {
        this.kernel.tables.scatterFields(table, universe, pointers, bitmaps.length);
        return;
      }
      const walked = ofSegment.filter((list) => !list.orFields(universe, bitmaps));
      if (walked.length > 0)
        this.kernel.lists.scatterFields(positionLists(walked, universe, false), universe, pointers, bitmaps.length);
    });
  }

  /** The same by bucketed position; `bitmaps` is called for the pointers once they are needed. Rank-indexed lists are returned instead of read. */
  scatterPositions(
    { key, lists }: Occurrences,
    universe: Bitmap,
    bitmaps: () => BitmapRow,
  ): readonly SegmentPostings[] {
    const tables = this.tables.known(key, universe);
    const indexed: SegmentPostings[] = [];
    lists.forEach((ofSegment, segment) => {
      if (ofSegment.length === 0) return;
      const table = tables?.[segment];
      if (table) {
        this.kernel.tables.scatterPositions(table, universe, bitmaps());
        return;
      }
      const walked: SegmentPostings[] = [];
      for (const list of ofSegment) {
        list.prepareMasks(universe);
        (list.canUseMasks(universe) ? indexed : walked).push(list);
      }
      if (walked.length > 0)
        this.kernel.lists.scatterPositions(positionLists(walked, universe, false), universe, bitmaps());
    });
    return indexed;
  }

  /** Keeps the candidates that have a word, whose lists are given, in the position bucket; false when none is left. */
  keepAt(lists: ListsBySegment, bucket: number, candidates: Bitmap): boolean {
    const { kernel, pool } = this;
    pool.checkTime();
    const here = pool.empty();
    for (const ofSegment of lists) {
      const walked: SegmentPostings[] = [];
      for (const list of ofSegment) {
        list.prepareMasks(candidates);
        if (list.canUseMasks(candidates)) list.orMasks(here, candidates, 1 << bucket);
        else walked.push(list);
      }
      if (walked.length === 0) continue;
      const targets = kernel.bitmaps.row(POSITION_BUCKETS.map((_, at) => (at === bucket ? here : 0)));
      kernel.lists.scatterPositions(walked, candidates, targets);
    }
    kernel.bitmaps.and(candidates, here);
    kernel.pools.releaseWithin(pool.ptr, here, candidates);
    return !kernel.bitmaps.isEmpty(candidates);
  }
}
