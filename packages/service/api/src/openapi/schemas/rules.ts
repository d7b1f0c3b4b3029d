import { z } from 'zod';
import { SUMMARIZED_TASK, summarizedTask } from './answers.js';
import { metadataQuery } from './documents.js';
import {
  anyObject,
  codesOf,
  count,
  exampleText,
  flag,
  indexUid,
  limit,
  type Operation,
  offset,
  opt,
  pageOf,
  preset,
  text,
} from './operation.js';

const moment = opt(exampleText('A date and time of RFC 3339.', '2030-01-31T12:00:00Z'));
export const ruleBody = z.strictObject({
  description: opt(text('For people.')),
  precedence: opt(count('Rules with a smaller one come first.')),
  active: preset(flag('Whether it is in force.'), true),
  conditions: opt(
    z.strictObject({
      time: opt(z.strictObject({ start: moment, end: moment })),
      query: opt(
        z
          .strictObject({
            isEmpty: opt(flag('Only searches without words.')),
            words: opt(text('Only searches with these words.', 'red shoes')),
          })
          .refine(({ isEmpty, words }) => isEmpty !== true || typeof words !== 'string'),
      ),
      filter: opt(z.strictObject({ values: anyObject('Values by attribute that the filter of the search asks for.') })),
    }),
  ),
  actions: opt(
    z.array(
      z.strictObject({
        selector: z.strictObject({ indexUid: opt(indexUid), id: text('Id of the document.', '12') }),
        action: z.strictObject({ type: z.literal('pin'), position: count('Place among the hits, from 0 on.') }),
      }),
    ),
  ),
});
export const ruleListBody = z.strictObject({
  offset,
  limit,
  filter: opt(
    z.strictObject({
      query: opt(text('Words of its description.')),
      active: opt(flag('Only those in force, or not.')),
    }),
  ),
});
const rule = z
  .looseObject({
    uid: indexUid,
    active: z.boolean(),
    conditions: z.looseObject({}),
    actions: z.array(z.looseObject({})),
  })
  .meta({ id: 'SearchRule', description: 'When documents are pinned, and where.' });
const RULE = {
  uid: 'promo',
  lastUpdatedAt: '2030-01-31T12:00:00Z',
  active: true,
  conditions: {},
  actions: [{ selector: { id: '12' }, action: { type: 'pin', position: 0 } }],
};

const tag = 'Search rules';
const feature = 'dynamicSearchRules';
const all = '/dynamic-search-rules';
const one = `${all}/{ruleUid}`;
const changed = (type: string): Operation['answers'] => [
  { status: 202, says: 'The task that does it.', schema: summarizedTask, example: { ...SUMMARIZED_TASK, type } },
];
const ERRORS = [
  ...codesOf('invalid_dynamic_search_rule_'),
  ...(['feature_not_enabled', 'invalid_index_uid', 'invalid_index_custom_metadata'] as const),
];

export const RULE_OPERATIONS: readonly Operation[] = [
  {
    id: 'listRules',
    method: 'post',
    path: all,
    tag,
    feature,
    summary: 'Rules, the newest first',
    action: 'dynamicSearchRules.get',
    body: { schema: ruleListBody, example: { filter: { active: true } } },
    answers: [
      {
        status: 200,
        says: 'A page of rules.',
        schema: pageOf(rule),
        example: { results: [RULE], offset: 0, limit: 20, total: 1 },
      },
    ],
    errors: ERRORS,
  },
  {
    id: 'clearRules',
    method: 'delete',
    path: all,
    tag,
    feature,
    summary: 'Delete all rules',
    action: 'dynamicSearchRules.delete',
    query: metadataQuery,
    answers: changed('dsrClear'),
    errors: ERRORS,
  },
  {
    id: 'getRule',
    method: 'get',
    path: one,
    tag,
    feature,
    summary: 'One rule',
    action: 'dynamicSearchRules.get',
    answers: [{ status: 200, says: 'The rule.', schema: rule, example: RULE }],
    errors: [...ERRORS, 'dynamic_search_rule_not_found'],
  },
  {
    id: 'updateRule',
    method: 'patch',
    path: one,
    tag,
    feature,
    summary: 'Change a rule, which is made when there is none',
    action: 'dynamicSearchRules.update',
    query: metadataQuery,
    body: { schema: ruleBody, example: { conditions: { query: { words: 'red shoes' } }, actions: RULE.actions } },
    answers: changed('dsrUpdate'),
    errors: ERRORS,
  },
  {
    id: 'deleteRule',
    method: 'delete',
    path: one,
    tag,
    feature,
    summary: 'Delete a rule',
    action: 'dynamicSearchRules.delete',
    query: metadataQuery,
    answers: changed('dsrUpdate'),
    errors: ERRORS,
  },
];
