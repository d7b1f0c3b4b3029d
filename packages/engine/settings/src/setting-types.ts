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
  readonly sortFacetValuesBy: Readonly<Record<string, 'alpha' | 'count'>>; // '*' always present
}
export interface LocalizedRule {
  readonly attributePatterns: readonly string[];
  readonly locales: readonly string[];
}
