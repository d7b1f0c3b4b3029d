/** One search, from the request to the answer. */
import { type DocId, latin1Text } from '@fossick/base';
import { createDistinct, evaluateFilter, facetDistribution, liveDocument, searchFacet } from '@fossick/columns';
import { toJsonText } from '@fossick/documents';
import { readFilter } from '@fossick/filter';
import type { CachedResult, IndexView } from '@fossick/index';
import type { FacetSearchRequest, SearchRequest } from '@fossick/settings/parameters';
import { singlePrecision } from '@fossick/vectors';
import { hydrateHits } from './foreign/hydrate-hits.js';
import { checkComputed, computedMembers } from './grouped/aggregations.js';
import { findGroups } from './grouped/groups.js';
import { hitMaker, hitTextMaker, plainFormat, plainTextMaker } from './hits.js';
import { explained } from './ranked/explanation.js';
import { queryTarget } from './ranked/query-target.js';
import { type KindRanking, rankByKind } from './ranked/rank-by-kind.js';
import { type RankedSearch, rankDocuments } from './ranked/ranked-search.js';
import { rankingRequestOf } from './ranked/ranking-request.js';
import { DEFAULT_HITS_PER_PAGE, type PageRange, planSearch, rankingStage, searchKind } from './ranked/search-plan.js';
import type { RankedDocument, RankedPage } from './ranking/bucket-sort.js';
import { withMinute } from './request/current-minute.js';
import { filterDeadlineMs, formatDeadlineMs } from './request/search-cutoff.js';
import type { FacetSearchResponse, ResponseRest, SearchHit, SearchResponse } from './request/search-response.js';
import { elapsedMs, type StageClock, type Stages, UNTIMED } from './request/stage-clock.js';
import { type Pin, placePins } from './search-rules/place-pins.js';
import type { PinnedDocument } from './search-rules/rule-effects.js';
import type { RuleBook } from './search-rules/search-rule.js';
import { plainHits } from './stored-field-cache.js';
import { AnswerWriter, answerJson, bounded } from './wire/answer-bytes.js';
import { losslessAnswer } from './wire/lossless-answer.js';

/** Optional inputs of a search. */
export interface SearchExtras {
  /** Rules that may pin documents; null for none. */
  readonly ruleBook?: RuleBook | null;
  /** Documents of other indexes replace their ids at foreign keys. */
  readonly hydrates?: boolean;
  /** Measures the stages of the search. */
  readonly clock?: StageClock;
  /** The value of `now` in scores, in seconds since 1970; absent: the minute that begins the search. */
  readonly nowSeconds?: number;
  /** The answer is not kept for those who ask the same later. */
  readonly isUncached?: boolean;
}

/** Answers a search on one consistent view. @throws ApiError for an invalid request */
export function search(view: IndexView, request: SearchRequest, extras: SearchExtras = {}): SearchResponse {
  const { hits, rest } = timedAnswer(view, request, extras, hitMaker);
  const shown = (list: readonly SearchHit[]): readonly SearchHit[] =>
    extras.hydrates === true ? hydrateHits(list.map((hit) => ({ hit, view }))) : list;
  const { groups, ...others } = rest;
  if (groups === undefined) return { hits: shown(hits), ...others };
  return { hits: [], ...others, groups: groups.map((group) => ({ ...group, hits: shown(group.hits) })) };
}

/** The hits of a search, each with its stored document including hidden attributes, for callers that render it within the server. */
export function searchDocuments(
  view: IndexView,
  request: SearchRequest,
  extras: Pick<SearchExtras, 'ruleBook'>,
): readonly { readonly hit: SearchHit; readonly document: Record<string, unknown> }[] {
  return timedAnswer(view, request, extras, (seen, effective, ranked) => {
    const make = hitMaker(seen, effective, ranked);
    return (ranking) => ({ hit: make(ranking), document: liveDocument(seen, ranking.docId) });
  }).hits;
}

/**
 * A search as JSON in UTF-8, with the members of `more` after its own; `more` gets the number of hits that the answer names. Documents that are shown as stored are never made into
 * objects. The bytes have a buffer of their own.
 */
