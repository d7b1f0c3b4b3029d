import type { IndexView } from '@fossick/index';
import type { Bitmap } from '@fossick/kernel';
import { NearestDocuments, type VectorTarget } from '@fossick/vectors';
import type { BitmapPool } from '../terms/bitmap-pool.js';
import type { RankedBucket, RankingRule, RuleCursor } from './ranking-rule.js';
import type { ScoreDetail } from './score-details.js';

/**
 * Orders by similarity to the query's vector: equally near documents are one bucket, those without a vector the last.
 * `batchSize`: how many documents the search probably needs.
 */
export function vectorRule(view: IndexView, pool: BitmapPool, target: VectorTarget, batchSize: number): RankingRule {
  return {
    readsGraph: false,
    isScored: true,
    isWholeScore: true,
    start: (universe) => new VectorCursor(pool, new NearestDocuments(view, target, universe, batchSize), target),
  };
}

class VectorCursor implements RuleCursor {
  private readonly pool: BitmapPool;
  private readonly nearest: NearestDocuments;
  private readonly target: VectorTarget;

  constructor(pool: BitmapPool, nearest: NearestDocuments, target: VectorTarget) {
    this.pool = pool;
    this.nearest = nearest;
    this.target = target;
  }

  next(universe: Bitmap): RankedBucket | null {
    const { kernel } = this.pool;
    if (kernel.bitmaps.isEmpty(universe)) return null;
    for (let first = this.nearest.take(); first !== null; first = this.nearest.take()) {
      const { distance } = first;
      const docs = this.pool.empty();
      kernel.bitmaps.set(docs, first.docId);
      while (this.nearest.peek()?.distance === distance) kernel.bitmaps.set(docs, this.nearest.take()!.docId);
      // distinct may have removed others meanwhile
      kernel.bitmaps.and(docs, universe);
      if (!kernel.bitmaps.isEmpty(docs)) return bucketOf(docs, this.target.similarityOf(distance));
      this.pool.release(docs);
    }
    return bucketOf(this.pool.copyOf(universe), null);
  }

  atLeast(similarity: number, universe: Bitmap): Bitmap {
    const docs = this.pool.empty();
    for (const docId of this.nearest.within((distance) => this.target.similarityOf(distance) >= similarity))
      this.pool.kernel.bitmaps.set(docs, docId);
    this.pool.kernel.bitmaps.and(docs, universe);
    return docs;
  }

  close(): void {}
}

function bucketOf(docs: Bitmap, similarity: number | null): RankedBucket {
  const detail: ScoreDetail = { kind: 'vector', similarity };
  return { docs, graph: null, detail };
}
