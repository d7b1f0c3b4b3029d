import { randomUUID } from 'node:crypto';
import {
  completing,
  isGlobalAction,
  KEY_CHANGE_BODY,
  KEY_CHANGE_RULE,
  KEY_CREATION_BODY,
  KEY_PAGE_QUERY,
  readFields,
  readQuery,
} from '@fossick/api';
import { apiError } from '@fossick/base';
import { type ApiKey, apiKeyToJson } from '@fossick/instance/access';
import { authorize, pathOf, queryOf, type ServerContext, sendJson } from '../../context.js';
import { readJson } from '../../http/bodies/body.js';
import { sendEmpty } from '../../http/errors.js';
import type { Router } from '../../http/router.js';

const completePage = completing(KEY_PAGE_QUERY);
const completeKey = completing(KEY_CREATION_BODY);

/** API keys. */
export function registerKeys(router: Router, context: ServerContext): void {
  const limitBytes = context.options.readLimitBytes;
  const shown = (key: ApiKey): object => apiKeyToJson(key, context.guard.keys().masterKey);
  router.on('GET', '/keys', (request, reply) => {
    authorize(context, request, 'keys.get');
    const { offset, limit } = completePage(readQuery(queryOf(request), KEY_PAGE_QUERY));
    const all = context.guard.keys().list();
    const results = all.slice(offset, offset + limit).map(shown);
    return sendJson(reply, { results, offset, limit, total: all.length });
  });
  router.on('POST', '/keys', async (request, reply) => {
    authorize(context, request, 'keys.create');
    const key = newKey(await readJson(request, limitBytes));
    await context.guard.keys().add(key);
    return sendJson(reply, shown(key), 201);
  });
  router.on('GET', '/keys/:key', (request, reply) => {
    authorize(context, request, 'keys.get');
    return sendJson(reply, shown(requireKey(context, pathOf<'key'>(request).key)));
  });
  router.on('PATCH', '/keys/:key', async (request, reply) => {
    authorize(context, request, 'keys.update');
    const body = await readJson(request, limitBytes);
    const changes = readFields(body, KEY_CHANGE_BODY, KEY_CHANGE_RULE);
    const named = pathOf<'key'>(request).key;
    const changed = await context.guard.keys().edit(requireKey(context, named).uid, (key) => ({
      ...key,
      ...(changes.name === undefined ? {} : { name: changes.name }),
      ...(changes.description === undefined ? {} : { description: changes.description }),
      updatedAt: new Date().toISOString(),
    }));
    if (changed === undefined) throw apiError('api_key_not_found', named);
    return sendJson(reply, shown(changed));
  });
  router.on('DELETE', '/keys/:key', async (request, reply) => {
    authorize(context, request, 'keys.delete');
    const key = requireKey(context, pathOf<'key'>(request).key);
    await context.guard.keys().delete(key.uid);
    return sendEmpty(reply, 204);
  });
}

function newKey(body: unknown): ApiKey {
  const { uid, name, description, actions, indexes, expiresAt } = completeKey(readFields(body, KEY_CREATION_BODY));
  if (!indexes.includes('*')) {
    const global = actions.find(isGlobalAction);
    if (global !== undefined) throw apiError('index_scoped_api_key_with_global_action', global);
  }
  const now = new Date().toISOString();
  return {
    uid: uid ?? randomUUID(),
    name,
    description,
    actions,
    indexes,
    expiresAt,
    createdAt: now,
    updatedAt: now,
  };
}

function requireKey(context: ServerContext, uidOrValue: string): ApiKey {
  const key = context.guard.keys().find(uidOrValue);
  if (key === undefined) throw apiError('api_key_not_found', uidOrValue);
  return key;
}
