/** Merges the two ranked lists of a hybrid search. */

import type { RankedDocument } from '../ranking/bucket-sort.js';
import { compareValues, type ScoreItem, scoreItems } from './score-items.js';

interface Head {
  readonly document: RankedDocument;
  readonly items: readonly ScoreItem[];
  readonly isSemantic: boolean;
}
export type MergedDocument = Pick<Head, 'document' | 'isSemantic'>;

/**
 * Yields the better head of the two lists until both are empty, each document once; ties go to the vector side. O(hits
 * * details).
 */
export function* mergeHybrid(
  keyword: readonly RankedDocument[],
  semantic: readonly RankedDocument[],
  semanticRatio: number,
): Generator<MergedDocument, void> {
  const words = keyword.map((document) => headOf(document, keywordWeight(semanticRatio), false));
  const vectors = semantic.map((document) => headOf(document, Math.fround(semanticRatio), true));
  const seen = new Set<number>();
  for (let atWord = 0, atVector = 0; atWord < words.length || atVector < vectors.length; ) {
    const [word, vector] = [words[atWord], vectors[atVector]];
    const isVector = vector !== undefined && (word === undefined || compareHeads(vector.items, word.items) >= 0);
    const { document, isSemantic } = isVector ? vector : word!;
    if (isVector) atVector += 1;
    else atWord += 1;
    if (seen.has(document.docId)) continue;
    seen.add(document.docId);
    yield { document, isSemantic };
  }
}

/** Weight of the keyword side, in single precision like the ratio itself. */
export function keywordWeight(semanticRatio: number): number {
  return Math.fround(1 - Math.fround(semanticRatio));
}

function headOf(document: RankedDocument, weight: number, isSemantic: boolean): Head {
  return { document, items: scoreItems(document.details, weight), isSemantic };
}

/** Above 0 when `a` goes first, below 0 when `b` does. */
function compareHeads(a: readonly ScoreItem[], b: readonly ScoreItem[]): number {
  const common = Math.min(a.length, b.length);
  for (let at = 0; at < common; at++) {
    const order = compareItems(a[at]!, b[at]!);
    if (order !== 0) return order;
  }
  return a.length - b.length;
}

function compareItems(a: ScoreItem, b: ScoreItem): number {
  const [scoreA, scoreB] = [scoreOf(a), scoreOf(b)];
  if (scoreA !== null && scoreB !== null) return Math.abs(scoreA - scoreB) <= Number.EPSILON ? 0 : scoreA - scoreB;
  // a score precedes a sort value, unless the score is 0
  if (scoreA !== null) return scoreA === 0 ? -1 : 1;
  if (scoreB !== null) return scoreB === 0 ? 1 : -1;
  if (a.kind === 'sort' && b.kind === 'sort') return compareValues(a.value, b.value, a.isAscending);
  if (a.kind === 'geo' && b.kind === 'geo') return compareValues(a.distance, b.distance, a.isAscending);
  return 0;
}

const scoreOf = (item: ScoreItem): number | null =>
  item.kind === 'score' || item.kind === 'vector' ? item.value : null;
