import {
  checkNewRuleUid,
  checkRuleUid,
  completing,
  METADATA_QUERY,
  RULE_BODY,
  RULES_BODY,
  readFields,
  readQuery,
  requireFeature,
} from '@fossick/api';
import { apiError, type JsonObject } from '@fossick/base';
import { type RuleUpdate, ruleMatcher, ruleToJson } from '@fossick/instance';
import { type EnqueueExtras, toRfc3339 } from '@fossick/tasks';
import type { FastifyRequest } from 'fastify';
import { authorize, pathOf, queryOf, type ServerContext, sendJson } from '../../context.js';
import { readJson } from '../../http/bodies/body.js';
import type { Router } from '../../http/router.js';
import { enqueue } from '../../tasks-wire.js';

const completePage = completing(RULES_BODY);

/** Dynamic search rules: list, one, change, delete one, delete all. */
export function registerSearchRules(router: Router, context: ServerContext): void {
  const base = '/dynamic-search-rules';
  const limitBytes = context.options.payloadLimitBytes;
  const requireOn = (): void => requireFeature(context.features, 'dynamicSearchRules', base);
  router.on('POST', base, async (request, reply) => {
    authorize(context, request, 'dynamicSearchRules.get');
    const { offset, limit, filter, showTarget } = completePage(
      readFields(await readJson(request, limitBytes), RULES_BODY),
    );
    requireOn();
    const all = context.rules.list();
    const rules = all.filter(ruleMatcher(filter ?? {}));
    const page = rules.slice(offset, offset + limit);
    const answer = { offset, limit, total: rules.length };
    if (!showTarget) return sendJson(reply, { results: page.map(ruleToJson), ...answer });
    const waiting = waitingWork(context);
    const results = page.map((rule) => ({ ...ruleToJson(rule), needsProcessing: waiting.some(concerns(rule.uid)) }));
    return sendJson(reply, {
      results,
      ...answer,
      needsProcessing: waiting.length > 0,
      taskUids: waiting.map(({ taskUid }) => taskUid),
      totalRuleCount: all.length,
      targetTotalRuleCount: context.rules.after(waiting.map(({ update }) => update)).size,
    });
  });
  router.on('DELETE', base, (request, reply) => {
    authorize(context, request, 'dynamicSearchRules.delete');
    const extras = taskExtras(request);
    requireOn();
    return enqueue(context, reply, { type: 'dsrClear' }, extras);
  });
  router.on('GET', `${base}/:uid`, (request, reply) => {
    authorize(context, request, 'dynamicSearchRules.get');
    requireOn();
    const uid = checkRuleUid(pathOf<'uid'>(request).uid);
    const rule = context.rules.get(uid);
    if (rule === undefined) throw apiError('dynamic_search_rule_not_found', uid);
    return sendJson(reply, ruleToJson(rule));
  });
  router.on('GET', `${base}/:uid/target`, (request, reply) => {
    authorize(context, request, 'dynamicSearchRules.get');
    requireOn();
    const uid = checkRuleUid(pathOf<'uid'>(request).uid);
    const waiting = waitingWork(context);
    const own = waiting.filter(concerns(uid));
    const current = context.rules.get(uid);
    if (current === undefined && own.length === 0) throw apiError('dynamic_search_rule_not_found', uid);
    const target = own.length === 0 ? current : context.rules.after(waiting.map(({ update }) => update)).get(uid);
    return sendJson(reply, {
      current: current === undefined ? null : ruleToJson(current),
      target: target === undefined ? null : ruleToJson(target),
      needsProcessing: own.length > 0,
      taskUids: own.map(({ taskUid }) => taskUid),
    });
  });
  router.on('PATCH', `${base}/:uid`, async (request, reply) => {
    authorize(context, request, 'dynamicSearchRules.update');
    const extras = taskExtras(request);
    const body = readFields(await readJson(request, limitBytes), RULE_BODY);
    requireOn();
    const ruleUid = checkNewRuleUid(pathOf<'uid'>(request).uid);
    return enqueue(context, reply, { type: 'dsrUpdate', ruleUid, rule: body as JsonObject }, extras);
  });
  router.on('DELETE', `${base}/:uid`, (request, reply) => {
    authorize(context, request, 'dynamicSearchRules.delete');
    const extras = taskExtras(request);
    requireOn();
    const ruleUid = checkRuleUid(pathOf<'uid'>(request).uid);
    return enqueue(context, reply, { type: 'dsrUpdate', ruleUid, rule: null }, extras);
  });
}

/** A task that has not ended and changes rules; `update` is null when it removes all of them. */
interface WaitingWork {
  readonly taskUid: number;
  readonly update: RuleUpdate | null;
}

/** In the order in which it is done. O(tasks) */
function waitingWork({ tasks }: ServerContext): WaitingWork[] {
  const work: WaitingWork[] = [];
  for (const { uid: taskUid, content, enqueuedAt } of tasks.tasks({ statuses: UNFINISHED, types: RULE_TASKS })) {
    if (content.type === 'dsrClear') work.push({ taskUid, update: null });
    if (content.type !== 'dsrUpdate') continue;
    const { ruleUid, rule: change } = content;
    work.push({ taskUid, update: { ruleUid, change, enqueuedAt: toRfc3339(enqueuedAt) } });
  }
  return work;
}
const UNFINISHED = ['enqueued', 'processing'] as const;
const RULE_TASKS = ['dsrUpdate', 'dsrClear'] as const;

function concerns(uid: string): (work: WaitingWork) => boolean {
  return ({ update }) => update === null || update.ruleUid === uid;
}

function taskExtras(request: FastifyRequest): EnqueueExtras {
  const { customMetadata } = readQuery(queryOf(request), METADATA_QUERY);
  return typeof customMetadata === 'string' ? { customMetadata } : {};
}
