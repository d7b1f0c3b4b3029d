import { ApiError, type ErrorCodeAfter } from '@fossick/base';
import type { Federation, MultiSearchQuery } from './multi-search-fields.js';

const PAGINATION = ['limit', 'offset', 'page', 'hitsPerPage'] as const;
const isGiven = (value: unknown): boolean => value !== undefined && value !== null;

/** Throws for what a query may not hold inside a federated search. */
export function checkFederatedQuery(query: MultiSearchQuery, federation: Federation): void {
  const page = PAGINATION.find((name) => isGiven(query[name]));
  if (page !== undefined)
    throw misused('pagination', page, `Its place is \`federation.${page}\`, which counts over all queries.`);
  const facets = query.facets ?? [];
  if (facets.length > 0) {
    const list = JSON.stringify(facets);
    throw misused('facets', 'facets', `Their place is \`federation.facetsByIndex.${query.indexUid}\`: \`${list}\`.`);
  }
  if (isGiven(query.personalize))
    throw misused('personalization', 'personalize', 'Its place is `federation.personalize`.');
  if (isGiven(query.showPerformanceDetails))
    throw misused(
      'show_performance_details',
      'showPerformanceDetails',
      'Its place is `federation.showPerformanceDetails`.',
    );
  if (isGiven(query.distinct) && isGiven(federation.distinct))
    throw new ApiError(
      'invalid_multi_search_distinct',
      '`federation.distinct` is set too. Drop `distinct` from the query (which is better left out of a federated search), or ' +
        'drop `federation`.',
    );
  if (isGiven(query.federationOptions?.remote) && query.useNetwork === true)
    throw new ApiError(
      'invalid_multi_search_federation_options',
      '`federationOptions.remote` asks one remote and `useNetwork` asks all of them: drop one of the two.',
    );
}

/** Throws for what only makes sense inside a federated search. */
export function checkSeparateQuery(query: MultiSearchQuery): void {
  if (isGiven(query.federationOptions))
    throw new ApiError(
      'invalid_multi_search_federation_options',
      '`federationOptions` is for federated searches: drop it, or add `federation` to the body.',
    );
}

function misused(code: ErrorCodeAfter<'invalid_multi_search_query_'>, name: string, place: string): ApiError {
  return new ApiError(
    `invalid_multi_search_query_${code}`,
    `\`${name}\` cannot stand in a query of a federated search: drop it, or drop \`federation\`. ${place}`,
  );
}
