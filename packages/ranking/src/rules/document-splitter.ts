/** Splits documents by rules that tell them apart one by one, in the order in which these would place them. */
import type { Bitmap, None } from '@fossick/kernel';
import type { QueryGraph } from '@fossick/query';
import type { BitmapPool } from '../terms/bitmap-pool.js';
import type { RankingRule, RuleCursor } from './ranking-rule.js';

/** The last part holds all that the ones before it left: each part takes a walk of its own. */
const PARTS_MAX = 8;
/** Parts that a later rule makes of a part of an earlier one: what is left comes behind them in one. */
const INNER_PARTS_MAX = 3;

export interface SplitterOptions {
  readonly pool: BitmapPool;
  readonly graph: QueryGraph;
  /** In their order, one at least. */
  readonly rules: readonly RankingRule[];
  /** Fewer documents are not split any further. */
  readonly splitMin: number;
}

/** A rule at work in what is left of a part of the rule before it. */
interface Level {
  readonly rest: Bitmap;
  readonly cursor: RuleCursor;
  partCount: number;
}

/** Parts are unions of neighbouring buckets of all rules together. */
export class DocumentSplitter {
  private readonly options: SplitterOptions;
  private readonly levels: Level[] = [];
  private partCount = 0;

  constructor(options: SplitterOptions, universe: Bitmap) {
    this.options = options;
    this.enter(options.pool.copyOf(universe));
  }

  /** The next part, a bitmap of the caller's; 0 behind the last. */
  next(): Bitmap | None {
    const { pool, rules, splitMin } = this.options;
    const { kernel } = pool;
    if (this.partCount + 1 === PARTS_MAX) return this.remainder();
    for (let level = this.levels.at(-1); level !== undefined; level = this.levels.at(-1)) {
      const isInner = this.levels.length > 1;
      if (isInner && level.partCount === INNER_PARTS_MAX) {
        const rest = this.leave();
        if (!kernel.bitmaps.isEmpty(rest)) return this.counted(rest);
        pool.giveBack(rest);
        continue;
      }
      const bucket = level.cursor.next(level.rest);
      if (bucket === null) {
        pool.giveBack(this.leave());
        continue;
      }
      kernel.bitmaps.andNot(level.rest, bucket.docs);
      level.partCount += 1;
      if (this.levels.length === rules.length || kernel.bitmaps.count(bucket.docs) < splitMin)
        return this.counted(bucket.docs);
      this.enter(bucket.docs);
    }
    return 0;
  }

  close(): void {
    while (this.levels.length > 0) this.options.pool.giveBack(this.leave());
  }

  /** All that is left, in one. */
  private remainder(): Bitmap | None {
    const { pool } = this.options;
    const all = pool.empty();
    while (this.levels.length > 0) {
      const rest = this.leave();
      pool.kernel.bitmaps.or(all, rest);
      pool.giveBack(rest);
    }
    if (!pool.kernel.bitmaps.isEmpty(all)) return this.counted(all);
    pool.giveBack(all);
    return 0;
  }

  private counted(docs: Bitmap): Bitmap {
    this.partCount += 1;
    return docs;
  }

  private enter(docs: Bitmap): void {
    const { rules, graph } = this.options;
    const cursor = rules[this.levels.length]!.start(docs, graph, false);
    this.levels.push({ rest: docs, cursor, partCount: 0 });
  }

  /** What is left of the innermost level, which is the caller's. */
  private leave(): Bitmap {
    const { rest, cursor } = this.levels.pop()!;
    cursor.close();
    return rest;
  }
}
