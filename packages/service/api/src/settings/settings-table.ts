import type { ErrorCode, ErrorCodeAfter } from '@fossick/base';
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

type Code = ErrorCodeAfter<'invalid_settings_'>;

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

const put = (key: keyof IndexSettings, code: Code, parse: Parser<unknown>, feature?: string): SettingSpec =>
  spec(key, 'PUT', code, parse, feature);
const patch = (key: keyof IndexSettings, code: Code, parse: Parser<unknown>, feature?: string): SettingSpec =>
  spec(key, 'PATCH', code, parse, feature);

function spec(
  key: keyof IndexSettings,
  verb: 'PUT' | 'PATCH',
  code: Code,
  parse: Parser<unknown>,
  feature?: string,
): SettingSpec {
  const path = key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  const parseSent: Parser<unknown> = (value, where) => {
    SETTING_LIMITS[key]?.(value, where);
    return parse(value, where);
  };
  const whole: SettingSpec = { key, path, verb, code: `invalid_settings_${code}`, parse, parseSent };
  return feature === undefined ? whole : { ...whole, feature };
}

/** All settings in the order of GET. */
export const SETTINGS_TABLE: readonly SettingSpec[] = [
  put('displayedAttributes', 'displayed_attributes', attributeList),
  put('searchableAttributes', 'searchable_attributes', attributeList),
  put('filterableAttributes', 'filterable_attributes', filterableRules),
  put('sortableAttributes', 'sortable_attributes', stringSet),
  put('foreignKeys', 'foreign_keys', foreignKeys, 'foreignKeys'),
  put('rankingRules', 'ranking_rules', rankingRules),
  put('stopWords', 'stop_words', wordSet),
  put('nonSeparatorTokens', 'non_separator_tokens', wordSet),
  put('separatorTokens', 'separator_tokens', wordSet),
  put('dictionary', 'dictionary', wordSet),
  put('synonyms', 'synonyms', synonymLists),
  put('distinctAttribute', 'distinct_attribute', string),
  put('proximityPrecision', 'proximity_precision', oneOf('byWord', 'byAttribute')),
  patch('typoTolerance', 'typo_tolerance', typoTolerance),
  patch('faceting', 'faceting', faceting),
  patch('pagination', 'pagination', pagination),
  patch('embedders', 'embedders', embedders),
  put('searchCutoffMs', 'search_cutoff_ms', integer),
  put('localizedAttributes', 'localized_attributes', localizedRules),
  put('facetSearch', 'facet_search', boolean),
  put('prefixSearch', 'prefix_search', oneOf('indexingTime', 'disabled')),
  patch('chat', 'index_chat', chat, 'chatCompletions'),
];
