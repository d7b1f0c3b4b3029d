import { readFields, readQuery, SIMILAR_BODY, SIMILAR_QUERY } from '@fossick/api';
import type { Access } from '@fossick/instance/access';
import { answerSimilar } from '@fossick/search-service';
import { authorize, pathOf, queryOf, type ServerContext, sendBytes } from '../../context.js';
import type { Router } from '../../http/router.js';
import { onJson } from './json-routes.js';

/** The default embedder of a GET. */
const DEFAULT_EMBEDDER = 'default';

/** Documents similar to a given one. */
export function registerSimilar(router: Router, context: ServerContext): void {
  const url = '/indexes/:indexUid/similar';
  onJson(router, context, {
    url,
    body: 'similar',
    authorize: ({ authorization }, indexUid): Access => context.guard.authorize(authorization, 'search', indexUid),
    answer: ({ access, indexUid, received }) =>
      answerSimilar(context, access, indexUid, readFields(received, SIMILAR_BODY)),
  });
  router.on('GET', url, async (request, reply) => {
    const access = authorize(context, request, 'search');
    const query = readQuery(queryOf(request), SIMILAR_QUERY);
    const body = { ...query, embedder: query.embedder ?? DEFAULT_EMBEDDER };
    return sendBytes(reply, await answerSimilar(context, access, pathOf<'indexUid'>(request).indexUid, body));
  });
}
