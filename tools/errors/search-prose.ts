import { pick } from '@fossick/base/contract';
import { FACET_SEARCH_PARAMETERS, SEARCH_PARAMETERS, SIMILAR_PARAMETERS } from '@fossick/settings/parameters';
import { missingProse, type ProseTable, parameterProse, prose, reserved, tableProse } from './prose.js';

const COUNT = 'a non-negative integer';

/** Searches of every kind. */
export const SEARCH_PROSE: ProseTable = {
  ...tableProse('of a search', SEARCH_PARAMETERS),
  ...parameterProse('invalid_search_', 'of a search', {
    inline_rule: ['inlineRule', 'a search rule with a `uid`, or null; it needs the feature `dynamicSearchRules`'],
    media_and_vector: ['media` and `vector', 'only one of the two'],
    semantic_ratio: ['hybrid.semanticRatio', 'a number from 0.0 to 1.0'],
    embedder: ['hybrid.embedder', 'the name of an embedder of the index'],
    personalize_user_context: ['personalize.userContext', 'a string'],
  }),
  invalid_search_boolean_query: prose(
    'A query with `queryMode` `boolean` cannot be read, or is too large.',
    'An `OR` or a closing bracket is misplaced, brackets are nested too deep or multiply out to too many alternatives, too many words are excluded, or an alternative only excludes words.',
    'Correct the place that the message names, or put the words in quotes.',
  ),
  missing_search_hybrid: prose(
    'A search by a vector does not name its embedder.',
    '`vector` or `media` was sent without `hybrid`.',
    'Add `"hybrid": {"embedder": NAME}`.',
  ),
  not_found_similar_id: prose(
    'The document to which others are to be similar is not there.',
    'The index has no document with this `id`.',
    'Check the id with `GET /indexes/UID/documents/ID`.',
  ),
  ...tableProse('of a search for similar documents', SIMILAR_PARAMETERS),
  ...tableProse('of a facet search', pick(FACET_SEARCH_PARAMETERS, 'facetName', 'facetQuery', 'exhaustiveFacetCount')),
  invalid_facet_search_name: reserved(
    '`facetName` of a facet search is wrong.',
    'Other instances may answer this code; here it is `invalid_facet_search_facet_name`.',
    'Send the name of an attribute with facet search.',
  ),
  ...missingProse('missing_facet_search_', 'of a facet search', {
    facet_name: ['facetName', 'the name of an attribute with facet search'],
  }),
  facet_search_disabled: prose(
    'The index does not search in facet values.',
    'Its setting `facetSearch` is off.',
    'Turn the setting on.',
  ),
};

const EVENT_TEXT = 'a string of at most 1,024 UTF-16 units';
const DATE = 'an RFC 3339 date-time, or a date like `2030-01-31`';

/** Events of clients, reports of searches, and suggestions. */
export const ANALYTICS_PROSE: ProseTable = {
  search_analytics_off: prose(
    'The server counts no searches and events.',
    'A client sent an event to a server that was started without `--search-analytics`.',
    'Start the server with `--search-analytics`, or send no events.',
  ),
  ...missingProse('missing_event_', 'of an event', {
    type: ['eventType', '`click` or `conversion`'],
    name: ['eventName', EVENT_TEXT],
    index_uid: ['indexUid', 'the uid of the index that was searched'],
  }),
  ...parameterProse('invalid_event_', 'of an event', {
    type: ['eventType', '`click` or `conversion`'],
    name: ['eventName', EVENT_TEXT],
    user_id: ['userId', EVENT_TEXT],
    query_uid: ['queryUid', EVENT_TEXT],
    object_id: ['objectId', 'the id of a document'],
    object_name: ['objectName', EVENT_TEXT],
    position: ['position', COUNT],
  }),
  ...parameterProse('invalid_analytics_', 'of a report of searches', {
    from: ['from', DATE],
    to: ['to', `${DATE} later than \`from\`, and at most 366 days later`],
    index: ['index', 'the uid of an index'],
    limit: ['limit', COUNT],
  }),
  ...parameterProse('invalid_suggestions_', 'of the settings of suggestions', {
    enabled: ['enabled', 'a boolean'],
    index_uid: ['indexUid', 'the uid of the index that gets the suggestions'],
    sources: ['sources', 'an array of index uids, or null for all'],
    min_searches: ['minSearches', COUNT],
    min_users: ['minUsers', COUNT],
    days: ['days', 'a positive integer'],
    max_suggestions: ['maxSuggestions', 'a positive integer'],
    denied: ['denied', 'an array of words and phrases'],
  }),
};

