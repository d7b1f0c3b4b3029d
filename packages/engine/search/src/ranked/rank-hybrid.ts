/** A search by words and by vectors. */

import { ApiError } from '@fossick/base';
import { createDistinct } from '@fossick/columns';
import type { IndexView } from '@fossick/index';
import type { Bitmap } from '@fossick/kernel';
import type { VectorTarget } from '@fossick/vectors';
import type { DistinctField, RankedDocument } from '../ranking/bucket-sort.js';
import { BitmapPool } from '../ranking/terms/bitmap-pool.js';
import { keepRanking, takeRanking } from './kept-rankings.js';
import { keywordWeight, mergeHybrid } from './merge-hybrid.js';
import { distinctOf, type RankedSearch, rankDocuments } from './ranked-search.js';
import { keepRepresentatives } from './ranker.js';
import type { RankingRequest } from './ranking-request.js';
import { scoreItems } from './score-items.js';

/** With `distinct`, at least this many documents are ranked, so that documents of several values are counted alike on each of these pages. */
const DISTINCT_LENGTH_MIN = 1000;

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
  const blanks = blanksOf(view, request);
  const documents: RankedDocument[] = [];
  const semanticIds = new Set<number>();
  for (const { document, isSemantic } of mergeHybrid(keyword.documents, semantic.documents, semanticRatio)) {
    if (documents.length >= fromStart.length) break;
    if (bitmaps.has(excluded, document.docId)) continue;
    distinct?.excludeFor(document.docId, excluded);
    if (blanks !== null && bitmaps.has(blanks, document.docId)) bitmaps.or(excluded, blanks);
    documents.push(document);
    if (isSemantic) semanticIds.add(document.docId);
  }
  const candidates = request.threshold === null ? keyword.matching : keyword.candidates;
  bitmaps.or(candidates, semantic.candidates);
  const isWhole = Math.max(keyword.documents.length, semantic.documents.length) < fromStart.length;
  if (distinct !== null) {
    if (isWhole) bitmaps.clear(candidates);
    if (blanks !== null) bitmaps.andNot(candidates, blanks);
    keepShown(view, distinct, { candidates, pins: keyword.pins }, documents);
  }
  for (const { docId } of keyword.pins) bitmaps.set(candidates, docId);
  const isDegraded = keyword.isDegraded || semantic.isDegraded;
  return { ...windowed({ ...keyword, candidates, documents, isDegraded }, request), semanticIds, queryVector };
}

/** Documents whose value of the requested `distinct` is blank, of which one is kept; null when there are none. */
function blanksOf(view: IndexView, { distinct }: RankingRequest): Bitmap | null {
  const field = distinct === null ? null : createDistinct(view, distinct);
  if (field?.hasBlanks !== true) return null;
  const { bitmaps } = view.kernel;
  const blanks = bitmaps.create(view.bitCount);
  for (const docId of bitmaps.members(view.documents, 0, view.bitCount))
    if (field.isBlank(docId)) bitmaps.set(blanks, docId);
  return blanks;
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
  const { maxTotalHits } = view.settings.pagination;
  const needed = request.from + request.length;
  const length = distinct === null ? needed : Math.max(needed, Math.min(DISTINCT_LENGTH_MIN, maxTotalHits));
  return { ...request, from: 0, length, withDetails: true, countsAll: true, enough: null };
}

/**
 * Whether the keyword results fill the window and no document, however near its vector, would come before any of them: similarities are
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
