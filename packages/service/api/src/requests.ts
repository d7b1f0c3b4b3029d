/** What requests of searches and documents may be, for every platform; the OpenAPI document is not loaded. */

export { checkIndexUid, optional, readFields, toThreeLetterLocale } from '@fossick/base/contract';
export type { SearchFeatures } from './reading/filter-gates.js';
export { FETCH_BODY } from './requests/document-fields.js';
export { type Federation, MULTI_SEARCH_BODY, type MultiSearchQuery } from './requests/multi-search-fields.js';
export { FACET_SEARCH_BODY, SEARCH_BODY } from './requests/search-fields.js';
export {
  requireFeature,
  requirePersonalization,
  toFacetSearchRequest,
  toSearchRequest,
} from './requests/search-request.js';
export { shownEmbedders } from './settings/shown-embedders.js';
