import { ApiError, apiError, type ErrorCode, type ErrorCodeAfter, MAX_MARKER_BYTES, MAX_NAMES } from '@fossick/base';
import { optional, type Parser, readFields, required, type Where, wrongValue } from '../reading/fields.js';
import { filterValue } from '../reading/filter-value.js';
import { LOCALE_CODES, toThreeLetterLocale } from '../reading/locales.js';
import {
  queryBoolean,
  queryFilter,
  queryInteger,
  queryList,
  queryListOf,
  queryNumber,
  queryShare,
  querySort,
  queryText,
} from '../reading/query-values.js';
import { boolean, integer, listOf, names, numbers, object, oneOf, share, string } from '../reading/values.js';

const code = (name: ErrorCodeAfter<'invalid_search_'>): ErrorCode => `invalid_search_${name}`;
const strategy = oneOf('last', 'all', 'frequency');
const locale: Parser<string> = (value, where) => {
  const text = string(value, where);
  if (toThreeLetterLocale(text) === undefined)
    throw wrongValue(where, `the locale \`${text}\` is unknown; known are ${LOCALE_CODES.join(', ')}.`);
  return text;
};
/** A marker that is inserted into texts; a page of hits may repeat it thousands of times. */
const marker: Parser<string> = (value, where) => {
  const text = string(value, where);
  const bytes = Buffer.byteLength(text);
  if (bytes > MAX_MARKER_BYTES)
    throw wrongValue(where, `it may have up to ${MAX_MARKER_BYTES} bytes, but it has ${bytes}.`);
  return text;
};
/** A filter is text or arrays; the engine checks the contents. */
const filter: Parser<unknown> = filterValue;

const PERSONALIZE = {
  userContext: required(code('personalize_user_context'), string, code('personalize')),
};
export const personalize: Parser<{ userContext?: string | null }> = (value, where) =>
  readFields(value, PERSONALIZE, { unknownCode: where.code }, where.path);

const HYBRID = {
  embedder: required(code('embedder'), string, code('hybrid_query')),
  semanticRatio: optional(code('semantic_ratio'), share),
};
const hybrid: Parser<{ embedder: string; semanticRatio: number }> = (value, where) => {
  const given = readFields(value, HYBRID, { unknownCode: where.code }, where.path);
  return { embedder: given.embedder!, semanticRatio: given.semanticRatio ?? 0.5 };
};

/** Body of POST search, member by member. */
export const SEARCH_BODY = {
  q: optional(code('q'), string),
  vector: optional(code('vector'), numbers),
  media: optional(code('media'), object),
  hybrid: optional(code('hybrid_query'), hybrid),
  offset: optional(code('offset'), integer),
  limit: optional(code('limit'), integer),
  page: optional(code('page'), integer),
  hitsPerPage: optional(code('hits_per_page'), integer),
  attributesToRetrieve: optional(code('attributes_to_retrieve'), names),
  retrieveVectors: optional(code('retrieve_vectors'), boolean),
  attributesToCrop: optional(code('attributes_to_crop'), names),
  cropLength: optional(code('crop_length'), integer),
  attributesToHighlight: optional(code('attributes_to_highlight'), names),
  showMatchesPosition: optional(code('show_matches_position'), boolean),
  showRankingScore: optional(code('show_ranking_score'), boolean),
  showRankingScoreDetails: optional(code('show_ranking_score_details'), boolean),
  showPerformanceDetails: optional(code('show_performance_details'), boolean),
  useNetwork: optional(code('use_network'), boolean),
  filter: optional(code('filter'), filter),
  sort: optional(code('sort'), names),
  distinct: optional(code('distinct'), string),
  facets: optional(code('facets'), names),
  highlightPreTag: optional(code('highlight_pre_tag'), marker),
  highlightPostTag: optional(code('highlight_post_tag'), marker),
  cropMarker: optional(code('crop_marker'), marker),
  matchingStrategy: optional(code('matching_strategy'), strategy),
  attributesToSearchOn: optional(code('attributes_to_search_on'), names),
  rankingScoreThreshold: optional(code('ranking_score_threshold'), share),
  locales: optional(code('locales'), listOf(locale, MAX_NAMES)),
  personalize: optional(code('personalize'), personalize),
};

/** The error of a hybrid query with nothing to search for. */
export const missingHybrid = (): ApiError => apiError('missing_search_hybrid');

/** Query parameters of GET search. */
export const SEARCH_QUERY = {
  q: optional(code('q'), queryText),
  vector: optional(code('vector'), queryListOf(queryNumber)),
  media: optional(code('media'), jsonObject),
  offset: optional(code('offset'), queryInteger),
  limit: optional(code('limit'), queryInteger),
  page: optional(code('page'), queryInteger),
  hitsPerPage: optional(code('hits_per_page'), queryInteger),
  attributesToRetrieve: optional(code('attributes_to_retrieve'), queryList),
  retrieveVectors: optional(code('retrieve_vectors'), queryBoolean),
  attributesToCrop: optional(code('attributes_to_crop'), queryList),
  cropLength: optional(code('crop_length'), queryInteger),
  attributesToHighlight: optional(code('attributes_to_highlight'), queryList),
  filter: optional(code('filter'), queryFilter),
  sort: optional(code('sort'), querySort),
  distinct: optional(code('distinct'), queryText),
  showMatchesPosition: optional(code('show_matches_position'), queryBoolean),
  showRankingScore: optional(code('show_ranking_score'), queryBoolean),
  showRankingScoreDetails: optional(code('show_ranking_score_details'), queryBoolean),
  showPerformanceDetails: optional(code('show_performance_details'), queryBoolean),
  useNetwork: optional(code('use_network'), queryBoolean),
  facets: optional(code('facets'), queryList),
  highlightPreTag: optional(code('highlight_pre_tag'), marker),
  highlightPostTag: optional(code('highlight_post_tag'), marker),
  cropMarker: optional(code('crop_marker'), marker),
  matchingStrategy: optional(code('matching_strategy'), strategy),
  attributesToSearchOn: optional(code('attributes_to_search_on'), queryList),
  hybridEmbedder: optional(code('embedder'), queryText),
  hybridSemanticRatio: optional(code('semantic_ratio'), queryShare),
  rankingScoreThreshold: optional(code('ranking_score_threshold'), queryShare),
  locales: optional(code('locales'), queryListOf(locale)),
  personalizeUserContext: optional(code('personalize_user_context'), queryText),
};

const { q, vector, media, hybrid: hybridQuery, filter: filters, matchingStrategy, attributesToSearchOn } = SEARCH_BODY;
const { rankingScoreThreshold, locales, useNetwork } = SEARCH_BODY;

/**
 * Body of facet search. Routes ignore every other member, so that a client can send the parameters of its search.
 */
export const FACET_SEARCH_BODY = {
  q,
  vector,
  media,
  hybrid: hybridQuery,
  filter: filters,
  matchingStrategy,
  attributesToSearchOn,
  rankingScoreThreshold,
  locales,
  useNetwork,
  facetName: required('invalid_facet_search_facet_name', string, 'missing_facet_search_facet_name'),
  facetQuery: optional('invalid_facet_search_query', string),
  exhaustiveFacetCount: optional('invalid_facet_search_exhaustive_facet_count', boolean),
};

function jsonObject(value: unknown, where: Where): Record<string, unknown> {
  try {
    return object(JSON.parse(value as string), where);
  } catch (error) {
    if (error instanceof ApiError) throw error;
    throw wrongValue(where, `it is not JSON: ${(error as Error).message}.`);
  }
}