export function searchBytes(
  view: IndexView,
  request: SearchRequest,
  extras: SearchExtras,
  more: (hitCount: number) => object,
): Uint8Array {
  if (extras.hydrates === true && view.settings.foreignKeys.length > 0) {
    const answer = search(view, request, extras);
    return answerJson({ ...answer, ...more(hitCountOf(answer)) });
  }
  const startedMs = performance.now();
  const timed = withMinute(request.rankingRules ?? view.settings.rankingRules, extras);
  const key = answerKey(view, request, timed);
  const cached = key === null ? undefined : view.queryResults.get(key);
  if (cached !== undefined) return answerBytes(view, request, cached, elapsedMs(startedMs), more);
  const { answer, processingTimeMs, isDegraded } = newAnswer(view, request, timed);
  if (key !== null && !isDegraded) cacheAnswer(view, key, answer);
  return answerBytes(view, request, answer, processingTimeMs, more);
}

const TIME_MEMBER = ',"processingTimeMs":';

/** A new answer, whose formatted hits are written already, or one of the cache. */
type AnswerParts = Omit<CachedResult, 'hits'> & { readonly hits: CachedResult['hits'] | AnswerWriter };

/** The answer's own buffer goes to the client: the cache gets a copy, if it takes one of this size. */
function cacheAnswer(view: IndexView, key: string, { hits, ...rest }: AnswerParts): void {
  if (!(hits instanceof AnswerWriter)) view.queryResults.add(key, { hits, ...rest });
  else if (hits.hits.length < view.queryResults.entryBytesMax)
    view.queryResults.add(key, { hits: new Uint8Array(hits.hits), ...rest }); // slice() of a Buffer copies nothing
}

function newAnswer(
  view: IndexView,
  request: SearchRequest,
  extras: SearchExtras,
): { readonly answer: AnswerParts; readonly processingTimeMs: number; readonly isDegraded: boolean } {
  const isPlain = request.group === null && plainFormat(view, request) !== null;
  let writer = new AnswerWriter(0);
  const makers: Readonly<Record<'plain' | 'grouped' | 'formatted', MakerOf<DocId | string | undefined>>> = {
    plain:
      () =>
      ({ docId }) =>
        docId,
    grouped: (...given) => bounded(hitTextMaker(...given)),
    formatted: (...given) => {
      const make = hitTextMaker(...given);
      writer = new AnswerWriter(given[2].documents.length);
      return (ranking) => void writer.add(make(ranking));
    },
  };
  const kind = isPlain ? 'plain' : request.group === null ? 'formatted' : 'grouped';
  const { hits, rest, isDegraded } = timedAnswer(view, request, extras, makers[kind]);
  const { processingTimeMs } = rest;
  const text = toJsonText(losslessAnswer(rest));
  const at = text.indexOf(TIME_MEMBER);
  const answer = {
    hits: isPlain ? (hits as readonly DocId[]) : writer,
    before: text.slice(1, at),
    after: text.slice(at + TIME_MEMBER.length + String(processingTimeMs).length, -1),
    hitCount: hitCountOf(rest),
  };
  return { answer, processingTimeMs, isDegraded };
}

/** Assembles an answer. O(bytes) */
function answerBytes(
  view: IndexView,
  request: SearchRequest,
  { hits, before, after, hitCount }: AnswerParts,
  processingTimeMs: number,
  more: (hitCount: number) => object,
): Uint8Array {
  const members = toJsonText(more(hitCount)).slice(1);
  const separator = members === '}' ? '' : ',';
  const writer = hits instanceof AnswerWriter ? hits : new AnswerWriter(hits instanceof Uint8Array ? 1 : hits.length);
  if (hits instanceof Uint8Array) {
    if (hits.length > 0) writer.add(hits);
  } else if (!(hits instanceof AnswerWriter)) {
    const make = plainHits(view, plainTextMaker(view, request));
    for (const docId of hits) writer.add(make(docId));
  }
  return writer.end(`],${before}${TIME_MEMBER}${processingTimeMs}${after}${separator}${members}`);
}

/**
 * The cache key of an answer; null when commit and request alone do not determine it: rules depend on the time, and foreign keys read
 * other indexes. A search whose stages are measured is not cached either.
 */
