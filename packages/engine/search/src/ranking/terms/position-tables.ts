import type { Bitmap, Kernel, LivePostings, None, PositionTable } from '@fossick/kernel';
import type { BitmapPool } from './bitmap-pool.js';

/** The lists to read positions from (SegmentPostings.positionLists), by the segment's index in the view. */
export interface PositionLists {
  /** Identifies the lists among all lists of a search. */
  readonly key: string;
  readonly lists: readonly (readonly LivePostings[])[];
}

/**
 * Tables of this many universes are cached for the same lists, which suffices for the parts that a bucket is split into. More are replaced by
 * one table of all.
 */
const UNIVERSES_MAX = 8;

/**
 * A walk through the lists of a short prefix takes almost as long for one document as for thousands, and the rests of the buckets being divided will be needed next:
 * up to this many documents of these are gathered with the first universe, and with later ones, which show that the page is not full yet.
 */
const FIRST_DOCS_MAX = 1_000;
const NEXT_DOCS_MAX = 5_000;

interface Gathered {
  readonly universe: Bitmap;
  /** By segment. */
  readonly tables: readonly (PositionTable | None)[];
}

/** Position tables of a search, by segment. */
export class PositionTables {
  private readonly pool: BitmapPool;
  private readonly kernel: Kernel;
  private readonly tables = new Map<string, Gathered[]>();

  constructor(pool: BitmapPool) {
    this.pool = pool;
    this.kernel = pool.kernel;
  }

  /** Tables that were gathered for a superset of the universe. */
  known(key: string, universe: Bitmap): readonly (PositionTable | None)[] | null {
    const known = this.tables.get(key);
    if (known === undefined) return null;
    const count = this.kernel.bitmaps.count(universe);
    const wider = known.find((each) => this.kernel.bitmaps.intersectionCount(universe, each.universe) === count);
    return wider?.tables ?? null;
  }

  /** A table of a wider universe serves a narrower one. */
  gathered({ key, lists }: PositionLists, universe: Bitmap): readonly (PositionTable | None)[] {
    const suitable = this.known(key, universe);
    if (suitable) return suitable;
    const known = this.tables.get(key) ?? [];
    this.tables.set(key, known);
    const gatheredUniverse = this.withOpenRests(universe, known.length === 0 ? FIRST_DOCS_MAX : NEXT_DOCS_MAX);
    // parts are disjoint; overlapping universes are gathered together, so that a growing universe is not gathered anew at each step
    for (let at = known.length - 1; at >= 0; at--) {
      const { universe: other } = known[at]!;
      if (known.length < UNIVERSES_MAX && this.kernel.bitmaps.intersectionCount(gatheredUniverse, other) === 0)
        continue;
      this.kernel.bitmaps.or(gatheredUniverse, other);
      known.splice(at, 1);
    }
    const tables = lists.map((ofSegment) =>
      ofSegment.length === 0 ? 0 : this.kernel.tables.gather(ofSegment, gatheredUniverse),
    );
    known.push({ universe: gatheredUniverse, tables });
    return tables;
  }

  /** A copy of the universe, with the rests of the enclosing buckets while these have at most this many documents. */
  private withOpenRests(universe: Bitmap, docsMax: number): Bitmap {
    const { pool, kernel } = this;
    const gatheredUniverse = pool.copyOf(universe);
    let count = kernel.bitmaps.count(universe);
    for (let at = pool.openRests.length - 1; at >= 0; at--) {
      const level = pool.openRests[at]!;
      count += level.size;
      if (count > docsMax) break;
      kernel.bitmaps.or(gatheredUniverse, level.universe);
    }
    return gatheredUniverse;
  }
}
