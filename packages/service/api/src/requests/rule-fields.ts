import { apiError, MAX_NAMES } from '@fossick/base';
import {
  anyObject,
  checked,
  checkIndexUid,
  choice,
  completing,
  count,
  described,
  exampleText,
  flag,
  indexUid,
  type Kind,
  listOf,
  mapped,
  objectOf,
  optional,
  optionalNotNull,
  type Parser,
  parsers,
  required,
  text,
  wrongValue,
} from '@fossick/base/contract';
import { type FilterNode, readFilter } from '@fossick/filter';
import { filter } from '@fossick/settings/parameters';
import { isRfc3339 } from '../reading/dates.js';
import { pageFields } from './page-fields.js';

const CONDITIONS = 'invalid_dynamic_search_rule_conditions';
const ACTIONS = 'invalid_dynamic_search_rule_actions';
const FILTER = 'invalid_dynamic_search_rule_filter';

/** The reference keeps data of its own under it. */
const RESERVED_UID = '__meilisearch_metadata';

const RULE_UID = 'uid of a dynamic search rule';

/** The uid of a rule, from a path. @throws ApiError invalid_index_uid: it is written as those of indexes */
export function checkRuleUid(given: string): string {
  return checkIndexUid(given, RULE_UID);
}

/** The uid of a rule that is made or changed. @throws ApiError invalid_index_uid */
export function checkNewRuleUid(given: string): string {
  const uid = checkRuleUid(given);
  if (uid === RESERVED_UID) throw wrongValue({ code: 'invalid_index_uid', path: 'uid' }, `\`${uid}\` is reserved.`);
  return uid;
}

const parseMoment: Parser<string> = (value, where) => {
  const moment = parsers.string(value, where);
  if (!isRfc3339(moment)) throw wrongValue(where, `\`${moment}\` is not a date; write \`2030-01-31T12:00:00Z\`.`);
  return moment;
};
const moment = optional(
  CONDITIONS,
  checked(exampleText('A date and time of RFC 3339.', '2030-01-31T12:00:00Z'), parseMoment),
);
const range = objectOf({ start: moment, end: moment });
const time = checked(range, (value, where) => {
  const given = range.parse(value, where);
  const { start, end } = given;
  if (typeof start === 'string' && typeof end === 'string' && Date.parse(start) > Date.parse(end))
    throw apiError('bad_request', 'endBeforeStart', where.path);
  return given;
});
const wordCondition = objectOf({
  isEmpty: optional(CONDITIONS, flag('Only searches without words.')),
  words: optional(CONDITIONS, text('Only searches with these words.', 'red shoes')),
});
const query = checked(wordCondition, (value, where) => {
  const given = wordCondition.parse(value, where);
  if (given.isEmpty === true && typeof given.words === 'string')
    throw apiError('bad_request', 'emptyWithWords', where.path);
  return given;
});
/** Values by field: scalars, lists, or nested objects; the search interprets them. */
const VALUES = {
  values: optionalNotNull(CONDITIONS, anyObject('Values by attribute that the filter of the search asks for.'), {}),
};
const CONDITION_MEMBERS = {
  time: optional(CONDITIONS, time),
  query: optional(CONDITIONS, query),
  filter: optional(CONDITIONS, mapped(objectOf(VALUES), completing(VALUES))),
};

const selector = objectOf({
  indexUid: optional(ACTIONS, indexUid),
  id: required(ACTIONS, text('Id of the document.', '12'), ACTIONS),
});
const effect = objectOf({
  type: required(ACTIONS, choice(['pin']), ACTIONS),
  position: required(ACTIONS, count('Place among the hits, from 0 on.'), ACTIONS),
});
const listedPin = objectOf({
  selector: required(ACTIONS, selector, ACTIONS),
  action: required(ACTIONS, effect, ACTIONS),
});
const pin = objectOf({
  indexUid: optional(ACTIONS, indexUid),
  id: required(ACTIONS, text('Id of the document.', '12'), ACTIONS),
  position: required(ACTIONS, count('Place among the hits, from 0 on.'), ACTIONS),
});

