import { createSorter, type SortCursor } from '@fossick/columns';
import type { SortEntry } from '@fossick/filter';
import type { IndexView } from '@fossick/index';
import type { Bitmap } from '@fossick/kernel';
import type { QueryGraph } from '../../query/query-graph.js';
import type { BitmapPool } from '../terms/bitmap-pool.js';
import type { RankedBucket, RankingRule, RuleCursor } from './ranking-rule.js';
import type { ScoreDetail } from './score-details.js';

/** A rule of the request's `sort` or a custom rule: each distinct value is a bucket. */
export function sortRule(view: IndexView, pool: BitmapPool, entry: SortEntry): RankingRule {
  return {
    readsGraph: false,
    isScored: false,
    start: (_, graph) => new SortRuleCursor(view, pool, entry, graph),
  };
}

class SortRuleCursor implements RuleCursor {
  private readonly view: IndexView;
  private readonly pool: BitmapPool;
  private readonly entry: SortEntry;
  private readonly graph: QueryGraph | null;
  private readonly sorter: SortCursor;

  constructor(view: IndexView, pool: BitmapPool, entry: SortEntry, graph: QueryGraph | null) {
    this.view = view;
    this.pool = pool;
    this.entry = entry;
    this.graph = graph;
    this.sorter = createSorter(view, entry);
  }

  next(universe: Bitmap): RankedBucket | null {
    if (this.pool.kernel.bitmaps.isEmpty(universe)) return null;
    const docs = this.pool.empty();
    const found = this.sorter.next(universe, docs);
    if (found === null) {
      this.pool.release(docs);
      return null;
    }
    // most buckets of a field with many values have few documents: they are taken out and released by these
    this.pool.ifSparse(docs);
    return { docs, graph: this.graph, detail: this.detailOf(found.value, found.distance ?? null) };
  }

  close(): void {}

  private detailOf(value: unknown, distance: number | null): ScoreDetail {
    const { entry, view } = this;
    if (entry.kind === 'geo')
      return { kind: 'geoSort', key: `_geoPoint(${entry.lat}, ${entry.lng}):${entry.direction}`, value, distance };
    const { displayedAttributes } = view.settings;
    const isHidden = !displayedAttributes.includes('*') && !displayedAttributes.includes(entry.field);
    return { kind: 'sort', key: `${entry.field}:${entry.direction}`, isHidden, value: value ?? null };
  }
}
