/** One search, from the request to the answer (spec 11, 12, 13). */
import { toJsonText } from '../documents/json-number.js';
import { shownVectors } from '../documents/vectors.js';
import { evaluateFilter, facetDistribution, searchFacet } from '../facets/index.js';
import { hydrateHits } from '../foreign/hydrate-hits.js';
import { buildHit, createHitFormatter, type FormatHit, type FormattedHit } from '../formatting/index.js';
import type { PinnedDocument } from '../pins/find-pins.js';
import { type Pin, placePins } from '../pins/place-pins.js';
import type { RuleBook } from '../pins/search-rule.js';
import { type SearchKind, searchKind } from '../vectors/query-vector.js';
import { type KindRanking, rankByKind } from '../vectors/rank-by-kind.js';
import type { IndexView } from '../view/index-view.js';
import { spelledAnswer, spelledHit } from '../wire/spelled-answer.js';
import { dropBlankTwins } from './blank-twins.js';
import type { RankedDocument } from './bucket-sort.js';
import { plainHitText } from './hit-texts.js';
import { parsedFilter, type RankedSearch, type RankingRequest, rankDocuments } from './ranked-search.js';
import type {
  FacetSearchRequest,
  FacetSearchResponse,
  OffsetResponse,
  PageResponse,
  SearchHit,
  SearchRequest,
  SearchResponse,
} from './request.js';
import { globalScore, scoreDetailsJson } from './score-details.js';
import { StageClock } from './stage-clock.js';

/** Hits of a page when hitsPerPage is not given. */
const DEFAULT_HITS_PER_PAGE = 20;

/** What else a search may come with. */
export interface SearchExtras {
  /** Rules that may pin documents; null for none. */
  readonly ruleBook?: RuleBook | null;
  /** Documents of other indexes take the place of their ids at foreign keys. */
  readonly hydrates?: boolean;
  /** Measures the stages of the search. */
  readonly clock?: StageClock;
}

/** Answers a search on one consistent view. @throws ApiError for what the request has wrong */
export function search(view: IndexView, request: SearchRequest, extras: SearchExtras = {}): SearchResponse {
  const { hits, rest } = timedAnswer(view, request, extras, hitMaker);
  const shown = extras.hydrates === true ? hydrateHits(hits.map((hit) => ({ hit, view }))) : hits;
  return { hits: shown, ...rest };
}

/**
 * The same as JSON text, with the members of `more` behind its own. Documents that are shown as they are stored are not made into
 * objects and back each time.
 */
export function searchText(view: IndexView, request: SearchRequest, extras: SearchExtras, more: () => object): string {
  if (extras.hydrates === true && view.settings.foreignKeys.length > 0)
    return toJsonText({ ...spelledAnswer(search(view, request, extras)), ...more() });
  const startedMs = performance.now();
  const key = answerKey(view, request, extras);
  const kept = key === null ? undefined : view.answers.get(key);
  if (kept !== undefined) {
    const processingTimeMs = Math.round(performance.now() - startedMs);
    return answerText(kept.hits, { ...kept.rest, processingTimeMs }, more);
  }
  const { hits, rest: plain, isDegraded } = timedAnswer(view, request, extras, hitTextMaker);
  const rest = spelledAnswer(plain);
  if (key !== null && !isDegraded) view.answers.add(key, { hits, rest });
  return answerText(hits, rest, more);
}

function answerText(hits: readonly string[], rest: object, more: () => object): string {
  return `{"hits":[${hits.join(',')}],${toJsonText({ ...rest, ...more() }).slice(1)}`;
}

/**
 * What an answer may be kept under; null where the commit and the request alone don't decide it: rules come and go with the time, and
 * foreign keys lead to other indexes. Nor is a search answered from memory whose stages are to be measured.
 */
function answerKey(view: IndexView, request: SearchRequest, { ruleBook, clock }: SearchExtras): string | null {
  if (ruleBook != null || clock !== undefined || view.settings.foreignKeys.length > 0) return null;
  return `${view.version} ${toJsonText(request)}`;
}

