/** Parameters of one search that replace settings about words and ranking, or ask for more than the reference knows. */
import { MAX_QUERY_WORDS } from '@fossick/base';
import {
  allowing,
  choice,
  type Kind,
  optional,
  type Parser,
  positive,
  shown,
  wrongValue,
} from '@fossick/base/contract';
import { attributeWeights, requestRankingRules, requestTypoTolerance } from '../values/request-values.js';

const words = positive('Words and phrases of the query that are searched for.');
const upTo =
  (parse: Parser<number>): Parser<number> =>
  (value, where) => {
    const count = parse(value, where);
    if (count < 1 || count > MAX_QUERY_WORDS)
      throw wrongValue(where, `it must be from 1 to ${MAX_QUERY_WORDS}, but it is ${count}.`);
    return count;
  };
const maxQueryWords: Kind<number> = {
  ...shown(words, { maximum: MAX_QUERY_WORDS }),
  parse: upTo(words.parse),
  inQuery: upTo(words.inQuery),
};

export const WORD_PARAMETERS = {
  /** `false`, `true`, or the members that differ from the setting. */
  typoTolerance: optional('invalid_search_typo_tolerance', requestTypoTolerance('invalid_search_typo_tolerance')),
  /** Used instead of the setting; fields have to be sortable. */
  rankingRules: optional('invalid_search_ranking_rules', requestRankingRules()),
  /** Attributes with greater numbers rank first, those with equal ones are equal; attributes that are not named weigh 1. */
  attributeWeights: optional('invalid_search_attribute_weights', attributeWeights),
  /** 10 when absent, as in the reference. */
  maxQueryWords: optional(
    'invalid_search_max_query_words',
    allowing(maxQueryWords, `an integer from 1 to ${MAX_QUERY_WORDS}, or null`),
  ),
  /** `boolean`: `OR`, brackets, quotes and `-` combine words. */
  queryMode: optional(
    'invalid_search_query_mode',
    allowing(
      choice(['plain', 'boolean'], 'Whether `OR` and brackets in the query have a meaning.'),
      '`plain`, `boolean` or null',
    ),
    'plain',
  ),
};