/** Searches in several indexes. */
export const MULTI_SEARCH_PROSE: ProseTable = {
  ...parameterProse('invalid_multi_search_', 'of a federated search', {
    facets_by_index: [
      'federation.facetsByIndex',
      'an object of index uids, each with an array of filterable attributes',
    ],
    facet_order: ['federation.facetsByIndex', 'attributes that all indexes sort in the same way, or no `mergeFacets`'],
    federation_options: [
      'federationOptions',
      'an object with `weight`, `remote` and `queryPosition`, only with `federation`',
    ],
    max_values_per_facet: ['federation.mergeFacets.maxValuesPerFacet', `${COUNT} or null`],
    merge_facets: ['federation.mergeFacets', 'an object with `maxValuesPerFacet`, or null'],
    query_position: ['federationOptions.queryPosition', COUNT],
    distinct: ['federation.distinct', 'the name of an attribute, and no `distinct` in the queries'],
    remote: ['federationOptions.remote', 'the name of a remote of the network'],
    weight: ['federationOptions.weight', 'a positive number'],
  }),
  invalid_multi_search_facets: reserved(
    '`facets` of a multi-search is wrong.',
    'Other instances may answer this code; here a query carries `invalid_search_facets`.',
    'Send an array of attribute names.',
  ),
  invalid_multi_search_federated: reserved(
    'A parameter is wrong in a federated search.',
    'Other instances may answer this code; here each parameter has its own.',
    'Correct the parameter that the message names.',
  ),
  invalid_multi_search_query_facets: prose(
    '`facets` is in a query of a federated search.',
    'Facets are counted over all queries together.',
    'Move it to `federation.facetsByIndex`.',
  ),
  invalid_multi_search_query_aggregations: prose(
    'A query of a federated search has `aggregations`.',
    'Averages of several indexes cannot be merged without the numbers that they were computed from.',
    'Search the indexes one by one, or in a multi-search without `federation`.',
  ),
  invalid_multi_search_query_explain: prose(
    'A query of a federated search has `explain`.',
    'A federated search has no plan of its own: its queries are merged.',
    'Search the indexes one by one, or in a multi-search without `federation`.',
  ),
  invalid_multi_search_query_facet_levels: prose(
    'A query of a federated search has `facetLevels`.',
    'Facets are counted over all queries together, and paths of several indexes need not have the same levels.',
    'Search the indexes one by one, or in a multi-search without `federation`.',
  ),
  invalid_multi_search_query_group: prose(
    'A query of a federated search has `group`.',
    'Hits of several indexes have no common values to group by.',
    'Search the indexes one by one, or in a multi-search without `federation`.',
  ),
  invalid_multi_search_query_pagination: prose(
    'A query of a federated search asks for a page.',
    '`limit`, `offset`, `page` and `hitsPerPage` count over all queries together.',
    'Move them to `federation`.',
  ),
  invalid_multi_search_query_personalization: prose(
    '`personalize` is in a query of a federated search.',
    'The merged hits are personalized together.',
    'Move it to `federation.personalize`.',
  ),
  invalid_multi_search_query_ranking_rules: prose(
    'The hits of two queries cannot be compared.',
    'Their indexes sort by the same kind of rule in opposite directions, or place it differently.',
    'Bring the ranking rules of the indexes into line, or search them one by one.',
  ),
  invalid_multi_search_query_show_performance_details: prose(
    '`showPerformanceDetails` is in a query of a federated search.',
    'The details are of the whole search.',
    'Move it to `federation.showPerformanceDetails`.',
  ),
};
