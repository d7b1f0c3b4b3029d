import { StageClock, similarDocuments, spelledAnswer } from '@fossick/search';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Access } from '../auth/access.js';
import { indexAccess } from '../auth/index-scope.js';
import { authorize, pathOf, queryOf, type ServerContext, sendJson } from '../context.js';
import { readJson } from '../http/body.js';
import type { Router } from '../http/router.js';
import { SIMILAR_BODY, SIMILAR_QUERY, toSimilarRequest } from '../search/similar-fields.js';
import { type Received, readFields, readNoQuery, readQuery } from '../wire/fields.js';
import { requireInfo } from './indexes.js';

/** The embedder of a GET that names none (spec 00). */
const DEFAULT_EMBEDDER = 'default';

/** Documents like a given one (spec 00, spec 11 section 15). */
export function registerSimilar(router: Router, context: ServerContext): void {
  const path = '/indexes/:indexUid/similar';
  const answer = async (
    received: FastifyRequest,
    reply: FastifyReply,
    access: Access,
    body: Received<typeof SIMILAR_BODY>,
  ): Promise<FastifyReply> => {
    const { indexUid } = pathOf<'indexUid'>(received);
    const { uid } = requireInfo(context.engine, indexUid);
    const request = toSimilarRequest(body, access.tenantFilter(indexUid), context.features);
    const clock = new StageClock();
    const find = () =>
      context.engine.withView(uid, (view) => similarDocuments(view, request, clock), indexAccess(access.scope));
    const response = await context.searches.run(find);
    const details = body.showPerformanceDetails === true ? { performanceDetails: clock.toJson() } : {};
    return sendJson(reply, { ...spelledAnswer(response), ...details });
  };
  router.on('POST', path, async (request, reply) => {
    const access = authorize(context, request, 'search');
    readNoQuery(queryOf(request));
    const body = readFields(await readJson(request, context.options.readLimitBytes), SIMILAR_BODY);
    return answer(request, reply, access, body);
  });
  router.on('GET', path, (request, reply) => {
    const access = authorize(context, request, 'search');
    const query = readQuery(queryOf(request), SIMILAR_QUERY);
    return answer(request, reply, access, { ...query, embedder: query.embedder ?? DEFAULT_EMBEDDER });
  });
}