/** A response without its hits. */
type ResponseRest = Omit<OffsetResponse, 'hits'> | Omit<PageResponse, 'hits'>;
interface Answer<H> {
  readonly hits: readonly H[];
  readonly rest: ResponseRest;
  /** The time was over before the ranking was done. */
  readonly isDegraded: boolean;
}
type MakerOf<H> = (view: IndexView, request: SearchRequest, ranked: RankedSearch) => (ranking: RankedDocument) => H;

function timedAnswer<H>(view: IndexView, request: SearchRequest, extras: SearchExtras, maker: MakerOf<H>): Answer<H> {
  const { clock = new StageClock(), ruleBook = null } = extras;
  return clock.time('search', () => answer(view, request, ruleBook, clock, maker));
}

function answer<H>(
  view: IndexView,
  request: SearchRequest,
  ruleBook: RuleBook | null,
  clock: StageClock,
  maker: MakerOf<H>,
): Answer<H> {
  const startedMs = performance.now();
  const mark = view.kernel.mark();
  try {
    const kind = searchKind(view, request);
    const window = windowOf(view, request);
    const ranked = clock.time(rankingStage(request.q, kind), () => {
      const ranks = rankByKind(view, kind, request.vector, rankingRequest(request, window, ruleBook));
      const found = request.distinct === null ? ranks : dropBlankTwins(view, request.distinct, ranks);
      return { ...found, documents: pageOf(found, window, ruleBook, request.distinct) };
    });
    const facets =
      request.facets && request.facets.length > 0
        ? clock.time('facet distribution', () => facetDistribution(view, ranked.candidates, request.facets!))
        : {};
    const hits = clock.time('format', () => ranked.documents.map(maker(view, request, ranked)));
    const query = { query: request.q ?? '', ...queryVectorOf(request, ranked) };
    const semantic = semanticCount(ranked);
    const { isDegraded } = ranked;
    const total = Math.min(view.kernel.count(ranked.candidates), view.settings.pagination.maxTotalHits);
    const processingTimeMs = Math.round(performance.now() - startedMs);
    if (!window.isPaged) {
      const { limit, offset } = request;
      return {
        hits,
        rest: { ...query, processingTimeMs, limit, offset, estimatedTotalHits: total, ...facets, ...semantic },
        isDegraded,
      };
    }
    const { hitsPerPage, page } = window;
    const totalPages = hitsPerPage === 0 ? 0 : Math.ceil(total / hitsPerPage);
    const counts = { hitsPerPage, page, totalPages, totalHits: total };
    return { hits, rest: { ...query, processingTimeMs, ...counts, ...facets, ...semantic }, isDegraded };
  } finally {
    view.kernel.release(mark);
  }
}

