/** Values of settings that are objects, fully resolved. */

/** Values of the field are ids of documents of another index. */
export interface ForeignKey {
  readonly foreignIndexUid: string;
  readonly fieldName: string;
}
/** A rule of filterableAttributes: a plain name (all features, children too) or patterns with features. */
export type FilterableRule = string | FilterablePatterns;
export interface FilterablePatterns {
  readonly attributePatterns: readonly string[];
  readonly features: {
    readonly facetSearch: boolean;
    readonly filter: { readonly equality: boolean; readonly comparison: boolean };
  };
}
export interface TypoTolerance {
  readonly enabled: boolean;
  readonly minWordSizeForTypos: { readonly oneTypo: number; readonly twoTypos: number };
  readonly disableOnWords: readonly string[];
  readonly disableOnAttributes: readonly string[];
  readonly disableOnNumbers: boolean;
}
export interface Faceting {
  readonly maxValuesPerFacet: number;
  readonly sortFacetValuesBy: Readonly<Record<string, 'alpha' | 'count' | 'sampledCount'>>; // '*' always present
}
export interface LocalizedRule {
  readonly attributePatterns: readonly string[];
  readonly locales: readonly string[];
}
/** A facet whose values are paths. */
export interface HierarchicalFacet {
  readonly attribute: string;
  /** Between the steps of a path. */
  readonly separator: string;
}
/** Ranks by a value that is computed from fields, in buckets of about the same number of documents or exactly. */
export interface ScoreRule {
  /** A score expression. */
  readonly score: string;
  /** 2 to MAX_SCORE_BUCKETS; null, or none, for the exact order. */
  readonly buckets?: number | null;
}
/** An entry of rankingRules: a name, `field:asc`, `field:desc`, or a score. */
export type RankingRuleSetting = string | ScoreRule;
