/**
 * The parameters of searches. The requests of the engine, the checks of bodies and of query strings, the OpenAPI document
 * and the types of programs follow from these tables. Messages list members in their order.
 */
import { DEFAULT_PAGE_LIMIT, MAX_MARKER_BYTES, MAX_NAMES, MAX_QUERY_WORDS, utf8Length } from '@fossick/base';
import {
  allowing,
  anyObject,
  checked,
  choice,
  completing,
  count,
  criteria,
  flag,
  type Kind,
  listOf,
  locale,
  mapped,
  names,
  objectOf,
  optional,
  type Parser,
  parsers,
  pick,
  positive,
  queryFilter,
  required,
  share,
  shown,
  text,
  vector,
  wrongValue,
} from '@fossick/base/contract';
import { asApiError, checkFilterSize } from '@fossick/filter';
import { attributeWeights, requestRankingRules, requestTypoTolerance } from '../values/request-values.js';
import { hybridMembers, matchingStrategy } from '../values/search-values.js';
import { documentId } from './document-id-values.js';
import { GROUP_PARAMETERS } from './group-parameters.js';

const words = positive('Words and phrases of the query that are searched for.');
const upTo =
  (parse: Parser<number>): Parser<number> =>
  (value, where) => {
    const count = parse(value, where);
    if (count < 1 || count > MAX_QUERY_WORDS)
      throw wrongValue(where, `it must be from 1 to ${MAX_QUERY_WORDS}, but it is ${count}.`);
    return count;
  };
const maxQueryWords: Kind<number> = {
  ...shown(words, { maximum: MAX_QUERY_WORDS }),
  parse: upTo(words.parse),
  inQuery: upTo(words.inQuery),
};

/** Parameters of one search that replace settings about words and ranking, or ask for more than the reference knows. */
const WORD_PARAMETERS = {
  /** `false`, `true`, or the members that differ from the setting. */
  typoTolerance: optional('invalid_search_typo_tolerance', requestTypoTolerance('invalid_search_typo_tolerance')),
  /** Used instead of the setting; fields have to be sortable. */
  rankingRules: optional('invalid_search_ranking_rules', requestRankingRules()),
  /** Attributes with greater numbers rank first, those with equal ones are equal; attributes that are not named weigh 1. */
  attributeWeights: optional('invalid_search_attribute_weights', attributeWeights),
  /** 10 when absent, as in the reference. */
  maxQueryWords: optional(
    'invalid_search_max_query_words',
    allowing(maxQueryWords, `an integer from 1 to ${MAX_QUERY_WORDS}, or null`),
  ),
  /** `boolean`: `OR`, brackets, quotes and `-` combine words. */
  queryMode: optional(
    'invalid_search_query_mode',
    allowing(
      choice(['plain', 'boolean'], 'Whether `OR` and brackets in the query have a meaning.'),
      '`plain`, `boolean` or null',
    ),
    'plain',
  ),
};

/** A filter is text or arrays; the engine parses the content. Arrays beyond the limits of a filter are refused here. */
const parseFilter: Parser<unknown> = (value, { code }) => {
  asApiError(code, () => checkFilterSize(value));
  return value;
};
export const filter: Kind<unknown> = {
  parse: parseFilter,
  inQuery: queryFilter,
  schema: {
    anyOf: [
      { type: 'string' },
      { type: 'array', items: { anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }] } },
    ],
    description: 'Filter expression, or a list that is joined by AND, of texts and of lists that are joined by OR.',
    examples: ['genres = Comedy AND year > 2000', [['genres = Comedy', 'genres = Drama'], 'year > 2000']],
    'x-only-examples': true,
  },
  allows: 'a filter expression over filterable attributes, or null',
};

/** A marker that is inserted into texts; a page of hits may repeat it thousands of times. */
const parseMarker: Parser<string> = (value, where) => {
  const marker = parsers.string(value, where);
  const bytes = utf8Length(marker);
  if (bytes > MAX_MARKER_BYTES)
    throw wrongValue(where, `it may have up to ${MAX_MARKER_BYTES} bytes, but it has ${bytes}.`);
  return marker;
};
const marker = (says: string): Kind<string> =>
  allowing(shown(checked(text(says), parseMarker), { maxLength: MAX_MARKER_BYTES }), 'a string or null');