function answerKey(view: IndexView, request: SearchRequest, extras: SearchExtras): string | null {
  const { ruleBook, clock, nowSeconds, isUncached } = extras;
  if (isUncached === true || ruleBook != null || clock !== undefined || view.settings.foreignKeys.length > 0)
    return null;
  const { vector } = request;
  const version = nowSeconds === undefined ? view.version : `${view.version} ${nowSeconds}`;
  if (vector === null) return `${version} ${toJsonText(request)}`;
  return `${version} ${toJsonText({ ...request, vector: null })} ${bytesText(vector)}`;
}

/**
 * The bits of numbers, one character for each byte: decimal text takes twenty times as long and more than twice the
 * space.
 */
function bytesText(numbers: readonly number[]): string {
  return latin1Text(new Uint8Array(new Float64Array(numbers).buffer));
}

/** The number of hits that an answer names. */
const hitCountOf = (rest: ResponseRest<unknown>): number =>
  'totalHits' in rest ? rest.totalHits : rest.estimatedTotalHits;

interface Answer<H> {
  readonly hits: readonly H[];
  readonly rest: ResponseRest<H>;
  /** Whether the cutoff ended the ranking. */
  readonly isDegraded: boolean;
}
type MakerOf<H> = (
  view: IndexView,
  request: SearchRequest,
  ranked: RankedSearch,
  deadlineMs: number,
) => (ranking: RankedDocument) => H;

function timedAnswer<H>(view: IndexView, request: SearchRequest, extras: SearchExtras, maker: MakerOf<H>): Answer<H> {
  const { clock = UNTIMED } = extras;
  return clock.time('search', () =>
    answer(view, request, withMinute(request.rankingRules ?? view.settings.rankingRules, extras), clock, maker),
  );
}

function answer<H>(
  view: IndexView,
  request: SearchRequest,
  { ruleBook = null, nowSeconds }: SearchExtras,
  clock: Stages,
  maker: MakerOf<H>,
): Answer<H> {
  const startedMs = performance.now();
  const mark = view.kernel.memory.mark();
  try {
    const plan = planSearch(view, request, ruleBook, nowSeconds);
    const { kind, range, ranking } = plan;
    const isComputed = request.aggregations !== null || request.facetLevels !== null;
    if (isComputed) checkComputed(view, request);
    const grouped =
      request.group === null
        ? null
        : clock.time('grouping', () => findGroups({ view, request, kind, range, ranking, startedMs, maker }));
    const ranked =
      grouped?.ranked ??
      clock.time(rankingStage(request.q, kind), () => {
        const ranks = rankByKind(view, kind, request.vector, ranking);
        const found = request.distinct === null ? ranks : dropEmptyDuplicates(view, request.distinct, ranks);
        const documents = pageOf(found, range, ruleBook, request.distinct);
        return documents === found.documents ? found : { ...found, documents };
      });
    const untilMs = filterDeadlineMs(view, startedMs);
    const facets =
      request.facets && request.facets.length > 0
        ? clock.time('facet distribution', () =>
            facetDistribution(view, ranked.candidates, request.facets!, {
              deadlineMs: untilMs,
              order: request.facetOrder,
              time: (name, work) => clock.time(name, work),
            }),
          )
        : {};
    view.needDocuments?.(ranked.documents.map(({ docId }) => docId));
    const computed = isComputed ? computedMembers(view, request, ranked.candidates, clock, untilMs) : {};
    const deadlineMs = formatDeadlineMs(view, startedMs, performance.now());
    const hits = grouped
      ? []
      : clock.time('format', () => ranked.documents.map(maker(view, request, ranked, deadlineMs)));
    const query = { query: request.q ?? '', ...queryVectorOf(request, ranked) };
    const counts = grouped ? { groups: grouped.groups } : semanticCount(ranked);
    const shownPlan = request.explain === true ? { plan: explained(plan, ranked.explain(untilMs)) } : {};
    const more = { ...facets, ...counts, ...computed, ...shownPlan };
    // hits that were not formatted for lack of time are not cached
    const isDegraded = ranked.isDegraded || grouped?.isDegraded === true || performance.now() > deadlineMs;
    const found = Math.min(view.kernel.bitmaps.count(ranked.candidates), view.settings.pagination.maxTotalHits);
    const total = grouped?.total ?? found;
    const processingTimeMs = elapsedMs(startedMs);
    if (!range.isPaged) {
      const { limit, offset } = request;
      return {
        hits,
        rest: { ...query, processingTimeMs, limit, offset, estimatedTotalHits: total, ...more },
        isDegraded,
      };
    }
    const { hitsPerPage, page } = range;
    const totalPages = hitsPerPage === 0 ? 0 : Math.ceil(total / hitsPerPage);
    const numbers = { hitsPerPage, page, totalPages, totalHits: total };
    return { hits, rest: { ...query, processingTimeMs, ...numbers, ...more }, isDegraded };
  } finally {
    view.kernel.memory.release(mark);
  }
}

