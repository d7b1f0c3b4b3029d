import type { Bitmap, BitmapRow, None } from '@fossick/kernel';
import type { GraphNode } from '../../query/query-graph.js';
import type { Occurrences } from '../terms/near-words.js';
import type { TermDocs } from '../terms/term-docs.js';

/**
 * Scatters the documents of every occurrence of a node's expansions into bitmaps by field or position; phrases count at their
 * first word.
 */
export function scatterAnchors(
  docs: TermDocs,
  node: GraphNode,
  universe: Bitmap,
  scatter: (occurrences: Occurrences, within: Bitmap, targets: BitmapRow) => void,
  bitmaps: readonly (Bitmap | None)[],
): void {
  const { kernel } = docs.pool;
  const targets = kernel.bitmaps.row(bitmaps);
  for (const occurrences of docs.anchors(node.term!, node.set)) {
    const { within } = occurrences;
    const documents = within === 0 ? universe : docs.pool.intersection(universe, within);
    if (documents === 0) continue;
    scatter(occurrences, documents, targets);
    if (documents !== universe) docs.pool.release(documents);
  }
}
