/** All settings of one index, fully resolved (no nulls for defaults). */
export interface IndexSettings {
  readonly displayedAttributes: readonly string[]; // ['*'] = all
  readonly searchableAttributes: readonly string[]; // ['*'] = all
  readonly filterableAttributes: readonly FilterableRule[];
  readonly sortableAttributes: readonly string[];
  readonly rankingRules: readonly string[];
  readonly stopWords: readonly string[];
  readonly nonSeparatorTokens: readonly string[];
  readonly separatorTokens: readonly string[];
  readonly dictionary: readonly string[];
  readonly synonyms: Readonly<Record<string, readonly string[]>>;
  readonly distinctAttribute: string | null;
  readonly proximityPrecision: 'byWord' | 'byAttribute';
  readonly typoTolerance: TypoTolerance;
  readonly faceting: Faceting;
  readonly pagination: { readonly maxTotalHits: number };
  readonly searchCutoffMs: number | null;
  readonly localizedAttributes: readonly LocalizedRule[] | null;
  readonly facetSearch: boolean;
  readonly prefixSearch: 'indexingTime' | 'disabled';
  readonly embedders: Readonly<Record<string, unknown>>;
  readonly chat: Readonly<Record<string, unknown>>;
  readonly foreignKeys: readonly ForeignKey[];
}
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
/**
 * A settings update: an absent key is unchanged, null resets to the default. typoTolerance, minWordSizeForTypos,
 * faceting and pagination merge key by key. Values have passed the API's validation.
 */
export type SettingsPatch = { readonly [K in keyof IndexSettings]?: PatchValue<IndexSettings[K]> | null };
type PatchValue<T> = T extends readonly unknown[] | string | number | boolean | null
  ? T
  : { readonly [K in keyof T]?: unknown };

export const DEFAULT_SETTINGS: IndexSettings = {
  displayedAttributes: ['*'],
  searchableAttributes: ['*'],
  filterableAttributes: [],
  sortableAttributes: [],
  rankingRules: ['words', 'typo', 'proximity', 'attributeRank', 'sort', 'wordPosition', 'exactness'],
  stopWords: [],
  nonSeparatorTokens: [],
  separatorTokens: [],
  dictionary: [],
  synonyms: {},
  distinctAttribute: null,
  proximityPrecision: 'byWord',
  typoTolerance: {
    enabled: true,
    minWordSizeForTypos: { oneTypo: 5, twoTypos: 9 },
    disableOnWords: [],
    disableOnAttributes: [],
    disableOnNumbers: false,
  },
  faceting: { maxValuesPerFacet: 100, sortFacetValuesBy: { '*': 'alpha' } },
  pagination: { maxTotalHits: 1000 },
  searchCutoffMs: null,
  localizedAttributes: null,
  facetSearch: true,
  prefixSearch: 'indexingTime',
  embedders: {},
  chat: {},
  foreignKeys: [],
};
