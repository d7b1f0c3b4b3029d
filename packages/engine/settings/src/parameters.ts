/** The parameters of searches as tables, and the requests that are made of them. */
export { documentId, listedId } from './parameters/document-id-values.js';
export { type Aggregation, STATS, type Stat } from './parameters/group-parameters.js';
export {
  FACET_SEARCH_PARAMETERS,
  filter,
  HYBRID_PARAMETERS,
  PERSONALIZE_PARAMETERS,
  personalize,
  SEARCH_PARAMETERS,
  SIMILAR_PARAMETERS,
} from './parameters/search-parameters.js';
export {
  completeFacetSearch,
  completeSearch,
  completeSimilar,
  DEFAULT_SEARCH,
  type FacetSearchRequest,
  type SearchRequest,
  type SimilarRequest,
} from './parameters/search-request.js';
