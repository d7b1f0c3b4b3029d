/** The queries of a federated search on one index, merged into one ranked list. */
import { type DocId, inOrder, memberEntries, own, setOwn } from '@fossick/base';
import { checkFacets, type FacetDistribution, facetDistribution, liveDocument } from '@fossick/columns';
import { selectFields, withDigits } from '@fossick/documents';
import type { IndexView } from '@fossick/index';
import type { Bitmap } from '@fossick/kernel';
import { singlePrecision } from '@fossick/vectors';
import { hitMaker } from '../hits.js';
import { mergeRanked } from '../ranked/merge-ranked.js';
import { type KindRanking, rankByKind } from '../ranked/rank-by-kind.js';
import { distinctField, distinctOf, parsedSort, type RankedSearch, rulesInUse } from '../ranked/ranked-search.js';
import { keepRepresentatives } from '../ranked/ranker.js';
import { countsDistinct, distinctLength, hasThreshold, rankingRequestOf } from '../ranked/ranking-request.js';
import { type ScoreItem, scoreItems } from '../ranked/score-items.js';
import { rankingStage, searchKind } from '../ranked/search-plan.js';
import type { RankedDocument } from '../ranking/bucket-sort.js';
import { globalScore, scaleOf } from '../ranking/rules/score-details.js';
import { BitmapPool } from '../ranking/terms/bitmap-pool.js';
import { fieldWeights, restrictFields } from '../ranking/terms/field-scope.js';
import { formatDeadlineMs } from '../request/search-cutoff.js';
import type { SearchHit } from '../request/search-response.js';
import { pinnedRanking } from '../search.js';
import type { RuleCompatibility } from './check-rules.js';
import { DistinctFilter, distinctValues, facetValues } from './document-values.js';
import { inQuery, withPath } from './in-query.js';
import type {
  FederatedHit,
  FederatedPart,
  FederatedQuery,
  FederationMarks,
  FederationRequest,
  IndexFacets,
} from './request.js';
import { effectiveRules } from './rule-kinds.js';

/** Members of a hit that follow the document's own. */
const DECORATIONS = new Set(['_formatted', '_matchesPosition', '_rankingScore', '_rankingScoreDetails']);

interface LocalHit extends FederatedHit {
  readonly docId: DocId;
}

/** The results of the queries on an index. */
interface LocalMerge {
  /** Ranked hits of each query. */
  readonly lists: readonly LocalHit[][];
  readonly pins: ReadonlyMap<number, LocalHit>;
  /** Documents that any of the queries matches. */
  readonly candidates: Bitmap;
  /** Upper bound of the hits. */
  readonly cap: number;
}

/**
 * Runs the queries on one view and merges their hits: a document occurs once, for the query that ranks it best. Memory
 * is in the kernel's scratch region: the caller marks and releases.
 * @throws ApiError, naming the query, when one is invalid
 */
