import { ApiError, errorToJson } from '@fossick/base';
import { search } from '@fossick/engine';
import { requireIndex, type Access } from '../auth/access.js';
import { authorize, queryOf, sendJson, type ServerContext } from '../context.js';
import { readJson } from '../http/body.js';
import type { Router } from '../http/router.js';
import { newRequestUid } from '../search/request-uid.js';
import { SEARCH_BODY } from '../search/search-fields.js';
import { toSearchRequest } from '../search/search-request.js';
import { optional, readFields, readNoQuery, required, wrongType, type Parser, type Received } from '../wire/fields.js';
import { indexUid, object } from '../wire/values.js';

const QUERY = {
  ...SEARCH_BODY,
  indexUid: required('invalid_index_uid', indexUid, 'missing_index_uid'),
  federationOptions: optional('bad_request', object),
};
type Query = Received<typeof QUERY>;

const queries: Parser<Query[]> = (value, where) => {
  if (!Array.isArray(value)) throw wrongType(where, 'an array', value);
  return value.map((query, i) => readFields(query, QUERY, {}, `${where.path}[${i}]`));
};
const BODY = {
  queries: required('bad_request', queries, 'bad_request'),
  federation: optional('bad_request', object),
};

/** Several searches in one request, each with its own answer; merging them (`federation`) is refused by name. Spec 14 section 2. */
export function registerMultiSearch(router: Router, context: ServerContext): void {
  router.on('POST', '/multi-search', async (request, reply) => {
    const access = authorize(context, request, 'search');
    readNoQuery(queryOf(request));
    const body = readFields(await readJson(request, context.options.payloadLimitBytes), BODY);
    body.queries!.forEach((query, i) => inQuery(i, () => requireIndex(access, query.indexUid!)));
    if (body.federation !== undefined && body.federation !== null)
      throw new ApiError('bad_request', 'Federated search is not available: send the queries without `federation`.');
    try {
      const results = body.queries!.map((query, i) => inQuery(i, () => answer(context, access, query)));
      return sendJson(reply, { results });
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 'index_not_found') throw error;
      // the index is no part of the address here, so it is the request that is wrong
      return sendJson(reply, errorToJson(error.code, error.message), 400);
    }
  });
}

function answer(context: ServerContext, access: Access, query: Query): object {
  const { indexUid, federationOptions, ...body } = query;
  if (federationOptions !== undefined && federationOptions !== null)
    throw new ApiError(
      'invalid_multi_search_federation_options',
      '`federationOptions` needs `federation` in the body.',
    );
  const request = toSearchRequest(body, access.tenantFilter(indexUid!), context.features);
  const response = context.engine.withView(indexUid!, (view) => search(view, request));
  return { indexUid, ...response, requestUid: newRequestUid() };
}

/** Runs `work` for one query; its error names the query. */
function inQuery<T>(position: number, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof ApiError) throw new ApiError(error.code, `Inside \`.queries[${position}]\`: ${error.message}`);
    throw error;
  }
}