/** Searches the values of one facet among the documents that match the rest of the request. */
export function facetSearch(view: IndexView, request: FacetSearchRequest): FacetSearchResponse {
  const startedMs = performance.now();
  const mark = view.kernel.memory.mark();
  try {
    const kind = searchKind(view, request);
    if (kind.kind !== 'keyword') {
      // every document has a distance to a vector, so only the filter decides
      if (request.vector !== null) queryTarget(view, kind.embedder, request.vector);
      const filter = readFilter(request.filter, 'invalid_search_filter');
      const deadlineMs = filterDeadlineMs(view, startedMs);
      const universe = filter
        ? evaluateFilter(view, filter, 'invalid_search_filter', deadlineMs, false)
        : view.documents;
      const facetHits = searchFacet(view, universe, request, deadlineMs);
      return { facetHits, facetQuery: request.facetQuery, processingTimeMs: elapsedMs(startedMs) };
    }
    // Hits are needed only when ranking removes candidates: then the first page is ranked. An exact count ranks all anyway.
    const needsPage = view.settings.distinctAttribute !== null && !request.exhaustiveFacetCount;
    const ranking = rankingRequestOf(request, {
      sort: null,
      distinct: null,
      from: 0,
      length: needsPage ? Math.min(DEFAULT_HITS_PER_PAGE, view.settings.pagination.maxTotalHits) : 0,
      withDetails: false,
      isExhaustive: request.exhaustiveFacetCount,
      namesIndex: false,
    });
    const ranked = rankDocuments(view, ranking);
    const facetHits = searchFacet(view, ranked.candidates, request, filterDeadlineMs(view, startedMs));
    return { facetHits, facetQuery: request.facetQuery, processingTimeMs: elapsedMs(startedMs) };
  } finally {
    view.kernel.memory.release(mark);
  }
}

/** The documents of the page, with the pins among the organic ones. */
function pageOf(
  { documents, pins }: RankedSearch,
  { from, length }: PageRange,
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

/** `queryVector`, when vectors are requested and one was used. */
function queryVectorOf(
  { retrieveVectors }: SearchRequest,
  { queryVector }: KindRanking,
): { queryVector?: readonly number[] } {
  return retrieveVectors && queryVector !== null ? { queryVector: queryVector.map(singlePrecision) } : {};
}

/** `semanticHitCount`, when vectors could be used: the number of hits found by their vectors. */
function semanticCount({ documents, semanticIds }: KindRanking): { semanticHitCount?: number } {
  if (semanticIds === null) return {};
  return { semanticHitCount: documents.filter(({ docId }) => semanticIds.has(docId)).length };
}

/**
 * The ranked documents with at most one whose value is "" or white space. Facet columns have no such value, so ranking
 * keeps all of them; a `distinct` of the request compares the returned documents once more, and there "" is a value like
 * any other (recorded behaviour). Dropped documents are no candidates either, and no others move up: `page` must start at
 * rank 0. O(documents * log blanks).
 */
function dropEmptyDuplicates<Page extends RankedPage>(view: IndexView, field: string, page: Page): Page {
  const distinct = createDistinct(view, field);
  if (!distinct.hasBlanks) return page;
  let isTaken = false;
  const documents = page.documents.filter(({ docId }) => {
    if (!distinct.isBlank(docId)) return true;
    if (isTaken) view.kernel.bitmaps.unset(page.candidates, docId);
    const isFirst = !isTaken;
    isTaken = true;
    return isFirst;
  });
  return { ...page, documents };
}
