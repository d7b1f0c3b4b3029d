/** One search, from the request to the answer (spec 11, 12, 13). */
import { ApiError } from '@fossick/base';
import type { Ptr } from '@fossick/kernel';
import { facetDistribution, searchFacet } from '../facets/index.js';
import { shownVectors } from '../documents/vectors.js';
import { buildHit, createHitFormatter, type FormattedHit } from '../formatting/index.js';
import type { IndexView } from '../view/index-view.js';
import type { RankedDocument } from './bucket-sort.js';
import { type RankedSearch, type RankingRequest, rankDocuments } from './ranked-search.js';
import type { FacetSearchRequest, FacetSearchResponse, SearchHit, SearchRequest, SearchResponse } from './request.js';
import { globalScore, scoreDetailsJson } from './score-details.js';

/** Hits of a page when hitsPerPage is not given. */
const DEFAULT_HITS_PER_PAGE = 20;

/** Answers a search on one consistent view. @throws ApiError for what the request has wrong */
export function search(view: IndexView, request: SearchRequest): SearchResponse {
  const startedMs = performance.now();
  const mark = view.kernel.mark();
  try {
    refuseVectors(view, request);
    const window = windowOf(view, request);
    const ranked = rankDocuments(view, rankingRequest(request, window));
    const facets = request.facets && request.facets.length > 0 ? facetDistribution(view, ranked.candidates, request.facets) : {};
    const base = { hits: hitsOf(view, request, ranked), query: request.q ?? '' };
    const total = Math.min(view.kernel.count(ranked.candidates), view.settings.pagination.maxTotalHits);
    const processingTimeMs = Math.round(performance.now() - startedMs);
    if (!window.isPaged) {
      return { ...base, processingTimeMs, limit: request.limit, offset: request.offset, estimatedTotalHits: total, ...facets };
    }
    const { hitsPerPage, page } = window;
    const totalPages = hitsPerPage === 0 ? 0 : Math.ceil(total / hitsPerPage);
    return { ...base, processingTimeMs, hitsPerPage, page, totalPages, totalHits: total, ...facets };
  } finally {
    view.kernel.release(mark);
  }
}

/** Searches the values of one facet among the documents that match the rest of the request (spec 12 section 8). */
export function facetSearch(view: IndexView, request: FacetSearchRequest): FacetSearchResponse {
  const startedMs = performance.now();
  const mark = view.kernel.mark();
  try {
    refuseVectors(view, request);
    // Only what removes candidates while hits come out needs hits: those of a first page.
    const removesCandidates = view.settings.distinctAttribute !== null || request.rankingScoreThreshold !== null;
    const ranked = rankDocuments(view, {
      ...request,
      sort: null,
      distinct: null,
      from: 0,
      length: removesCandidates ? DEFAULT_HITS_PER_PAGE : 0,
      withDetails: false,
      isExhaustive: request.exhaustiveFacetCount,
    });
    const facetHits = searchFacet(view, ranked.candidates, request);
    return { facetHits, facetQuery: request.facetQuery, processingTimeMs: Math.round(performance.now() - startedMs) };
  } finally {
    view.kernel.release(mark);
  }
}

interface PageWindow {
  readonly isPaged: boolean;
  readonly from: number;
  readonly length: number;
  readonly page: number;
  readonly hitsPerPage: number;
}

/** Which ranks are wanted; nothing past maxTotalHits is materialised (spec 11 section 9.3). */
function windowOf(view: IndexView, request: SearchRequest): PageWindow {
  const { maxTotalHits } = view.settings.pagination;
  const isPaged = request.page !== null || request.hitsPerPage !== null;
  const hitsPerPage = request.hitsPerPage ?? DEFAULT_HITS_PER_PAGE;
  const page = request.page ?? 1;
  const wantedFrom = isPaged ? Math.max(0, page - 1) * hitsPerPage : request.offset;
  const wantedLength = isPaged ? (page === 0 ? 0 : hitsPerPage) : request.limit;
  const from = Math.min(wantedFrom, maxTotalHits);
  return { isPaged, from, length: Math.min(wantedLength, maxTotalHits - from), page, hitsPerPage };
}

function rankingRequest(request: SearchRequest, window: PageWindow): RankingRequest {
  return {
    ...request,
    from: window.from,
    length: window.length,
    withDetails: request.showRankingScore || request.showRankingScoreDetails,
    isExhaustive: window.isPaged,
  };
}

function hitsOf(view: IndexView, request: SearchRequest, ranked: RankedSearch): SearchHit[] {
  const format = createHitFormatter({
    fieldNames: view.fieldNames,
    settings: view.settings,
    tokenizer: view.formattingTokenizer,
    terms: ranked.terms,
    params: request,
  });
  return ranked.documents.map((ranking) => {
    const document = view.document(ranking.docId) ?? {};
    const vectors = request.retrieveVectors ? shownVectors(document, view.settings) : undefined;
    return decorate(request, format(document, vectors), ranking);
  });
}

function decorate(request: SearchRequest, parts: FormattedHit, { details }: RankedDocument): SearchHit {
  const hit: SearchHit = buildHit(parts);
  if (request.showRankingScore) hit._rankingScore = globalScore(details);
  if (request.showRankingScoreDetails) hit._rankingScoreDetails = scoreDetailsJson(details);
  return hit;
}

/** No embedder can be configured yet, so whatever needs one names an unknown embedder (spec 11 section 14). */
function refuseVectors(view: IndexView, request: Pick<SearchRequest, 'q' | 'vector' | 'hybrid'>): void {
  const { hybrid, vector, q } = request;
  if (!hybrid || hybrid.semanticRatio === 0) return;
  if (vector === null && (q === null || q.trim() === '')) return;
  throw new ApiError(
    'invalid_search_embedder',
    `Index \`${view.uid}\`: no embedder named \`${hybrid.embedder}\` can answer this search.`,
  );
}
