import { ApiError, errorToJson, MAX_ANSWER_BYTES } from '@fossick/base';
import { inQuery, tooLargeAnswer } from '@fossick/search';
import { type Access, requireIndex } from '../auth/access.js';
import { withinCaller } from '../auth/caller-scope.js';
import { authorize, queryOf, type ServerContext, sendBytes, sendJson } from '../context.js';
import { readJson } from '../http/body.js';
import type { Router } from '../http/router.js';
import { answerFederated, checkFilterSyntax } from '../search/federated-search.js';
import { checkSeparateQuery } from '../search/federation-misuse.js';
import { MULTI_SEARCH_BODY, type MultiSearchQuery } from '../search/multi-search-fields.js';
import { answerNetworkSearch } from '../search/network-search.js';
import { isProxiedSearch } from '../search/proxied-search.js';
import { wantsMetadata } from '../search/query-metadata.js';
import { ruleBookOf } from '../search/rule-book.js';
import { answerJob, type SearchJob } from '../search/search-jobs.js';
import { toSearchRequest } from '../search/search-request.js';
import { sparedByWords } from '../search/spared-embedding.js';
import { Turns } from '../search/turns.js';
import type { UsageCounts } from '../usage/usage-counts.js';
import { readFields, readNoQuery } from '../wire/fields.js';

/** Several searches in one request, each with its own answer or merged to one list (spec 14 sections 2 and 3). */
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
      const turns = new Turns(context.searches);
      for (const [i, query] of queries.entries()) {
        await turns.breathe();
        inQuery(i, () => checkFilterSyntax(query.filter ?? null));
      }
      queries.forEach((query, i) => {
        inQuery(i, () => checkSeparateQuery(query));
      });
      const results = await context.searches.run(() => answerAll(context, access, queries, withMetadata));
      return sendBytes(reply, Buffer.concat([RESULTS_START, ...joined(results), RESULTS_END]));
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

const [RESULTS_START, COMMA, RESULTS_END] = [Buffer.from('{"results":['), Buffer.from(','), Buffer.from(']}')];

const joined = (answers: readonly Buffer[]): Buffer[] =>
  answers.flatMap((answer, i) => (i === 0 ? [answer] : [COMMA, answer]));

/** One query after the other, each answer as JSON bytes; the first that fails ends it. Other requests get their turn in between. */
async function answerAll(
  context: ServerContext,
  access: Access,
  queries: readonly MultiSearchQuery[],
  withMetadata: boolean,
): Promise<Buffer[]> {
  const results: Buffer[] = [];
  const turns = new Turns(context.searches);
  let byteCount = 0;
  for (const [i, query] of queries.entries()) {
    await turns.breathe();
    const bytes = await inQueryLater(i, () => answer(context, access, query, withMetadata));
    byteCount += bytes.length;
    if (byteCount > MAX_ANSWER_BYTES) inQuery(i, () => refuse(tooLargeAnswer('invalid_search_limit')));
    results.push(bytes);
  }
  return results;
}

function refuse(error: Error): never {
  throw error;
}

async function answer(
  context: ServerContext,
  access: Access,
  query: MultiSearchQuery,
  withMetadata: boolean,
): Promise<Buffer> {
  const { indexUid: asked, federationOptions: _, ...body } = query;
  const indexUid = asked!;
  const plain = toSearchRequest(body, access.tenantFilter(indexUid), context.features);
  const extras = {
    withMetadata,
    withPerformanceDetails: body.showPerformanceDetails === true,
    hydrates: context.features.isOn('foreignKeys'),
  };
  const named = (bytes: Buffer): Buffer =>
    Buffer.concat([Buffer.from(`{"indexUid":${JSON.stringify(indexUid)},`), bytes.subarray(1)]);
  if (body.useNetwork === true) return named(await answerNetworkSearch(context, access, indexUid, body, extras));
  const settings = () => context.engine.settings(indexUid);
  // the turn that all queries have together is this one's, too
  const run = async (job: SearchJob): Promise<Buffer> =>
    context.searchers.takes(job) ? context.searchers.run(job) : answerJob(context.engine, job);
  const isSpared = sparedByWords(context, access, indexUid, run);
  const request = await context.queryVectors.embedded(plain, body.media, settings, isSpared);
  const ruleBook = ruleBookOf(context);
  const job = { kind: 'search', indexUid, request, extras, ruleBook, scope: access.scope } as const;
  return named(await run(job));
}

/** `inQuery` for work that takes its time. */
async function inQueryLater<T>(position: number, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    return inQuery(position, () => {
      throw error;
    });
  }
}

function countMembers(counts: UsageCounts, queries: readonly MultiSearchQuery[], federation: object | null): void {
  for (const query of queries) counts.members('multiSearch', query);
  if (federation !== null) counts.members('federation', federation);
}
