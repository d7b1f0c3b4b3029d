import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Access } from '../auth/access.js';
import { withinCaller } from '../auth/caller-scope.js';
import { authorize, pathOf, queryOf, type ServerContext, sendBytes } from '../context.js';
import { readJson } from '../http/body.js';
import type { Router } from '../http/router.js';
import { answerNetworkFacets } from '../search/network-facets.js';
import { answerNetworkSearch } from '../search/network-search.js';
import { wantsMetadata } from '../search/query-metadata.js';
import { ruleBookOf } from '../search/rule-book.js';
import { runJob } from '../search/run-job.js';
import { FACET_SEARCH_BODY, SEARCH_BODY, SEARCH_QUERY } from '../search/search-fields.js';
import { fromSearchQuery, toFacetSearchRequest, toSearchRequest } from '../search/search-request.js';
import { sparedByWords } from '../search/spared-embedding.js';
import { type Received, readFields, readNoQuery, readQuery } from '../wire/fields.js';
import { requireInfo } from './indexes.js';

/** Search and facet search in one index. */
export function registerSearch(router: Router, context: ServerContext): void {
  const base = '/indexes/:indexUid';
  const limitBytes = context.options.readLimitBytes;
  const { searches } = context;
  const answer = async (
    received: FastifyRequest,
    reply: FastifyReply,
    access: Access,
    body: Received<typeof SEARCH_BODY>,
  ) => {
    context.usage.counts?.members('search', body);
    const { indexUid } = pathOf<'indexUid'>(received);
    const plain = toSearchRequest(body, access.tenantFilter(indexUid), context.features);
    const { uid } = requireInfo(context.engine, indexUid);
    const withPerformanceDetails = body.showPerformanceDetails === true;
    const hydrates = context.features.isOn('foreignKeys');
    const extras = { withMetadata: wantsMetadata(received), withPerformanceDetails, hydrates };
    if (body.useNetwork === true)
      return sendBytes(reply, await searches.run(() => answerNetworkSearch(context, access, uid, body, extras)));
    const settings = () => context.engine.settings(uid);
    const isSpared = sparedByWords(context, access, uid);
    const request = await context.queryVectors.embedded(plain, body.media, settings, isSpared);
    const ruleBook = ruleBookOf(context);
    const { scope } = access;
    const job = { kind: 'search', indexUid: uid, request, extras, ruleBook, scope } as const;
    return sendBytes(reply, await runJob(context, job));
  };
  router.on('POST', `${base}/search`, async (request, reply) => {
    const access = authorize(context, request, 'search');
    readNoQuery(queryOf(request));
    const body = readFields(await readJson(request, limitBytes), SEARCH_BODY);
    return answer(request, reply, access, body);
  });
  router.on('GET', `${base}/search`, (request, reply) => {
    const access = authorize(context, request, 'search');
    const body = fromSearchQuery(readQuery(queryOf(request), SEARCH_QUERY));
    return answer(request, reply, access, body);
  });
  router.on('POST', `${base}/facet-search`, async (request, reply) => {
    const access = withinCaller(authorize(context, request, 'search'), request.headers);
    readNoQuery(queryOf(request));
    const body = readFields(await readJson(request, limitBytes), FACET_SEARCH_BODY);
    context.usage.counts?.members('facetSearch', body);
    const { indexUid } = pathOf<'indexUid'>(request);
    const wanted = toFacetSearchRequest(body, access.tenantFilter(indexUid), context.features);
    const { uid } = requireInfo(context.engine, indexUid);
    if (body.useNetwork === true)
      return sendBytes(reply, await answerNetworkFacets(context, access, uid, body, wanted));
    const settings = () => context.engine.settings(uid);
    // which documents are counted depends on no vector; a search by meaning alone fails yet where there is none
    const spares = () => Promise.resolve(true);
    const embedded = await context.queryVectors.embedded(wanted, body.media, settings, spares);
    const job = { kind: 'facets', indexUid: uid, request: embedded, scope: access.scope } as const;
    return sendBytes(reply, await runJob(context, job));
  });
}
