import { requireIndex, withinCaller } from '@fossick/access';
import {
  answerFederated,
  answerSeparately,
  isProxiedSearch,
  MULTI_SEARCH_BODY,
  type MultiSearchQuery,
  wantsMetadata,
} from '@fossick/answers';
import { ApiError, errorToJson } from '@fossick/base';
import { inQuery } from '@fossick/search';
import type { UsageCounts } from '@fossick/telemetry';
import { readFields, readNoQuery } from '@fossick/wire';
import { authorize, queryOf, type ServerContext, sendBytes, sendJson } from '../context.js';
import { readJson } from '../http/body.js';
import type { Router } from '../http/router.js';

/** Several searches in one request, each with its own answer or merged to one list. */
export function registerMultiSearch(router: Router, context: ServerContext): void {
  router.on('POST', '/multi-search', async (request, reply) => {
    const access = withinCaller(authorize(context, request, 'search'), request.headers);
    readNoQuery(queryOf(request));
    const body = readFields(await readJson(request, context.options.readLimitBytes), MULTI_SEARCH_BODY);
    const [queries, federation] = [body.queries!, body.federation ?? null];
    if (context.usage.counts !== null) countMembers(context.usage.counts, queries, federation);
    queries.forEach((query, i) => {
      inQuery(i, () => requireIndex(access, query.indexUid!));
    });
    for (const uid of federation?.facetsByIndex?.keys() ?? []) requireIndex(access, uid);
    const withMetadata = wantsMetadata(request);
    try {
      if (federation !== null) {
        const extras = { withMetadata, isProxied: isProxiedSearch(context, request, queries, federation) };
        return sendBytes(reply, await answerFederated(context, access, queries, federation, extras));
      }
      return sendBytes(reply, await answerSeparately(context, access, queries, withMetadata));
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 'index_not_found') throw error;
      const named = [...queries.map(({ indexUid }) => indexUid!), ...(federation?.facetsByIndex?.keys() ?? [])];
      // an index that only foreign keys name
      if (named.every((uid) => context.engine.index(uid) !== undefined)) throw error;
      // the index is no part of the address here, so it is the request that is wrong
      return sendJson(reply, errorToJson(error.code, error.message), 400);
    }
  });
}

function countMembers(counts: UsageCounts, queries: readonly MultiSearchQuery[], federation: object | null): void {
  for (const query of queries) counts.members('multiSearch', query);
  if (federation !== null) counts.members('federation', federation);
}
