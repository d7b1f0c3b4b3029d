/** Kinds of settings that one search may replace. */
import { type ErrorCode, MAX_RANKING_RULES, MAX_REQUEST_WEIGHTS, MAX_REQUEST_WORDS } from '@fossick/base';
import {
  allowing,
  anyObject,
  described,
  type Kind,
  listOf,
  objectOf,
  optional,
  type Parser,
  parsers,
  queryFilter,
  type Received,
  text,
  wrongType,
  wrongValue,
} from '@fossick/base/contract';
import { DEFAULT_RANKING_RULES } from '../ranking-rules.js';
import type { RankingRuleSetting } from '../setting-types.js';
import { rankingRules } from './attribute-values.js';
import { typoMembers } from './tolerance-values.js';

/** Members of the `typoTolerance` of a request. */
const requestTypoMembers = (code: ErrorCode) => ({
  ...typoMembers(code),
  disableOnWords: optional(
    code,
    listOf(text(''), { says: 'Words that are taken as they are.', maxItems: MAX_REQUEST_WORDS }),
  ),
});
/** What a request changes of the typo tolerance of the index: `false` and `true` are short for `{"enabled": …}`. */
export type TypoOverride = boolean | Received<ReturnType<typeof requestTypoMembers>>;

/** The typo tolerance of one request: a flag, or some members of the setting. */
export function requestTypoTolerance(code: ErrorCode): Kind<TypoOverride> {
  const members = objectOf(requestTypoMembers(code), { says: 'The members that differ from the setting.' });
  return {
    parse: (value, where) => {
      if (typeof value === 'boolean') return value;
      if (typeof value !== 'object' || value === null || Array.isArray(value))
        throw wrongType(where, 'a boolean or an object', value);
      return members.parse(value, where);
    },
    inQuery: (value, where) => {
      if (value === 'true') return true;
      if (value === 'false') return false;
      return members.parse(members.inQuery(value, where), where);
    },
    schema: {
      anyOf: [{ type: 'boolean' }, members.schema],
      ...described('Whether words may have typos, or what differs from the setting `typoTolerance`.', [
        false,
        { disableOnNumbers: true, minWordSizeForTypos: { oneTypo: 4 } },
      ]),
      'x-only-examples': true,
    },
    allows: 'a boolean, or an object with `enabled`, `minWordSizeForTypos`, `disableOnWords` and `disableOnNumbers`',
  };
}

/** The ranking rules of one request; in a query string JSON or separated by commas. */
export function requestRankingRules(): Kind<readonly RankingRuleSetting[]> {
  const { parse, schema, allows } = rankingRules(DEFAULT_RANKING_RULES);
  const limited: Parser<readonly RankingRuleSetting[]> = (value, where) => {
    if (Array.isArray(value)) parsers.checkLength(value.length, MAX_RANKING_RULES, where);
    return parse(value, where);
  };
  return {
    parse: limited,
    inQuery: (value, where) => {
      const given = value as string;
      // scores are objects, and have commas
      return limited(given.trimStart().startsWith('[') ? queryFilter(given, where) : given.split(','), where);
    },
    schema,
    allows: `${allows}; fields have to be sortable`,
  };
}

/** How much a match in an attribute counts, by attribute. */
export type AttributeWeights = Readonly<Record<string, number>>;
const MAX_WEIGHT = 1_000_000;
const parseWeights: Parser<AttributeWeights> = (value, where) => {
  const weights = parsers.mapOf(parsers.number)(value, where);
  parsers.checkLength(Object.keys(weights).length, MAX_REQUEST_WEIGHTS, where);
  for (const [name, weight] of Object.entries(weights))
    if (!(weight >= 0 && weight <= MAX_WEIGHT))
      throw wrongValue({ ...where, path: `${where.path}.${name}` }, `a weight is from 0 to ${MAX_WEIGHT}.`);
  return weights;
};
/** Weights of attributes; in a query string JSON or `title:10,overview:1`. */
export const attributeWeights: Kind<AttributeWeights> = allowing(
  {
    parse: parseWeights,
    inQuery: (value, where) => {
      if ((value as string).trimStart().startsWith('{'))
        return parseWeights(anyObject('').inQuery(value, where), where);
      const entries = (value as string).split(',').map((item) => {
        const colon = item.lastIndexOf(':');
        const weight = item.slice(colon + 1).trim();
        if (colon <= 0 || weight === '' || Number.isNaN(Number(weight)))
          throw wrongValue(where, `\`${item}\` is not of the form \`attribute:weight\`.`);
        return [item.slice(0, colon).trim(), Number(weight)] as const;
      });
      return parseWeights(Object.fromEntries(entries), where);
    },
    schema: {
      type: 'object',
      additionalProperties: { type: 'number', minimum: 0, maximum: MAX_WEIGHT },
      maxProperties: MAX_REQUEST_WEIGHTS,
      ...described('How much matches in attributes count; attributes that are not named weigh 1.', [
        { title: 10, overview: 1 },
      ]),
      'x-only-examples': true,
    },
    allows: '',
  },
  `an object of searchable attributes, each with a number from 0 to ${MAX_WEIGHT}, or null`,
);
