import type { ExactNumber } from '@fossick/documents';
import type { IndexAccess } from '@fossick/index';
import type { SearchRequest } from '@fossick/settings/parameters';
import type { Ranked } from '../ranked/score-items.js';
import type { SearchHit } from '../request/search-response.js';
import type { StageClock } from '../request/stage-clock.js';
import type { RuleBook } from '../search-rules/search-rule.js';

/** One query of a federated search. */
export interface FederatedQuery {
  readonly indexUid: string;
  /** Its index in `queries`. */
  readonly position: number;
  /** At least 0. */
  readonly weight: number;
  /** Its own pagination and facets are ignored. */
  readonly request: SearchRequest;
  /** The rules of this query; absent: those of the search. */
  readonly ruleBook?: RuleBook;
}
/** The requested part of the merged list: a numbered page, or `limit` hits from `offset` on. */
export interface HitRange {
  readonly isPaged: boolean;
  readonly from: number;
  readonly length: number;
}
/** Several queries whose hits become one list. */
export interface FederationRequest {
  readonly queries: readonly FederatedQuery[];
  readonly range: HitRange;
  /** Requested facets, by index uid. */
  readonly facetsByIndex: ReadonlyMap<string, readonly string[]>;
  readonly mergeFacets: { readonly maxValuesPerFacet: number | null } | null;
  /** No two hits share a value of this field, in whatever index. */
  readonly distinct: string | null;
  readonly ruleBook: RuleBook | null;
  /** Documents of other indexes replace their ids at foreign keys. */
  readonly hydrates: boolean;
  /** The other indexes that foreign keys may read. */
  readonly access: IndexAccess;
  readonly marks: FederationMarks;
  readonly clock: StageClock;
  /** The value of `now` in scores, in seconds since 1970; absent: the minute that begins the search. */
  readonly nowSeconds?: number;
}
/** The content of `_federation` besides index, query and score. */
export interface FederationMarks {
  /** Name of this instance; undefined when nothing of the search runs elsewhere. */
  readonly remote: string | null | undefined;
  /** Whether the answer is for another instance, which merges it further. */
  readonly isProxied: boolean;
}

/** A hit to be merged. */
export interface FederatedHit extends Ranked {
  readonly indexUid: string;
  /** 0-based position of a pinned hit; null for others. */
  readonly pinnedPosition: number | null;
  /** The values of `distinct` that the document has. */
  readonly distinctValues: () => readonly string[];
  /** Field and text of every value of the fields. */
  readonly facetValues: (fields: ReadonlySet<string>) => readonly FacetValue[];
  /** Makes the complete hit. Reads the document: only while the views are open. */
  readonly make: () => SearchHit;
}
export interface FacetValue {
  readonly field: string;
  readonly text: string;
}

export type FacetCounts = Readonly<Record<string, Readonly<Record<string, number>>>>;
export type FacetStats = Readonly<Record<string, { readonly min: ExactNumber; readonly max: ExactNumber }>>;
/** Facets of one index, with the settings that determine their order and number. */
export interface IndexFacets {
  readonly distribution: FacetCounts;
  readonly stats: FacetStats;
  readonly isByCount: (field: string) => boolean;
  readonly maxValues: number;
}
/** The result of one index, here or elsewhere, for a federated search. */
export interface FederatedPart {
  /** Best first, without pinned ones. */
  readonly hits: readonly FederatedHit[];
  /** Each with its position; pins of the same position in order of their rules. */
  readonly pins: readonly FederatedHit[];
  /** Total number of hits, pinned ones included. */
  readonly total: number;
  readonly facets: ReadonlyMap<string, IndexFacets>;
  /** Whether one of its queries could use vectors. */
  readonly isSemantic: boolean;
  /** The query vectors, by query index, of queries that request vectors; null when none does. */
  readonly queryVectors: ReadonlyMap<number, readonly number[]> | null;
}

/** The merged answer; facets are by index or merged, as requested. */
export interface FederatedAnswer {
  readonly hits: readonly SearchHit[];
  readonly total: number;
  readonly semanticHitCount?: number;
  readonly queryVectors?: Readonly<Record<string, readonly number[]>>;
  readonly facetsByIndex?: Readonly<Record<string, { readonly distribution: FacetCounts; readonly stats: FacetStats }>>;
  readonly facetDistribution?: FacetCounts;
  readonly facetStats?: FacetStats;
}
