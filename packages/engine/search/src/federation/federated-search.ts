/** A federated search: the parts of all indexes, merged into one list. */
import { apiError } from '@fossick/base';
import { facetFields } from '@fossick/columns';
import type { IndexAccess, IndexView } from '@fossick/index';
import { hydrateHits } from '../foreign/hydrate-hits.js';
import { mergeRanked } from '../ranked/merge-ranked.js';
import { currentMinute } from '../request/current-minute.js';
import type { SearchHit } from '../request/search-response.js';
import { placePins } from '../search-rules/place-pins.js';
import { RuleCompatibility } from './check-rules.js';
import { DistinctFilter } from './document-values.js';
import { inQuery, withPath } from './in-query.js';
import { FacetOrders, joinFacets, mergeFacetsOfIndexes, withoutRejected } from './merge-facets.js';
import type { FederatedAnswer, FederatedHit, FederatedPart, FederatedQuery, FederationRequest } from './request.js';
import { facetsOf, searchIndex } from './search-index.js';

/** Opens views of indexes, as an EngineReader does. */
export interface ViewSource {
  /** Undefined when there is no such index. */
  index(uid: string): object | undefined;
  /** Runs `work` on a consistent view. Throws ApiError index_not_found. `access`: what foreign keys may read; nothing when absent. */
  withView<T>(uid: string, work: (view: IndexView) => T, access?: IndexAccess): T;
}

/** Answers a federated search over this instance's indexes only. @throws ApiError for an invalid request */
export function federatedSearch(engine: ViewSource, request: FederationRequest): FederatedAnswer {
  return withParts(engine, request, (parts, views) => {
    const answer = request.clock.time('merge results', () => mergeParts(parts, request));
    return request.hydrates ? { ...answer, hits: hydrated(answer.hits, views) } : answer;
  });
}

/**
 * The parts of this instance's indexes with complete hits, to be merged with parts of other instances once these have
 * answered.
 * @throws ApiError for an invalid request
 */
export function federatedParts(engine: ViewSource, request: FederationRequest): FederatedPart[] {
  return withParts(engine, request, (parts, views) => {
    const hits = parts.flatMap((part) => [...part.hits, ...part.pins]);
    const made = hits.map((hit) => hit.make());
    const shown = request.hydrates ? hydrated(made, views) : made;
    const madeOf = new Map(hits.map((hit, i) => [hit, shown[i]!]));
    return parts.map((part) => detached(part, request, madeOf));
  });
}

type Views = ReadonlyMap<string, IndexView>;

/** Hits of this instance, each with its index. */
function hydrated(hits: readonly SearchHit[], views: Views): SearchHit[] {
  const uidOf = (hit: SearchHit): string => (hit._federation as { readonly indexUid: string }).indexUid;
  return hydrateHits(hits.map((hit) => ({ hit, view: views.get(uidOf(hit))! })));
}

/** Merges the parts of all indexes into one answer. O(hits of the parts * parts). */
export function mergeParts(
  parts: readonly FederatedPart[],
  { range, distinct, mergeFacets, marks }: Pick<FederationRequest, 'range' | 'distinct' | 'mergeFacets' | 'marks'>,
): FederatedAnswer {
  const needed = range.from + range.length;
  const organic: FederatedHit[] = [];
  const rejected: FederatedHit[] = [];
  const filter = new DistinctFilter();
  for (const hit of mergeRanked(parts.map(({ hits }) => hits))) {
    // the instance that received the request compares over all of its parts
    const isFirst = distinct === null || marks.isProxied || filter.admit(hit.distinctValues());
    if (!isFirst) rejected.push(hit);
    else if (organic.length < needed) organic.push(hit);
    // duplicates after the range's end count, too
    else if (distinct === null || marks.isProxied) break;
  }
  const pins = parts.flatMap((part) => part.pins.map((hit) => ({ ...hit, position: hit.pinnedPosition ?? 0 })));
  const placed = placePins<FederatedHit>(organic, pins, range.from, range.length);
  const hits = placed.map((hit) => hit.make());
  const vectors = vectorsOf(parts, placed);
  const total = parts.reduce((sum, part) => sum + part.total, 0) - rejected.length;
  const facets = withoutRejected(joinFacets(parts), rejected);
  if (facets.size === 0) return { hits, total, ...vectors };
  if (mergeFacets !== null) {
    const merged = mergeFacetsOfIndexes([...facets.values()], mergeFacets.maxValuesPerFacet);
    return { hits, total, ...vectors, ...merged };
  }
  const byIndex = [...facets].map(([uid, { distribution, stats }]) => [uid, { distribution, stats }]);
  return { hits, total, ...vectors, facetsByIndex: Object.fromEntries(byIndex) };
}

