import type { ExactNumber } from '@fossick/documents';
import type { AggregationAnswer, AnswerGroup, FacetLevelsAnswer, SearchExplanation } from './answer-parts.js';

/** One hit: the document's fields and the requested decorations. */
export type SearchHit = Record<string, unknown>;

interface AnyResponse {
  readonly hits: readonly SearchHit[];
  readonly query: string;
  /** With `retrieveVectors`: the query vector. */
  readonly queryVector?: readonly number[];
  readonly processingTimeMs: number;
  readonly facetDistribution?: Readonly<Record<string, Readonly<Record<string, number>>>>;
  readonly facetStats?: Readonly<Record<string, { readonly min: ExactNumber; readonly max: ExactNumber }>>;
  /** Present when vectors were used. */
  readonly semanticHitCount?: number;
  /** With `group`: the groups of the page; `hits` is empty, and totals and pages count groups. */
  readonly groups?: readonly AnswerGroup<SearchHit>[];
  readonly aggregations?: Readonly<Record<string, AggregationAnswer>>;
  readonly facetLevels?: FacetLevelsAnswer;
  /** With `explain`. */
  readonly plan?: SearchExplanation;
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
