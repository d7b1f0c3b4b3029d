import { objectSchema, querySchema } from '@fossick/base/contract';
import { z } from 'zod';
import { METADATA_QUERY } from '../../requests/document-fields.js';
import { RULE_BODY, RULES_BODY } from '../../requests/rule-fields.js';
import { registers } from './answers.js';
import { type AnswerOf, codesOf, date, indexUid, type Operation, operationsOf, pageOf, shows } from './operation.js';

const rule = z
  .strictObject({
    uid: indexUid.meta({ description: 'Unique name of the rule.', examples: ['promo'] }),
    description: z.string().optional(),
    lastUpdatedAt: date('When the last task that changed it was registered.'),
    precedence: z.int().optional().meta({ description: 'Lower comes first.' }),
    active: z.boolean(),
    conditions: z.looseObject({}),
    actions: z.union([z.array(z.looseObject({})), z.looseObject({})]),
  })
  .meta({ id: 'SearchRule', description: 'When documents are pinned, and where, and whose scores are multiplied.' });
export type RuleAnswer = AnswerOf<typeof rule>;

const needsProcessing = z.boolean().meta({ description: 'Whether a waiting task changes it.' });
const taskUids = z.array(z.int()).meta({ description: 'Tasks that wait, the oldest first.' });
/** A page of rules, and what waiting tasks make of all rules: members that `showTarget` asks for. */
const rulePage = pageOf(rule.extend({ needsProcessing: needsProcessing.optional() })).extend({
  needsProcessing: needsProcessing.optional(),
  taskUids: taskUids.optional(),
  totalRuleCount: z.int().optional(),
  targetTotalRuleCount: z.int().optional().meta({ description: 'How many rules there are after the waiting tasks.' }),
});
const RULE = {
  uid: 'promo',
  lastUpdatedAt: '2030-01-31T12:00:00Z',
  active: true,
  conditions: {},
  actions: { pin: [{ id: '12', position: 0 }], scale: [{ weight: 2, filter: 'genres = drama' }] },
};

const tag = 'Search rules';
const feature = 'dynamicSearchRules';
const all = '/dynamic-search-rules';
const one = `${all}/{ruleUid}`;
const ERRORS = [
  ...codesOf('invalid_dynamic_search_rule_'),
  ...(['feature_not_enabled', 'invalid_index_uid', 'invalid_index_custom_metadata'] as const),
];

export const RULE_OPERATIONS: readonly Operation[] = operationsOf({ tag, feature }, [
  {
    id: 'listRules',
    route: `POST ${all}`,
    summary: 'Rules, the newest first',
    action: 'dynamicSearchRules.get',
    body: { schema: objectSchema(RULES_BODY), example: { filter: { active: true } } },
    answers: shows('A page of rules.', rulePage, { results: [RULE], offset: 0, limit: 20, total: 1 }),
    errors: ERRORS,
  },
  {
    id: 'clearRules',
    route: `DELETE ${all}`,
    summary: 'Delete all rules',
    action: 'dynamicSearchRules.delete',
    query: querySchema(METADATA_QUERY),
    answers: registers('dsrClear'),
    errors: ERRORS,
  },
  {
    id: 'getRule',
    route: `GET ${one}`,
    summary: 'One rule',
    action: 'dynamicSearchRules.get',
    answers: shows('The rule.', rule, RULE),
    errors: [...ERRORS, 'dynamic_search_rule_not_found'],
  },
  {
    id: 'getRuleTarget',
    route: `GET ${one}/target`,
    summary: 'One rule as it is, and as it is after the tasks that wait',
    action: 'dynamicSearchRules.get',
    answers: shows(
      'Both, and the tasks that wait. `target` is null when they delete the rule.',
      z.strictObject({ current: rule.nullable(), target: rule.nullable(), needsProcessing, taskUids }),
      { current: null, target: RULE, needsProcessing: true, taskUids: [3] },
    ),
    errors: [...ERRORS, 'dynamic_search_rule_not_found'],
  },
  {
    id: 'updateRule',
    route: `PATCH ${one}`,
    summary: 'Change a rule, which is made when there is none',
    action: 'dynamicSearchRules.update',
    query: querySchema(METADATA_QUERY),
    body: {
      schema: objectSchema(RULE_BODY),
      example: { conditions: { query: { words: 'red shoes' } }, actions: RULE.actions },
    },
    answers: registers('dsrUpdate'),
    errors: ERRORS,
  },
  {
    id: 'deleteRule',
    route: `DELETE ${one}`,
    summary: 'Delete a rule',
    action: 'dynamicSearchRules.delete',
    query: querySchema(METADATA_QUERY),
    answers: registers('dsrUpdate'),
    errors: ERRORS,
  },
]);
