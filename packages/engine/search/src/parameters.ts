/** The parameters of searches as tables, which can be loaded without the search itself. */
export { documentId, listedId } from './request/document-id-values.js';
export {
  completeFacetSearch,
  completeSearch,
  completeSimilar,
  DEFAULT_SEARCH,
  type FacetSearchRequest,
  type HybridRequest,
  type SearchRequest,
  type SimilarRequest,
} from './request/request.js';
export {
  FACET_SEARCH_PARAMETERS,
  filter,
  HYBRID_PARAMETERS,
  PERSONALIZE_PARAMETERS,
  personalize,
  SEARCH_PARAMETERS,
  SIMILAR_PARAMETERS,
} from './request/search-parameters.js';
