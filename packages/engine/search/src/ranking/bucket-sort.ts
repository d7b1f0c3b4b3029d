/** Bucket sort: each rule divides the buckets of the previous rule, best first, until enough documents are output. */
import type { DocId } from '@fossick/base';
import type { Bitmap } from '@fossick/kernel';
import type { QueryGraph } from '../query/query-graph.js';
import type { RankingRule, RuleCursor } from './rules/ranking-rule.js';
import { globalScore, leastScore, type ScoreDetail } from './rules/score-details.js';
import { type BitmapPool, SearchOverdue } from './terms/bitmap-pool.js';

export interface DistinctField {
  /** Sets the bits of all documents that share a value with this one. */
  excludeFor(docId: DocId, excluded: Bitmap): void;
  /**
   * In docid order, sets the bits in `firsts` of documents of `docs` that share no value with an earlier one of them, at most `limit`, and in
   * `excluded` the bits of all other documents that share a value with one of these. Both must be empty. Returns the number of firsts.
   */
  markFirsts(docs: Bitmap, firsts: Bitmap, excluded: Bitmap, limit?: number): number;
}

export interface BucketSortOptions {
  readonly pool: BitmapPool;
  readonly rules: readonly RankingRule[];
  readonly universe: Bitmap;
  /** All matching documents, where the universe has only the first of them: nothing is removed from them then. Absent: the universe. */
  readonly matching?: Bitmap;
  /** null in placeholder searches. */
  readonly graph: QueryGraph | null;
  readonly from: number;
  readonly length: number;
  /** Documents below this score are neither returned nor counted. */
  readonly threshold: number | null;
  readonly distinct: DistinctField | null;
  /** Whether the details of every hit are needed; without them a bucket of one document needs no further rule. */
  readonly withDetails: boolean;
  /** Whether every document above the threshold is ranked, so that the best document of each distinct value is found. */
  readonly isExhaustive: boolean;
}

export interface RankedDocument {
  readonly docId: DocId;
  readonly details: readonly ScoreDetail[];
}

export interface RankedPage {
  readonly documents: readonly RankedDocument[];
  /** All matching documents, without those removed by distinct and threshold; owned by the caller. */
  readonly candidates: Bitmap;
  readonly isDegraded: boolean;
}

/**
 * Ranks until `length` documents from `from` on are output, and further as needed to count the documents below the threshold. Ties are
 * in docid order.
 */
export function bucketSort(options: BucketSortOptions): RankedPage {
  const sort = new BucketSort(options);
  if (options.rules.length === 0)
    sort.output(options.pool.copyOf(options.universe), options.pool.kernel.bitmaps.count(options.universe), []);
  else sort.run();
  return { documents: sort.documents, candidates: sort.candidates, isDegraded: sort.isDegraded };
}

interface Level {
  readonly universe: Bitmap;
  /** Number of its documents. */
  size: number;
  /** Index of its rule in the list of rules. */
  readonly rule: number;
  cursor: RuleCursor;
  /** The graph that the rule started with. */
  readonly graph: QueryGraph | null;
  /** Score details of the previous rules. */
  readonly details: readonly ScoreDetail[];
}

/** Placeholder for the cursor of a rule that has not started. */
const NO_CURSOR: RuleCursor = { next: () => null, close: () => undefined };

class BucketSort {
  private readonly options: BucketSortOptions;
  readonly documents: RankedDocument[] = [];
  readonly candidates: Bitmap;
  isDegraded = false;
  private readonly levels: Level[] = [];
  private seenCount = 0;
  /** Index of the last rule that uses the graph of its predecessor; -1 when no rule does. */
  private readonly lastGraphReader: number;

  constructor(options: BucketSortOptions) {
    this.options = options;
    this.lastGraphReader = options.rules.findLastIndex(({ readsGraph }) => readsGraph);
    this.candidates = options.pool.copyOf(options.matching ?? options.universe);
    options.pool.openRests = this.levels;
  }

