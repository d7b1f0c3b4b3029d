import { newCounts, type QueryCounts } from './counts.js';

/**
 * The queries of an hour: heavy hitters. When there are too many, the half with the fewest searches is dropped, so a query that
 * comes again and again stays, and texts that a hostile client makes up leave again.
 */
export class QueryTable {
  /** By index, so that no key is made of both names. */
  private readonly byIndex = new Map<string, Map<string, QueryCounts>>();
  private readonly countMax: number;
  private count = 0;

  constructor(countMax: number) {
    this.countMax = countMax;
  }

  get size(): number {
    return this.count;
  }

  get(indexUid: string, query: string): QueryCounts | undefined {
    return this.byIndex.get(indexUid)?.get(query);
  }

  *values(): Generator<QueryCounts> {
    for (const rows of this.byIndex.values()) yield* rows.values();
  }

  /** The counts of a query, new ones when there are none. O(1), and O(queries log queries) for every second half of them that is new. */
  counted(indexUid: string, query: string): QueryCounts {
    const known = this.byIndex.get(indexUid)?.get(query);
    if (known !== undefined) return known;
    if (this.count >= this.countMax) this.dropRare();
    let rows = this.byIndex.get(indexUid);
    if (rows === undefined) {
      rows = new Map();
      this.byIndex.set(indexUid, rows);
    }
    const row = { ...newCounts(), indexUid, query, hitCount: 0, users: [] };
    rows.set(query, row);
    this.count += 1;
    return row;
  }

  private dropRare(): void {
    const weight = ({ searches, clicks }: QueryCounts): number => searches + clicks;
    const dropped = [...this.values()].sort((a, b) => weight(a) - weight(b)).slice(0, Math.ceil(this.countMax / 2));
    for (const { indexUid, query } of dropped) {
      const rows = this.byIndex.get(indexUid);
      rows?.delete(query);
      if (rows?.size === 0) this.byIndex.delete(indexUid);
    }
    this.count -= dropped.length;
  }
}
