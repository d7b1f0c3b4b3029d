import type { IndexSettings } from '@fossick/api';
import type { FieldName, SortCriterion } from './documents.js';

/** The configuration of an embedder; docs/reference/embedding.md says which members go together. */
export interface EmbedderSettings {
  readonly source?: 'userProvided' | 'openAi' | 'huggingFace' | 'ollama' | 'rest' | 'composite' | undefined;
  readonly dimensions?: number | undefined;
  readonly [member: string]: unknown;
}

type AttributeList = 'displayedAttributes' | 'searchableAttributes' | 'filterableAttributes' | 'sortableAttributes';
/** Absent where they are not set. */
type Gated = 'foreignKeys' | 'chat' | 'expiryAttribute' | 'substringAttributes';

/** All settings of an index. */
export interface Settings<T extends object = Record<string, unknown>>
  extends Omit<IndexSettings, AttributeList | Gated | 'embedders' | 'rankingRules'>,
    Partial<Pick<IndexSettings, Gated>> {
  readonly displayedAttributes: readonly FieldName<T>[];
  /** In the order of their weight. */
  readonly searchableAttributes: readonly FieldName<T>[];
  readonly filterableAttributes: readonly (FieldName<T> | FilterableAttributes | '_geo' | '_geojson')[];
  readonly sortableAttributes: readonly (FieldName<T> | '_geo')[];
  /** Rules by their names, `attribute:asc` or `attribute:desc`, and scores by expression. */
  readonly rankingRules: readonly RankingRule[];
  readonly embedders: Readonly<Record<string, EmbedderSettings>>;
}
/** One of `rankingRules`. */
export type RankingRule =
  | 'words'
  | 'typo'
  | 'proximity'
  | 'attribute'
  | 'attributeRank'
  | 'wordPosition'
  | 'exactness'
  | SortCriterion
  | 'sort'
  | Exclude<IndexSettings['rankingRules'][number], string>;

/** Attributes by patterns, with what filters may do with them. */
interface FilterableAttributes {
  readonly attributePatterns: readonly string[];
  readonly features?: {
    readonly facetSearch?: boolean;
    readonly filter?: { readonly equality?: boolean; readonly comparison?: boolean };
  };
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
