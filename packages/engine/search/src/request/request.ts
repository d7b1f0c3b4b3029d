import type { MatchingStrategy } from '../query/query-graph.js';

/** A search as the engine takes it: every field present, `null` where the client gave none. */
export interface SearchRequest {
  readonly q: string | null;
  readonly offset: number;
  readonly limit: number;
  /** 1-based. With `page` or `hitsPerPage` set the answer is a numbered page and `offset` and `limit` are ignored. */
  readonly page: number | null;
  readonly hitsPerPage: number | null;
  readonly attributesToRetrieve: readonly string[] | null;
  /** `name` or `name:wordCount`. */
  readonly attributesToCrop: readonly string[] | null;
  readonly cropLength: number;
  readonly cropMarker: string;
  readonly attributesToHighlight: readonly string[] | null;
  readonly highlightPreTag: string;
  readonly highlightPostTag: string;
  readonly showMatchesPosition: boolean;
  readonly showRankingScore: boolean;
  readonly showRankingScoreDetails: boolean;
  /** 0 to 1; hits below it are dropped. */
  readonly rankingScoreThreshold: number | null;
  /** A filter string, or arrays of them; still unparsed. */
  readonly filter: unknown;
  readonly sort: readonly string[] | null;
  readonly facets: readonly string[] | null;
  readonly distinct: string | null;
  readonly matchingStrategy: MatchingStrategy;
  readonly attributesToSearchOn: readonly string[] | null;
  /** ISO 639 codes, known to be supported. */
  readonly locales: readonly string[] | null;
  readonly retrieveVectors: boolean;
  readonly vector: readonly number[] | null;
  readonly hybrid: HybridRequest | null;
  /** The query has media, which are searched by their vector. */
  readonly hasMedia?: boolean;
}
export interface HybridRequest {
  readonly embedder: string;
  /** 0 = words only, 1 = vectors only. */
  readonly semanticRatio: number;
}

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

/** A search among the values of one facet. */
export interface FacetSearchRequest {
  readonly facetName: string;
  readonly facetQuery: string | null;
  readonly q: string | null;
  readonly filter: unknown;
  readonly matchingStrategy: MatchingStrategy;
  readonly attributesToSearchOn: readonly string[] | null;
  readonly rankingScoreThreshold: number | null;
  readonly exhaustiveFacetCount: boolean;
  readonly locales: readonly string[] | null;
  readonly vector: readonly number[] | null;
  readonly hybrid: HybridRequest | null;
  readonly hasMedia?: boolean;
}
export interface FacetSearchResponse {
  readonly facetHits: readonly { readonly value: string; readonly count: number }[];
  readonly facetQuery: string | null;
  readonly processingTimeMs: number;
}
