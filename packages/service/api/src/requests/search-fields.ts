import { ApiError, apiError, MAX_MARKER_BYTES, MAX_NAMES } from '@fossick/base';
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
  userContext: required('invalid_search_personalize_user_context', string, 'invalid_search_personalize'),
};
export const personalize: Parser<{ userContext?: string | null }> = (value, where) =>
  readFields(value, PERSONALIZE, { unknownCode: where.code }, where.path);

const HYBRID = {
  embedder: required('invalid_search_embedder', string, 'invalid_search_hybrid_query'),
  semanticRatio: optional('invalid_search_semantic_ratio', share),
};
const hybrid: Parser<{ embedder: string; semanticRatio: number }> = (value, where) => {
  const given = readFields(value, HYBRID, { unknownCode: where.code }, where.path);
  return { embedder: given.embedder!, semanticRatio: given.semanticRatio ?? 0.5 };
};

/** Body of POST search, member by member. */
export const SEARCH_BODY = {
  q: optional('invalid_search_q', string),
  vector: optional('invalid_search_vector', numbers),
  media: optional('invalid_search_media', object),
  hybrid: optional('invalid_search_hybrid_query', hybrid),
  offset: optional('invalid_search_offset', integer),
  limit: optional('invalid_search_limit', integer),
  page: optional('invalid_search_page', integer),
  hitsPerPage: optional('invalid_search_hits_per_page', integer),
  attributesToRetrieve: optional('invalid_search_attributes_to_retrieve', names),
  retrieveVectors: optional('invalid_search_retrieve_vectors', boolean),
  attributesToCrop: optional('invalid_search_attributes_to_crop', names),
  cropLength: optional('invalid_search_crop_length', integer),
  attributesToHighlight: optional('invalid_search_attributes_to_highlight', names),
  showMatchesPosition: optional('invalid_search_show_matches_position', boolean),
  showRankingScore: optional('invalid_search_show_ranking_score', boolean),
  showRankingScoreDetails: optional('invalid_search_show_ranking_score_details', boolean),
  showPerformanceDetails: optional('invalid_search_show_performance_details', boolean),
  useNetwork: optional('invalid_search_use_network', boolean),
  filter: optional('invalid_search_filter', filter),
  sort: optional('invalid_search_sort', names),
  distinct: optional('invalid_search_distinct', string),
  facets: optional('invalid_search_facets', names),
  highlightPreTag: optional('invalid_search_highlight_pre_tag', marker),
  highlightPostTag: optional('invalid_search_highlight_post_tag', marker),
  cropMarker: optional('invalid_search_crop_marker', marker),
  matchingStrategy: optional('invalid_search_matching_strategy', strategy),
  attributesToSearchOn: optional('invalid_search_attributes_to_search_on', names),
  rankingScoreThreshold: optional('invalid_search_ranking_score_threshold', share),
  locales: optional('invalid_search_locales', listOf(locale, MAX_NAMES)),
  personalize: optional('invalid_search_personalize', personalize),
};

/** The error of a hybrid query with nothing to search for. */
export const missingHybrid = (): ApiError => apiError('missing_search_hybrid');

/** Query parameters of GET search. */
export const SEARCH_QUERY = {
  q: optional('invalid_search_q', queryText),
  vector: optional('invalid_search_vector', queryListOf(queryNumber)),
  media: optional('invalid_search_media', jsonObject),
  offset: optional('invalid_search_offset', queryInteger),
  limit: optional('invalid_search_limit', queryInteger),
  page: optional('invalid_search_page', queryInteger),
  hitsPerPage: optional('invalid_search_hits_per_page', queryInteger),
  attributesToRetrieve: optional('invalid_search_attributes_to_retrieve', queryList),
  retrieveVectors: optional('invalid_search_retrieve_vectors', queryBoolean),
  attributesToCrop: optional('invalid_search_attributes_to_crop', queryList),
  cropLength: optional('invalid_search_crop_length', queryInteger),
  attributesToHighlight: optional('invalid_search_attributes_to_highlight', queryList),
  filter: optional('invalid_search_filter', queryFilter),
  sort: optional('invalid_search_sort', querySort),
  distinct: optional('invalid_search_distinct', queryText),
  showMatchesPosition: optional('invalid_search_show_matches_position', queryBoolean),
  showRankingScore: optional('invalid_search_show_ranking_score', queryBoolean),
  showRankingScoreDetails: optional('invalid_search_show_ranking_score_details', queryBoolean),
  showPerformanceDetails: optional('invalid_search_show_performance_details', queryBoolean),
  useNetwork: optional('invalid_search_use_network', queryBoolean),
  facets: optional('invalid_search_facets', queryList),
  highlightPreTag: optional('invalid_search_highlight_pre_tag', marker),
  highlightPostTag: optional('invalid_search_highlight_post_tag', marker),
  cropMarker: optional('invalid_search_crop_marker', marker),
  matchingStrategy: optional('invalid_search_matching_strategy', strategy),
  attributesToSearchOn: optional('invalid_search_attributes_to_search_on', queryList),
  hybridEmbedder: optional('invalid_search_embedder', queryText),
  hybridSemanticRatio: optional('invalid_search_semantic_ratio', queryShare),
  rankingScoreThreshold: optional('invalid_search_ranking_score_threshold', queryShare),
  locales: optional('invalid_search_locales', queryListOf(locale)),
  personalizeUserContext: optional('invalid_search_personalize_user_context', queryText),
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