const parseWeight: Parser<number> = (value, where) => {
  const weight = parsers.number(value, where);
  if (weight < 0) throw wrongValue(where, 'a weight is 0 or above.');
  return weight;
};
const weight: Kind<number> = {
  parse: parseWeight,
  inQuery: parseWeight,
  schema: {
    type: 'number',
    minimum: 0,
    ...described(
      'What scores are multiplied by: above 1 documents rise, below 1 they fall, with 0 they are no hits.',
      [2],
    ),
  },
  allows: 'a number from 0 on',
};
const parseRuleFilter: Parser<unknown> = (value, where) => {
  filter.parse(value, where);
  const parsed = readFilter(value, where.code);
  if (parsed !== null && hasForeign(parsed.node)) throw wrongValue(where, 'a rule has no filter with `_foreign`.');
  return value;
};
const scale = objectOf({
  indexUid: optional(ACTIONS, indexUid),
  weight: required(ACTIONS, weight, ACTIONS),
  ids: optional(ACTIONS, listOf(text('Id of a document.', '12'), { says: 'Documents.', maxItems: MAX_NAMES })),
  filter: optional(ACTIONS, checked(filter, parseRuleFilter)),
});
const byKind = objectOf({
  pin: optional(ACTIONS, listOf(pin)),
  scale: optional(ACTIONS, listOf(scale)),
});
const list = listOf(listedPin);
/** By kind, or the list of pins of earlier clients. */
const actions: Kind<ReturnType<typeof byKind.parse> | ReturnType<typeof list.parse>> = {
  parse: (value, where) => (Array.isArray(value) ? list.parse(value, where) : byKind.parse(value, where)),
  inQuery: (value, where) => byKind.inQuery(value, where),
  schema: { anyOf: [byKind.schema, list.schema] },
  allows: 'an object with `pin` and `scale`, or an array of pins',
};

function hasForeign(node: FilterNode): boolean {
  if (node.kind === 'foreign') return true;
  if (node.kind === 'not') return hasForeign(node.item);
  if (node.kind === 'element') return hasForeign(node.condition);
  return (node.kind === 'and' || node.kind === 'or') && node.items.some(hasForeign);
}

/** Body of a change of a rule. */
export const RULE_BODY = {
  description: optional('invalid_dynamic_search_rule_description', text('For people.')),
  precedence: optional('invalid_dynamic_search_rule_priority', count('Rules with a smaller one come first.')),
  active: optional('invalid_dynamic_search_rule_active', flag('Whether it is in force.'), true),
  conditions: optional(CONDITIONS, objectOf(CONDITION_MEMBERS)),
  actions: optional(ACTIONS, actions),
};
const INLINE = 'invalid_search_inline_rule';
const ruleUid: Kind<string> = {
  ...checked(indexUid, parsers.uidOf(RULE_UID)),
  schema: { ...indexUid.schema, ...described('Unique name of the rule, of the characters of index uids.', ['promo']) },
  allows: `the ${RULE_UID}`,
};
/** A rule of one search. It replaces the stored rule of the same uid. */
export const inlineRule = objectOf(
  { uid: required(INLINE, ruleUid, INLINE), ...RULE_BODY },
  { id: 'InlineRule', says: 'A rule that applies to this search only.' },
);
export type InlineRule = ReturnType<typeof inlineRule.parse>;
/** Member of the body of a search. */
export const INLINE_RULE = { inlineRule: optional(INLINE, inlineRule) };

const RULE_FILTER = {
  query: optional('invalid_dynamic_search_rule_filter_query', text('Words of its description.')),
  active: optional('invalid_dynamic_search_rule_filter_active', flag('Only those in force, or not.')),
};
/** Body of a list of rules. */
export const RULES_BODY = {
  ...pageFields('invalid_dynamic_search_rule_offset', 'invalid_dynamic_search_rule_limit'),
  filter: optional(FILTER, objectOf(RULE_FILTER)),
  showTarget: optional(
    'invalid_dynamic_search_rule_show_target',
    flag('Whether waiting tasks are counted: which rules they change, and how many there are then.'),
    false,
  ),
};
