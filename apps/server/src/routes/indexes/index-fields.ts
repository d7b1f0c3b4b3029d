import { boolean, integer, names, optional, type Parser, type Received, readFields } from '@fossick/api';
import { DEFAULT_PAGE_LIMIT } from '@fossick/base';
import { listFields, requireInfo } from '@fossick/search-service';
import { authorize, pathOf, type ServerContext, sendJson } from '../../context.js';
import { readJson } from '../../http/bodies/body.js';
import type { Router } from '../../http/router.js';

const FILTER = 'invalid_index_fields_filter';
const FILTER_BODY = {
  attributePatterns: optional(`${FILTER}_attribute_patterns`, names),
  displayed: optional(`${FILTER}_displayed`, boolean),
  searchable: optional(`${FILTER}_searchable`, boolean),
  sortable: optional(`${FILTER}_sortable`, boolean),
  distinct: optional(`${FILTER}_distinct`, boolean),
  rankingRule: optional(`${FILTER}_ranking_rule`, boolean),
  filterable: optional(`${FILTER}_filterable`, boolean),
};
type FieldFilter = Received<typeof FILTER_BODY>;
const fieldFilter: Parser<FieldFilter> = (value, { path }) =>
  readFields(value, FILTER_BODY, { unknownCode: FILTER }, path);
export const FIELDS_BODY = {
  offset: optional('invalid_index_offset', integer),
  limit: optional('invalid_index_limit', integer),
  filter: optional(FILTER, fieldFilter),
};
/** How the settings treat each field of an index. */
export function registerIndexFields(router: Router, context: ServerContext): void {
  router.on('POST', '/indexes/:indexUid/fields', async (request, reply) => {
    authorize(context, request, 'fields.post');
    const body = readFields(await readJson(request, context.options.readLimitBytes), FIELDS_BODY);
    const { uid } = requireInfo(context.engine, pathOf<'indexUid'>(request).indexUid);
    const [offset, limit] = [body.offset ?? 0, body.limit ?? DEFAULT_PAGE_LIMIT];
    const { attributePatterns = null, ...switches } = body.filter ?? {};
    const view = context.engine.withView(uid, ({ fieldNames, settings }) => ({ fieldNames, settings }));
    const listing = { patterns: attributePatterns, switches, offset, limit };
    const { results, total } = await listFields(view, listing, context.searches);
    return sendJson(reply, { results, offset, limit, total });
  });
}
