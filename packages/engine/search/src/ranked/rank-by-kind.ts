/** A search up to its ranked documents, by words, by vectors or by both. */

import { ApiError } from '@fossick/base';
import { readFilter } from '@fossick/filter';
import type { IndexView } from '@fossick/index';
import type { SearchRequest } from '@fossick/settings/parameters';
import type { VectorTarget } from '@fossick/vectors';
import type { DistinctField, RankedDocument } from '../ranking/bucket-sort.js';
import { globalScore } from '../ranking/rules/score-details.js';
import { BitmapPool } from '../ranking/terms/bitmap-pool.js';
import { keepRanking, takeRanking } from './kept-rankings.js';
import { keywordWeight, mergeHybrid } from './merge-hybrid.js';
import { queryTarget, type SearchKind } from './query-vector.js';
import { distinctOf, parsedSort, type RankedSearch, rankDocuments } from './ranked-search.js';
import { keepRepresentatives } from './ranker.js';
import type { RankingRequest } from './ranking-request.js';

/** Keyword results with at least this weighted score are good enough without the vector search. */
const GOOD_ENOUGH = 0.45;

export interface KindRanking extends RankedSearch {
  /** Documents found by their vector; null for a keyword search. */
  readonly semanticIds: ReadonlySet<number> | null;
  /** The query vector as given; `singlePrecision` formats its numbers. */
  readonly queryVector: readonly number[] | null;
}

/**
 * Ranks as rankDocuments does, with vectors when the kind needs them. Ranks of a hybrid search always start at 0,
 * because both lists are merged from their heads.
 * @throws ApiError for an invalid filter, sort, distinct or attributesToSearchOn, invalid_vector_dimensions,
 *   vector_embedding_error
 */
export function rankByKind(
  view: IndexView,
  kind: SearchKind,
  vector: SearchRequest['vector'],
  request: RankingRequest,
): KindRanking {
  if (kind.kind === 'keyword') return byWords(rankDocuments(view, request));
  if (request.sort) parsedSort(view, request.sort);
  readFilter(request.filter, 'invalid_search_filter');
  const target = queryTarget(view, kind.embedder, vector);
  const queryVector = vector ?? null;
  if (kind.kind === 'hybrid') return rankHybrid(view, kind.semanticRatio, target, queryVector, request);
  if (target instanceof ApiError) throw target;
  const ranked = rankDocuments(view, { ...request, target });
  const semanticIds = new Set(ranked.documents.map(({ docId }) => docId));
  return { ...ranked, semanticIds, queryVector };
}

/** Written out instead of spread, because it is on the path of most searches. */
function byWords({ documents, candidates, isDegraded, terms, sort, pins }: RankedSearch): KindRanking {
  return { documents, candidates, isDegraded, terms, sort, pins, semanticIds: null, queryVector: null };
}

function rankHybrid(
  view: IndexView,
  semanticRatio: number,
  target: VectorTarget | ApiError,
  queryVector: readonly number[] | null,
  request: RankingRequest,
): KindRanking {
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
  return { ...request, from: 0, length: request.from + request.length, withDetails: true };
}

/** Whether the keyword results fill the window and all of them score well. */
function isGoodEnough(documents: readonly RankedDocument[], length: number, semanticRatio: number): boolean {
  const weight = keywordWeight(semanticRatio);
  return documents.length >= length && documents.every(({ details }) => globalScore(details) * weight >= GOOD_ENOUGH);
}

function windowed(ranked: RankedSearch, { from, length }: RankingRequest): RankedSearch {
  return { ...ranked, documents: ranked.documents.slice(from, from + length) };
}
