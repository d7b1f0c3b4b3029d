import {
  boolean,
  indexUid,
  integer,
  isJsonObject,
  isRfc3339,
  listOf,
  object,
  oneOf,
  optional,
  type Parser,
  readFields,
  required,
  string,
  wrongValue,
} from '@fossick/api';
import { apiError } from '@fossick/base';
import type { SearchRule } from './rule-store.js';

const CONDITIONS = 'invalid_dynamic_search_rule_conditions';
const ACTIONS = 'invalid_dynamic_search_rule_actions';
const FILTER = 'invalid_dynamic_search_rule_filter';

const date: Parser<string> = (value, where) => {
  const text = string(value, where);
  if (!isRfc3339(text)) throw wrongValue(where, `\`${text}\` is not a date; write \`2030-01-31T12:00:00Z\`.`);
  return text;
};
const time: Parser<object> = (value, { path }) => {
  const fields = { start: optional(CONDITIONS, date), end: optional(CONDITIONS, date) };
  const given = readFields(value, fields, { unknownCode: CONDITIONS }, path);
  if (
    typeof given.start === 'string' &&
    typeof given.end === 'string' &&
    Date.parse(given.start) > Date.parse(given.end)
  )
    throw apiError('bad_request', 'endBeforeStart', path);
  return given;
};
const query: Parser<object> = (value, { path }) => {
  const fields = { isEmpty: optional(CONDITIONS, boolean), words: optional(CONDITIONS, string) };
  const given = readFields(value, fields, { unknownCode: CONDITIONS }, path);
  if (given.isEmpty === true && typeof given.words === 'string') throw apiError('bad_request', 'emptyWithWords', path);
  return given;
};
/** Values by field: scalars, lists, or nested objects; the search interprets them. */
const filter: Parser<object> = (value, { path }) => {
  const fields = { values: required(CONDITIONS, object, CONDITIONS) };
  const whole = isJsonObject(value) && value.values === undefined ? { ...value, values: {} } : value;
  return readFields(whole, fields, { unknownCode: CONDITIONS }, path);
};
const conditions: Parser<object> = (value, { path }) =>
  readFields(
    value,
    { time: optional(CONDITIONS, time), query: optional(CONDITIONS, query), filter: optional(CONDITIONS, filter) },
    { unknownCode: CONDITIONS },
    path,
  );

const selector: Parser<object> = (value, { path }) =>
  readFields(
    value,
    { indexUid: optional(ACTIONS, indexUid), id: required(ACTIONS, string, ACTIONS) },
    { unknownCode: ACTIONS },
    path,
  );
const effect: Parser<object> = (value, { path }) =>
  readFields(
    value,
    { type: required(ACTIONS, oneOf('pin'), ACTIONS), position: required(ACTIONS, integer, ACTIONS) },
    { unknownCode: ACTIONS },
    path,
  );
const action: Parser<object> = (value, { path }) =>
  readFields(
    value,
    { selector: required(ACTIONS, selector, ACTIONS), action: required(ACTIONS, effect, ACTIONS) },
    { unknownCode: ACTIONS },
    path,
  );

/** The body of a change of a rule. */
export const RULE_BODY = {
  description: optional('invalid_dynamic_search_rule_description', string),
  precedence: optional('invalid_dynamic_search_rule_priority', integer),
  active: optional('invalid_dynamic_search_rule_active', boolean),
  conditions: optional(CONDITIONS, conditions),
  actions: optional(ACTIONS, listOf(action)),
};

interface RuleFilter {
  readonly query?: string | null;
  readonly active?: boolean | null;
}
const ruleFilter: Parser<RuleFilter> = (value, { path }) =>
  readFields(
    value,
    {
      query: optional('invalid_dynamic_search_rule_filter_query', string),
      active: optional('invalid_dynamic_search_rule_filter_active', boolean),
    },
    { unknownCode: FILTER },
    path,
  );
/** The body of a listing. */
export const RULES_BODY = {
  offset: optional('invalid_dynamic_search_rule_offset', integer),
  limit: optional('invalid_dynamic_search_rule_limit', integer),
  filter: optional(FILTER, ruleFilter),
};

/** Which rules a listing with this filter shows: every word is in their description or words, the last one as a prefix. */
export function ruleMatcher({ active, query }: RuleFilter): (rule: SearchRule) => boolean {
  const words = wordsOf(query ?? '');
  const prefix = words.pop();
  return (rule) => {
    if (typeof active === 'boolean' && rule.active !== active) return false;
    if (prefix === undefined) return true;
    const condition = rule.conditions.query;
    const ruleWords = isJsonObject(condition) && typeof condition.words === 'string' ? condition.words : '';
    const known = new Set(wordsOf(`${rule.description ?? ''} ${ruleWords}`));
    return words.every((word) => known.has(word)) && [...known].some((word) => word.startsWith(prefix));
  };
}

/** Words without case and accents, so that a search among rules is as tolerant as one among documents. */
function wordsOf(text: string): string[] {
  const plain = text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase();
  return plain.match(/[\p{L}\p{N}]+/gu) ?? [];
}
