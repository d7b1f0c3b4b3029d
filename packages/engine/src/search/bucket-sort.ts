/**
 * Bucket sort (spec 11 section 9): each rule cuts the buckets of the rule before it, best first, until enough documents are out.
 */
import type { Ptr } from '@fossick/kernel';
import { type BitmapPool, SearchOverdue } from './bitmap-pool.js';
import type { QueryGraph } from './query-graph.js';
import type { RankingRule, RuleCursor } from './rules/ranking-rule.js';
import { globalScore, type ScoreDetail } from './score-details.js';

export interface DistinctField {
  /** Sets the bits of all documents that share a value with this one. */
  excludeFor(docId: number, excluded: Ptr): void;
}

export interface BucketSortOptions {
  readonly pool: BitmapPool;
  readonly rules: readonly RankingRule[];
  readonly universe: Ptr;
  /** null in placeholder searches. */
  readonly graph: QueryGraph | null;
  readonly from: number;
  readonly length: number;
  /** Documents below this score are neither returned nor counted. */
  readonly threshold: number | null;
  readonly distinct: DistinctField | null;
  /** Whether details of every hit are wanted; without them a bucket of one document needs no further rule. */
  readonly withDetails: boolean;
  /** Go through the whole universe, so that the threshold's count is exact. */
  readonly isExhaustive: boolean;
}

export interface RankedDocument {
  readonly docId: number;
  readonly details: readonly ScoreDetail[];
}

export interface RankedPage {
  readonly documents: readonly RankedDocument[];
  /** All matching documents, less those that distinct and threshold took out; owned by the caller. */
  readonly candidates: Ptr;
  readonly isDegraded: boolean;
}

/** Ranks until `length` documents from `from` on are out. Ties are in docid order. */
export function bucketSort(options: BucketSortOptions): RankedPage {
  const sort = new BucketSort(options);
  if (options.rules.length === 0)
    sort.output(options.pool.copyOf(options.universe), options.pool.kernel.count(options.universe), []);
  else sort.run();
  return { documents: sort.documents, candidates: sort.candidates, isDegraded: sort.isDegraded };
}

interface Level {
  readonly universe: Ptr;
  /** Documents in it. */
  size: number;
  readonly cursor: RuleCursor;
  /** Details of the rules before this one. */
  readonly details: readonly ScoreDetail[];
}

/** Stands in for the cursor of a rule that has not started. */
const NO_CURSOR: RuleCursor = { next: () => null, close: () => undefined };

class BucketSort {
  readonly documents: RankedDocument[] = [];
  readonly candidates: Ptr;
  isDegraded = false;
  private readonly levels: Level[] = [];
  private seenCount = 0;

  constructor(private readonly options: BucketSortOptions) {
    this.candidates = options.pool.copyOf(options.universe);
  }

  run(): void {
    try {
      const { pool, universe, graph } = this.options;
      this.enter(pool.copyOf(universe), pool.kernel.count(universe), graph, []);
      this.rank();
    } catch (error) {
      if (!(error instanceof SearchOverdue)) throw error;
      this.giveUp();
    }
    while (this.levels.length > 0) this.leave();
  }

  /** Cuts and places buckets until enough documents are out. A bucket is taken out of its universe only once it is whole. */
  private rank(): void {
    const { pool, isExhaustive } = this.options;
    const { kernel } = pool;
    while (this.levels.length > 0 && (isExhaustive || this.wantsMore())) {
      const level = this.levels.at(-1)!;
      if (level.size === 0) {
        this.leave();
        continue;
      }
      pool.checkTime();
      const bucket = level.cursor.next(level.universe);
      if (!bucket) {
        this.leave();
        continue;
      }
      const size = kernel.takeOut(level.universe, bucket.docs);
      level.size -= size;
      const details = bucket.detail ? [...level.details, bucket.detail] : level.details;
      this.place(level, bucket.docs, size, bucket.graph, details);
    }
  }

