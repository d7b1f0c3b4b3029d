/** The rule `{ score, buckets }`: a value that is computed from fields, the highest first. */
import type { DocId, DocIds } from '@fossick/base';
import { scoreValues } from '@fossick/columns';
import type { IndexView } from '@fossick/index';
import { type Bitmap, u32ArrayIn } from '@fossick/kernel';
import { isDisplayedField, type ScoreEntry } from '@fossick/settings';
import type { QueryGraph } from '../../query/query-graph.js';
import type { RankedBucket, RankingRule, RuleCursor } from '../rules/ranking-rule.js';
import type { ScoreDetail } from '../rules/score-details.js';
import type { BitmapPool } from '../terms/bitmap-pool.js';
import { bucketNumber, ScoreHeap, upperBounds } from './score-order.js';

export interface ScoreInputs {
  readonly entry: ScoreEntry;
  /** All documents that the search may find: the buckets divide these. */
  readonly candidates: Bitmap;
  readonly nowSeconds: number;
}

/** Documents whose scores were computed, ascending, with the scores; NaN for none. */
interface Scored {
  readonly docs: DocIds;
  readonly scores: Float64Array;
}

/** Documents without a score go last, in one bucket. */
export function scoreRule(view: IndexView, pool: BitmapPool, inputs: ScoreInputs): RankingRule {
  const { entry, candidates } = inputs;
  const isHidden = entry.expression.fields.some((field) => !isDisplayedField(field, view.settings));
  const rule = new ScoreRuleOfSearch(view, pool, inputs, isHidden);
  let buckets: ScoreBuckets | null = null;
  return {
    readsGraph: false,
    isScored: false,
    start: (universe, graph) => {
      if (entry.buckets === null) return new ExactCursor(rule, graph, rule.scored(universe));
      buckets ??= new ScoreBuckets(rule, rule.scored(candidates), entry.buckets);
      return new BucketCursor(rule, graph, buckets, universe);
    },
  };
}

class ScoreRuleOfSearch {
  private readonly view: IndexView;
  readonly pool: BitmapPool;
  private readonly inputs: ScoreInputs;
  private readonly isHidden: boolean;

  constructor(view: IndexView, pool: BitmapPool, inputs: ScoreInputs, isHidden: boolean) {
    this.view = view;
    this.pool = pool;
    this.inputs = inputs;
    this.isHidden = isHidden;
  }

  scored(documents: Bitmap): Scored {
    const { view, pool, inputs } = this;
    const docs = pool.kernel.bitmaps.members(documents, 0, pool.kernel.bitmaps.count(documents));
    const { entry, nowSeconds } = inputs;
    return { docs, scores: scoreValues(view, entry.expression, docs, nowSeconds, () => pool.checkTime()) };
  }

  /** The documents of the list that are in the universe. */
  docsIn(list: Uint32Array, universe: Bitmap): Bitmap {
    const { pool } = this;
    const { memory, bitmaps } = pool.kernel;
    const docs = pool.empty();
    const mark = memory.mark();
    bitmaps.setMany(
      docs,
      u32ArrayIn(memory.scratchBytes(new Uint8Array(list.buffer, list.byteOffset, list.byteLength)), 0),
      list.length,
    );
    memory.release(mark);
    bitmaps.and(docs, universe);
    return docs;
  }

  detail(
    bucket: number | null,
    value: number | null,
    ofDocument: ((docId: DocId) => number | null) | null = null,
  ): ScoreDetail {
    const { entry } = this.inputs;
    const key = `score(${entry.expression.text})`;
    return { kind: 'valueScore', key, isHidden: this.isHidden, value, ofDocument, bucket, bucketCount: entry.buckets };
  }

  /** The documents that are left: those without a score. */
  rest(universe: Bitmap, graph: QueryGraph | null): RankedBucket {
    return { docs: this.pool.copyOf(universe), graph, detail: this.detail(null, null) };
  }
}

/** Each different score is a bucket. */
class ExactCursor implements RuleCursor {
  private readonly rule: ScoreRuleOfSearch;
  private readonly graph: QueryGraph | null;
  private readonly docs: DocIds;
  private readonly heap: ScoreHeap;

  constructor(rule: ScoreRuleOfSearch, graph: QueryGraph | null, { docs, scores }: Scored) {
    this.rule = rule;
    this.graph = graph;
    this.docs = docs;
    this.heap = new ScoreHeap(scores);
  }

  next(universe: Bitmap): RankedBucket | null {
    const { rule, graph, heap } = this;
    const { bitmaps } = rule.pool.kernel;
    if (bitmaps.isEmpty(universe)) return null;
    for (let best = heap.takeBest(); best !== null; best = heap.takeBest()) {
      const docs = rule.docsIn(
        best.positions.map((at) => this.docs[at]!),
        universe,
      );
      if (!bitmaps.isEmpty(docs)) return { docs, graph, detail: rule.detail(null, best.score) };
      rule.pool.release(docs); // all of them left the universe since
    }
    return rule.rest(universe, graph);
  }

  close(): void {}
}

/** The buckets of all candidates. */
class ScoreBuckets {
  private readonly scored: Scored;
  /** The upper bound of each bucket but the first one. */
  private readonly bounds: Float64Array;

  constructor({ pool }: ScoreRuleOfSearch, scored: Scored, bucketCount: number) {
    this.scored = scored;
    this.bounds = upperBounds(scored.scores, bucketCount, () => pool.checkTime());
  }

  readonly scoreOf = (docId: DocId): number | null => {
    const { docs, scores } = this.scored;
    let [low, high] = [0, docs.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (docs[middle]! < docId) low = middle + 1;
      else high = middle;
    }
    const value = docs[low] === docId ? scores[low]! : Number.NaN;
    return Number.isNaN(value) ? null : value;
  };

  /** The documents of each bucket, the best first. `docs` ascend and are candidates. O(candidates + docs * log buckets) */
  divided(docs: DocIds): Uint32Array[] {
    const lists: number[][] = Array.from({ length: this.bounds.length + 1 }, () => []);
    const { docs: all, scores } = this.scored;
    let at = 0;
    for (const doc of docs) {
      while (all[at]! < doc) at += 1;
      const score = scores[at]!;
      if (!Number.isNaN(score)) lists[bucketNumber(this.bounds, score) - 1]!.push(doc);
    }
    return lists.map((list) => Uint32Array.from(list));
  }
}

class BucketCursor implements RuleCursor {
  private readonly rule: ScoreRuleOfSearch;
  private readonly graph: QueryGraph | null;
  private readonly buckets: ScoreBuckets;
  private readonly lists: readonly Uint32Array[];
  private at = 0;

  constructor(rule: ScoreRuleOfSearch, graph: QueryGraph | null, buckets: ScoreBuckets, universe: Bitmap) {
    this.rule = rule;
    this.graph = graph;
    this.buckets = buckets;
    const { bitmaps } = rule.pool.kernel;
    this.lists = buckets.divided(bitmaps.members(universe, 0, bitmaps.count(universe)));
  }

  next(universe: Bitmap): RankedBucket | null {
    const { rule, graph, lists, buckets } = this;
    const { bitmaps } = rule.pool.kernel;
    if (bitmaps.isEmpty(universe)) return null;
    while (this.at < lists.length) {
      const list = lists[this.at++]!;
      if (list.length === 0) continue;
      const docs = rule.docsIn(list, universe);
      if (!bitmaps.isEmpty(docs)) return { docs, graph, detail: rule.detail(this.at, null, buckets.scoreOf) };
      rule.pool.release(docs);
    }
    return rule.rest(universe, graph);
  }

  close(): void {}
}
