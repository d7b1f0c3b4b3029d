import type { ErrorCode } from '@fossick/base';
import type { IndexSettings } from '@fossick/settings';

import type { Parser } from '../reading/fields.js';
import { boolean, integer, oneOf, string, strings } from '../reading/values.js';
import {
  filterableRules,
  foreignKeys,
  localizedRules,
  rankingRules,
  stringSet,
  synonymLists,
  wordSet,
} from './attribute-values.js';
import { chat } from './chat-values.js';
import { embedders } from './embedders.js';
import { SETTING_LIMITS } from './setting-limits.js';
import { faceting, pagination, typoTolerance } from './tolerance-values.js';

/** One setting of the API. */
export interface SettingSpec {
  readonly key: keyof IndexSettings;
  /** The sub-route under `/indexes/{uid}/settings/`. */
  readonly path: string;
  readonly verb: 'PUT' | 'PATCH';
  readonly code: ErrorCode;
  readonly parse: Parser<unknown>;
  /** The same for a client, whose lists and templates have limits. */
  readonly parseSent: Parser<unknown>;
  /** The experimental feature that is required to set it and to see it among all settings. */
  readonly feature?: string;
}

/** `"*"` anywhere in the list means the default. */
const attributeList: Parser<string[]> = (value, where) => {
  const names = strings(value, where);
  return names.includes('*') ? ['*'] : [...new Set(names)];
};

const put = (key: keyof IndexSettings, code: ErrorCode, parse: Parser<unknown>, feature?: string): SettingSpec =>
  spec(key, 'PUT', code, parse, feature);
const patch = (key: keyof IndexSettings, code: ErrorCode, parse: Parser<unknown>, feature?: string): SettingSpec =>
  spec(key, 'PATCH', code, parse, feature);

function spec(
  key: keyof IndexSettings,
  verb: 'PUT' | 'PATCH',
  code: ErrorCode,
  parse: Parser<unknown>,
  feature?: string,
): SettingSpec {
  const path = key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  const parseSent: Parser<unknown> = (value, where) => {
    SETTING_LIMITS[key]?.(value, where);
    return parse(value, where);
  };
  const whole: SettingSpec = { key, path, verb, code, parse, parseSent };
  return feature === undefined ? whole : { ...whole, feature };
}

/** All settings in the order of GET. */
export const SETTINGS_TABLE: readonly SettingSpec[] = [
  put('displayedAttributes', 'invalid_settings_displayed_attributes', attributeList),
  put('searchableAttributes', 'invalid_settings_searchable_attributes', attributeList),
  put('filterableAttributes', 'invalid_settings_filterable_attributes', filterableRules),
  put('sortableAttributes', 'invalid_settings_sortable_attributes', stringSet),
  put('foreignKeys', 'invalid_settings_foreign_keys', foreignKeys, 'foreignKeys'),
  put('rankingRules', 'invalid_settings_ranking_rules', rankingRules),
  put('stopWords', 'invalid_settings_stop_words', wordSet),
  put('nonSeparatorTokens', 'invalid_settings_non_separator_tokens', wordSet),
  put('separatorTokens', 'invalid_settings_separator_tokens', wordSet),
  put('dictionary', 'invalid_settings_dictionary', wordSet),
  put('synonyms', 'invalid_settings_synonyms', synonymLists),
  put('distinctAttribute', 'invalid_settings_distinct_attribute', string),
  put('proximityPrecision', 'invalid_settings_proximity_precision', oneOf('byWord', 'byAttribute')),
  patch('typoTolerance', 'invalid_settings_typo_tolerance', typoTolerance),
  patch('faceting', 'invalid_settings_faceting', faceting),
  patch('pagination', 'invalid_settings_pagination', pagination),
  patch('embedders', 'invalid_settings_embedders', embedders),
  put('searchCutoffMs', 'invalid_settings_search_cutoff_ms', integer),
  put('localizedAttributes', 'invalid_settings_localized_attributes', localizedRules),
  put('facetSearch', 'invalid_settings_facet_search', boolean),
  put('prefixSearch', 'invalid_settings_prefix_search', oneOf('indexingTime', 'disabled')),
  patch('chat', 'invalid_settings_index_chat', chat, 'chatCompletions'),
];
