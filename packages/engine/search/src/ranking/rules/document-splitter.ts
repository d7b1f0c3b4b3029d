/** Splits documents by rules that rank each document independently, in the order in which these rules rank them. */
import type { Bitmap, None } from '@fossick/kernel';
import type { QueryGraph } from '../../query/query-graph.js';
import type { BitmapPool } from '../terms/bitmap-pool.js';
import type { RankingRule, RuleCursor } from './ranking-rule.js';

/** The most parts; the last holds all remaining documents, because each part costs a walk over the bucket. */
const PARTS_MAX = 8;
/** The most parts that a later rule makes of one part of an earlier rule; the rest follows as one part. */
const INNER_PARTS_MAX = 3;

export interface SplitterOptions {
  readonly pool: BitmapPool;
  readonly graph: QueryGraph;
  /** In ranking order, at least one. */
  readonly rules: readonly RankingRule[];
  /** Parts with fewer documents are not split further. */
  readonly splitMin: number;
}

/** A rule's progress through the rest of a part of the previous rule. */
interface Level {
  readonly rest: Bitmap;
  readonly cursor: RuleCursor;
  partCount: number;
}

/** Each part is a union of consecutive buckets of all rules together. */
export class DocumentSplitter {
  private readonly options: SplitterOptions;
  private readonly levels: Level[] = [];
  private partCount = 0;

  constructor(options: SplitterOptions, universe: Bitmap) {
    this.options = options;
    this.enter(options.pool.copyOf(universe));
  }

  /** The next part as a bitmap owned by the caller; 0 after the last. */
  next(): Bitmap | None {
    const { pool, rules, splitMin } = this.options;
    const { kernel } = pool;
    if (this.partCount + 1 === PARTS_MAX) return this.remainder();
    for (let level = this.levels.at(-1); level !== undefined; level = this.levels.at(-1)) {
      const isInner = this.levels.length > 1;
      if (isInner && level.partCount === INNER_PARTS_MAX) {
        const rest = this.leave();
        if (!kernel.bitmaps.isEmpty(rest)) return this.counted(rest);
        pool.release(rest);
        continue;
      }
      const bucket = level.cursor.next(level.rest);
      if (bucket === null) {
        pool.release(this.leave());
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
    while (this.levels.length > 0) this.options.pool.release(this.leave());
  }

  /** The whole rest as one part. */
  private remainder(): Bitmap | None {
    const { pool } = this.options;
    const all = pool.empty();
    while (this.levels.length > 0) {
      const rest = this.leave();
      pool.kernel.bitmaps.or(all, rest);
      pool.release(rest);
    }
    if (!pool.kernel.bitmaps.isEmpty(all)) return this.counted(all);
    pool.release(all);
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

  /** The rest of the innermost level, owned by the caller. */
  private leave(): Bitmap {
    const { rest, cursor } = this.levels.pop()!;
    cursor.close();
    return rest;
  }
}