/** Searches the values of one facet among the documents that match the rest of the request (spec 12 section 8). */
export function facetSearch(view: IndexView, request: FacetSearchRequest): FacetSearchResponse {
  const startedMs = performance.now();
  const mark = view.kernel.mark();
  try {
    if (searchKind(view, request).kind !== 'keyword') {
      // a vector is near to everything, so only the filter decides
      const filter = parsedFilter(request.filter);
      const universe = filter ? evaluateFilter(view, filter) : view.documents;
      const facetHits = searchFacet(view, universe, request);
      return { facetHits, facetQuery: request.facetQuery, processingTimeMs: Math.round(performance.now() - startedMs) };
    }
    // Only what removes candidates while hits come out needs hits: those of a first page. An exact count goes through all anyway.
    const removesCandidates = view.settings.distinctAttribute !== null || request.rankingScoreThreshold !== null;
    const needsPage = removesCandidates && !request.exhaustiveFacetCount;
    const ranked = rankDocuments(view, {
      ...request,
      sort: null,
      distinct: null,
      from: 0,
      length: needsPage ? Math.min(DEFAULT_HITS_PER_PAGE, view.settings.pagination.maxTotalHits) : 0,
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

/** The name of the stage that ranks. */
export const rankingStage = (q: string | null, { kind }: SearchKind): string =>
  kind !== 'keyword' ? `${kind} ranking` : q === null || q.trim() === '' ? 'placeholder ranking' : 'keyword ranking';

/** The documents of the page, with the pins among the organic ones. */
function pageOf(
  { documents, pins }: RankedSearch,
  { from, length }: PageWindow,
  ruleBook: RuleBook | null,
  distinct: string | null,
): readonly RankedDocument[] {
  if (ruleBook !== null) return placePins<RankedDocument>(documents, pins.map(pinnedRanking), from, length);
  return distinct === null ? documents : documents.slice(from, from + length);
}

/** A pinned document as a ranked one: its only detail is the pin. */
export function pinnedRanking({ docId, position }: PinnedDocument): RankedDocument & Pin {
  return { docId, position, details: [{ kind: 'pin', position }] };
}

/** Ranks start at 0 where it takes the documents before the page to know what is on it: with pins, with `distinct`. */
function rankingRequest(request: SearchRequest, window: PageWindow, ruleBook: RuleBook | null): RankingRequest {
  const startsAtPage = ruleBook === null && request.distinct === null;
  return {
    ...request,
    ruleBook,
    from: startsAtPage ? window.from : 0,
    length: startsAtPage ? window.length : window.from + window.length,
    withDetails: request.showRankingScore || request.showRankingScoreDetails,
    isExhaustive: window.isPaged,
  };
}

/** Makes hits of the ranked documents of a request. O(fields + terms) once, then O(document) each. */
export function hitMaker(
  view: IndexView,
  request: SearchRequest,
  { terms }: Pick<RankedSearch, 'terms'>,
): (ranking: RankedDocument) => SearchHit {
  return makerBy(view, request, formatterOf(view, request, terms));
}

/** The same as JSON texts. */
function hitTextMaker(
  view: IndexView,
  request: SearchRequest,
  { terms }: Pick<RankedSearch, 'terms'>,
): (ranking: RankedDocument) => string {
  const format = formatterOf(view, request, terms);
  const make = makerBy(view, request, format);
  if (!format.isPlain || request.showRankingScore || request.showRankingScoreDetails)
    return (ranking) => toJsonText(spelledHit(make(ranking)));
  return (ranking) => plainHitText(view, ranking.docId, () => make(ranking));
}

function formatterOf(view: IndexView, params: SearchRequest, terms: RankedSearch['terms']): FormatHit {
  const { fieldNames, settings, formattingTokenizer: tokenizer } = view;
  const make = (): FormatHit =>
    createHitFormatter({
      fieldNames,
      settings,
      tokenizer,
      get terms() {
        return terms();
      },
      params,
    });
  if (!asksNothingOfHits(params)) return make();
  let format = plainFormatters.get(view);
  if (format === undefined) plainFormatters.set(view, (format = make()));
  return format;
}

/** The formatters of requests that ask nothing of their hits: one for all of a view. */
const plainFormatters = new WeakMap<IndexView, FormatHit>();

const asksNothingOfHits = (request: SearchRequest): boolean =>
  request.attributesToRetrieve === null &&
  request.attributesToCrop === null &&
  request.attributesToHighlight === null &&
  !request.showMatchesPosition &&
  !request.retrieveVectors &&
  (request.sort === null || !request.sort.some((entry) => entry.includes('_geo')));

function makerBy(view: IndexView, request: SearchRequest, format: FormatHit): (ranking: RankedDocument) => SearchHit {
  return (ranking) => {
    const document = view.document(ranking.docId) ?? {};
    const vectors = request.retrieveVectors ? shownVectors(document, view.settings) : undefined;
    return decorate(request, format(document, vectors), ranking);
  };
}

function decorate(request: SearchRequest, parts: FormattedHit, { details }: RankedDocument): SearchHit {
  const hit: SearchHit = buildHit(parts);
  if (request.showRankingScore) hit._rankingScore = globalScore(details);
  if (request.showRankingScoreDetails) hit._rankingScoreDetails = scoreDetailsJson(details);
  return hit;
}

/** `queryVector`, when vectors are asked for and one was searched by. */
function queryVectorOf(
  { retrieveVectors }: SearchRequest,
  { queryVector }: KindRanking,
): { queryVector?: readonly number[] } {
  return retrieveVectors && queryVector !== null ? { queryVector: queryVector } : {};
}

/** `semanticHitCount`, when vectors could have taken part: how many of the hits came by theirs. */
function semanticCount({ documents, semanticIds }: KindRanking): { semanticHitCount?: number } {
  if (semanticIds === null) return {};
  return { semanticHitCount: documents.filter(({ docId }) => semanticIds.has(docId)).length };
}
