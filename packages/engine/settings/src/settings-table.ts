import type { ErrorCode } from '@fossick/base';
import { allowing, choice, count, flag, type Kind, type Parser, text } from '@fossick/base/contract';
import { scoredFields } from './attribute-lists.js';
import { DEFAULT_RANKING_RULES } from './ranking-rules.js';
import type {
  FilterableRule,
  ForeignKey,
  HierarchicalFacet,
  LocalizedRule,
  RankingRuleSetting,
} from './setting-types.js';
import {
  attributeList,
  attributeSet,
  filterableRules,
  foreignKeys,
  localizedRules,
  rankingRules,
  synonymLists,
  wordSet,
} from './values/attribute-values.js';
import { chat } from './values/chat-values.js';
import { embedders } from './values/embedder-values.js';
import { hierarchicalFacets } from './values/hierarchy-values.js';
import { SETTING_LIMITS, type SizeCheck } from './values/setting-limits.js';
import {
  DEFAULT_FACETING,
  DEFAULT_PAGINATION,
  DEFAULT_TYPO_TOLERANCE,
  faceting,
  pagination,
  typoTolerance,
} from './values/tolerance-values.js';

/** One setting of an index: `T` is its type in a resolved index. */
export interface Setting<T> extends Options<T> {
  readonly code: ErrorCode;
  /** What a request may send; null resets. */
  readonly kind: Kind<unknown>;
  readonly default: T;
}
/** Words and columns are methods, so that settings of any type are settings of an unknown one. */
interface Options<T> {
  /** A change replaces the whole value (PUT) or is merged into it (PATCH); absent: PUT. */
  readonly verb?: 'PATCH';
  /** The experimental feature that is required to set it and to see it among all settings. */
  readonly feature?: string;
  /** The reference does not have it: among all settings it is shown only where it is not the default. */
  readonly isOwn?: true;
  /** How large the value of a request may be. */
  readonly limit?: SizeCheck;
  /** The part that determines the words of documents: when it changes, all of them are indexed again. */
  words?(value: T): unknown;
  /** The part that determines columns: when it changes, they are built again. */
  columns?(value: T): unknown;
}
const setting = <T>(
  code: ErrorCode,
  kind: Kind<unknown>,
  byDefault: T,
  options: Options<NoInfer<T>> = {},
): Setting<T> => ({
  code,
  kind,
  default: byDefault,
  ...options,
});

type Names = readonly string[];
const ALL: Names = ['*'];
const NONE: Names = [];
const itself = (value: unknown): unknown => value;
const sorted = (names: Names): Names => [...names].sort();

/** The rules and scores that order by fields. */
function rankedColumns(rules: readonly RankingRuleSetting[]): Names {
  const byField = rules.filter((rule) => typeof rule === 'string' && /:(asc|desc)$/.test(rule)) as Names;
  return [...sorted(byField), ...sorted([...scoredFields(rules)])];
}