/** Members of the answer about vectors; none when no query could use vectors or requested them. */
function vectorsOf(
  parts: readonly FederatedPart[],
  hits: readonly FederatedHit[],
): Pick<FederatedAnswer, 'semanticHitCount' | 'queryVectors'> {
  const queryVectors = parts.flatMap((part) => [...(part.queryVectors ?? [])]);
  const count = hits.filter(({ items }) => items.some(({ kind }) => kind === 'vector')).length;
  return {
    ...(parts.some(({ isSemantic }) => isSemantic) ? { semanticHitCount: count } : {}),
    ...(parts.some((part) => part.queryVectors !== null) ? { queryVectors: Object.fromEntries(queryVectors) } : {}),
  };
}

/** Runs the queries index by index in byte order of uid, and `work` while all views are open. */
function withParts<T>(
  engine: ViewSource,
  given: FederationRequest,
  work: (parts: readonly FederatedPart[], views: Views) => T,
): T {
  const request = { ...given, nowSeconds: given.nowSeconds ?? currentMinute() };
  const orders = new FacetOrders();
  const compatibility = new RuleCompatibility();
  const groups = [...queriesByIndex(request.queries)];
  const unused = unusedIndexes(request);
  const parts: FederatedPart[] = [];
  const views = new Map<string, IndexView>();
  const checkOrder = (view: IndexView): void => {
    const facets = request.facetsByIndex.get(view.uid);
    if (request.mergeFacets !== null && facets !== undefined)
      orders.check(view.uid, facetFields(view, facets), view.settings.faceting.sortFacetValuesBy);
  };
  const searchNext = (at: number): T => {
    const group = groups[at];
    if (group === undefined) return checkUnused(0);
    const [uid, queries] = group;
    inQuery(queries[0]!.position, () => requireIndex(engine, uid));
    return inView(engine, uid, request.access, (view) => {
      checkOrder(view);
      views.set(uid, view);
      parts.push(searchIndex(view, queries, request, compatibility));
      return searchNext(at + 1);
    });
  };
  // facets of an index without a query are checked but not counted
  const checkUnused = (at: number): T => {
    const uid = unused[at];
    if (uid === undefined) return work(parts, views);
    const note = ' (no query uses this index)';
    withPath(`.federation.facetsByIndex.${uid}`, () => requireIndex(engine, uid), note);
    return inView(engine, uid, request.access, (view) => {
      checkOrder(view);
      const nothing = view.kernel.bitmaps.create(view.bitCount);
      facetsOf(view, nothing, request, note);
      return checkUnused(at + 1);
    });
  };
  return searchNext(0);
}

/** Runs `work` and releases its scratch memory. */
function inView<T>(engine: ViewSource, uid: string, access: IndexAccess, work: (view: IndexView) => T): T {
  const marked = (view: IndexView): T => {
    const mark = view.kernel.memory.mark();
    try {
      return work(view);
    } finally {
      view.kernel.memory.release(mark);
    }
  };
  return engine.withView(uid, marked, access);
}

function queriesByIndex(queries: readonly FederatedQuery[]): Map<string, FederatedQuery[]> {
  const groups = new Map<string, FederatedQuery[]>();
  for (const query of queries) groups.set(query.indexUid, [...(groups.get(query.indexUid) ?? []), query]);
  return new Map([...groups].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Indexes whose facets are requested although no query uses them. */
function unusedIndexes({ queries, facetsByIndex }: FederationRequest): string[] {
  const used = new Set(queries.map(({ indexUid }) => indexUid));
  return [...facetsByIndex.keys()].filter((uid) => !used.has(uid)).sort();
}

function requireIndex(engine: ViewSource, uid: string): void {
  if (engine.index(uid) === undefined) throw apiError('index_not_found', 'federated', uid);
}

/** The part, with everything read from its view. */
function detached(
  part: FederatedPart,
  request: FederationRequest,
  madeOf: ReadonlyMap<FederatedHit, SearchHit>,
): FederatedPart {
  const fields = new Map([...part.facets].map(([uid, { distribution }]) => [uid, new Set(Object.keys(distribution))]));
  const detach = (hit: FederatedHit): FederatedHit => {
    const made = madeOf.get(hit)!;
    const distinctValues = request.distinct === null ? [] : hit.distinctValues();
    const facetValues = request.distinct === null ? [] : hit.facetValues(fields.get(hit.indexUid) ?? new Set());
    return { ...hit, make: () => made, distinctValues: () => distinctValues, facetValues: () => facetValues };
  };
  return { ...part, hits: part.hits.map(detach), pins: part.pins.map(detach) };
}
