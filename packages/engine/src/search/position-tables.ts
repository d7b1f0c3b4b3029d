import type { Kernel, LivePostings, Ptr } from '@fossick/kernel';
import type { BitmapPool } from './bitmap-pool.js';

/** The lists that places are read from (SegmentPostings.places), by the segment's place in the view. */
export interface Places {
  /** Names them among all of a search. */
  readonly key: string;
  readonly lists: readonly (readonly LivePostings[])[];
}

/** Position tables of a search, by segment. */
export class PositionTables {
  private readonly kernel: Kernel;
  private readonly tables = new Map<string, { readonly universe: Ptr; readonly tables: Ptr[] }>();

  constructor(private readonly pool: BitmapPool) {
    this.kernel = pool.kernel;
  }

  /** Tables gathered for a universe that holds this one. */
  known(key: string, universe: Ptr): readonly Ptr[] | null {
    const known = this.tables.get(key);
    if (!known || this.kernel.intersectionCount(universe, known.universe) !== this.kernel.count(universe)) return null;
    return known.tables;
  }

  /** Tables gathered for a wider universe serve a narrower one. */
  gathered({ key, lists }: Places, universe: Ptr): readonly Ptr[] {
    const suitable = this.known(key, universe);
    if (suitable) return suitable;
    const known = this.tables.get(key);
    const kept = known ? this.union(known.universe, universe) : this.pool.copyOf(universe);
    const tables = lists.map((ofSegment) =>
      ofSegment.length === 0 ? 0 : this.kernel.gatherPositions(ofSegment, kept),
    );
    this.tables.set(key, { universe: kept, tables });
    return tables;
  }

  private union(a: Ptr, b: Ptr): Ptr {
    const both = this.pool.copyOf(a);
    this.kernel.or(both, b);
    return both;
  }
}