export function searchIndex(
  view: IndexView,
  queries: readonly FederatedQuery[],
  federation: FederationRequest,
  compatibility: RuleCompatibility,
): FederatedPart {
  const { kernel, settings } = view;
  const { range, distinct } = federation;
  const startedMs = performance.now();
  const needed = Math.min(range.from + range.length, settings.pagination.maxTotalHits);
  // duplicates are compared over all queries, of which one counts exactly: each page compares as many hits
  const comparesAll = distinct !== null && federation.queries.some(({ request }) => countsDistinct(request));
  const cap = comparesAll ? distinctLength(view, needed) : needed;
  const candidates = kernel.bitmaps.create(view.bitCount);
  const lists: LocalHit[][] = [];
  const pins = new Map<number, LocalHit>();
  const queryVectors = new Map<number, readonly number[]>();
  let isSemantic = false;
  for (const query of queries) {
    const ranked = inQuery(query.position, () => rankQuery(view, query, federation, { compatibility, startedMs, cap }));
    kernel.bitmaps.or(candidates, ranked.candidates);
    isSemantic ||= ranked.semanticIds !== null;
    if (query.request.retrieveVectors && ranked.queryVector !== null)
      queryVectors.set(query.position, ranked.queryVector.map(singlePrecision));
    const toHit = hitMakerOf(view, query, federation, ranked, startedMs);
    lists.push(ranked.documents.map((document) => toHit(document, null)));
    for (const pin of ranked.pins)
      if (!pins.has(pin.docId)) pins.set(pin.docId, toHit(pinnedRanking(pin), pin.position));
  }
  const merged: LocalMerge = { lists, pins, candidates, cap };
  const hits = mergedHits(view, merged, distinct);
  // a threshold makes counts exact: they do not depend on how many hits were merged
  const isCounted = queries.some(({ request }) => hasThreshold(request) || countsDistinct(request));
  const field = isCounted ? distinctOf(view, { distinct, exactDistinct: true }) : null;
  if (field !== null) keepRepresentatives(new BitmapPool(kernel, view.bitCount), field, candidates);
  const total = Math.min(kernel.bitmaps.count(candidates), settings.pagination.maxTotalHits);
  const note = ` (index of \`.queries[${queries[0]!.position}]\`)`;
  const facets = facetsOf(view, candidates, federation, note);
  const asksVectors = queries.some(({ request }) => request.retrieveVectors);
  return {
    hits,
    pins: [...pins.values()],
    total,
    facets,
    isSemantic,
    queryVectors: asksVectors ? queryVectors : null,
  };
}

/** The queries' lists merged into one; removes documents that `distinct` rejects from the candidates. */
function mergedHits(
  view: IndexView,
  { lists, pins, candidates, cap }: LocalMerge,
  distinct: string | null,
): LocalHit[] {
  const hits: LocalHit[] = [];
  const seen = new Set(pins.keys());
  const filter = new DistinctFilter();
  for (const hit of mergeRanked(lists)) {
    if (hits.length >= cap) break;
    if (seen.has(hit.docId)) continue;
    seen.add(hit.docId);
    if (distinct === null || filter.admit(hit.distinctValues())) hits.push(hit);
    else view.kernel.bitmaps.unset(candidates, hit.docId);
  }
  return hits;
}

/** What all queries of an index share. */
interface QueryLimits {
  readonly compatibility: RuleCompatibility;
  readonly startedMs: number;
  /** Upper bound of the hits. */
  readonly cap: number;
}

/** Ranks one query. Checks run in the order in which their errors are reported. */
function rankQuery(
  view: IndexView,
  { request, position, ruleBook }: FederatedQuery,
  federation: FederationRequest,
  { compatibility, startedMs, cap }: QueryLimits,
): KindRanking {
  const kind = searchKind(view, request);
  const sort = request.sort === null ? [] : parsedSort(view, request.sort);
  const rankingRules = rulesInUse(view, request.rankingRules);
  compatibility.check(
    effectiveRules({ uid: view.uid, queryPosition: position, rankingRules, sort, request, kind: kind.kind }),
  );
  if (request.attributesToSearchOn !== null) restrictFields(view, request.attributesToSearchOn, fieldWeights(view));
  const distinct = request.distinct ?? federation.distinct;
  if (distinct !== null) distinctField(view, distinct);
  const ranking = rankingRequestOf(request, {
    sort: request.sort,
    distinct,
    from: 0,
    length: cap,
    withDetails: true,
    isExhaustive: federation.range.isPaged,
    exactDistinct: countsDistinct(request),
    startedMs,
    nowSeconds: federation.nowSeconds,
    ruleBook: ruleBook ?? federation.ruleBook,
  });
  return federation.clock.time(
    rankingStage(request.q, kind),
    () => rankByKind(view, kind, request.vector, ranking),
    `query ${position}`,
  );
}

