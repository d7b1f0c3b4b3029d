import {
  FACET_SEARCH_BODY,
  fromSearchQuery,
  readFields,
  readQuery,
  SEARCH_QUERY,
  SERVER_SEARCH_BODY,
  type SearchBody,
} from '@fossick/api';
import { ApiError } from '@fossick/base';
import { withinCaller } from '@fossick/instance/access';
import { answerFacetSearch, answerSearch } from '@fossick/search-service';
import { authorize, pathOf, queryOf, type ServerContext, sendBytes } from '../../context.js';
import type { JsonQuestion, JsonRoute } from '../../http/json-route.js';
import type { Router } from '../../http/router.js';
import { onJson } from './json-routes.js';
import { answerOptionsOf } from './search-notes.js';

const BASE = '/indexes/:indexUid';

/** Search and facet search in one index. */
export function registerSearch(router: Router, context: ServerContext): void {
  onJson(router, context, searchRoute(context));
  router.on('GET', `${BASE}/search`, async (request, reply) => {
    const access = authorize(context, request, 'search');
    const body = fromSearchQuery(readQuery(queryOf(request), SEARCH_QUERY));
    const { indexUid } = pathOf<'indexUid'>(request);
    const question = { access, indexUid, headers: request.headers, connection: request.raw.socket };
    return sendBytes(reply, await search(context, question, body));
  });
  onJson(router, context, facetSearchRoute(context));
}

function searchRoute(context: ServerContext): JsonRoute {
  return {
    url: `${BASE}/search`,
    body: 'search',
    authorize: ({ authorization }, indexUid) => context.guard.authorize(authorization, 'search', indexUid),
    answer: (question) => search(context, question, readFields(question.received, SERVER_SEARCH_BODY)),
  };
}

function search(
  context: ServerContext,
  { access, indexUid, ...request }: Omit<JsonQuestion, 'received'>,
  body: SearchBody,
): Promise<Buffer> {
  const options = answerOptionsOf(context, request);
  if (options.isWarmUp !== true) context.usage.counts?.members('search', body);
  const answer = answerSearch(context, access, indexUid, body, options);
  return options.isWarmUp === true ? answer.catch(skipped) : answer;
}

/** The answer to a search of the warm-up that takes long or lacks a dictionary: the next one may not. */
function skipped(error: unknown): Buffer {
  if (error instanceof ApiError) throw error;
  return Buffer.alloc(0);
}

function facetSearchRoute(context: ServerContext): JsonRoute {
  return {
    url: `${BASE}/facet-search`,
    body: 'facetSearch',
    authorize: (headers, indexUid) =>
      withinCaller(context.guard.authorize(headers.authorization, 'search', indexUid), headers, indexUid),
    answer: ({ access, indexUid, received, ...asker }) => {
      const body = readFields(received, FACET_SEARCH_BODY, { ignoresUnknown: true });
      context.usage.counts?.members('facetSearch', body);
      return answerFacetSearch(context, access, indexUid, body, context.extensions.carriedBy(asker));
    },
  };
}
