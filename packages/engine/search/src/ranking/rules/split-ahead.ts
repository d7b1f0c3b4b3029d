/**
 * A costly rule for a page that is much smaller than its bucket. Proximity reads the positions of each document, while the rules on fields and positions use bitmaps.
 * So the bucket is first split by the following rules (document-splitter.ts), and the costly rule runs in the first part, then in the second, and so on: its first
 * bucket is output part by part, in the order that the following rules would give anyway, and most pages are full before the rest is read.
 *
 * This is correct when the query graph is one chain of terms, and done for pairs: then the cost of a document does not depend on others, and the next rule gets the
 * same graph whatever documents match. With several paths, those that match documents would have to be known for all parts.
 */
import type { Bitmap, None } from '@fossick/kernel';
import { END, type QueryGraph, START } from '../../query/query-graph.js';
import type { Finder } from '../paths/finder.js';
import type { BitmapPool } from '../terms/bitmap-pool.js';
import type { DocumentSplitter } from './document-splitter.js';
import type { RankedBucket, RuleCursor } from './ranking-rule.js';
import type { ScoreDetail } from './score-details.js';

/** A bucket is split when it has this many times more documents than the page takes. */
export const SPLIT_SHARE = 32;
/** Edges of a chain of two terms, including the one to the end. */
const PAIR_STEPS = 3;
export interface SplitAheadOptions {
  readonly pool: BitmapPool;
  readonly graph: QueryGraph;
  /** Makes the parts; the cursor closes it. */
  readonly splitter: DocumentSplitter;
  /** A finder of the costly rule for documents of this bitmap. */
  readonly finderFor: (docs: Bitmap) => Finder;
  readonly detail: (cost: number, max: number) => ScoreDetail;
  readonly needsGraph: boolean;
}

/**
 * Whether the graph is one chain of two terms. With longer ones the first bucket seldom fills a page: all parts would be searched, each with
 * walks of its own.
 */
export function isPair({ next }: QueryGraph): boolean {
  let node = START;
  let length = 0;
  for (; node !== END && length <= PAIR_STEPS; length++) {
    const [only, other] = next[node]!;
    if (only === undefined || other !== undefined) return false;
    node = only;
  }
  return node === END && length === PAIR_STEPS;
}

/** Documents that the following rules rank equal, and the costly rule's finder over them. */
interface Part {
  readonly docs: Bitmap;
  readonly finder: Finder;
  /** The finder's last result, not yet taken; 0: none. */
  found: Bitmap | None;
  cost: number;
  isSpent: boolean;
}

export class SplitAheadCursor implements RuleCursor {
  private readonly options: SplitAheadOptions;
  private readonly parts: Part[] = [];
  /** Index of the next part to search for the current cost; -1 when it is unknown. */
  private at = 0;
  private cost = -1;

  constructor(options: SplitAheadOptions) {
    this.options = options;
  }

  next(universe: Bitmap): RankedBucket | null {
    for (;;) {
      const part = this.partAt(this.at);
      if (part === null) {
        if (!this.beginNextCost()) return null;
        continue;
      }
      this.find(part);
      if (this.cost < 0) this.cost = part.finder.shortest;
      if (part.found === 0 || part.cost !== this.cost) {
        this.at += 1;
        continue;
      }
      const bucket = this.take(part, universe);
      if (bucket !== null) return bucket;
    }
  }

  close(): void {
    const { pool, splitter } = this.options;
    for (const { docs, finder, found } of this.parts) {
      finder.close();
      pool.release(docs);
      if (found !== 0) pool.release(found);
    }
    splitter.close();
  }

  /** Null after the last part. */
  private partAt(at: number): Part | null {
    const { splitter, finderFor } = this.options;
    const known = this.parts[at];
    if (known !== undefined) return known;
    const docs = splitter.next();
    if (docs === 0) return null;
    const part: Part = { docs, finder: finderFor(docs), found: 0, cost: -1, isSpent: false };
    this.parts.push(part);
    return part;
  }

  private find(part: Part): void {
    if (part.found !== 0 || part.isSpent) return;
    part.found = part.finder.next();
    if (part.found === 0) part.isSpent = true;
    else part.cost = part.finder.cost;
  }

  private beginNextCost(): boolean {
    let least = Number.POSITIVE_INFINITY;
    for (const { found, cost } of this.parts) if (found !== 0) least = Math.min(least, cost);
    this.cost = least;
    this.at = 0;
    return least !== Number.POSITIVE_INFINITY;
  }

  /** Documents that the part's finder found and that are still in the universe. */
  private take(part: Part, universe: Bitmap): RankedBucket | null {
    const { pool, graph, detail, needsGraph } = this.options;
    if (part.found === 0) return null;
    const docs = pool.intersection(part.found, universe);
    pool.release(part.found);
    part.found = 0;
    if (docs === 0) return null;
    const narrowed = needsGraph ? part.finder.matchingGraph(docs) : graph;
    pool.kernel.bitmaps.andNot(part.docs, docs);
    return { docs, graph: narrowed, detail: detail(part.cost, part.finder.longest + 1) };
  }
}