  /** Whether the page is still open. What distinct and threshold take out is counted before the page as well, even where it is empty. */
  private wantsMore(): boolean {
    const { from, length } = this.options;
    return this.countsOnTheWay() ? this.seenCount < from + length : this.documents.length < length;
  }

  private countsOnTheWay(): boolean {
    return this.options.distinct !== null || this.options.threshold !== null;
  }

  /** Outputs a bucket in docid order; takes its bitmap. */
  output(docs: Ptr, size: number, details: readonly ScoreDetail[]): void {
    const { pool, from, length, distinct } = this.options;
    const { kernel } = pool;
    if (distinct) {
      this.outputDistinct(docs, details, distinct);
      return;
    }
    const skip = Math.max(0, from - this.seenCount);
    const wanted = Math.max(0, length - this.documents.length);
    if (wanted > 0) for (const docId of kernel.members(docs, skip, wanted)) this.documents.push({ docId, details });
    this.seenCount += size;
    pool.giveBack(docs);
  }

  private outputDistinct(docs: Ptr, details: readonly ScoreDetail[], distinct: DistinctField): void {
    const { pool, rules, from, length } = this.options;
    const { kernel } = pool;
    const excluded = pool.empty();
    for (let docId = kernel.next(docs, 0); docId >= 0; docId = kernel.next(docs, docId + 1)) {
      if (kernel.has(excluded, docId)) continue;
      // Without rules only what is wanted is looked at; a ranked bucket is always made distinct as a whole.
      if (this.seenCount >= from + length && rules.length === 0) break;
      distinct.excludeFor(docId, excluded);
      kernel.unset(excluded, docId);
      if (this.seenCount >= from && this.documents.length < length) this.documents.push({ docId, details });
      this.seenCount += 1;
    }
    kernel.andNot(this.candidates, excluded);
    for (const level of this.levels) {
      kernel.andNot(level.universe, excluded);
      level.size = kernel.count(level.universe);
    }
    pool.giveBack(excluded);
    pool.giveBack(docs);
  }

  private place(
    level: Level,
    docs: Ptr,
    size: number,
    graph: QueryGraph | null,
    details: readonly ScoreDetail[],
  ): void {
    const { pool, rules, from, threshold, withDetails } = this.options;
    const { kernel } = pool;
    if (threshold !== null && globalScore(details) < threshold) {
      kernel.andNot(this.candidates, docs);
      kernel.andNot(this.candidates, level.universe);
      kernel.clear(level.universe);
      level.size = 0;
      pool.giveBack(docs);
      return;
    }
    const isLast = this.levels.length === rules.length;
    const isSettled = size === 1 && !withDetails && threshold === null;
    // What lies before the page needs no order, unless its order decides who is counted.
    const isBefore = this.seenCount + size < from && !this.countsOnTheWay();
    if (isLast || isSettled || isBefore) this.output(docs, size, details);
    else this.enter(docs, size, graph, details);
  }

  private enter(universe: Ptr, size: number, graph: QueryGraph | null, details: readonly ScoreDetail[]): void {
    const { rules } = this.options;
    const at = this.levels.length;
    const needsGraph = rules.slice(at + 1).some((rule) => rule.readsGraph);
    const level = { universe, size, cursor: NO_CURSOR, details };
    this.levels.push(level); // before the rule starts, so that its documents come out even when the time ends meanwhile
    level.cursor = rules[at]!.start(universe, graph, needsGraph);
  }

  private leave(): void {
    const level = this.levels.pop()!;
    level.cursor.close();
    this.options.pool.giveBack(level.universe);
  }

  /** The time is over: what is left of each level comes out as it is (spec 11 section 9.4). */
  private giveUp(): void {
    this.isDegraded = true;
    while (this.levels.length > 0) {
      const { universe, size, cursor, details } = this.levels.pop()!;
      cursor.close();
      if (this.documents.length < this.options.length) this.output(universe, size, [...details, { kind: 'skipped' }]);
    }
  }
}
