import type { DocumentId, FieldName, Filter } from './documents.js';

/** How words and vectors are mixed. */
export interface HybridParameters {
  /** Of the index's settings. */
  readonly embedder: string;
  /** 0: words alone, 1: vectors alone; 0.5 when absent. */
  readonly semanticRatio?: number | undefined;
}

/** What a search may say besides its words. */
export interface SearchParameters<T extends object> {
  readonly limit?: number | undefined;
  readonly offset?: number | undefined;
  /** From 1 on. With it or `hitsPerPage` the answer is a numbered page and counts all hits. */
  readonly page?: number | undefined;
  readonly hitsPerPage?: number | undefined;
  readonly filter?: Filter | undefined;
  /** `name:asc`, `name:desc`, `_geoPoint(lat, lng):asc`. */
  readonly sort?: readonly string[] | undefined;
  /** Attributes whose values are counted. */
  readonly facets?: readonly FieldName<T>[] | undefined;
  /** Of hits that have the same value here the best one is shown. */
  readonly distinct?: string | undefined;
  readonly attributesToRetrieve?: readonly FieldName<T>[] | undefined;
  readonly attributesToSearchOn?: readonly FieldName<T>[] | undefined;
  readonly attributesToHighlight?: readonly FieldName<T>[] | undefined;
  /** `name` or `name:wordCount`. */
  readonly attributesToCrop?: readonly string[] | undefined;
  readonly cropLength?: number | undefined;
  readonly cropMarker?: string | undefined;
  readonly highlightPreTag?: string | undefined;
  readonly highlightPostTag?: string | undefined;
  readonly showMatchesPosition?: boolean | undefined;
  readonly showRankingScore?: boolean | undefined;
  readonly showRankingScoreDetails?: boolean | undefined;
  readonly showPerformanceDetails?: boolean | undefined;
  /** 0 to 1: hits below it are left out. */
  readonly rankingScoreThreshold?: number | undefined;
  /** Which words may be left out when too few documents have them all. */
  readonly matchingStrategy?: 'last' | 'all' | 'frequency' | undefined;
  /** Languages of the query, ISO 639. */
  readonly locales?: readonly string[] | undefined;
  readonly hybrid?: HybridParameters | undefined;
  readonly vector?: readonly number[] | undefined;
  readonly media?: Readonly<Record<string, unknown>> | undefined;
  readonly retrieveVectors?: boolean | undefined;
}

export interface MatchPosition {
  /** In UTF-8 bytes of the text. */
  readonly start: number;
  readonly length: number;
  /** Of an array: which elements. */
  readonly indices?: readonly number[];
}
/** The same fields as text, matches marked. */
export type Formatted<T> = { readonly [K in keyof T]: T[K] extends object ? Formatted<T[K]> : string };

/** A document that was found, and what was asked for besides. */
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

/** The fields of a document that a search shows: those it names, all when it names none. Paths into members show parts of them. */
export type Shown<T extends object, P> = P extends { readonly attributesToRetrieve: readonly (infer K)[] }
  ? '*' extends K
    ? T
    : Extract<K, `${string}.${string}`> extends never
      ? Pick<T, Extract<K, keyof T>>
      : Partial<T>
  : T;

/** How far an answer reaches that goes by `offset` and `limit`. */
export interface PageWindow {
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

interface AnswerBase {
  readonly query: string;
  readonly processingTimeMs: number;
  readonly requestUid: string;
  readonly facetDistribution?: Readonly<Record<string, Readonly<Record<string, number>>>>;
  readonly facetStats?: Readonly<Record<string, { readonly min: number; readonly max: number }>>;
  /** Hits that vectors found, where vectors took part. */
  readonly semanticHitCount?: number;
  readonly queryVector?: readonly number[];
  readonly performanceDetails?: Readonly<Record<string, unknown>>;
}
/** What a search answers: `P` are its parameters. */
export type SearchAnswer<T extends object, P = object> = AnswerBase & {
  readonly hits: readonly Hit<Shown<T, P>>[];
} & (P extends { readonly page: number } | { readonly hitsPerPage: number } ? NumberedPage : PageWindow);

/** A search among the values of one facet. */
export interface FacetParameters<T extends object>
  extends Pick<
    SearchParameters<T>,
    'filter' | 'matchingStrategy' | 'attributesToSearchOn' | 'rankingScoreThreshold' | 'locales' | 'hybrid' | 'vector'
  > {
  /** Only values of documents that this finds. */
  readonly q?: string | undefined;
  readonly exhaustiveFacetCount?: boolean | undefined;
}
export interface FacetAnswer {
  readonly facetHits: readonly { readonly value: string; readonly count: number }[];
  readonly facetQuery: string | null;
  readonly processingTimeMs: number;
}

/** A search for documents like a given one. */
export interface SimilarParameters<T extends object>
  extends Pick<
    SearchParameters<T>,
    | 'offset'
    | 'limit'
    | 'filter'
    | 'attributesToRetrieve'
    | 'retrieveVectors'
    | 'showRankingScore'
    | 'showRankingScoreDetails'
    | 'showPerformanceDetails'
    | 'rankingScoreThreshold'
  > {
  /** Whose vectors are compared. */
  readonly embedder: string;
}
export interface SimilarAnswer<T extends object, P = object> extends PageWindow {
  readonly hits: readonly Hit<Shown<T, P>>[];
  readonly id: DocumentId;
  readonly processingTimeMs: number;
}
