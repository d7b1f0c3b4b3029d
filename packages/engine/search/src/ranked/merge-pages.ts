/** The pages of several rankings of one search as one: those of alternatives of a query, and of documents of different weights. */
import type { DistinctField, RankedDocument, RankedPage } from '../ranking/bucket-sort.js';
import type { ScoreDetail } from '../ranking/rules/score-details.js';
import type { BitmapPool } from '../ranking/terms/bitmap-pool.js';
import { mergeRanked } from './merge-ranked.js';
import { type Ranked, type ScoreItem, scoreItems } from './score-items.js';

interface RankedAlternative extends Ranked {
  readonly document: RankedDocument;
}
/** A page that starts at 0, with details. */
export interface PagePart {
  readonly page: RankedPage;
  /** What search rules multiply its scores by. */
  readonly weight: number;
}
export interface MergeScope {
  readonly pool: BitmapPool;
  readonly distinct: DistinctField | null;
  /** The ranks of the merged page. */
  readonly from: number;
  readonly length: number;
}

/** The best documents of all parts, each once; ties go to the earlier part. Their candidates are used up. O(from + length). */
export function mergePages({ pool, distinct, from, length }: MergeScope, parts: readonly PagePart[]): RankedPage {
  const { bitmaps } = pool.kernel;
  const isWeighted = parts.some(({ weight }) => weight !== 1);
  const lists = parts.map(({ page, weight }, queryPosition) =>
    page.documents.map(
      (document): RankedAlternative => ({
        document,
        items: isWeighted ? weightedItems(document.details, weight) : scoreItems(document.details, 1),
        weightedScore: 0,
        queryPosition,
      }),
    ),
  );
  const candidates = pool.empty();
  for (const { page } of parts) {
    bitmaps.or(candidates, page.candidates);
    pool.release(page.candidates);
  }
  const documents: RankedDocument[] = [];
  const seen = pool.empty();
  const excluded = pool.empty();
  for (const { document } of mergeRanked(lists)) {
    if (documents.length >= from + length) break;
    if (bitmaps.has(seen, document.docId) || bitmaps.has(excluded, document.docId)) continue;
    bitmaps.set(seen, document.docId);
    distinct?.excludeFor(document.docId, excluded);
    documents.push(document);
  }
  bitmaps.andNot(candidates, excluded);
  bitmaps.or(candidates, seen);
  pool.release(seen);
  pool.release(excluded);
  return { documents: documents.slice(from), candidates, isDegraded: parts.some(({ page }) => page.isDegraded) };
}

/** Items that contain the weight even where no rule gave a rank: a search without words is ordered by weights, after its sort rules. */
function weightedItems(details: readonly ScoreDetail[], weight: number): ScoreItem[] {
  const items = scoreItems(details, 1);
  if (!items.some(({ kind }) => kind === 'score' || kind === 'vector')) items.push({ kind: 'score', value: weight });
  return items;
}
