import { type MultiSearchQuery, readFields, SERVER_MULTI_SEARCH_BODY } from '@fossick/api';
import { ApiError, errorToJson } from '@fossick/base';
import { withinCaller } from '@fossick/instance/access';
import {
  answerFederated,
  answerSeparately,
  isProxiedSearch,
  requireSearched,
  separateAnswersParts,
} from '@fossick/search-service';
import type { ServerContext } from '../../context.js';
import { PartedBytes } from '../../http/answers/parted-bytes.js';
import type { JsonQuestion, JsonRefusal } from '../../http/json-route.js';
import type { Router } from '../../http/router.js';
import type { UsageCounts } from '../../usage/usage-counts.js';
import { onJson } from './json-routes.js';
import { answerOptionsOf } from './search-notes.js';

/** Several searches in one request, each with its own answer or merged into one list. */
export function registerMultiSearch(router: Router, context: ServerContext): void {
  onJson(router, context, {
    url: '/multi-search',
    body: 'multiSearch',
    authorize: (headers) => withinCaller(context.guard.authorize(headers.authorization, 'search'), headers),
    answer: (question) => answerQueries(context, question),
  });
}

async function answerQueries(
  context: ServerContext,
  { access, headers, connection, received }: JsonQuestion,
): Promise<Buffer | PartedBytes | JsonRefusal> {
  const body = readFields(received, SERVER_MULTI_SEARCH_BODY);
  const [queries, federation] = [body.queries!, body.federation ?? null];
  if (context.usage.counts !== null) countMembers(context.usage.counts, queries, federation);
  requireSearched(access, queries, federation);
  const answerOptions = answerOptionsOf(context, { headers, connection });
  const isProxied = federation !== null && isProxiedSearch(context, { headers }, queries, federation);
  try {
    if (federation === null)
      return new PartedBytes(separateAnswersParts(await answerSeparately(context, access, queries, answerOptions)));
    const extras = { ...answerOptions, isProxied };
    return await answerFederated(context, access, queries, federation, extras);
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'index_not_found') throw error;
    const named = [...queries.map(({ indexUid }) => indexUid!), ...(federation?.facetsByIndex?.keys() ?? [])];
    // the missing index is one that only foreign keys name
    if (named.every((uid) => context.engine.index(uid) !== undefined)) throw error;
    // as in the reference, foreign keys look the indexes of a federated search up before it is checked
    const isLookedUp = federation !== null && !isProxied && context.features.isOn('foreignKeys');
    if (isLookedUp && queries.some(({ indexUid }) => context.engine.index(indexUid!) === undefined)) throw error;
    // here the index is not part of the address, so the request is invalid
    return { status: 400, json: errorToJson(error.code, error.message) };
  }
}

function countMembers(counts: UsageCounts, queries: readonly MultiSearchQuery[], federation: object | null): void {
  for (const query of queries) counts.members('multiSearch', query);
  if (federation !== null) counts.members('federation', federation);
}
