import type { Bitmap, Kernel, LivePostings, None, PositionTable } from '@fossick/kernel';
import type { BitmapPool } from './bitmap-pool.js';

/** The lists that places are read from (SegmentPostings.places), by the segment's place in the view. */
export interface Places {
  /** Names them among all of a search. */
  readonly key: string;
  readonly lists: readonly (readonly LivePostings[])[];
}

/** Tables of so many universes are kept for the same lists: those of the parts that a bucket is split into. Of more, one is made of all. */
const UNIVERSES_MAX = 8;

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

  /** Tables gathered for a universe that holds this one. */
  known(key: string, universe: Bitmap): readonly (PositionTable | None)[] | null {
    const known = this.tables.get(key);
    if (known === undefined) return null;
    const count = this.kernel.bitmaps.count(universe);
    const wider = known.find((each) => this.kernel.bitmaps.intersectionCount(universe, each.universe) === count);
    return wider?.tables ?? null;
  }

  /** Tables gathered for a wider universe serve a narrower one. */
  gathered({ key, lists }: Places, universe: Bitmap): readonly (PositionTable | None)[] {
    const suitable = this.known(key, universe);
    if (suitable) return suitable;
    const known = this.tables.get(key) ?? [];
    this.tables.set(key, known);
    const kept = this.pool.copyOf(universe);
    // parts lie beside each other; what overlaps is gathered with it, so that no universe grows in steps that are each gathered anew
    for (let at = known.length - 1; at >= 0; at--) {
      const { universe: other } = known[at]!;
      if (known.length < UNIVERSES_MAX && !this.kernel.bitmaps.intersects(kept, other)) continue;
      this.kernel.bitmaps.or(kept, other);
      known.splice(at, 1);
    }
    const tables = lists.map((ofSegment) => (ofSegment.length === 0 ? 0 : this.kernel.tables.gather(ofSegment, kept)));
    known.push({ universe: kept, tables });
    return tables;
  }
}
