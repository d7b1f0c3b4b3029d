import { MAX_MULTI_SEARCH_QUERIES, MAX_NAMES } from '@fossick/base';
import {
  optional,
  type Parser,
  type Received,
  readFields,
  required,
  wrongType,
  wrongValue,
} from '../reading/fields.js';
import { boolean, checkLength, indexUid, integer, names, nullable, number, object, string } from '../reading/values.js';
import { personalize, SEARCH_BODY } from './search-fields.js';

const weight: Parser<number> = (value, where) => {
  const given = number(value, where);
  if (given < 0) throw wrongValue(where, `it must be 0 or more (\`1.0\` changes nothing), but it is ${given}.`);
  return given;
};

const OPTIONS = {
  weight: optional('invalid_multi_search_weight', weight),
  remote: optional('invalid_multi_search_remote', string),
  queryPosition: optional('invalid_multi_search_query_position', integer),
};
const options: Parser<Received<typeof OPTIONS>> = (value, where) => readFields(value, OPTIONS, {}, where.path);

const QUERY = {
  ...SEARCH_BODY,
  indexUid: required('invalid_index_uid', indexUid, 'missing_index_uid'),
  federationOptions: optional('bad_request', options),
};
/** One query of a multi-search. */
export type MultiSearchQuery = Received<typeof QUERY> & { readonly indexUid?: string };

const queries: Parser<MultiSearchQuery[]> = (value, where) => {
  if (!Array.isArray(value)) throw wrongType(where, 'an array', value);
  checkLength(value.length, MAX_MULTI_SEARCH_QUERIES, where);
  return value.map((query, i) => readFields(query, QUERY, {}, `${where.path}[${i}]`) as MultiSearchQuery);
};

const MERGE_FACETS = { maxValuesPerFacet: optional('invalid_multi_search_max_values_per_facet', integer) };
const mergeFacets: Parser<Received<typeof MERGE_FACETS>> = (value, where) =>
  readFields(value, MERGE_FACETS, { unknownCode: where.code }, where.path);

/** Lists of facets by index; a null list requests nothing. */
const facetsByIndex: Parser<Map<string, string[]>> = (value, where) => {
  const lists = new Map<string, string[]>();
  let count = 0;
  for (const [uid, list] of Object.entries(object(value, where))) {
    const at = { ...where, path: `${where.path}.${uid}` };
    indexUid(uid, at);
    const facets = nullable(names)(list, at);
    count += 1 + (facets?.length ?? 0);
    checkLength(count, MAX_NAMES, where);
    if (facets !== null) lists.set(uid, facets);
  }
  return lists;
};

const FEDERATION = {
  limit: optional('invalid_search_limit', integer),
  offset: optional('invalid_search_offset', integer),
  page: optional('invalid_search_page', integer),
  hitsPerPage: optional('invalid_search_hits_per_page', integer),
  facetsByIndex: optional('invalid_multi_search_facets_by_index', facetsByIndex),
  mergeFacets: optional('invalid_multi_search_merge_facets', mergeFacets),
  distinct: optional('invalid_search_distinct', string),
  showPerformanceDetails: optional('invalid_search_show_performance_details', boolean),
  personalize: optional('invalid_search_personalize', personalize),
};
/** Parameters of the merged list. */
export type Federation = Received<typeof FEDERATION>;
const federation: Parser<Federation> = (value, where) => readFields(value, FEDERATION, {}, where.path);

/** Body of a multi-search. */
export const MULTI_SEARCH_BODY = {
  queries: required('bad_request', queries, 'bad_request'),
  federation: optional('bad_request', federation),
};
