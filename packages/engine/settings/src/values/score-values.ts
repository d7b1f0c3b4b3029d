import { type ErrorCode, MAX_SCORE_BUCKETS, MAX_SCORE_LENGTH, MAX_SCORE_RULES } from '@fossick/base';
import {
  count,
  type Kind,
  objectSchema,
  optional,
  type Parser,
  parsers,
  readFields,
  required,
  type Schema,
  shown,
  text,
  type Where,
  wrongValue,
} from '@fossick/base/contract';
import { parseScore, ScoreError } from '@fossick/filter/score';
import type { RankingRuleSetting, ScoreRule } from '../setting-types.js';

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
const expression: Kind<string> = shown(
  {
    ...text(
      'Computed from fields of a document; the highest goes first.',
      'decay(publishedAt, 30d) * log(1 + popularity)',
    ),
    parse: parseText,
    inQuery: parseText,
  },
  { maxLength: MAX_SCORE_LENGTH },
);
const parseBuckets: Parser<number> = (value, where) => {
  if (Number.isInteger(value) && Number(value) >= 2 && Number(value) <= MAX_SCORE_BUCKETS) return Number(value);
  throw wrongValue(where, `it is a whole number from 2 to ${MAX_SCORE_BUCKETS}, or null for the exact order.`);
};
const buckets: Kind<number> = shown(
  {
    ...count('Buckets of about the same number of documents; absent: the exact order.'),
    parse: parseBuckets,
    inQuery: parseBuckets,
  },
  { minimum: 2, maximum: MAX_SCORE_BUCKETS },
);
const members = (code: ErrorCode) => ({ score: required(code, expression, code), buckets: optional(code, buckets) });

/** The schema of a rule that ranks by a score. */
export const SCORE_RULE_SCHEMA: Schema = objectSchema(members('invalid_settings_ranking_rules'));

/** A rule that ranks by a score. @throws ApiError with the code of the place */
export const parseScoreRule: Parser<ScoreRule> = (value, { code, path }) => {
  const { score, buckets: count } = readFields(value, members(code), { unknownCode: code }, path);
  return { score: score!, buckets: count ?? null };
};

/** @throws ApiError with the code of the place, when there are too many scores */
export function checkScoreCount(rules: readonly RankingRuleSetting[], where: Where): void {
  const scoreCount = rules.filter((rule) => typeof rule !== 'string').length;
  if (scoreCount > MAX_SCORE_RULES)
    throw wrongValue(where, `up to ${MAX_SCORE_RULES} of the rules may be scores, but ${scoreCount} are.`);
}
