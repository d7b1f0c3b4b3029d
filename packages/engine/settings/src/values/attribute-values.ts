import {
  type ErrorCode,
  MAX_LOCALE_PATTERNS,
  MAX_NAMES,
  MAX_RANKING_RULES,
  MAX_SCORE_BUCKETS,
  MAX_SCORE_LENGTH,
  MAX_SCORE_RULES,
  MAX_SETTING_ATTRIBUTES,
  MAX_SETTING_WORDS,
  sortByBytes,
} from '@fossick/base';
import {
  anyObject,
  type Complete,
  checked,
  completing,
  count,
  described,
  type Fields,
  flag,
  isJsonObject,
  type Kind,
  kindOf,
  listOf,
  locale,
  mapOf,
  mapped,
  objectOf,
  objectSchema,
  optional,
  optionalNotNull,
  type Parser,
  parsers,
  readFields,
  required,
  type Schema,
  shown,
  text,
  type Where,
  wrongType,
  wrongValue,
} from '@fossick/base/contract';
import { parseScore, ScoreError } from '@fossick/filter/score';
import { RANKING_RULES } from '../ranking-rules.js';
import type { FilterableRule, ForeignKey, LocalizedRule, RankingRuleSetting, ScoreRule } from '../setting-types.js';

const parseText: Parser<string> = (value, where) => {
  const score = parsers.string(value, where);
  try {
    parseScore(score);
  } catch (error) {
    if (error instanceof ScoreError) throw wrongValue(where, error.message);
    throw error;
  }
  return score;
};
const scoreText = text(
  'Computed from fields of a document; the highest goes first.',
  'decay(publishedAt, 30d) * log(1 + popularity)',
);
const expression = shown(checked(scoreText, parseText), { maxLength: MAX_SCORE_LENGTH });
const parseBuckets: Parser<number> = (value, where) => {
  if (Number.isInteger(value) && Number(value) >= 2 && Number(value) <= MAX_SCORE_BUCKETS) return Number(value);
  throw wrongValue(where, `it is a whole number from 2 to ${MAX_SCORE_BUCKETS}, or null for the exact order.`);
};
const buckets = shown(
  checked(count('Buckets of about the same number of documents; absent: the exact order.'), parseBuckets),
  { minimum: 2, maximum: MAX_SCORE_BUCKETS },
);
const members = (code: ErrorCode) => ({ score: required(code, expression, code), buckets: optional(code, buckets) });
/** The schema of a rule that ranks by a score. */
const SCORE_RULE_SCHEMA: Schema = objectSchema(members('invalid_settings_ranking_rules'));
/** A rule that ranks by a score. @throws ApiError with the code of the place */
const parseScoreRule: Parser<ScoreRule> = (value, { code, path }) => {
  const { score, buckets: count } = readFields(value, members(code), { unknownCode: code }, path);
  return { score: score!, buckets: count ?? null };
};

const { checkLength, object, string, strings } = parsers;
const textList = (maxItems: number, says: string, example: readonly string[]): Schema => ({
  type: 'array',
  items: { type: 'string' },
  maxItems,
  ...described(says, example.length === 0 ? [] : [example]),
});
const NAMES = 'an array of attribute names, or null for the default';

/** A list of attributes; `"*"` anywhere in it means the default. */
export const attributeList = (says: string, ...example: readonly string[]): Kind<readonly string[]> =>
  kindOf(
    (value, where) => {
      const names = strings(value, where);
      return names.includes('*') ? ['*'] : [...new Set(names)];
    },
    textList(MAX_SETTING_ATTRIBUTES, says, example),
    NAMES,
  );

/** A set: duplicates are removed, sorted by code point, which is the byte order of UTF-8. */
const stringSet: Parser<readonly string[]> = (value, where) => sortedSet(strings(value, where));
/** A set of attributes. */
export const attributeSet = (says: string, ...example: readonly string[]): Kind<readonly string[]> =>
  kindOf(stringSet, textList(MAX_SETTING_ATTRIBUTES, says, example), NAMES);
/** A set of at most MAX_SETTING_WORDS, which requests are checked for before. */
export const longSet = (says: string): Kind<readonly string[]> =>
  kindOf(stringSet, textList(MAX_SETTING_WORDS, says, []), 'an array of words');

const wordList = parsers.listOf(string, MAX_SETTING_WORDS);
/** The words of a setting as a set. At most MAX_SETTING_WORDS are accepted. */
export const wordSet = (says: string, ...example: readonly string[]): Kind<readonly string[]> =>
  kindOf(
    (value, where) => sortedSet(wordList(value, where)),
    textList(MAX_SETTING_WORDS, says, example),
    'an array of strings, or null for the default',
  );

/** Words with lists of synonyms: at most MAX_SETTING_WORDS of both together, counted before any of them is read. */
const parseSynonyms: Parser<Readonly<Record<string, readonly string[]>>> = (value, where) => {
  const lists = object(value, where);
  let count = 0;
  for (const list of Object.values(lists)) count += 1 + (Array.isArray(list) ? list.length : 0);
  checkLength(count, MAX_SETTING_WORDS, where);
  return parsers.mapOf(strings)(lists, where);
};
export const synonymLists = kindOf(
  parseSynonyms,
  {
    ...mapOf(listOf(text(''))).schema,
    ...described('Words, and what else finds what they find.', [{ movie: ['film'] }]),
  },
  'an object of words, each with an array of words, or null',
);

/** Code point order. */
export function sortedSet(items: readonly string[]): string[] {
  return sortByBytes([...new Set(items)]);
}