/** All settings in the order of GET. Programs, routes, checks, the OpenAPI document and copies follow from this table. */
export const SETTINGS = {
  displayedAttributes: setting(
    'invalid_settings_displayed_attributes',
    attributeList('Attributes that documents are shown with.', '*'),
    ALL,
    { limit: SETTING_LIMITS.displayedAttributes },
  ),
  /** In the order of their weight. */
  searchableAttributes: setting(
    'invalid_settings_searchable_attributes',
    attributeList('Attributes that are searched, the most important first.', 'title', 'overview'),
    ALL,
    // their order only affects ranking
    { limit: SETTING_LIMITS.searchableAttributes, words: (names) => (names.includes('*') ? ALL : sorted(names)) },
  ),
  filterableAttributes: setting<readonly FilterableRule[]>(
    'invalid_settings_filterable_attributes',
    filterableRules,
    [],
    { limit: SETTING_LIMITS.filterableAttributes, columns: itself },
  ),
  sortableAttributes: setting(
    'invalid_settings_sortable_attributes',
    attributeSet('Attributes to sort by.', 'year'),
    NONE,
    { limit: SETTING_LIMITS.sortableAttributes, columns: sorted },
  ),
  /** Requires the feature `foreignKeys`. */
  foreignKeys: setting<readonly ForeignKey[]>('invalid_settings_foreign_keys', foreignKeys, [], {
    limit: SETTING_LIMITS.foreignKeys,
    feature: 'foreignKeys',
  }),
  rankingRules: setting<readonly RankingRuleSetting[]>(
    'invalid_settings_ranking_rules',
    rankingRules(DEFAULT_RANKING_RULES),
    DEFAULT_RANKING_RULES,
    {
      limit: SETTING_LIMITS.rankingRules,
      columns: rankedColumns,
    },
  ),
  stopWords: setting('invalid_settings_stop_words', wordSet('Words that are not searched for.', 'the', 'of'), NONE, {
    words: itself,
  }),
  nonSeparatorTokens: setting(
    'invalid_settings_non_separator_tokens',
    wordSet('Characters that do not separate words here.', '@'),
    NONE,
    { words: itself },
  ),
  separatorTokens: setting('invalid_settings_separator_tokens', wordSet('Texts that separate words here.', '|'), NONE, {
    words: itself,
  }),
  dictionary: setting('invalid_settings_dictionary', wordSet('Texts that are one word.', 'J. R. R.'), NONE, {
    words: itself,
  }),
  synonyms: setting<Readonly<Record<string, Names>>>('invalid_settings_synonyms', synonymLists, {}),
  distinctAttribute: setting<string | null>(
    'invalid_settings_distinct_attribute',
    allowing(text('Attribute of which each value is shown once.', 'director'), 'the name of an attribute, or null'),
    null,
    { columns: itself },
  ),
  /** Documents are not found any more from the time in this field on, and are deleted soon after. */
  expiryAttribute: setting<string | null>(
    'invalid_settings_expiry_attribute',
    allowing(
      text('Attribute with the time from which a document is not found any more.', 'expiresAt'),
      'the name of an attribute, or null',
    ),
    null,
    { columns: itself, isOwn: true },
  ),
  /** Attributes whose words are found by a part of them, and whose values the filter operator `CONTAINS` finds without reading all. */
  substringAttributes: setting(
    'invalid_settings_substring_attributes',
    attributeSet('Attributes whose words are found by any part of three characters or more.', 'sku'),
    NONE,
    { isOwn: true, limit: SETTING_LIMITS.substringAttributes, words: itself },
  ),
  proximityPrecision: setting<'byWord' | 'byAttribute'>(
    'invalid_settings_proximity_precision',
    allowing(choice(['byWord', 'byAttribute'], 'How nearness of words is judged.'), '`byWord`, `byAttribute` or null'),
    'byWord',
  ),
  typoTolerance: setting('invalid_settings_typo_tolerance', typoTolerance, DEFAULT_TYPO_TOLERANCE, {
    verb: 'PATCH',
    limit: SETTING_LIMITS.typoTolerance,
    words: ({ disableOnAttributes, disableOnNumbers }) => [disableOnAttributes, disableOnNumbers],
  }),
  faceting: setting('invalid_settings_faceting', faceting, DEFAULT_FACETING, {
    verb: 'PATCH',
    limit: SETTING_LIMITS.faceting,
  }),
  /** Attributes whose elements are kept apart in filters, `variants[ color = red AND size = 42 ]`. */
  elementAttributes: setting(
    'invalid_settings_element_attributes',
    attributeSet('Arrays of objects with filters on one element.', 'variants'),
    NONE,
    { isOwn: true, limit: SETTING_LIMITS.elementAttributes },
  ),
  /** Facets whose values are paths. */
  hierarchicalFacets: setting<readonly HierarchicalFacet[]>(
    'invalid_settings_hierarchical_facets',
    hierarchicalFacets,
    [],
    { isOwn: true, limit: SETTING_LIMITS.hierarchicalFacets },
  ),
  pagination: setting('invalid_settings_pagination', pagination, DEFAULT_PAGINATION, { verb: 'PATCH' }),
  embedders: setting<Readonly<Record<string, unknown>>>(
    'invalid_settings_embedders',
    embedders,
    {},
    {
      verb: 'PATCH',
      limit: SETTING_LIMITS.embedders,
    },
  ),
  searchCutoffMs: setting<number | null>(
    'invalid_settings_search_cutoff_ms',
    allowing(count('Milliseconds that a search may take.'), 'a non-negative integer or null'),
    null,
  ),
  localizedAttributes: setting<readonly LocalizedRule[] | null>(
    'invalid_settings_localized_attributes',
    localizedRules,
    null,
    { limit: SETTING_LIMITS.localizedAttributes, words: itself },
  ),
  facetSearch: setting<boolean>(
    'invalid_settings_facet_search',
    allowing(flag('Whether values of facets can be searched.'), 'a boolean or null'),
    true,
  ),
  prefixSearch: setting<'indexingTime' | 'disabled'>(
    'invalid_settings_prefix_search',
    allowing(
      choice(['indexingTime', 'disabled'], 'Whether the last word is a beginning.'),
      '`indexingTime`, `disabled` or null',
    ),
    'indexingTime',
  ),
  /** Requires the feature `chatCompletions`. */
  chat: setting<Readonly<Record<string, unknown>>>(
    'invalid_settings_index_chat',
    chat,
    {},
    {
      verb: 'PATCH',
      limit: SETTING_LIMITS.chat,
      feature: 'chatCompletions',
    },
  ),
};

