import { type Access, withinCaller } from '@fossick/access';
import {
  answerFacetSearch,
  answerSearch,
  FACET_SEARCH_BODY,
  fromSearchQuery,
  SEARCH_BODY,
  SEARCH_QUERY,
  wantsMetadata,
} from '@fossick/answers';
import { type Received, readFields, readNoQuery, readQuery } from '@fossick/wire';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { authorize, pathOf, queryOf, type ServerContext, sendBytes } from '../context.js';
import { readJson } from '../http/body.js';
import type { Router } from '../http/router.js';

/** Search and facet search in one index. */
export function registerSearch(router: Router, context: ServerContext): void {
  const base = '/indexes/:indexUid';
  const limitBytes = context.options.readLimitBytes;
  const answer = async (
    received: FastifyRequest,
    reply: FastifyReply,
    access: Access,
    body: Received<typeof SEARCH_BODY>,
  ) => {
    context.usage.counts?.members('search', body);
    const { indexUid } = pathOf<'indexUid'>(received);
    return sendBytes(reply, await answerSearch(context, access, indexUid, body, wantsMetadata(received)));
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
    return sendBytes(reply, await answerFacetSearch(context, access, indexUid, body));
  });
}
