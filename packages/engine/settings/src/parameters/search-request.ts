import { type Complete, completing, omit } from '@fossick/base/contract';
import { FACET_SEARCH_PARAMETERS, SEARCH_PARAMETERS, SIMILAR_PARAMETERS } from './search-parameters.js';

/** The parameters that ranking and hits depend on. */
const SEARCH = omit(SEARCH_PARAMETERS, 'media', 'personalize', 'useNetwork', 'showPerformanceDetails');
const FACET_SEARCH = omit(FACET_SEARCH_PARAMETERS, 'media', 'useNetwork');
const SIMILAR = omit(SIMILAR_PARAMETERS, 'showPerformanceDetails');

/** A search with all parameters, `null` where there is no default. */
export interface SearchRequest extends Complete<typeof SEARCH> {
  /** The query has media, searched by their vector. */
  readonly hasMedia?: boolean;
}
/** A search in facet values. */
export interface FacetSearchRequest extends Complete<typeof FACET_SEARCH> {
  readonly hasMedia?: boolean;
}
/** A search for documents that are similar to one. */
export interface SimilarRequest extends Complete<typeof SIMILAR> {
  /** Filter of a tenant token; null when all documents may be seen. */
  readonly tenantFilter: unknown;
}

/** Received parameters in the engine's form, with defaults. */
export const completeSearch: (received: object) => SearchRequest = completing(SEARCH);
export const completeFacetSearch: (received: object) => FacetSearchRequest = completing(FACET_SEARCH);
export const completeSimilar: (received: object) => Omit<SimilarRequest, 'tenantFilter'> = completing(SIMILAR);
/** The request of a client that sets no parameter. */
export const DEFAULT_SEARCH: SearchRequest = completeSearch({});
