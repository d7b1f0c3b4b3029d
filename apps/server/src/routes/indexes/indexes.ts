import {
  checkIndexUid,
  completing,
  FIELDS_BODY,
  INDEX_CREATION_BODY,
  INDEX_PAGE_QUERY,
  INDEX_UPDATE_BODY,
  INDEX_UPDATE_RULE,
  type IndexAnswer,
  readFields,
  readQuery,
  SWAPS,
} from '@fossick/api';
import type { IndexInfo } from '@fossick/index';
import { requireIndex } from '@fossick/instance/access';
import { listFields, requireInfo } from '@fossick/search-service';
import { authorize, pathOf, queryOf, type ServerContext, sendJson } from '../../context.js';
import { readJson } from '../../http/bodies/body.js';
import { readSearchJson } from '../../http/bodies/search-body.js';
import type { Router } from '../../http/router.js';
import { enqueue } from '../../tasks-wire.js';

const completePage = completing(INDEX_PAGE_QUERY);
const completeIndex = completing(INDEX_CREATION_BODY);
const completeFields = completing(FIELDS_BODY);

/** Indexes: list, one, create, change, delete, swap. */
export function registerIndexes(router: Router, context: ServerContext): void {
  const limitBytes = context.options.readLimitBytes;
  router.on('GET', '/indexes', (request, reply) => {
    const access = authorize(context, request, 'indexes.get');
    const { offset, limit } = completePage(readQuery(queryOf(request), INDEX_PAGE_QUERY));
    const visible = context.engine.indexes().filter(({ uid }) => access.allowsIndex(uid));
    const results = visible.slice(offset, offset + limit).map(indexToJson);
    return sendJson(reply, { results, offset, limit, total: visible.length });
  });
  router.on('GET', '/indexes/:indexUid', (request, reply) => {
    authorize(context, request, 'indexes.get');
    return sendJson(reply, indexToJson(requireInfo(context.engine, pathOf<'indexUid'>(request).indexUid)));
  });
  router.on('POST', '/indexes', async (request, reply) => {
    const access = authorize(context, request, 'indexes.create');
    const { uid, primaryKey } = completeIndex(readFields(await readJson(request, limitBytes), INDEX_CREATION_BODY));
    requireIndex(access, uid);
    return enqueue(context, reply, { type: 'indexCreation', indexUid: uid, primaryKey });
  });
  router.on('PATCH', '/indexes/:indexUid', async (request, reply) => {
    const access = authorize(context, request, 'indexes.update');
    const body = readFields(await readJson(request, limitBytes), INDEX_UPDATE_BODY, INDEX_UPDATE_RULE);
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
    const swaps = SWAPS.parse(await readJson(request, limitBytes), { code: 'bad_request', path: '' });
    for (const uid of swaps.flatMap(({ indexes }) => indexes)) requireIndex(access, uid);
    return enqueue(context, reply, { type: 'indexSwap', swaps });
  });
}

function indexToJson({ uid, createdAt, updatedAt, primaryKey }: IndexInfo): IndexAnswer {
  return { uid, createdAt, updatedAt, primaryKey };
}

/** How the settings treat each field of an index. */
export function registerIndexFields(router: Router, context: ServerContext): void {
  router.on('POST', '/indexes/:indexUid/fields', async (request, reply) => {
    authorize(context, request, 'fields.post');
    const received = readFields(await readSearchJson(request, context, 'fields'), FIELDS_BODY);
    const { offset, limit, filter } = completeFields(received);
    const { uid } = requireInfo(context.engine, pathOf<'indexUid'>(request).indexUid);
    const { attributePatterns = null, ...switches } = filter ?? {};
    const view = context.engine.withView(uid, ({ fieldNames, settings }) => ({ fieldNames, settings }));
    const listing = { patterns: attributePatterns, switches, offset, limit };
    const { results, total } = await listFields(view, listing, context.searches);
    return sendJson(reply, { results, offset, limit, total });
  });
}