  run(): void {
    try {
      const { pool, universe, graph, threshold } = this.options;
      this.enter(0, pool.copyOf(universe), pool.kernel.bitmaps.count(universe), graph, []);
      this.rank();
      if (threshold !== null && threshold > 0) this.dropBelow(threshold);
    } catch (error) {
      if (!(error instanceof SearchOverdue)) throw error;
      this.options.pool.withoutDeadline(() => this.outputUnranked());
    }
    while (this.levels.length > 0) this.leave();
  }

  /** Divides buckets and outputs them until the page is full. A bucket leaves its universe only once it is complete. */
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
      const size = kernel.bitmaps.subtract(level.universe, bucket.docs);
      level.size -= size;
      const details = bucket.detail ? [...level.details, bucket.detail] : level.details;
      this.placeBucket(level, bucket.docs, size, bucket.graph, details);
    }
  }

  /** Whether the page still needs documents. Documents that distinct removes before the page are counted too, even when the page is empty. */
  private wantsMore(): boolean {
    const { from, length, distinct } = this.options;
    return distinct !== null ? this.seenCount < from + length : this.documents.length < length;
  }

  /**
   * Removes the remaining documents below the threshold from the candidates. A bucket is divided further only if the threshold is
   * within its scores; the score ranges of a rule's buckets do not overlap, so there is one such bucket for each rule.
   */
  private dropBelow(threshold: number): void {
    const { pool, rules } = this.options;
    while (this.levels.length > 0) {
      const level = this.levels.at(-1)!;
      if (level.size === 0 || this.isAbove(level.details, level.rule)) {
        this.leave();
        continue;
      }
      if (!rules[level.rule]!.isScored) {
        // rules without a score do not matter here: the rest goes to the next rule with one
        this.levels.pop();
        level.cursor.close();
        const next = rules.findIndex(({ isScored }, at) => at > level.rule && isScored);
        this.enter(next, level.universe, level.size, level.graph, level.details);
        continue;
      }
      pool.checkTime();
      const near = level.cursor.atLeast?.(threshold, level.universe);
      const bucket = near === undefined ? level.cursor.next(level.universe) : null;
      if (near !== undefined) this.keepOnly(level, near);
      if (bucket === null) {
        this.leave();
        continue;
      }
      const size = pool.kernel.bitmaps.subtract(level.universe, bucket.docs);
      level.size -= size;
      const details = bucket.detail ? [...level.details, bucket.detail] : level.details;
      if (this.isBelow(details)) this.drop(level, bucket.docs);
      else if (this.isAbove(details, level.rule + 1)) pool.release(bucket.docs);
      else this.enter(level.rule + 1, bucket.docs, size, bucket.graph, details);
    }
  }

  /** Whether documents with these details stay below the threshold, whatever ranks the remaining rules give them. */
  private isBelow(details: readonly ScoreDetail[]): boolean {
    const { threshold } = this.options;
    return threshold !== null && globalScore(details) < threshold;
  }

  /** Whether documents with these details stay at or above the threshold, whatever ranks the rules from `next` on give them. */
  private isAbove(details: readonly ScoreDetail[], next: number): boolean {
    const { threshold, rules } = this.options;
    if (threshold === null) return true;
    const open = rules.slice(next).filter(({ isScored }) => isScored);
    return open.length === 0 || (!open.some(({ isWholeScore }) => isWholeScore) && leastScore(details) >= threshold);
  }

  /** Removes the documents and all of the level's rest from the candidates. */
  private drop(level: Level, docs: Bitmap): void {
    const { pool } = this.options;
    pool.kernel.bitmaps.andNot(this.candidates, docs);
    pool.release(docs);
    this.dropRest(level);
  }

  private dropRest(level: Level): void {
    const { kernel } = this.options.pool;
    kernel.bitmaps.andNot(this.candidates, level.universe);
    kernel.bitmaps.clear(level.universe);
    level.size = 0;
  }

  /** Keeps only these documents of a level's rest as candidates; takes ownership of their bitmap. */
  private keepOnly(level: Level, docs: Bitmap): void {
    const { pool } = this.options;
    pool.kernel.bitmaps.andNot(level.universe, docs);
    pool.release(docs);
    this.dropRest(level);
  }

  /** Outputs a bucket in docid order; takes ownership of its bitmap. */
  output(docs: Bitmap, size: number, details: readonly ScoreDetail[]): void {
    const { pool, from, length, distinct } = this.options;
    const { kernel } = pool;
    if (distinct) {
      this.outputDistinct(docs, details, distinct);
      return;
    }
    const skip = Math.max(0, from - this.seenCount);
    const wanted = Math.max(0, length - this.documents.length);
    if (wanted > 0)
      for (const docId of kernel.bitmaps.members(docs, skip, wanted)) this.documents.push({ docId, details });
    this.seenCount += size;
    pool.release(docs);
  }

  private outputDistinct(docs: Bitmap, details: readonly ScoreDetail[], distinct: DistinctField): void {
    const { pool, rules, from, length, isExhaustive } = this.options;
    const { kernel } = pool;
    const [firsts, excluded] = [pool.empty(), pool.empty()];
    // Without rules only the needed documents are compared; a ranked bucket is always deduplicated as a whole.
    const isWhole = rules.length > 0 || isExhaustive;
    const limit = isWhole ? Number.POSITIVE_INFINITY : from + length - this.seenCount;
    const count = distinct.markFirsts(docs, firsts, excluded, limit);
    const skip = Math.max(0, from - this.seenCount);
    const wanted = Math.max(0, length - this.documents.length);
    if (wanted > 0)
      for (const docId of kernel.bitmaps.members(firsts, skip, wanted)) this.documents.push({ docId, details });
    this.seenCount += count;
    pool.release(firsts);
    kernel.bitmaps.andNot(this.candidates, excluded);
    for (const level of this.levels) {
      kernel.bitmaps.andNot(level.universe, excluded);
      level.size = kernel.bitmaps.count(level.universe);
    }
    pool.release(excluded);
    pool.release(docs);
  }

  private placeBucket(
    level: Level,
    docs: Bitmap,
    size: number,
    graph: QueryGraph | null,
    details: readonly ScoreDetail[],
  ): void {
    const { rules, from, distinct, withDetails } = this.options;
    if (this.isBelow(details)) {
      this.drop(level, docs);
      return;
    }
    const isLast = level.rule + 1 === rules.length;
    const isAlone = size === 1 && !withDetails;
    // Documents before the page need no order, unless distinct makes the order decide which of them count.
    const isBefore = this.seenCount + size < from && distinct === null;
    const isDone = isLast || ((isAlone || isBefore) && this.isAbove(details, level.rule + 1));
    if (isDone) this.output(docs, size, details);
    else this.enter(level.rule + 1, docs, size, graph, details);
  }

  private enter(
    rule: number,
    universe: Bitmap,
    size: number,
    graph: QueryGraph | null,
    details: readonly ScoreDetail[],
  ): void {
    const level = { rule, universe, size, graph, cursor: NO_CURSOR, details };
    this.levels.push(level); // before the rule starts: its documents are output even at the deadline
    level.cursor = this.options.rules[rule]!.start(universe, graph, rule < this.lastGraphReader);
  }

  private leave(): void {
    const level = this.levels.pop()!;
    level.cursor.close();
    this.options.pool.release(level.universe);
  }

  /**
   * After the deadline: outputs the rest of each level unranked, with the least possible score, or drops it when that
   * is below the threshold.
   */
  private outputUnranked(): void {
    this.isDegraded = true;
    while (this.levels.length > 0) {
      const level = this.levels.pop()!;
      level.cursor.close();
      const details: ScoreDetail[] = [...level.details, { kind: 'skipped' }];
      if (!this.isAbove(level.details, level.rule)) this.dropRest(level);
      else if (this.documents.length < this.options.length) this.output(level.universe, level.size, details);
    }
  }
}
