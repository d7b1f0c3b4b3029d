import type { FieldName } from './documents.js';

/** The configuration of an embedder; docs/embedding.md says which members go together. */
export interface EmbedderSettings {
  readonly source?: 'userProvided' | 'openAi' | 'huggingFace' | 'ollama' | 'rest' | 'composite' | undefined;
  readonly dimensions?: number | undefined;
  readonly [member: string]: unknown;
}

/** All settings of an index. */
export interface Settings<T extends object = Record<string, unknown>> {
  readonly displayedAttributes: readonly FieldName<T>[];
  /** In the order of their weight. */
  readonly searchableAttributes: readonly FieldName<T>[];
  readonly filterableAttributes: readonly (
    | FieldName<T>
    | {
        readonly attributePatterns: readonly string[];
        readonly features?: {
          readonly facetSearch?: boolean;
          readonly filter?: { readonly equality?: boolean; readonly comparison?: boolean };
        };
      }
    | '_geo'
    | '_geojson'
  )[];
  readonly sortableAttributes: readonly (FieldName<T> | '_geo')[];
  readonly rankingRules: readonly string[];
  readonly stopWords: readonly string[];
  readonly nonSeparatorTokens: readonly string[];
  readonly separatorTokens: readonly string[];
  readonly dictionary: readonly string[];
  readonly synonyms: Readonly<Record<string, readonly string[]>>;
  readonly distinctAttribute: string | null;
  readonly proximityPrecision: 'byWord' | 'byAttribute';
  readonly typoTolerance: {
    readonly enabled: boolean;
    readonly minWordSizeForTypos: { readonly oneTypo: number; readonly twoTypos: number };
    readonly disableOnWords: readonly string[];
    readonly disableOnAttributes: readonly string[];
    readonly disableOnNumbers: boolean;
  };
  readonly faceting: {
    readonly maxValuesPerFacet: number;
    readonly sortFacetValuesBy: Readonly<Record<string, 'alpha' | 'count'>>;
  };
  readonly pagination: { readonly maxTotalHits: number };
  readonly embedders: Readonly<Record<string, EmbedderSettings>>;
  readonly searchCutoffMs: number | null;
  readonly localizedAttributes:
    | readonly { readonly attributePatterns: readonly string[]; readonly locales: readonly string[] }[]
    | null;
  readonly facetSearch: boolean;
  readonly prefixSearch: 'indexingTime' | 'disabled';
  /** Requires the feature `foreignKeys`. */
  readonly foreignKeys?: readonly { readonly foreignIndexUid: string; readonly fieldName: string }[];
  /** Requires the feature `chatCompletions`. */
  readonly chat?: Readonly<Record<string, unknown>>;
}

/** Settings to change: absent ones stay, null resets to the default; members of objects are changed one by one. */
export type SettingsChange<T extends object = Record<string, unknown>> = {
  readonly [K in keyof Settings<T>]?: Change<Settings<T>[K]> | null | undefined;
};
type Change<V> = V extends readonly unknown[]
  ? V
  : V extends object
    ? { readonly [K in keyof V]?: Change<V[K]> | null }
    : V;