/** Makes the hits of a query: scores at once, the rest on demand. */
function hitMakerOf(
  view: IndexView,
  query: FederatedQuery,
  { distinct, marks, clock, facetsByIndex }: FederationRequest,
  ranked: RankedSearch,
  startedMs: number,
): (document: RankedDocument, pinnedPosition: number | null) => LocalHit {
  let maker: ((ranking: RankedDocument) => SearchHit) | undefined;
  // the merging instance needs these values of a document besides the displayed fields
  const needed = distinct === null ? new Set<string>() : new Set([distinct, ...(facetsByIndex.get(view.uid) ?? [])]);
  const extraOf = (whole: Record<string, unknown>): Record<string, unknown> => selectFields(whole, needed);
  const documentOf = (docId: DocId): Record<string, unknown> => liveDocument(view, docId);
  return (document, pinnedPosition) => {
    const hit: LocalHit = {
      docId: document.docId,
      indexUid: view.uid,
      queryPosition: query.position,
      weightedScore: globalScore(document.details) * scaleOf(document.details) * query.weight,
      items: scoreItems(document.details, query.weight),
      pinnedPosition,
      distinctValues: () => (distinct === null ? [] : distinctValues(documentOf(document.docId), distinct)),
      facetValues: (fields) => facetValues(documentOf(document.docId), fields),
      make: () =>
        clock.time('format', () => {
          maker ??= hitMaker(view, query.request, ranked, formatDeadlineMs(view, startedMs, performance.now()));
          return markedHit(maker(document), hit, marks, () => extraOf(documentOf(document.docId)));
        }),
    };
    return hit;
  };
}

/**
 * Facets of one index among the candidates; empty when none are requested.
 * @param note added to the error's message
 * @throws ApiError invalid_search_facets, naming the list
 */
export function facetsOf(
  view: IndexView,
  candidates: Bitmap,
  { facetsByIndex, clock }: Pick<FederationRequest, 'facetsByIndex' | 'clock'>,
  note: string,
): ReadonlyMap<string, IndexFacets> {
  const facets = facetsByIndex.get(view.uid);
  if (facets === undefined) return new Map();
  const count = (): FacetDistribution => {
    checkFacets(view, facets);
    return clock.time('facet distribution', () =>
      facetDistribution(view, candidates, facets, { time: (name, work) => clock.time(name, work) }),
    );
  };
  const counted = withPath(`.federation.facetsByIndex.${view.uid}`, count, note);
  const { sortFacetValuesBy, maxValuesPerFacet } = view.settings.faceting;
  const found: IndexFacets = {
    distribution: counted.facetDistribution,
    stats: counted.facetStats,
    isByCount: (field) => (own(sortFacetValuesBy, field) ?? sortFacetValuesBy['*']) !== 'alpha',
    maxValues: maxValuesPerFacet,
  };
  return new Map([[view.uid, found]]);
}

/**
 * The hit with `_federation` as the last member of its document part. For another instance that merges further it also
 * has the score items and the values of the document that merging needs (section 5).
 */
function markedHit(
  hit: SearchHit,
  { indexUid, queryPosition, weightedScore, items, pinnedPosition }: Omit<FederatedHit, 'make'>,
  { remote, isProxied }: FederationMarks,
  extraDocument: () => Readonly<Record<string, unknown>>,
): SearchHit {
  const mark: Record<string, unknown> = {
    indexUid,
    queriesPosition: queryPosition,
    weightedRankingScore: weightedScore,
  };
  if (remote !== undefined) mark.remote = remote;
  if (isProxied) {
    mark.weightedScoreValues = items.map(itemToWire);
    mark.extra_document = extraDocument();
    if (pinnedPosition !== null) mark.pinnedPosition = pinnedPosition;
  }
  const marked: SearchHit = {};
  const names = new Set<string>();
  const set = (name: string, value: unknown): void => {
    names.add(name);
    setOwn(marked, name, value);
  };
  for (const [name, value] of memberEntries(hit)) {
    if (DECORATIONS.has(name) && marked._federation === undefined) set('_federation', mark);
    set(name, value);
  }
  set('_federation', mark);
  return inOrder(marked, [...names]);
}

/** A score item in the form that instances exchange. */
function itemToWire(item: ScoreItem): object {
  switch (item.kind) {
    case 'score':
      return { weightedScore: item.value };
    case 'vector':
      return { vectorSort: item.value };
    case 'sort':
      return {
        sort: { asc: item.isAscending, value: typeof item.value === 'number' ? withDigits(item.value) : item.value },
      };
    case 'geo':
      return { geoSort: { asc: item.isAscending, distance: item.distance } };
  }
}
