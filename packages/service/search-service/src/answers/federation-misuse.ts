import type { Federation, MultiSearchQuery } from '@fossick/api';
import { type ApiError, apiError, type ErrorCode, sharedError } from '@fossick/base';

const PAGINATION = ['limit', 'offset', 'page', 'hitsPerPage'] as const;
/** Parameters whose answers of several indexes cannot be merged. */
const ONE_INDEX = [
  ['group', 'invalid_multi_search_query_group', 'invalid_search_group'],
  ['aggregations', 'invalid_multi_search_query_aggregations', 'invalid_search_aggregations'],
  ['facetLevels', 'invalid_multi_search_query_facet_levels', 'invalid_search_facet_levels'],
  ['explain', 'invalid_multi_search_query_explain', 'invalid_search_explain'],
] as const;
const isGiven = (value: unknown): boolean => value !== undefined && value !== null;
const isAsked = (value: unknown): boolean => isGiven(value) && value !== false;

/** Throws for members that a query must not have inside a federated search. */
export function checkFederatedQuery(query: MultiSearchQuery, federation: Federation): void {
  const page = PAGINATION.find((name) => isGiven(query[name]));
  if (page !== undefined)
    throw misused(
      'invalid_multi_search_query_pagination',
      page,
      `Its place is \`federation.${page}\`, which counts over all queries.`,
    );
  const facets = query.facets ?? [];
  if (facets.length > 0) {
    const list = JSON.stringify(facets);
    throw misused(
      'invalid_multi_search_query_facets',
      'facets',
      `Their place is \`federation.facetsByIndex.${query.indexUid}\`: \`${list}\`.`,
    );
  }
  for (const [name, code] of ONE_INDEX)
    if (isAsked(query[name])) throw misused(code, name, 'It is for a search of its own in one index.');
  if (isGiven(query.personalize))
    throw misused(
      'invalid_multi_search_query_personalization',
      'personalize',
      'Its place is `federation.personalize`.',
    );
  if (isGiven(query.showPerformanceDetails))
    throw misused(
      'invalid_multi_search_query_show_performance_details',
      'showPerformanceDetails',
      'Its place is `federation.showPerformanceDetails`.',
    );
  if (isGiven(query.distinct) && isGiven(federation.distinct)) throw apiError('invalid_multi_search_distinct');
  if (isGiven(query.federationOptions?.remote) && query.useNetwork === true)
    throw apiError('invalid_multi_search_federation_options', 'remoteWithNetwork');
}

/** Throws for members that a search in one index must not have when it asks the network. */
export function checkNetworkQuery(query: Pick<MultiSearchQuery, (typeof ONE_INDEX)[number][0]>): void {
  for (const [name, , code] of ONE_INDEX) if (isAsked(query[name])) throw sharedError(code, 'notOverNetwork', name);
}

/** Throws for members that only make sense inside a federated search. */
export function checkSeparateQuery(query: MultiSearchQuery): void {
  if (isGiven(query.federationOptions)) throw apiError('invalid_multi_search_federation_options', 'notFederated');
}

function misused(code: ErrorCode, name: string, location: string): ApiError {
  return sharedError(code, 'notInFederation', name, location);
}
