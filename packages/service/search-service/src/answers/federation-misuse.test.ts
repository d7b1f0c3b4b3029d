import { MULTI_SEARCH_BODY, readFields } from '@fossick/api';
import { expect, it } from 'vitest';
import { checkFederatedQuery, checkNetworkQuery, checkSeparateQuery } from './federation-misuse.js';

const withCode = (code: string): unknown => expect.objectContaining({ code });
const bodyOf = (query: object, federation: object = {}) =>
  readFields({ queries: [{ indexUid: 'shop', ...query }], federation }, MULTI_SEARCH_BODY);

it.each([
  ['invalid_multi_search_query_pagination', { hitsPerPage: 3, facets: ['a'] }],
  ['invalid_multi_search_query_facets', { facets: ['a'], personalize: { userContext: 'x' } }],
  ['invalid_multi_search_query_group', { group: { by: 'a' }, aggregations: { a: {} } }],
  ['invalid_multi_search_query_aggregations', { aggregations: { a: {} }, personalize: { userContext: 'x' } }],
  ['invalid_multi_search_query_explain', { explain: true, personalize: { userContext: 'x' } }],
  ['invalid_multi_search_query_personalization', { personalize: { userContext: 'x' }, showPerformanceDetails: true }],
  ['invalid_multi_search_query_show_performance_details', { showPerformanceDetails: false, distinct: 'a' }],
  ['invalid_multi_search_distinct', { distinct: 'a' }],
])('finds %s first', (code, query) => {
  const { queries, federation } = bodyOf(query, { distinct: 'sku' });
  expect(() => checkFederatedQuery(queries![0]!, federation!)).toThrow(withCode(code));
});

it('accepts queries without federation options, and the message names the right place of facets', () => {
  const { queries, federation } = bodyOf({ facets: [], limit: null, explain: false, federationOptions: { weight: 0 } });
  expect(() => checkFederatedQuery(queries![0]!, federation!)).not.toThrow();
  const faceted = bodyOf({ facets: ['size'] });
  expect(() => checkFederatedQuery(faceted.queries![0]!, {})).toThrow('`federation.facetsByIndex.shop`: `["size"]`');
});

it.each([
  ['invalid_search_group', { group: { by: 'a' } }],
  ['invalid_search_aggregations', { aggregations: { a: {} } }],
  ['invalid_search_facet_levels', { facetLevels: { a: {} } }],
  ['invalid_search_explain', { explain: true }],
])('refuses a search over the network: %s', (code, query) => {
  const { queries } = bodyOf(query);
  expect(() => checkNetworkQuery(queries![0]!)).toThrow(withCode(code));
});

it('refuses federation options of a search that is not federated', () => {
  const { queries } = bodyOf({ federationOptions: {} });
  expect(() => checkSeparateQuery(queries![0]!)).toThrow(withCode('invalid_multi_search_federation_options'));
});

it.each([
  ['invalid_multi_search_weight', { federationOptions: { weight: -1 } }, {}],
  ['invalid_multi_search_query_position', { federationOptions: { queryPosition: 'a' } }, {}],
  ['bad_request', { federationOptions: { wait: 1 } }, {}],
  ['invalid_search_limit', {}, { limit: -1 }],
  ['invalid_multi_search_facets_by_index', {}, { facetsByIndex: { 'no uid': [] } }],
  ['invalid_multi_search_merge_facets', {}, { mergeFacets: { max: 1 } }],
  ['invalid_multi_search_max_values_per_facet', {}, { mergeFacets: { maxValuesPerFacet: 'a' } }],
  ['invalid_search_distinct', {}, { distinct: 3 }],
])('reads bodies: %s', (code, query, federation) => {
  expect(() => bodyOf(query, federation)).toThrow(withCode(code));
});