const TEXT = 'a string or null';
const SHARE = 'a number from 0.0 to 1.0, or null';
/** Members of `hybrid`. */
export const HYBRID_PARAMETERS: ReturnType<typeof hybridMembers> = hybridMembers(
  'invalid_search_embedder',
  'invalid_search_semantic_ratio',
  'invalid_search_hybrid_query',
);
const hybrid = mapped(
  objectOf(HYBRID_PARAMETERS, { id: 'Hybrid', says: 'Search by meaning in addition to words.' }),
  completing(HYBRID_PARAMETERS),
);
/** Members of `personalize`. */
export const PERSONALIZE_PARAMETERS = {
  userContext: required(
    'invalid_search_personalize_user_context',
    text('What is known of who searches.'),
    'invalid_search_personalize',
  ),
};
/** Searches by the taste of a user, which another service does. */
export const personalize = allowing(
  objectOf(PERSONALIZE_PARAMETERS, { says: 'Needs a service that this server has none of.' }),
  'an object with `userContext`, or null',
);
const media = anyObject('Media to search by.');
/** Hits to skip. */
const offset = count('Results to skip.');
const limit = count('Results to answer at most.');
const threshold = allowing(share('Hits below are left out.'), SHARE);

/** The parameters of a search in one index. */
export const SEARCH_PARAMETERS = {
  q: optional(
    'invalid_search_q',
    allowing(
      text('Words to search for. Quotes make a phrase, a minus in front excludes. Absent: all documents.', 'star wars'),
      TEXT,
    ),
  ),
  vector: optional(
    'invalid_search_vector',
    allowing(
      vector('Vector of the query: numbers of single precision.', [0.1, 0.2, 0.3]),
      'an array of numbers between -3.4e38 and 3.4e38, as many as the embedder makes, or null',
    ),
  ),
  media: optional(
    'invalid_search_media',
    allowing(media, 'an object that a search fragment of the embedder can render, or null'),
  ),
  hybrid: optional(
    'invalid_search_hybrid_query',
    allowing(hybrid, 'an object with `embedder` and `semanticRatio`, or null'),
  ),
  offset: optional('invalid_search_offset', offset, 0),
  limit: optional('invalid_search_limit', limit, DEFAULT_PAGE_LIMIT),
  /** From 1 on. With it or `hitsPerPage` the answer is a numbered page and counts all hits; `offset` and `limit` are ignored. */
  page: optional('invalid_search_page', count('Page to answer, from 1 on; with `hitsPerPage` it counts all hits.')),
  hitsPerPage: optional('invalid_search_hits_per_page', count('Hits of a page.')),
  attributesToRetrieve: optional(
    'invalid_search_attributes_to_retrieve',
    shown(names('Attributes to show.', 'title', 'year'), { default: ['*'] }),
  ),
  retrieveVectors: optional('invalid_search_retrieve_vectors', flag('Show the vectors of documents.'), false),
  /** `name` or `name:wordCount`. */
  attributesToCrop: optional(
    'invalid_search_attributes_to_crop',
    allowing(
      names('Attributes to shorten, with the number of words after a colon.', 'overview:20'),
      'an array of attribute names, or `["*"]`, each with a length if you like: `title:5`',
    ),
  ),
  cropLength: optional('invalid_search_crop_length', count('Words of a shortened attribute.'), 10),
  attributesToHighlight: optional(
    'invalid_search_attributes_to_highlight',
    names('Attributes whose matches are marked; `*` for all.', '*'),
  ),
  showMatchesPosition: optional(
    'invalid_search_show_matches_position',
    flag('Tell where matches are, in bytes.'),
    false,
  ),
  showRankingScore: optional('invalid_search_show_ranking_score', flag('Tell the score of each hit.'), false),
  showRankingScoreDetails: optional(
    'invalid_search_show_ranking_score_details',
    flag('Tell what the score is made of.'),
    false,
  ),
  showPerformanceDetails: optional(
    'invalid_search_show_performance_details',
    flag('Tell how long the stages of the search took.'),
    false,
  ),
  useNetwork: optional('invalid_search_use_network', flag('Ask the other instances of the network too.'), false),
  filter: optional(
    'invalid_search_filter',
    allowing(filter, 'a filter expression over filterable attributes, or arrays of such; the message marks the place'),
  ),
  /** `name:asc`, `name:desc`, `_geoPoint(lat, lng):asc`. */
  sort: optional(
    'invalid_search_sort',
    allowing(
      criteria('Attributes to sort by, with their direction.', 'year:desc'),
      'criteria like `year:asc` over sortable attributes; the rule `sort` has to be a ranking rule',
    ),
  ),
  /** Of hits with the same value of this attribute only the best one is returned. */
  distinct: optional(
    'invalid_search_distinct',
    allowing(
      text('Attribute of which each value is shown once.', 'director'),
      'the name of a filterable attribute, or null',
    ),
  ),
  ...GROUP_PARAMETERS,
  /** Attributes whose values are counted. */
  facets: optional('invalid_search_facets', names('Attributes whose values are counted; `*` for all.', 'genres')),
  highlightPreTag: optional('invalid_search_highlight_pre_tag', marker('In front of a match.'), '<em>', ''),
  highlightPostTag: optional('invalid_search_highlight_post_tag', marker('After a match.'), '</em>', ''),
  cropMarker: optional('invalid_search_crop_marker', marker('Where something was cut off.'), '…', ''),
  /** Which words may be left out when too few documents contain all of them. */
  matchingStrategy: optional('invalid_search_matching_strategy', matchingStrategy, 'last'),
  attributesToSearchOn: optional(
    'invalid_search_attributes_to_search_on',
    allowing(
      names('Attributes to search in, of the searchable ones.', 'title'),
      'an array of searchable attributes, or null',
    ),
  ),
  ...WORD_PARAMETERS,
  /** 0 to 1: hits below it are left out. */
  rankingScoreThreshold: optional('invalid_search_ranking_score_threshold', threshold),
  /** Languages of the query, ISO 639. */
  locales: optional(
    'invalid_search_locales',
    allowing(
      listOf(locale, { says: 'Languages of the query.', maxItems: MAX_NAMES }),
      'an array of language codes; the message lists them',
    ),
  ),
  personalize: optional('invalid_search_personalize', personalize),
};

