import {
  describeField,
  type FieldDescription,
  fieldNamesOf,
  matchesFieldOrParent,
  requireInfo,
} from '@fossick/answers';
import { DEFAULT_PAGE_LIMIT } from '@fossick/base';
import {
  boolean,
  integer,
  optional,
  type Parser,
  type Received,
  readFields,
  readNoQuery,
  strings,
} from '@fossick/wire';
import { authorize, pathOf, queryOf, type ServerContext, sendJson } from '../context.js';
import { readJson } from '../http/body.js';
import type { Router } from '../http/router.js';

const FILTER = 'invalid_index_fields_filter';
const FILTER_BODY = {
  attributePatterns: optional(`${FILTER}_attribute_patterns`, strings),
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
const SWITCHES = ['displayed', 'searchable', 'sortable', 'distinct', 'rankingRule', 'filterable'] as const;

/** How the settings treat each field of an index. */
export function registerIndexFields(router: Router, context: ServerContext): void {
  router.on('POST', '/indexes/:indexUid/fields', async (request, reply) => {
    authorize(context, request, 'fields.post');
    readNoQuery(queryOf(request));
    const body = readFields(await readJson(request, context.options.readLimitBytes), FIELDS_BODY);
    const { uid } = requireInfo(context.engine, pathOf<'indexUid'>(request).indexUid);
    const fields = context.engine.withView(uid, ({ fieldNames, settings }) =>
      fieldNamesOf(fieldNames, settings).map((name) => describeField(name, settings)),
    );
    const shown = fields.filter((field) => matches(field, body.filter ?? {}));
    const [offset, limit] = [body.offset ?? 0, body.limit ?? DEFAULT_PAGE_LIMIT];
    return sendJson(reply, { results: shown.slice(offset, offset + limit), offset, limit, total: shown.length });
  });
}

function matches(field: FieldDescription, wanted: FieldFilter): boolean {
  const { attributePatterns } = wanted;
  if (attributePatterns && !attributePatterns.some((pattern) => matchesFieldOrParent(pattern, field.name)))
    return false;
  return SWITCHES.every((name) => typeof wanted[name] !== 'boolean' || wanted[name] === field[name].enabled);
}
