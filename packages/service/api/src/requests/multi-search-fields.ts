import { DEFAULT_PAGE_LIMIT, MAX_MULTI_SEARCH_QUERIES, MAX_NAMES } from '@fossick/base';
import {
  count,
  type Fields,
  flag,
  indexUid,
  type Kind,
  kindOf,
  listOf,
  nullable,
  objectOf,
  optional,
  type Parser,
  parsers,
  type Received,
  required,
  text,
  wrongValue,
} from '@fossick/base/contract';
import { personalize, SEARCH_PARAMETERS } from '@fossick/settings/parameters';
import type { InlineRule } from './rule-fields.js';

const parseWeight: Parser<number> = (value, where) => {
  const given = parsers.number(value, where);
  if (given < 0) throw wrongValue(where, `it must be 0 or more (\`1.0\` changes nothing), but it is ${given}.`);
  return given;
};
const weight = kindOf(
  parseWeight,
  { type: 'number', minimum: 0, description: 'What scores of this query are multiplied by.' },
  'a positive number',
);

/** How the hits of one query count in the merged list. */
const FEDERATION_OPTIONS = {
  weight: optional('invalid_multi_search_weight', weight, 1),
  remote: optional('invalid_multi_search_remote', text('Instance of the network that is asked.', 'ms-1')),
  queryPosition: optional(
    'invalid_multi_search_query_position',
    count('Place of the query in the request of another instance.'),
  ),
};
/** One query of a multi-search. */
export const MULTI_SEARCH_QUERY = {
  ...SEARCH_PARAMETERS,
  indexUid: required('invalid_index_uid', indexUid, 'missing_index_uid'),
  federationOptions: optional('bad_request', objectOf(FEDERATION_OPTIONS, { hasPlainCode: true })),
};
export type MultiSearchQuery = Received<typeof MULTI_SEARCH_QUERY> & {
  readonly indexUid?: string;
  /** Of requests to a server. */
  readonly inlineRule?: InlineRule | null;
};

/** The queries of a multi-search, each with these fields. */
export const queriesOf = (fields: Fields): Kind<readonly MultiSearchQuery[]> =>
  listOf(objectOf(fields, { id: 'MultiSearchQuery', says: 'One of several searches.', hasPlainCode: true }), {
    maxItems: MAX_MULTI_SEARCH_QUERIES,
  }) as Kind<readonly MultiSearchQuery[]>;

const MERGE_FACETS = {
  maxValuesPerFacet: optional('invalid_multi_search_max_values_per_facet', count('Values of a facet at most.')),
};

/** Lists of facets by index; a null list requests nothing. */
const parseFacets: Parser<ReadonlyMap<string, readonly string[]>> = (value, where) => {
  const lists = new Map<string, string[]>();
  let total = 0;
  for (const [uid, list] of Object.entries(parsers.object(value, where))) {
    const at = { ...where, path: `${where.path}.${uid}` };
    parsers.indexUid(uid, at);
    const facets = parsers.nullable(parsers.names)(list, at);
    total += 1 + (facets?.length ?? 0);
    parsers.checkLength(total, MAX_NAMES, where);
    if (facets !== null) lists.set(uid, facets);
  }
  return lists;
};
const facetsByIndex = kindOf(
  parseFacets,
  {
    type: 'object',
    propertyNames: indexUid.schema,
    additionalProperties: nullable(listOf(text(''))).schema,
    description: 'Facets that are counted, by index.',
    examples: [{ movies: ['genres'] }],
    'x-only-examples': true,
  },
  'an object of index uids, each with an array of filterable attributes',
);

/** Parameters of the merged list. */
export const FEDERATION_BODY = {
  limit: optional('invalid_search_limit', count('Results to answer at most.'), DEFAULT_PAGE_LIMIT),
  offset: optional('invalid_search_offset', count('Results to skip.'), 0),
  page: optional('invalid_search_page', count('Page to answer.')),
  hitsPerPage: optional('invalid_search_hits_per_page', count('Hits of a page.')),
  /** Facets to count, by index. */
  facetsByIndex: optional('invalid_multi_search_facets_by_index', facetsByIndex),
  mergeFacets: optional(
    'invalid_multi_search_merge_facets',
    objectOf(MERGE_FACETS, { says: 'Counts of all indexes in one.' }),
  ),
  distinct: optional('invalid_search_distinct', text('Attribute of which each value is shown once.')),
  showPerformanceDetails: optional(
    'invalid_search_show_performance_details',
    flag('Tell how long the stages took.'),
    false,
  ),
  personalize: optional('invalid_search_personalize', personalize),
};
export type Federation = Received<typeof FEDERATION_BODY>;

/** Body of a multi-search. */
export const MULTI_SEARCH_BODY = {
  queries: required('bad_request', queriesOf(MULTI_SEARCH_QUERY), 'bad_request'),
  federation: optional(
    'bad_request',
    objectOf(FEDERATION_BODY, {
      id: 'Federation',
      says: 'Present: one list of all hits, best first.',
      hasPlainCode: true,
    }),
  ),
};
