import {
  checkIndexUid,
  completing,
  METADATA_QUERY,
  RULE_BODY,
  RULES_BODY,
  readFields,
  readQuery,
  requireFeature,
} from '@fossick/api';
import type { JsonObject } from '@fossick/base';
import { apiError } from '@fossick/base';
import { ruleMatcher, ruleToJson } from '@fossick/instance';
import type { EnqueueExtras } from '@fossick/tasks';
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
    const { offset, limit, filter } = completePage(readFields(await readJson(request, limitBytes), RULES_BODY));
    requireOn();
    const rules = context.rules.list().filter(ruleMatcher(filter ?? {}));
    const results = rules.slice(offset, offset + limit).map(ruleToJson);
    return sendJson(reply, { results, offset, limit, total: rules.length });
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
    const uid = checkIndexUid(pathOf<'uid'>(request).uid);
    const rule = context.rules.get(uid);
    if (rule === undefined) throw apiError('dynamic_search_rule_not_found', uid);
    return sendJson(reply, ruleToJson(rule));
  });
  router.on('PATCH', `${base}/:uid`, async (request, reply) => {
    authorize(context, request, 'dynamicSearchRules.update');
    const extras = taskExtras(request);
    const body = readFields(await readJson(request, limitBytes), RULE_BODY);
    requireOn();
    const ruleUid = checkIndexUid(pathOf<'uid'>(request).uid);
    return enqueue(context, reply, { type: 'dsrUpdate', ruleUid, rule: body as JsonObject }, extras);
  });
  router.on('DELETE', `${base}/:uid`, (request, reply) => {
    authorize(context, request, 'dynamicSearchRules.delete');
    const extras = taskExtras(request);
    requireOn();
    const ruleUid = checkIndexUid(pathOf<'uid'>(request).uid);
    return enqueue(context, reply, { type: 'dsrUpdate', ruleUid, rule: null }, extras);
  });
}

function taskExtras(request: FastifyRequest): EnqueueExtras {
  const { customMetadata } = readQuery(queryOf(request), METADATA_QUERY);
  return typeof customMetadata === 'string' ? { customMetadata } : {};
}