const BUILT_IN_RULES: ReadonlySet<string> = new Set(RANKING_RULES);
const CUSTOM_RULE = /^(.+):(asc|desc)$/s;
const RESERVED_NAME = /^_geo($|[(:]|Point|Radius|BoundingBox|Polygon)|^_geojson$|^_geoDistance$|^_rankingScore$/;

const ruleList = parsers.listOf<RankingRuleSetting>((item, at) =>
  isJsonObject(item) ? parseScoreRule(item, at) : string(item, at),
);
const parseRules: Parser<readonly RankingRuleSetting[]> = (value, where) => {
  const items = ruleList(value, where);
  checkScoreCount(items, where);
  const rules = items.map((item) => (typeof item === 'string' ? item : ''));
  items.forEach((rule, i) => {
    if (typeof rule !== 'string' || BUILT_IN_RULES.has(rule)) return;
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
      `\`attribute\` cannot be combined with ${names}: write either \`attribute\` alone or the pair \`attributeRank\`, \`wordPosition\`.`,
    );
  }
  return items;
};

/** Ranking rules: built-in names, `field:asc|desc` and scores. */
export const rankingRules = (byDefault: readonly string[]): Kind<readonly RankingRuleSetting[]> =>
  kindOf(
    parseRules,
    {
      type: 'array',
      items: {
        anyOf: [{ type: 'string', pattern: `^(${RANKING_RULES.join('|')}|.+:(asc|desc))$` }, SCORE_RULE_SCHEMA],
      },
      maxItems: MAX_RANKING_RULES,
      description:
        'What decides the order of hits, one after another: names of rules, `attribute:asc`, `attribute:desc`, scores.',
      examples: [byDefault, [...byDefault, 'year:desc'], ['words', { score: 'log(1 + popularity)', buckets: 8 }]],
      'x-only-examples': true,
    },
    'an array of the built-in rules, `field:asc`, `field:desc` and objects with `score` and `buckets`, or null; `attribute` only without its two halves',
  );

const FILTERABLE = 'invalid_settings_filterable_attributes';
const FILTER_FEATURES = {
  equality: optionalNotNull(FILTERABLE, flag('`=`, `!=`, `IN` and the like.'), true),
  comparison: optionalNotNull(FILTERABLE, flag('`<`, `>=`, `TO` and the like.'), false),
};
/** An object that is read after the object that it is in. */
const innerObject = (schema: Schema): Kind<Record<string, unknown>> => ({ ...anyObject(''), schema });
const FEATURES = {
  facetSearch: optionalNotNull(FILTERABLE, flag('Its values can be searched.'), false),
  filter: optionalNotNull(FILTERABLE, innerObject(objectSchema(FILTER_FEATURES))),
};
const patterns = listOf(text(''), {
  says: 'Names of attributes, or patterns with `*`.',
  examples: [['title', 'cast*']],
});
const PATTERN_RULE = {
  attributePatterns: required(FILTERABLE, patterns, FILTERABLE),
  features: optionalNotNull(FILTERABLE, innerObject(objectSchema(FEATURES))),
};

const parseFilterable: Parser<readonly FilterableRule[]> = (value, { code, path }) => {
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

/** Filterable rules: names, or patterns with features whose defaults are written out. */
export const filterableRules = kindOf(
  parseFilterable,
  {
    type: 'array',
    items: { anyOf: [{ type: 'string' }, objectSchema(PATTERN_RULE)] },
    maxItems: MAX_SETTING_ATTRIBUTES,
    ...described(
      `Attributes to filter by and to count values of, or patterns with what they can; ${MAX_SETTING_ATTRIBUTES} patterns in all.`,
      [['genres', 'year']],
    ),
  },
  'an array of names, or of objects with `attributePatterns` and `features`, or null',
);

/** Objects with all members of a table. How many there may be is checked for requests alone: copies may hold more. */
const objectList = <F extends Fields>(fields: F, maxItems: number, says: string): Kind<readonly Complete<F>[]> =>
  kindOf(
    parsers.listOf(mapped(objectOf(fields), completing(fields)).parse),
    { type: 'array', items: objectSchema(fields), maxItems, ...described(says) },
    `an array of objects with \`${Object.keys(fields).join('` and `')}\`, or null`,
  );

const LOCALIZED = 'invalid_settings_localized_attributes';
const LOCALIZED_RULE = {
  attributePatterns: required(LOCALIZED, patterns, LOCALIZED),
  locales: required(
    LOCALIZED,
    {
      ...listOf(locale, { maxItems: MAX_LOCALE_PATTERNS }),
      parse: (value, where) =>
        strings(value, where).map((code, i) => locale.parse(code, { ...where, path: `${where.path}[${i}]` })),
    },
    LOCALIZED,
  ),
};
export const localizedRules: Kind<readonly LocalizedRule[]> = objectList(
  LOCALIZED_RULE,
  MAX_LOCALE_PATTERNS,
  `Languages of attributes; ${MAX_LOCALE_PATTERNS} patterns in all.`,
);

const KEYS = 'invalid_settings_foreign_keys';
const FOREIGN_KEY = {
  foreignIndexUid: required(KEYS, text('Index that is meant.', 'people'), KEYS),
  fieldName: required(KEYS, text('Attribute with its ids.', 'director_id'), KEYS),
};
export const foreignKeys: Kind<readonly ForeignKey[]> = objectList(
  FOREIGN_KEY,
  MAX_NAMES,
  'Attributes that hold ids of another index. Needs the feature `foreignKeys`.',
);

/** @throws ApiError with the code of the place, when there are too many scores */
function checkScoreCount(rules: readonly RankingRuleSetting[], where: Where): void {
  const scoreCount = rules.filter((rule) => typeof rule !== 'string').length;
  if (scoreCount > MAX_SCORE_RULES)
    throw wrongValue(where, `up to ${MAX_SCORE_RULES} of the rules may be scores, but ${scoreCount} are.`);
}
