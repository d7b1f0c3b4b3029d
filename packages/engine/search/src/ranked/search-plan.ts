/** What one search does: decided from the request and the settings, before any document is looked up. */

import type { IndexView } from '@fossick/index';
import type { SearchRequest } from '@fossick/settings/parameters';
import type { RuleBook } from '../search-rules/search-rule.js';
import { requireEmbedder } from './query-target.js';
import { countsDistinct, type RankingRequest, rankingRequestOf } from './ranking-request.js';

/** A search before it is run. Groups, facets and computed values are members of the request. */
export interface SearchPlan {
  readonly kind: SearchKind;
  readonly range: PageRange;
  /** What determines candidates and order. */
  readonly ranking: RankingRequest;
}

/** @throws ApiError invalid_search_embedder for an embedder that the index does not have */
export function planSearch(
  view: IndexView,
  request: SearchRequest,
  ruleBook: RuleBook | null,
  nowSeconds: number | undefined,
): SearchPlan {
  const kind = searchKind(view, request);
  const range = rangeOf(view, request);
  return { kind, range, ranking: rankingRequest(request, range, ruleBook, nowSeconds) };
}

type VectorParameters = Pick<SearchRequest, 'q' | 'vector' | 'hybrid' | 'hasMedia'>;

export type SearchKind =
  | { readonly kind: 'keyword' }
  | { readonly kind: 'semantic'; readonly embedder: string }
  | { readonly kind: 'hybrid'; readonly embedder: string; readonly semanticRatio: number };

/**
 * The kind of a search. A keyword search does not look its embedder up.
 * @throws ApiError invalid_search_embedder for an embedder that the index does not have
 */
export function searchKind(view: IndexView, { q, vector, hybrid, hasMedia }: VectorParameters): SearchKind {
  const hasText = q !== null && q.trim() !== '';
  if (!hybrid || hybrid.semanticRatio === 0 || (vector === null && !hasText && hasMedia !== true))
    return { kind: 'keyword' };
  const { embedder, semanticRatio } = hybrid;
  requireEmbedder(view, embedder, 'invalid_search_embedder');
  return semanticRatio === 1 || !hasText ? { kind: 'semantic', embedder } : { kind: 'hybrid', embedder, semanticRatio };
}

/** The name of the stage that ranks. */
export const rankingStage = (q: string | null, { kind }: SearchKind): string =>
  kind !== 'keyword' ? `${kind} ranking` : q === null || q.trim() === '' ? 'placeholder ranking' : 'keyword ranking';

/** Hits of a page when hitsPerPage is not given. */
export const DEFAULT_HITS_PER_PAGE = 20;

export interface PageRange {
  readonly isPaged: boolean;
  readonly from: number;
  readonly length: number;
  readonly page: number;
  readonly hitsPerPage: number;
  /** How many of the documents that match have to be found, of a page without scores; null: all of them have to be ranked. */
  readonly enough: number | null;
}

/** The requested ranks; nothing after maxTotalHits is materialised. */
function rangeOf(view: IndexView, request: SearchRequest): PageRange {
  const { maxTotalHits } = view.settings.pagination;
  const isPaged = request.page !== null || request.hitsPerPage !== null;
  const hitsPerPage = request.hitsPerPage ?? DEFAULT_HITS_PER_PAGE;
  const page = request.page ?? 1;
  const wantedFrom = isPaged ? Math.max(0, page - 1) * hitsPerPage : request.offset;
  const wantedLength = isPaged ? (page === 0 ? 0 : hitsPerPage) : request.limit;
  const from = Math.min(wantedFrom, maxTotalHits);
  const enough = needsAllRanked(view, request)
    ? null
    : needsAllFound(request)
      ? Number.POSITIVE_INFINITY
      : maxTotalHits;
  return { isPaged, from, length: Math.min(wantedLength, maxTotalHits - from), page, hitsPerPage, enough };
}

/** Whether more is asked about the documents that match than the page and a count up to `maxTotalHits`. */
const needsAllFound = ({ facets, aggregations, facetLevels }: SearchRequest): boolean =>
  (facets !== null && facets.length > 0) || aggregations !== null || facetLevels !== null;

/** Whether the rank of a document matters beyond its place in the page. */
const needsAllRanked = ({ settings }: IndexView, request: SearchRequest): boolean =>
  request.group !== null ||
  request.distinct !== null ||
  settings.distinctAttribute !== null ||
  request.rankingScoreThreshold !== null ||
  request.showRankingScore ||
  request.showRankingScoreDetails;

/** Ranks start at 0 when the page depends on the documents before it: with pins, and with `distinct`. */
function rankingRequest(
  request: SearchRequest,
  range: PageRange,
  ruleBook: RuleBook | null,
  nowSeconds: number | undefined,
): RankingRequest {
  const startsAtPage = ruleBook === null && request.distinct === null;
  return rankingRequestOf(request, {
    sort: request.sort,
    distinct: request.distinct,
    exactDistinct: countsDistinct(request),
    countsValues: needsAllFound(request),
    ruleBook,
    nowSeconds,
    from: startsAtPage ? range.from : 0,
    length: startsAtPage ? range.length : range.from + range.length,
    withDetails: request.showRankingScore || request.showRankingScoreDetails,
    isExhaustive: range.isPaged,
    enough: range.enough,
    explains: request.explain,
  });
}
