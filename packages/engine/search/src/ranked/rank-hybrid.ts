/** A search by words and by vectors. */

import { ApiError } from '@fossick/base';
import type { IndexView } from '@fossick/index';
import type { VectorTarget } from '@fossick/vectors';
import type { DistinctField, RankedDocument } from '../ranking/bucket-sort.js';
import { globalScore, scaleOf } from '../ranking/rules/score-details.js';
import { BitmapPool } from '../ranking/terms/bitmap-pool.js';
import { keepRanking, takeRanking } from './kept-rankings.js';
import { keywordWeight, mergeHybrid } from './merge-hybrid.js';
import { distinctOf, type RankedSearch, rankDocuments } from './ranked-search.js';
import { keepRepresentatives } from './ranker.js';
import type { RankingRequest } from './ranking-request.js';

/** Keyword results with at least this weighted score are good enough without the vector search. */
const GOOD_ENOUGH = 0.45;

/** What a hybrid search adds to the ranking of its words. */
export interface HybridRanking extends RankedSearch {
  /** Documents found by their vector. */
  readonly semanticIds: ReadonlySet<number>;
  /** The query vector as given; null where no vector was used. */
  readonly queryVector: readonly number[] | null;
}

/** Ranks by words and by vectors, and merges both lists from their heads. @throws ApiError as rankByKind */
export function rankHybrid(
  view: IndexView,
  semanticRatio: number,
  target: VectorTarget | ApiError,
  queryVector: readonly number[] | null,
  request: RankingRequest,
): HybridRanking {
  const fromStart = fromStartOf(request);
  const { length } = fromStart;
  const keyword = rankDocuments(view, fromStart, takeRanking(view, fromStart));
  const isFinal = target instanceof ApiError || isGoodEnough(keyword.documents, length, semanticRatio);
  const distinct = distinctOf(view, request);
  const isExact = request.exactDistinct === true && distinct !== null;
  const isCounted = request.threshold !== null || isExact;
  // with a threshold the count is that of both lists, however few hits are requested
  if (isFinal && (target instanceof ApiError || !isCounted))
    return { ...windowed(keyword, request), semanticIds: new Set(), queryVector: null };
  // pins were found already
  const semantic = rankDocuments(view, { ...fromStart, target });
  const { kernel } = view;
  if (isCounted && !isExact) {
    kernel.bitmaps.or(keyword.candidates, semantic.candidates);
    if (distinct !== null) keepRepresentatives(new BitmapPool(kernel, view.bitCount), distinct, keyword.candidates);
    for (const { docId } of keyword.pins) kernel.bitmaps.set(keyword.candidates, docId);
  }
  if (isExact) kernel.bitmaps.or(keyword.candidates, semantic.candidates);
  if (isFinal) {
    if (isExact) keepShown(view, distinct, keyword, keyword.documents);
    return { ...windowed(keyword, request), semanticIds: new Set(), queryVector: null };
  }
  const excluded = kernel.bitmaps.create(view.bitCount);
  const documents: RankedDocument[] = [];
  const semanticIds = new Set<number>();
  for (const { document, isSemantic } of mergeHybrid(keyword.documents, semantic.documents, semanticRatio)) {
    if (documents.length >= length) break;
    if (kernel.bitmaps.has(excluded, document.docId)) continue;
    distinct?.excludeFor(document.docId, excluded);
    documents.push(document);
    if (isSemantic) semanticIds.add(document.docId);
  }
  const { candidates } = keyword;
  if (isExact) keepShown(view, distinct, keyword, documents);
  if (!isCounted) {
    kernel.bitmaps.or(candidates, semantic.candidates);
    kernel.bitmaps.andNot(candidates, excluded);
    for (const { docId } of documents) kernel.bitmaps.set(candidates, docId);
  }
  for (const { docId } of keyword.pins) kernel.bitmaps.set(candidates, docId);
  const isDegraded = keyword.isDegraded || semantic.isDegraded;
  return { ...windowed({ ...keyword, documents, isDegraded }, request), semanticIds, queryVector };
}

/** Keeps one candidate of each distinct value: the documents shown, of other values the first one in docid order, and pins. */
function keepShown(
  view: IndexView,
  distinct: DistinctField,
  { candidates, pins }: RankedSearch,
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
 * Whether the keyword results suffice for a hybrid search, so that its query need not be embedded. With a threshold both lists are counted, so never.
 * The ranking is kept for the search.
 * @throws ApiError as rankByKind
 */
export function isEnoughByWords(view: IndexView, semanticRatio: number, request: RankingRequest): boolean {
  if (request.threshold !== null || request.exactDistinct === true) return false;
  const fromStart = fromStartOf(request);
  const ranked = rankDocuments(view, fromStart);
  keepRanking(view, fromStart, ranked);
  return isGoodEnough(ranked.documents, fromStart.length, semanticRatio);
}

/** Both lists of a hybrid search are merged from their heads. */
function fromStartOf(request: RankingRequest): RankingRequest {
  return { ...request, from: 0, length: request.from + request.length, withDetails: true, enough: null };
}

/** Whether the keyword results fill the window and all of them score well. */
function isGoodEnough(documents: readonly RankedDocument[], length: number, semanticRatio: number): boolean {
  const weight = keywordWeight(semanticRatio);
  return (
    documents.length >= length &&
    documents.every(({ details }) => globalScore(details) * scaleOf(details) * weight >= GOOD_ENOUGH)
  );
}

function windowed(ranked: RankedSearch, { from, length }: RankingRequest): RankedSearch {
  return { ...ranked, documents: ranked.documents.slice(from, from + length) };
}
