import { randomUUID } from 'node:crypto';
import {
  ACTION_NAMES,
  isGlobalAction,
  listOf,
  nullable,
  oneOf,
  optional,
  optionalNotNull,
  type Parser,
  parseFutureDate,
  queryInteger,
  readFields,
  readQuery,
  readUuid,
  required,
  string,
  textUpTo,
  wrongValue,
} from '@fossick/api';
import { apiError, DEFAULT_PAGE_LIMIT, isIndexUid, MAX_KEY_TEXT_UNITS, MAX_NAMES } from '@fossick/base';
import { type ApiKey, apiKeyToJson } from '@fossick/instance/access';
import { authorize, pathOf, queryOf, type ServerContext, sendJson } from '../../context.js';
import { readJson } from '../../http/bodies/body.js';
import { sendEmpty } from '../../http/errors.js';
import type { Router } from '../../http/router.js';

const uuid: Parser<string> = (value, where) => {
  const text = string(value, where);
  const uid = readUuid(text);
  if (uid === undefined) throw wrongValue(where, `\`${text}\` is not a UUID.`);
  return uid;
};
const keyText = textUpTo(MAX_KEY_TEXT_UNITS);
const indexPattern: Parser<string> = (value, where) => {
  const pattern = string(value, where);
  const stem = pattern.endsWith('*') ? pattern.slice(0, -1) : pattern;
  if (pattern !== '*' && !isIndexUid(stem))
    throw wrongValue(where, `\`${pattern}\` is not an index uid or a prefix of one followed by \`*\`.`);
  return pattern;
};
const action = oneOf(...ACTION_NAMES);
export const CREATION_BODY = {
  name: optional('invalid_api_key_name', keyText),
  description: optional('invalid_api_key_description', keyText),
  uid: optionalNotNull('invalid_api_key_uid', uuid),
  actions: required('invalid_api_key_actions', listOf(action, MAX_NAMES), 'missing_api_key_actions'),
  indexes: required('invalid_api_key_indexes', listOf(indexPattern, MAX_NAMES), 'missing_api_key_indexes'),
  expiresAt: required('invalid_api_key_expires_at', nullable(parseFutureDate), 'missing_api_key_expires_at'),
};
export const CHANGE_BODY = {
  name: optional('invalid_api_key_name', keyText),
  description: optional('invalid_api_key_description', keyText),
};
const IMMUTABLE = {
  uid: 'immutable_api_key_uid',
  key: 'immutable_api_key_key',
  actions: 'immutable_api_key_actions',
  indexes: 'immutable_api_key_indexes',
  expiresAt: 'immutable_api_key_expires_at',
  createdAt: 'immutable_api_key_created_at',
  updatedAt: 'immutable_api_key_updated_at',
} as const;
export const PAGE_QUERY = {
  offset: optional('invalid_api_key_offset', queryInteger),
  limit: optional('invalid_api_key_limit', queryInteger),
};

/** API keys. */
export function registerKeys(router: Router, context: ServerContext): void {
  const limitBytes = context.options.readLimitBytes;
  const shown = (key: ApiKey): object => apiKeyToJson(key, context.guard.keys().masterKey);
  router.on('GET', '/keys', (request, reply) => {
    authorize(context, request, 'keys.get');
    const query = readQuery(queryOf(request), PAGE_QUERY);
    const all = context.guard.keys().list();
    const offset = query.offset ?? 0;
    const limit = query.limit ?? DEFAULT_PAGE_LIMIT;
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
    const changes = readFields(body, CHANGE_BODY, { immutable: IMMUTABLE });
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
  const given = readFields(body, CREATION_BODY);
  const actions = given.actions!;
  const indexes = given.indexes!;
  if (!indexes.includes('*')) {
    const global = actions.find(isGlobalAction);
    if (global !== undefined) throw apiError('index_scoped_api_key_with_global_action', global);
  }
  const now = new Date().toISOString();
  return {
    uid: given.uid ?? randomUUID(),
    name: given.name ?? null,
    description: given.description ?? null,
    actions,
    indexes,
    expiresAt: given.expiresAt ?? null,
    createdAt: now,
    updatedAt: now,
  };
}

function requireKey(context: ServerContext, uidOrValue: string): ApiKey {
  const key = context.guard.keys().find(uidOrValue);
  if (key === undefined) throw apiError('api_key_not_found', uidOrValue);
  return key;
}
