import { type Complete, completing, omit } from '@fossick/base/contract';
import type { AggregationAnswer, AnswerGroup, FacetLevelsAnswer } from './answer-parts.js';
import { FACET_SEARCH_PARAMETERS, SEARCH_PARAMETERS, SIMILAR_PARAMETERS } from './search-parameters.js';

/** The parameters that ranking and hits depend on; the code that runs the search uses the others. */
const SEARCH = omit(SEARCH_PARAMETERS, 'media', 'personalize', 'useNetwork', 'showPerformanceDetails');
const FACET_SEARCH = omit(FACET_SEARCH_PARAMETERS, 'media', 'useNetwork');
const SIMILAR = omit(SIMILAR_PARAMETERS, 'showPerformanceDetails');

/** A search as the engine takes it: every parameter present, `null` where the client gave none and there is no default. */
export interface SearchRequest extends Complete<typeof SEARCH> {
  /** The query has media, which are searched by their vector. */
  readonly hasMedia?: boolean;
}
export type HybridRequest = NonNullable<SearchRequest['hybrid']>;
/** A search among the values of one facet. */
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

/** One hit: the document's fields and the requested decorations. */
export type SearchHit = Record<string, unknown>;

interface AnyResponse {
  readonly hits: readonly SearchHit[];
  readonly query: string;
  /** With `retrieveVectors`: the query vector. */
  readonly queryVector?: readonly number[];
  readonly processingTimeMs: number;
  readonly facetDistribution?: Readonly<Record<string, Readonly<Record<string, number>>>>;
  readonly facetStats?: Readonly<Record<string, { readonly min: number; readonly max: number }>>;
  /** Present when vectors were used. */
  readonly semanticHitCount?: number;
  /** With `group`: the groups of the page; `hits` is empty, and totals and pages count groups. */
  readonly groups?: readonly AnswerGroup<SearchHit>[];
  readonly aggregations?: Readonly<Record<string, AggregationAnswer>>;
  readonly facetLevels?: FacetLevelsAnswer;
}
export interface OffsetResponse extends AnyResponse {
  readonly limit: number;
  readonly offset: number;
  readonly estimatedTotalHits: number;
}
export interface PageResponse extends AnyResponse {
  readonly hitsPerPage: number;
  readonly page: number;
  readonly totalPages: number;
  readonly totalHits: number;
}
export type SearchResponse = OffsetResponse | PageResponse;
/** A response without its hits; `H`: those of its groups. */
export type ResponseRest<H> = (Omit<OffsetResponse, 'hits' | 'groups'> | Omit<PageResponse, 'hits' | 'groups'>) & {
  readonly groups?: readonly AnswerGroup<H>[];
};

export interface FacetSearchResponse {
  readonly facetHits: readonly { readonly value: string; readonly count: number }[];
  readonly facetQuery: string | null;
  readonly processingTimeMs: number;
}
