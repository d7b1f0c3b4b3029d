import type { Access } from '@fossick/access';
import { answerSimilar, SIMILAR_BODY, SIMILAR_QUERY } from '@fossick/answers';
import { type Received, readFields, readNoQuery, readQuery } from '@fossick/wire';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { authorize, pathOf, queryOf, type ServerContext, sendBytes } from '../context.js';
import { readJson } from '../http/body.js';
import type { Router } from '../http/router.js';

/** The embedder of a GET that names none. */
const DEFAULT_EMBEDDER = 'default';

/** Documents like a given one. */
export function registerSimilar(router: Router, context: ServerContext): void {
  const path = '/indexes/:indexUid/similar';
  const answer = async (
    received: FastifyRequest,
    reply: FastifyReply,
    access: Access,
    body: Received<typeof SIMILAR_BODY>,
  ): Promise<FastifyReply> => {
    const { indexUid } = pathOf<'indexUid'>(received);
    return sendBytes(reply, await answerSimilar(context, access, indexUid, body));
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
