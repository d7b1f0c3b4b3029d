import {
  boolean,
  checkIndexUid,
  checkLength,
  indexUid,
  optional,
  optionalNotNull,
  type Parser,
  queryInteger,
  readFields,
  readQuery,
  required,
  string,
  strings,
  wrongType,
  wrongValue,
} from '@fossick/api';
import { apiError, DEFAULT_PAGE_LIMIT, MAX_NAMES } from '@fossick/base';
import type { IndexInfo } from '@fossick/index';
import { requireIndex } from '@fossick/instance/access';
import { requireInfo } from '@fossick/search-service';
import type { Swap } from '@fossick/tasks';
import { authorize, pathOf, queryOf, type ServerContext, sendJson } from '../../context.js';
import { readJson } from '../../http/bodies/body.js';
import type { Router } from '../../http/router.js';
import { enqueue } from '../../tasks-wire.js';

export const PAGE_QUERY = {
  offset: optional('invalid_index_offset', queryInteger),
  limit: optional('invalid_index_limit', queryInteger),
};
export const CREATION_BODY = {
  uid: required('invalid_index_uid', indexUid, 'missing_index_uid'),
  primaryKey: optional('invalid_index_primary_key', string),
};
export const UPDATE_BODY = {
  primaryKey: optional('invalid_index_primary_key', string),
  uid: optional('invalid_index_uid', indexUid),
};
const IMMUTABLE = { createdAt: 'immutable_index_created_at', updatedAt: 'immutable_index_updated_at' } as const;

const pair: Parser<string[]> = (value, where) => {
  const uids = strings(value, where);
  if (uids.length !== 2)
    throw wrongValue(where, `a swap names exactly two indexes, but this one names ${uids.length}.`);
  return uids.map((uid, i) => indexUid(uid, { code: where.code, path: `${where.path}[${i}]` }));
};
const SWAP_BODY = {
  indexes: required('invalid_swap_indexes', pair, 'missing_swap_indexes'),
  rename: optionalNotNull('invalid_swap_rename', boolean),
};

/** Indexes: list, one, create, change, delete, swap. */
export function registerIndexes(router: Router, context: ServerContext): void {
  const limitBytes = context.options.readLimitBytes;
  router.on('GET', '/indexes', (request, reply) => {
    const access = authorize(context, request, 'indexes.get');
    const query = readQuery(queryOf(request), PAGE_QUERY);
    const visible = context.engine.indexes().filter(({ uid }) => access.allowsIndex(uid));
    const offset = query.offset ?? 0;
    const limit = query.limit ?? DEFAULT_PAGE_LIMIT;
    const results = visible.slice(offset, offset + limit).map(indexToJson);
    return sendJson(reply, { results, offset, limit, total: visible.length });
  });
  router.on('GET', '/indexes/:indexUid', (request, reply) => {
    authorize(context, request, 'indexes.get');
    return sendJson(reply, indexToJson(requireInfo(context.engine, pathOf<'indexUid'>(request).indexUid)));
  });
  router.on('POST', '/indexes', async (request, reply) => {
    const access = authorize(context, request, 'indexes.create');
    const body = readFields(await readJson(request, limitBytes), CREATION_BODY);
    requireIndex(access, body.uid!);
    return enqueue(context, reply, {
      type: 'indexCreation',
      indexUid: body.uid!,
      primaryKey: body.primaryKey ?? null,
    });
  });
  router.on('PATCH', '/indexes/:indexUid', async (request, reply) => {
    const access = authorize(context, request, 'indexes.update');
    const body = readFields(await readJson(request, limitBytes), UPDATE_BODY, { immutable: IMMUTABLE });
    const uid = checkIndexUid(pathOf<'indexUid'>(request).indexUid);
    if (typeof body.uid === 'string') requireIndex(access, body.uid);
    return enqueue(context, reply, {
      type: 'indexUpdate',
      indexUid: uid,
      ...(typeof body.primaryKey === 'string' ? { primaryKey: body.primaryKey } : {}),
      ...(typeof body.uid === 'string' ? { newUid: body.uid } : {}),
    });
  });
  router.on('DELETE', '/indexes/:indexUid', (request, reply) => {
    authorize(context, request, 'indexes.delete');
    const uid = checkIndexUid(pathOf<'indexUid'>(request).indexUid);
    return enqueue(context, reply, { type: 'indexDeletion', indexUid: uid });
  });
  router.on('POST', '/indexes/:indexUid/compact', (request, reply) => {
    authorize(context, request, 'indexes.compact');
    const uid = checkIndexUid(pathOf<'indexUid'>(request).indexUid);
    return enqueue(context, reply, { type: 'indexCompaction', indexUid: uid });
  });
  router.on('POST', '/swap-indexes', async (request, reply) => {
    const access = authorize(context, request, 'indexes.swap');
    const swaps = readSwaps(await readJson(request, limitBytes));
    for (const uid of swaps.flatMap(({ indexes }) => indexes)) requireIndex(access, uid);
    return enqueue(context, reply, { type: 'indexSwap', swaps });
  });
}

export function indexToJson({ uid, createdAt, updatedAt, primaryKey }: IndexInfo): object {
  return { uid, createdAt, updatedAt, primaryKey };
}
export function readSwaps(body: unknown): Swap[] {
  if (!Array.isArray(body)) throw wrongType({ code: 'bad_request', path: '' }, 'an array', body);
  checkLength(body.length, MAX_NAMES, { code: 'invalid_swap_indexes', path: '' });
  const swaps = body.map((item, i): Swap => {
    const { indexes, rename } = readFields(item, SWAP_BODY, {}, `[${i}]`);
    return { indexes: [indexes![0]!, indexes![1]!], rename: rename ?? false };
  });
  const seen = new Set<string>();
  for (const uid of swaps.flatMap(({ indexes }) => indexes)) {
    if (seen.has(uid)) throw apiError('invalid_swap_duplicate_index_found', uid);
    seen.add(uid);
  }
  return swaps;
}
