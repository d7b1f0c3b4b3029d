/** A search by words and by vectors. */

import { ApiError } from '@fossick/base';
import type { IndexView } from '@fossick/index';
import type { VectorTarget } from '@fossick/vectors';
import type { DistinctField, RankedDocument } from '../ranking/bucket-sort.js';
import { BitmapPool } from '../ranking/terms/bitmap-pool.js';
import { keepRanking, takeRanking } from './kept-rankings.js';
import { distinctOf, type RankedSearch, rankDocuments } from './ranked-search.js';
import { keepRepresentatives } from './ranker.js';
import { distinctLength, type RankingRequest } from './ranking-request.js';
import { compareValues, type ScoreItem, scoreItems } from './score-items.js';

const scoreOf = (item: ScoreItem): number | null =>
  item.kind === 'score' || item.kind === 'vector' ? item.value : null;

/** What a hybrid search adds to the ranking of its words. */
export interface HybridRanking extends RankedSearch {
  /** Documents found by their vector. */
  readonly semanticIds: ReadonlySet<number>;
  /** The query vector as given; null where no vector was used. */
  readonly queryVector: readonly number[] | null;
}

/**
 * Ranks by words and by vectors, and merges both lists from their heads: one list, of which each page is a part. As every document has a
 * place in the order of vectors, all that satisfy the filter are found, unless a threshold leaves some out.
 * @throws ApiError as rankByKind
 */
export function rankHybrid(
  view: IndexView,
  semanticRatio: number,
  target: VectorTarget | ApiError,
  queryVector: readonly number[] | null,
  request: RankingRequest,
): HybridRanking {
  const distinct = distinctOf(view, request);
  const fromStart = fromStartOf(view, request, distinct);
  const keyword = rankDocuments(view, fromStart, takeRanking(view, fromStart));
  const { bitmaps } = view.kernel;
  const isDecided = isDecidedByWords(keyword.documents, semanticRatio, fromStart, distinct);
  if (isDecided || target instanceof ApiError) {
    // without a vector, only words find documents
    const candidates = isDecided ? keyword.matching : keyword.candidates;
    return { ...windowed({ ...keyword, candidates }, request), semanticIds: new Set(), queryVector: null };
  }
  // pins were found already
  const semantic = rankDocuments(view, { ...fromStart, target });
  const excluded = bitmaps.create(view.bitCount);
  const documents: RankedDocument[] = [];
  const semanticIds = new Set<number>();
  for (const { document, isSemantic } of mergeHybrid(keyword.documents, semantic.documents, semanticRatio)) {
    if (documents.length >= fromStart.length) break;
    if (bitmaps.has(excluded, document.docId)) continue;
    distinct?.excludeFor(document.docId, excluded);
    documents.push(document);
    if (isSemantic) semanticIds.add(document.docId);
  }
  const candidates = request.threshold === null ? keyword.matching : keyword.candidates;
  bitmaps.or(candidates, semantic.candidates);
  const isWhole = Math.max(keyword.documents.length, semantic.documents.length) < fromStart.length;
  if (distinct !== null) {
    if (isWhole) bitmaps.clear(candidates);
    keepShown(view, distinct, { candidates, pins: keyword.pins }, documents);
  }
  for (const { docId } of keyword.pins) bitmaps.set(candidates, docId);
  const isDegraded = keyword.isDegraded || semantic.isDegraded;
  const explain: RankedSearch['explain'] = (deadlineMs) => {
    const { filtered, queries } = keyword.explain(deadlineMs);
    return { filtered, queries: [...queries, ...semantic.explain(deadlineMs).queries] };
  };
  return { ...windowed({ ...keyword, candidates, documents, isDegraded, explain }, request), semanticIds, queryVector };
}

/** Ranks by vectors. Where `distinct` decides which values are counted, as many documents are compared for each page. @throws ApiError as rankByKind */
export function rankSemantic(view: IndexView, target: VectorTarget, request: RankingRequest): RankedSearch {
  const needed = request.from + request.length;
  const isCounted = request.countsValues === true && distinctOf(view, request) !== null;
  if (!isCounted) return rankDocuments(view, { ...request, target });
  return windowed(rankDocuments(view, { ...request, from: 0, length: distinctLength(view, needed), target }), request);
}

/** Keeps one candidate of each distinct value: the documents shown, of other values the first one in docid order, and pins. */
function keepShown(
  view: IndexView,
  distinct: DistinctField,
  { candidates, pins }: Pick<RankedSearch, 'candidates' | 'pins'>,
  shown: readonly RankedDocument[],
): void {
  const { bitmaps } = view.kernel;
  const excluded = bitmaps.create(view.bitCount);
  for (const { docId } of shown) distinct.excludeFor(docId, excluded);
  bitmaps.andNot(candidates, excluded);
  keepRepresentatives(new BitmapPool(view.kernel, view.bitCount), distinct, candidates);
  for (const { docId } of [...shown, ...pins]) bitmaps.set(candidates, docId);
}

/**
 * Whether the keyword results suffice for a page of a hybrid search, so that its query need not be embedded. The ranking is kept for the search.
 * @throws ApiError as rankByKind
 */
export function isEnoughByWords(view: IndexView, semanticRatio: number, request: RankingRequest): boolean {
  const distinct = distinctOf(view, request);
  if (request.threshold !== null || distinct !== null) return false;
  const fromStart = fromStartOf(view, request, distinct);
  const ranked = rankDocuments(view, fromStart);
  keepRanking(view, fromStart, ranked);
  return isDecidedByWords(ranked.documents, semanticRatio, fromStart, distinct);
}

/** Both lists of a hybrid search are merged from their heads. */
function fromStartOf(view: IndexView, request: RankingRequest, distinct: DistinctField | null): RankingRequest {
  const needed = request.from + request.length;
  const length = distinct === null ? needed : distinctLength(view, needed);
  return { ...request, from: 0, length, withDetails: true, countsAll: true, enough: null };
}

/**
 * Whether the keyword results fill the range and no document, however near its vector, would come before any of them: similarities are
 * at most 1. Then the merged list begins with them. Thresholds and `distinct` count both lists, and rules may raise scores.
 */
function isDecidedByWords(
  documents: readonly RankedDocument[],
  semanticRatio: number,
  { length, threshold, ruleBook }: RankingRequest,
  distinct: DistinctField | null,
): boolean {
  if (threshold !== null || distinct !== null || documents.length < length) return false;
  if (length > 0 && ruleBook != null) return false;
  const weight = keywordWeight(semanticRatio);
  const best = Math.fround(semanticRatio) + Number.EPSILON;
  return documents.every(({ details }) => {
    const [first] = scoreItems(details, weight);
    return first?.kind === 'score' && first.value > best;
  });
}

function windowed(ranked: RankedSearch, { from, length }: RankingRequest): RankedSearch {
  return { ...ranked, documents: ranked.documents.slice(from, from + length) };
}

interface Head {
  readonly document: RankedDocument;
  readonly items: readonly ScoreItem[];
  readonly isSemantic: boolean;
}

type MergedDocument = Pick<Head, 'document' | 'isSemantic'>;

/**
 * Yields the better head of the two lists until both are empty, each document once; ties go to the vector side. O(hits
 * * details).
 */
function* mergeHybrid(
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
function keywordWeight(semanticRatio: number): number {
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
