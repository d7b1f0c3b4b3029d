import { MAX_SETTING_WORDS, sortByBytes } from '@fossick/base';
import { type FilterableRule, RANKING_RULES } from '@fossick/settings';

import {
  isJsonObject,
  optionalNotNull,
  type Parser,
  readFields,
  required,
  wrongType,
  wrongValue,
} from '../reading/fields.js';
import { LOCALE_CODES, toThreeLetterLocale } from '../reading/locales.js';
import { boolean, checkLength, listOf, mapOf, object, string, strings } from '../reading/values.js';

/** A set: duplicates are removed, sorted by code point, which is the byte order of UTF-8. */
export const stringSet: Parser<string[]> = (value, where) => sortedSet(strings(value, where));

const wordList = listOf(string, MAX_SETTING_WORDS);
/** The words of a setting as a set. At most MAX_SETTING_WORDS are accepted. */
export const wordSet: Parser<string[]> = (value, where) => sortedSet(wordList(value, where));

/** Words with lists of synonyms: at most MAX_SETTING_WORDS of both together, counted before any of them is read. */
export const synonymLists: Parser<Record<string, string[]>> = (value, where) => {
  const lists = object(value, where);
  let count = 0;
  for (const list of Object.values(lists)) count += 1 + (Array.isArray(list) ? list.length : 0);
  checkLength(count, MAX_SETTING_WORDS, where);
  return mapOf(strings)(lists, where);
};

export function sortedSet(items: readonly string[]): string[] {
  return sortByBytes([...new Set(items)]);
}

const BUILT_IN_RULES: ReadonlySet<string> = new Set(RANKING_RULES);
const CUSTOM_RULE = /^(.+):(asc|desc)$/s;
const RESERVED_NAME = /^_geo($|[(:]|Point|Radius|BoundingBox|Polygon)|^_geojson$|^_geoDistance$|^_rankingScore$/;

/** Ranking rules: built-in names and `field:asc|desc`. */
export const rankingRules: Parser<string[]> = (value, where) => {
  const rules = strings(value, where);
  rules.forEach((rule, i) => {
    if (BUILT_IN_RULES.has(rule)) return;
    const field = CUSTOM_RULE.exec(rule.trim())?.[1];
    const at = { code: where.code, path: `${where.path}[${i}]` };
    if (field === undefined)
      throw wrongValue(
        at,
        `\`${rule}\` is neither ${[...BUILT_IN_RULES].join(', ')} nor \`field:asc\` or \`field:desc\`.`,
      );
    if (RESERVED_NAME.test(field)) throw wrongValue(at, `\`${field}\` is reserved and cannot be a ranking rule.`);
  });
  const split = ['attributeRank', 'wordPosition'].filter((rule) => rules.includes(rule));
  if (rules.includes('attribute') && split.length > 0) {
    const names = split.map((rule) => `\`${rule}\``).join(' and ');
    throw wrongValue(
      where,
      `\`attribute\` cannot stand beside ${names}: write either \`attribute\` alone or the pair \`attributeRank\`, \`wordPosition\`.`,
    );
  }
  return rules;
};

const FILTER_FEATURES = {
  equality: optionalNotNull('invalid_settings_filterable_attributes', boolean),
  comparison: optionalNotNull('invalid_settings_filterable_attributes', boolean),
};
const FEATURES = {
  facetSearch: optionalNotNull('invalid_settings_filterable_attributes', boolean),
  filter: optionalNotNull('invalid_settings_filterable_attributes', object),
};
const PATTERN_RULE = {
  attributePatterns: required(
    'invalid_settings_filterable_attributes',
    strings,
    'invalid_settings_filterable_attributes',
  ),
  features: optionalNotNull('invalid_settings_filterable_attributes', object),
};

/** Filterable rules: names, or patterns with features whose defaults are written out. */
export const filterableRules: Parser<FilterableRule[]> = (value, { code, path }) => {
  if (!Array.isArray(value)) throw wrongType({ code, path }, 'an array', value);
  return value.map((item: unknown, i) => {
    if (typeof item === 'string') return item;
    const at = `${path}[${i}]`;
    if (!isJsonObject(item)) throw wrongType({ code, path: at }, 'a string or an object', item);
    const rule = readFields(item, PATTERN_RULE, { unknownCode: code }, at);
    const features = readFields(rule.features ?? {}, FEATURES, { unknownCode: code }, `${at}.features`);
    const filter = readFields(features.filter ?? {}, FILTER_FEATURES, { unknownCode: code }, `${at}.features.filter`);
    return {
      attributePatterns: rule.attributePatterns!,
      features: {
        facetSearch: features.facetSearch ?? false,
        filter: { equality: filter.equality ?? true, comparison: filter.comparison ?? false },
      },
    };
  });
};

/** A language code of the table, as sent. */
export const locale: Parser<string> = (value, where) => {
  const code = string(value, where);
  if (toThreeLetterLocale(code) === undefined)
    throw wrongValue(where, `the locale \`${code}\` is unknown; known are ${LOCALE_CODES.join(', ')}.`);
  return code;
};
const LOCALIZED_RULE = {
  attributePatterns: required(
    'invalid_settings_localized_attributes',
    strings,
    'invalid_settings_localized_attributes',
  ),
  locales: required(
    'invalid_settings_localized_attributes',
    (value, where) => strings(value, where).map((code, i) => locale(code, { ...where, path: `${where.path}[${i}]` })),
    'invalid_settings_localized_attributes',
  ),
};
export const localizedRules: Parser<{ attributePatterns: string[]; locales: string[] }[]> = (value, { code, path }) => {
  if (!Array.isArray(value)) throw wrongType({ code, path }, 'an array', value);
  return value.map((item, i) => {
    const rule = readFields(item, LOCALIZED_RULE, { unknownCode: code }, `${path}[${i}]`);
    return { attributePatterns: rule.attributePatterns!, locales: rule.locales! };
  });
};

const FOREIGN_KEY = {
  foreignIndexUid: required('invalid_settings_foreign_keys', string, 'invalid_settings_foreign_keys'),
  fieldName: required('invalid_settings_foreign_keys', string, 'invalid_settings_foreign_keys'),
};
export const foreignKeys: Parser<{ foreignIndexUid: string; fieldName: string }[]> = (value, { code, path }) => {
  if (!Array.isArray(value)) throw wrongType({ code, path }, 'an array', value);
  return value.map((item, i) => {
    const key = readFields(item, FOREIGN_KEY, { unknownCode: code }, `${path}[${i}]`);
    return { foreignIndexUid: key.foreignIndexUid!, fieldName: key.fieldName! };
  });
};