type Resolved<Table> = { readonly [K in keyof Table]: Table[K] extends Setting<infer T> ? T : never };
/** All settings of one index, fully resolved (no nulls for defaults). */
export interface IndexSettings extends Resolved<typeof SETTINGS> {}

const ENTRIES: readonly (readonly [key: string, setting: Setting<unknown>])[] = Object.entries(SETTINGS);

export const DEFAULT_SETTINGS = Object.fromEntries(
  ENTRIES.map(([key, { default: byDefault }]) => [key, byDefault]),
) as Record<string, unknown> & IndexSettings;

/**
 * The settings without those that only this server has and that are not set: others refuse settings that they do not
 * know.
 */
export function withoutOwnDefaults<T extends object>(settings: T): T {
  const defaults = new Map(ENTRIES.flatMap(([key, each]) => (each.isOwn === true ? [[key, each.default]] : [])));
  const isLeft = ([key, value]: [string, unknown]): boolean => defaults.has(key) && isSame(defaults.get(key), value);
  return Object.fromEntries(Object.entries(settings).filter((entry) => !isLeft(entry))) as T;
}

/**
 * A change that resets all settings, without the resets of those that only this server has: others do not know them.
 * Any other change is returned as it is.
 */
export function withoutOwnResets<T extends object>(change: T): T {
  if (!ENTRIES.every(([key]) => Object.hasOwn(change, key))) return change;
  const own = new Set(ENTRIES.flatMap(([key, { isOwn }]) => (isOwn === true ? [key] : [])));
  return Object.fromEntries(Object.entries(change).filter(([key, value]) => value !== null || !own.has(key))) as T;
}

/** Whether two values of settings that are null, text or an empty list are equal. */
function isSame(left: unknown, right: unknown): boolean {
  return left === right || (Array.isArray(left) && Array.isArray(right) && left.length + right.length === 0);
}

/** One setting of the API. */
export interface SettingSpec {
  readonly key: keyof IndexSettings;
  /** The sub-route under `/indexes/{uid}/settings/`. */
  readonly path: string;
  readonly verb: 'PUT' | 'PATCH';
  readonly code: ErrorCode;
  readonly kind: Kind<unknown>;
  readonly parse: Parser<unknown>;
  /** The same for a client, whose lists and templates have limits. */
  readonly parseSent: Parser<unknown>;
  readonly feature?: string | undefined;
}

/** All settings in the order of GET, with their routes. */
export const SETTINGS_TABLE: readonly SettingSpec[] = ENTRIES.map(([key, { code, kind, verb, feature, limit }]) => ({
  key: key as keyof IndexSettings,
  path: key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`),
  verb: verb ?? 'PUT',
  code,
  kind,
  parse: kind.parse,
  parseSent: (value, where) => {
    limit?.(value, where);
    return kind.parse(value, where);
  },
  feature,
}));

/**
 * The stored data that a change of settings invalidates: everything when words, positions or tables differ, else the
 * facet columns when those do, else nothing.
 */
export function reindexNeed(before: IndexSettings, after: IndexSettings): 'everything' | 'columns' | 'nothing' {
  const differs = (part: 'words' | 'columns'): boolean =>
    ENTRIES.some(([key, setting]) => {
      const partOf = (settings: IndexSettings): unknown => setting[part]?.(settings[key as keyof IndexSettings]);
      return JSON.stringify(partOf(before)) !== JSON.stringify(partOf(after));
    });
  if (differs('words')) return 'everything';
  return differs('columns') ? 'columns' : 'nothing';
}