/** The parameters of a search among the values of one facet. */
export const FACET_SEARCH_PARAMETERS = {
  ...WORD_PARAMETERS,
  ...pick(SEARCH_PARAMETERS, 'q', 'vector', 'media', 'hybrid', 'filter', 'matchingStrategy', 'attributesToSearchOn'),
  ...pick(SEARCH_PARAMETERS, 'rankingScoreThreshold', 'locales', 'useNetwork'),
  facetName: required(
    'invalid_facet_search_facet_name',
    allowing(text('Attribute whose values are searched.', 'genres'), 'the name of an attribute with facet search'),
    'missing_facet_search_facet_name',
  ),
  facetQuery: optional(
    'invalid_facet_search_query',
    allowing(text('What they begin with. Absent: the first of all.', 'com'), TEXT),
  ),
  exhaustiveFacetCount: optional(
    'invalid_facet_search_exhaustive_facet_count',
    flag('Count all documents, not just as many as a search would.'),
    false,
  ),
};

/** The parameters of a search for documents that are similar to one. */
export const SIMILAR_PARAMETERS = {
  id: required('invalid_similar_id', documentId, 'bad_request'),
  /** The embedder whose vectors are compared. */
  embedder: required(
    'invalid_similar_embedder',
    allowing(text('Name of the embedder.', 'default'), 'the name of an embedder of the index'),
    'bad_request',
  ),
  offset: optional('invalid_similar_offset', offset, 0),
  limit: optional('invalid_similar_limit', limit, DEFAULT_PAGE_LIMIT),
  filter: optional('invalid_similar_filter', filter),
  attributesToRetrieve: optional(
    'invalid_similar_attributes_to_retrieve',
    shown(names('Attributes to show.', 'title'), { default: ['*'] }),
  ),
  retrieveVectors: optional('invalid_similar_retrieve_vectors', flag('Show the vectors of documents.'), false),
  showRankingScore: optional('invalid_similar_show_ranking_score', flag('Tell the score of each hit.'), false),
  showRankingScoreDetails: optional(
    'invalid_similar_show_ranking_score_details',
    flag('Tell what the score is made of.'),
    false,
  ),
  showPerformanceDetails: optional(
    'invalid_similar_show_performance_details',
    flag('Tell how long the stages took.'),
    false,
  ),
  rankingScoreThreshold: optional('invalid_similar_ranking_score_threshold', threshold),
};
