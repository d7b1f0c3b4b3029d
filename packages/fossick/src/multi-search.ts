import type { GivenFederation } from '@fossick/api';
import type {
  AnswerBase,
  FacetCounts,
  FacetStats,
  Formatted,
  Hit,
  NumberedPage,
  OffsetPage,
  SearchAnswer,
  SearchParameters,
} from './search-types.js';

/** One of several searches. */
export interface Query<T extends object = Record<string, unknown>> extends SearchParameters<T> {
  readonly indexUid: string;
  readonly q?: string | undefined;
  /** In a federated search: the weight of its hits, 1 when absent. */
  readonly federationOptions?: { readonly weight?: number | undefined } | undefined;
}
/** The answer to one of several searches. */
export type QueryAnswer<T extends object = Record<string, unknown>> = SearchAnswer<T> & { readonly indexUid: string };

/** How the hits of several searches become one list. */
export interface Federation extends Omit<GivenFederation, 'facetsByIndex' | 'mergeFacets' | 'personalize'> {
  /** Facets to count, by index. */
  readonly facetsByIndex?: Readonly<Record<string, readonly string[]>> | undefined;
  readonly mergeFacets?: { readonly maxValuesPerFacet?: number | undefined } | undefined;
}
/** A hit of a federated search, with its source. */
export type FederatedHit<T extends object = Record<string, unknown>> = Hit<T> & {
  readonly _formatted?: Formatted<T>;
  readonly _federation: {
    readonly indexUid: string;
    readonly queriesPosition: number;
    readonly weightedRankingScore?: number;
  };
};
export interface FederatedAnswer<T extends object = Record<string, unknown>>
  extends Partial<OffsetPage>,
    Partial<NumberedPage>,
    Pick<AnswerBase, 'processingTimeMs' | 'semanticHitCount' | 'facetDistribution' | 'facetStats'> {
  readonly hits: readonly FederatedHit<T>[];
  readonly facetsByIndex?: Readonly<Record<string, { readonly distribution: FacetCounts; readonly stats: FacetStats }>>;
}

/** Several searches in one call. */
export interface MultiSearch {
  /** Several searches, each with its own answer. @throws ApiError */
  multiSearch<T extends object = Record<string, unknown>>(
    queries: readonly Query<T>[],
  ): Promise<readonly QueryAnswer<T>[]>;
  /** Several searches whose hits become one list. @throws ApiError */
  multiSearch<T extends object = Record<string, unknown>>(
    queries: readonly Query<T>[],
    federation: Federation,
  ): Promise<FederatedAnswer<T>>;
}
