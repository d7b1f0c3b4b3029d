import type { GivenFacetSearch, GivenHybrid, GivenSearch, GivenSimilar } from '@fossick/api';
import type { SearchExplanation } from '@fossick/search';
import type { DocumentId, FieldName, Filter, SortCriterion } from './documents.js';

/** How keyword and vector results are mixed. */
export interface HybridParameters extends GivenHybrid {}

/** Members that depend on the type of the documents, or have a type of their own. */
type OwnMember =
  | 'facets'
  | 'attributesToRetrieve'
  | 'attributesToSearchOn'
  | 'attributesToHighlight'
  | 'filter'
  | 'hybrid'
  | 'sort';

/** Parameters of a search in addition to its query. */
export interface SearchParameters<T extends object>
  extends Omit<GivenSearch, OwnMember | 'q' | 'useNetwork' | 'personalize'> {
  readonly filter?: Filter | undefined;
  /** Attributes whose values are counted. */
  readonly facets?: readonly FieldName<T>[] | undefined;
  readonly attributesToRetrieve?: readonly FieldName<T>[] | undefined;
  readonly attributesToSearchOn?: readonly FieldName<T>[] | undefined;
  readonly attributesToHighlight?: readonly FieldName<T>[] | undefined;
  readonly hybrid?: HybridParameters | undefined;
  /** Attributes to sort by, with their direction. */
  readonly sort?: readonly SortCriterion[] | undefined;
}

export interface MatchPosition {
  /** In UTF-8 bytes of the text. */
  readonly start: number;
  readonly length: number;
  /** The indices of the elements, in an array. */
  readonly indices?: readonly number[];
}
/** The same fields as text, with matches marked. */
export type Formatted<T> = { readonly [K in keyof T]: T[K] extends object ? Formatted<T[K]> : string };

/** A document that was found, with the requested extras. */
export type Hit<T extends object> = T & {
  readonly _formatted?: Formatted<T>;
  readonly _matchesPosition?: Readonly<Record<string, readonly MatchPosition[]>>;
  /** 0 to 1. */
  readonly _rankingScore?: number;
  readonly _rankingScoreDetails?: Readonly<Record<string, unknown>>;
  /** Metres. */
  readonly _geoDistance?: number;
  readonly _vectors?: Readonly<Record<string, unknown>>;
};

/**
 * The fields of a document that a search returns: those it names, or all. Paths of nested fields return parts of
 * objects.
 */
export type Shown<T extends object, P> = P extends { readonly attributesToRetrieve: readonly (infer K)[] }
  ? '*' extends K
    ? T
    : Extract<K, `${string}.${string}`> extends never
      ? Pick<T, Extract<K, keyof T>>
      : Partial<T>
  : T;

/** The part of the hits in an answer with `offset` and `limit`. */
export interface OffsetPage {
  readonly offset: number;
  readonly limit: number;
  /** Exact up to the index's `pagination.maxTotalHits`. */
  readonly estimatedTotalHits: number;
}
export interface NumberedPage {
  readonly page: number;
  readonly hitsPerPage: number;
  readonly totalPages: number;
  readonly totalHits: number;
}

/** Documents by value, of each attribute. */
export type FacetCounts = Readonly<Record<string, Readonly<Record<string, number>>>>;
/** The least and the greatest number of each attribute that has any. */
export type FacetStats = Readonly<Record<string, { readonly min: number; readonly max: number }>>;

export interface AnswerBase {
  readonly query: string;
  readonly processingTimeMs: number;
  readonly requestUid: string;
  readonly facetDistribution?: FacetCounts;
  readonly facetStats?: FacetStats;
  /** Hits found by vectors, in a hybrid search. */
  readonly semanticHitCount?: number;
  readonly queryVector?: readonly number[];
  readonly performanceDetails?: Readonly<Record<string, unknown>>;
}
/** Computed from the numbers of a field; null where there is no number. */
export interface ComputedNumbers {
  readonly stats?: Readonly<Record<string, number | null>>;
  /** Numbers from `from` (included) to `to` (excluded), without empty buckets. */
  readonly histogram?: readonly { readonly from: number; readonly to: number; readonly count: number }[];
}
/** What was computed of one attribute; with `by`, also for each value of that attribute. */
export interface Aggregated extends ComputedNumbers {
  readonly groups?: readonly ({ readonly value: string | number; readonly documentCount: number } & ComputedNumbers)[];
}
/** A value with its best hits. */
export interface HitGroup<T extends object> {
  readonly value: string | number;
  readonly documentCount: number;
  readonly hits: readonly Hit<T>[];
}

/** The answer to a search: `P` are its parameters. */
export type SearchAnswer<T extends object, P = object> = AnswerBase & {
  readonly hits: readonly Hit<Shown<T, P>>[];
  /** With `group`: the groups of the page, in the order of their best hits; `hits` is empty. */
  readonly groups?: readonly HitGroup<Shown<T, P>>[];
  /** With `facetLevels`: the steps of each attribute. */
  readonly facetLevels?: Readonly<
    Record<
      string,
      readonly { readonly path: string; readonly name: string; readonly count: number; readonly hasChildren: boolean }[]
    >
  >;
  /** With `aggregations`. */
  readonly aggregations?: Readonly<Record<string, Aggregated>>;
  /** With `explain`. */
  readonly plan?: SearchExplanation;
} & (P extends { readonly page: number } | { readonly hitsPerPage: number } ? NumberedPage : OffsetPage);

type FacetMember = Exclude<keyof GivenFacetSearch & keyof SearchParameters<object>, 'media'>;
/** A search among the values of one facet. */
export interface FacetParameters<T extends object>
  extends Pick<SearchParameters<T>, FacetMember>,
    Pick<GivenFacetSearch, 'exhaustiveFacetCount'> {
  /** Only values of documents that match this query. */
  readonly q?: string | undefined;
}
export interface FacetAnswer {
  readonly facetHits: readonly { readonly value: string; readonly count: number }[];
  readonly facetQuery: string | null;
  readonly processingTimeMs: number;
}

/** A search for similar documents. */
export interface SimilarParameters<T extends object>
  extends Pick<SearchParameters<T>, keyof GivenSimilar & keyof SearchParameters<object>> {
  /** The embedder whose vectors are compared. */
  readonly embedder: string;
}
export interface SimilarAnswer<T extends object, P = object> extends OffsetPage {
  readonly hits: readonly Hit<Shown<T, P>>[];
  readonly id: DocumentId;
  readonly processingTimeMs: number;
}
