import { ApiError } from '@fossick/base';
import {
  type FederatedAnswer,
  type FederatedQuery,
  type FederationRequest,
  type FederationWindow,
  federatedSearch,
  inQuery,
  StageClock,
} from '@fossick/engine';
import { FilterError, parseFilter } from '@fossick/filter';
import type { Access } from '../auth/access.js';
import type { ServerContext } from '../context.js';
import { checkFederatedQuery } from './federation-misuse.js';
import type { Federation, MultiSearchQuery } from './multi-search-fields.js';
import { queryMetadata } from './query-metadata.js';
import { newRequestUid } from './request-uid.js';
import { ruleBookOf } from './rule-book.js';
import { requireFeature, requirePersonalization, toSearchRequest } from './search-request.js';

const DEFAULT_LIMIT = 20;

/** Answers queries whose hits become one list (spec 14 sections 3 to 7). */
export function answerFederated(
  context: ServerContext,
  access: Access,
  queries: readonly MultiSearchQuery[],
  federation: Federation,
  withMetadata: boolean,
): object {
  const startedMs = performance.now();
  queries.forEach((query, i) => inQuery(i, () => checkFilterSyntax(query.filter ?? null)));
  queries.forEach((query, i) => inQuery(i, () => checkFederatedQuery(query, federation)));
  if (federation.personalize !== undefined && federation.personalize !== null) requirePersonalization();
  const request: FederationRequest = {
    queries: queries.map((query, i) => inQuery(i, () => toFederatedQuery(context, access, query, i))),
    window: windowOf(federation),
    facetsByIndex: federation.facetsByIndex ?? new Map(),
    mergeFacets: mergeFacetsOf(federation),
    distinct: federation.distinct ?? null,
    ruleBook: ruleBookOf(context),
    marks: { remote: undefined, isProxied: false },
    clock: new StageClock(),
  };
  const answer = request.clock.time('search', () => federatedSearch(context.engine, request));
  const { hits, total, ...facets } = answer;
  return {
    hits,
    processingTimeMs: Math.round(performance.now() - startedMs),
    ...paginationOf(federation, total),
    ...facets,
    requestUid: newRequestUid(),
    ...(withMetadata
      ? { metadata: queries.map(({ indexUid, q }) => queryMetadata(context.engine, indexUid!, q)) }
      : {}),
    ...(federation.showPerformanceDetails === true ? { performanceDetails: request.clock.toJson() } : {}),
  };
}

function toFederatedQuery(
  { features }: ServerContext,
  access: Access,
  query: MultiSearchQuery,
  position: number,
): FederatedQuery {
  const { indexUid, federationOptions, ...body } = query;
  const { weight, remote, queryPosition } = federationOptions ?? {};
  if (remote !== undefined && remote !== null) requireFeature(features, 'network', 'federationOptions.remote');
  if (queryPosition !== undefined && queryPosition !== null)
    requireFeature(features, 'network', 'federationOptions.queryPosition');
  const request = toSearchRequest(body, access.tenantFilter(indexUid!), features);
  return { indexUid: indexUid!, position: queryPosition ?? position, weight: weight ?? 1, request };
}

/** Throws invalid_search_filter for a filter that cannot be read at all; what it asks of an index is checked with the index. */
export function checkFilterSyntax(filter: unknown): void {
  try {
    parseFilter(filter);
  } catch (error) {
    if (error instanceof FilterError) throw new ApiError('invalid_search_filter', error.message);
    throw error;
  }
}

function mergeFacetsOf({ mergeFacets }: Federation): FederationRequest['mergeFacets'] {
  if (mergeFacets === undefined || mergeFacets === null) return null;
  return { maxValuesPerFacet: mergeFacets.maxValuesPerFacet ?? null };
}

function isPaged({ page, hitsPerPage }: Federation): boolean {
  return (page ?? null) !== null || (hitsPerPage ?? null) !== null;
}

function windowOf(federation: Federation): FederationWindow {
  if (!isPaged(federation))
    return { isPaged: false, from: federation.offset ?? 0, length: federation.limit ?? DEFAULT_LIMIT };
  const { page, hitsPerPage } = pageOf(federation);
  return { isPaged: true, from: Math.max(0, page - 1) * hitsPerPage, length: page === 0 ? 0 : hitsPerPage };
}

function pageOf({ page, hitsPerPage }: Federation): { readonly page: number; readonly hitsPerPage: number } {
  return { page: page ?? 1, hitsPerPage: hitsPerPage ?? DEFAULT_LIMIT };
}

function paginationOf(federation: Federation, total: FederatedAnswer['total']): object {
  if (!isPaged(federation))
    return { limit: federation.limit ?? DEFAULT_LIMIT, offset: federation.offset ?? 0, estimatedTotalHits: total };
  const { page, hitsPerPage } = pageOf(federation);
  return { hitsPerPage, page, totalPages: hitsPerPage === 0 ? 0 : Math.ceil(total / hitsPerPage), totalHits: total };
}
