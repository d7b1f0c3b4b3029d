import type { Complete, Given } from '@fossick/base/contract';
import type {
  FACET_SEARCH_PARAMETERS,
  HYBRID_PARAMETERS,
  SEARCH_PARAMETERS,
  SIMILAR_PARAMETERS,
} from '@fossick/settings/parameters';
import type { ADDITION_PARAMETERS, FETCH_BODY } from './document-fields.js';
import type { INDEX_CREATION_BODY } from './index-fields.js';
import type { FEDERATION_BODY } from './multi-search-fields.js';

/**
 * Members of requests as a program may give them: the types of package `fossick` extend these. They name the tables
 * themselves, because a declaration file repeats the type of a constant that has another name, without its comments.
 */
export type GivenSearch = Omit<Given<typeof SEARCH_PARAMETERS>, 'group' | 'aggregations' | 'facetLevels'> & {
  /** By attribute of `hierarchicalFacets`, the path under which steps are counted. */
  readonly facetLevels?: Readonly<Record<string, { readonly under?: string | null | undefined }>> | undefined;
  /** The best hits of each value of an attribute. */
  readonly group?: GivenGroup | undefined;
  /** By attribute, what is computed from its numbers. */
  readonly aggregations?: Readonly<Record<string, GivenAggregation>> | undefined;
};
/** `group` of a search. */
export type GivenGroup = { readonly by: string; readonly limit?: number | undefined };
/** What a search computes from the numbers of one attribute. */
export interface GivenAggregation {
  readonly stats?: readonly ('count' | 'sum' | 'avg' | 'min' | 'max')[] | undefined;
  readonly histogram?: { readonly interval: number; readonly start?: number | undefined } | undefined;
  readonly by?: string | undefined;
}
export type GivenHybrid = Pick<Complete<typeof HYBRID_PARAMETERS>, 'embedder'> &
  Pick<Given<typeof HYBRID_PARAMETERS>, 'semanticRatio'>;
export type GivenFacetSearch = Given<typeof FACET_SEARCH_PARAMETERS>;
export type GivenSimilar = Given<typeof SIMILAR_PARAMETERS>;
export type GivenFetch = Given<typeof FETCH_BODY>;
export type GivenFederation = Given<typeof FEDERATION_BODY>;
export type GivenAddition = Pick<Given<typeof ADDITION_PARAMETERS>, 'primaryKey' | 'skipCreation' | 'onDocumentError'>;
export type GivenIndex = Pick<Given<typeof INDEX_CREATION_BODY>, 'primaryKey'>;
