/** Ranked lists as one: those of several queries, and the pages of several rankings of one search. */
import type { DistinctField, RankedDocument, RankedPage } from '../ranking/bucket-sort.js';
import type { ScoreDetail } from '../ranking/rules/score-details.js';
import type { BitmapPool } from '../ranking/terms/bitmap-pool.js';
import { compareRanked, type Ranked, type ScoreItem, scoreItems } from './score-items.js';

/** Merges several ranked lists, best first, ties by query position. O(hits yielded * lists). */
export function* mergeRanked<T extends Ranked>(lists: readonly (readonly T[])[]): Generator<T, void> {
  const at = lists.map(() => 0);
  for (;;) {
    let best = -1;
    let bestHead: T | undefined;
    lists.forEach((list, index) => {
      const head = list[at[index]!];
      if (head === undefined || (bestHead !== undefined && !goesBefore(head, bestHead))) return;
      best = index;
      bestHead = head;
    });
    if (bestHead === undefined) return;
    at[best]! += 1;
    yield bestHead;
  }
}

function goesBefore(a: Ranked, b: Ranked): boolean {
  const order = compareRanked(a, b);
  return order > 0 || (order === 0 && a.queryPosition < b.queryPosition);
}

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
