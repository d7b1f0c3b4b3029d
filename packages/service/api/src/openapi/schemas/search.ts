import { z } from 'zod';
import { LOCALE_CODES } from '../../reading/locales.js';
import { federatedAnswer, hit, SEARCH_ANSWER, searchAnswer } from './answers.js';
import {
  anyObject,
  codesOf,
  count,
  documentId,
  filter,
  flag,
  indexUid,
  limit,
  names,
  type Operation,
  offset,
  opt,
  preset,
  share,
  text,
} from './operation.js';

const locale = z
  .enum(LOCALE_CODES as [string, ...string[]])
  .meta({ id: 'Locale', description: 'A language, by two letters or three.' });
const strategy = z.enum(['last', 'all', 'frequency']).meta({
  id: 'MatchingStrategy',
  description: 'Which words may be missing: from the end, none, or the most frequent first.',
});
const marker = (says: string): z.ZodString => z.string().meta({ description: says }).max(1024);
const vector = z.array(z.number()).meta({ description: 'Vector of the query.', examples: [[0.1, 0.2, 0.3]] });
const personalize = z
  .strictObject({ userContext: text('What is known of who searches.') })
  .meta({ description: 'Needs a service that this server has none of.' });
const hybrid = z
  .strictObject({
    embedder: text('Name of the embedder.', 'default'),
    semanticRatio: preset(share('0: by words alone, 1: by meaning alone.'), 0.5),
  })
  .meta({ id: 'Hybrid', description: 'Search by meaning beside words.' });

/** Parameters of one search, shared by body and query. */
const SHARED = {
  q: opt(
    text('Words to search for. Quotes make a phrase, a minus in front excludes. Absent: all documents.', 'star wars'),
  ),
  vector: opt(vector),
  offset,
  limit,
  page: opt(count('Page to answer, from 1 on; with `hitsPerPage` it counts all hits.')),
  hitsPerPage: opt(count('Hits of a page.')),
  attributesToRetrieve: preset(names('Attributes to show.', 'title', 'year'), ['*']),
  retrieveVectors: preset(flag('Show the vectors of documents.'), false),
  attributesToCrop: opt(names('Attributes to shorten, with the number of words behind a colon.', 'overview:20')),
  cropLength: preset(count('Words of a shortened attribute.'), 10),
  attributesToHighlight: opt(names('Attributes whose matches are marked; `*` for all.', '*')),
  filter: opt(filter),
  sort: opt(names('Attributes to sort by, with their direction.', 'year:desc')),
  distinct: opt(text('Attribute of which each value is shown once.', 'director')),
  showMatchesPosition: preset(flag('Tell where matches are, in bytes.'), false),
  showRankingScore: preset(flag('Tell the score of each hit.'), false),
  showRankingScoreDetails: preset(flag('Tell what the score is made of.'), false),
  showPerformanceDetails: preset(flag('Tell how long the stages of the search took.'), false),
  useNetwork: preset(flag('Ask the other instances of the network too.'), false),
  facets: opt(names('Attributes whose values are counted; `*` for all.', 'genres')),
  highlightPreTag: preset(marker('In front of a match.'), '<em>'),
  highlightPostTag: preset(marker('Behind a match.'), '</em>'),
  cropMarker: preset(marker('Where something was cut off.'), '…'),
  matchingStrategy: preset(strategy, 'last'),
  attributesToSearchOn: opt(names('Attributes to search in, of the searchable ones.', 'title')),
  rankingScoreThreshold: opt(share('Hits below are left out.')),
  locales: opt(z.array(locale).meta({ description: 'Languages of the query.' })),
};
export const searchBody = z
  .strictObject({
    ...SHARED,
    media: opt(anyObject('Media to search by.')),
    hybrid: opt(hybrid),
    personalize: opt(personalize),
  })
  .meta({ id: 'SearchQuery', description: 'A search in one index.' });
export const searchQuery = z.strictObject({
  ...SHARED,
  media: opt(anyObject('Media to search by, as JSON.')),
  hybridEmbedder: opt(text('Name of the embedder.', 'default')),
  hybridSemanticRatio: opt(share('0: by words alone, 1: by meaning alone.')),
  personalizeUserContext: opt(text('What is known of who searches.')),
});
export const facetSearchBody = searchBody
  .pick({
    q: true,
    vector: true,
    media: true,
    hybrid: true,
    filter: true,
    matchingStrategy: true,
    attributesToSearchOn: true,
    rankingScoreThreshold: true,
    locales: true,
    useNetwork: true,
  })
  .loose()
  .extend({
    facetName: text('Attribute whose values are searched.', 'genres'),
    facetQuery: opt(text('What they begin with. Absent: the first of all.', 'com')),
    exhaustiveFacetCount: preset(flag('Count all documents, not just as many as a search would.'), false),
  })
  .meta({
    id: 'FacetSearchQuery',
    description:
      'A search in the values of a facet, among the documents that a search finds. Other members are ignored.',
  });

const SIMILAR = {
  offset,
  limit,
  filter: opt(filter),
  attributesToRetrieve: preset(names('Attributes to show.', 'title'), ['*']),
  retrieveVectors: preset(flag('Show the vectors of documents.'), false),
  showRankingScore: preset(flag('Tell the score of each hit.'), false),
  showRankingScoreDetails: preset(flag('Tell what the score is made of.'), false),
  showPerformanceDetails: preset(flag('Tell how long the stages took.'), false),
  rankingScoreThreshold: opt(share('Hits below are left out.')),
};
const embedder = text('Name of the embedder.', 'default');
export const similarBody = z.strictObject({ id: documentId, embedder, ...SIMILAR });
export const similarQuery = z.strictObject({ id: documentId, embedder: preset(embedder, 'default'), ...SIMILAR });

const federationOptions = z.strictObject({
  weight: preset(z.number().min(0).meta({ description: 'What scores of this query are multiplied by.' }), 1),
  remote: opt(text('Instance of the network that is asked.', 'ms-1')),
  queryPosition: opt(count('Place of the query in the request of another instance.')),
});
const oneQuery = searchBody
  .extend({ indexUid, federationOptions: opt(federationOptions) })
  .meta({ id: 'MultiSearchQuery', description: 'One of several searches.' });
const federation = z
  .strictObject({
    limit,
    offset,
    page: opt(count('Page to answer.')),
    hitsPerPage: opt(count('Hits of a page.')),
    facetsByIndex: opt(
      z.record(indexUid, z.array(z.string()).nullable()).meta({
        description: 'Facets that are counted, by index.',
        examples: [{ movies: ['genres'] }],
        'x-only-examples': true,
      }),
    ),
    mergeFacets: opt(
      z
        .strictObject({ maxValuesPerFacet: opt(count('Values of a facet at most.')) })
        .meta({ description: 'Counts of all indexes in one.' }),
    ),
    distinct: opt(text('Attribute of which each value is shown once.')),
    showPerformanceDetails: preset(flag('Tell how long the stages took.'), false),
    personalize: opt(personalize),
  })
  .meta({ id: 'Federation', description: 'Present: one list of all hits, best first.' });
export const multiSearchBody = z.strictObject({ queries: z.array(oneQuery), federation: opt(federation) });

const RESULTS = { movies: { ...SEARCH_ANSWER } };
const SEARCH_ERRORS = [
  ...codesOf('invalid_search_', 'missing_search_'),
  ...(['index_not_found', 'invalid_index_uid', 'feature_not_enabled', 'too_many_search_requests'] as const),
  ...codesOf('vector_embedding_error', 'remote_', 'proxy_'),
];
const base = '/indexes/{indexUid}';
const tag = 'Search';
const action = 'search';
const found = { status: 200, says: 'Hits, best first.', schema: searchAnswer, example: SEARCH_ANSWER };
const similarAnswer = z.looseObject({
  hits: z.array(hit),
  id: text('The document asked for.'),
  processingTimeMs: count('Milliseconds.'),
});

const similarErrors: Operation['errors'] = [
  ...codesOf('invalid_similar_', 'not_found_similar_'),
  'index_not_found',
  'invalid_index_uid',
  'feature_not_enabled',
  'too_many_search_requests',
];

export const SEARCH_OPERATIONS: readonly Operation[] = [
  {
    id: 'search',
    method: 'post',
    path: `${base}/search`,
    tag,
    action,
    summary: 'Search in an index',
    body: {
      schema: searchBody,
      example: { q: 'star wars', filter: 'year > 1970', attributesToHighlight: ['title'], limit: 5 },
    },
    answers: [found],
    errors: SEARCH_ERRORS,
  },
  {
    id: 'searchByQuery',
    method: 'get',
    path: `${base}/search`,
    tag,
    action,
    summary: 'Search in an index, by an address',
    query: searchQuery,
    answers: [found],
    errors: SEARCH_ERRORS,
  },
  {
    id: 'facetSearch',
    method: 'post',
    path: `${base}/facet-search`,
    tag,
    action,
    summary: 'Search in the values of a facet',
    body: { schema: facetSearchBody, example: { facetName: 'genres', facetQuery: 'com' } },
    answers: [
      {
        status: 200,
        says: 'Values that fit, and how many documents have them.',
        schema: z.strictObject({
          facetHits: z.array(z.strictObject({ value: text('The value.'), count: count('Documents that have it.') })),
          facetQuery: z.string().nullable(),
          processingTimeMs: count('Milliseconds that it took.'),
        }),
        example: { facetHits: [{ value: 'Comedy', count: 12 }], facetQuery: 'com', processingTimeMs: 1 },
      },
    ],
    errors: [...SEARCH_ERRORS, ...codesOf('invalid_facet_search_', 'missing_facet_search_', 'facet_search_disabled')],
  },
  {
    id: 'similar',
    method: 'post',
    path: `${base}/similar`,
    tag,
    action,
    summary: 'Documents like one',
    body: { schema: similarBody, example: { id: 11, embedder: 'default', limit: 3 } },
    answers: [
      {
        status: 200,
        says: 'Documents, nearest first.',
        schema: similarAnswer,
        example: { hits: [{ id: 12 }], id: '11', processingTimeMs: 1, limit: 3, offset: 0, estimatedTotalHits: 1 },
      },
    ],
    errors: similarErrors,
  },
  {
    id: 'similarByQuery',
    method: 'get',
    path: `${base}/similar`,
    tag,
    action,
    summary: 'Documents like one, by an address',
    query: similarQuery,
    answers: [
      {
        status: 200,
        says: 'Documents, nearest first.',
        schema: similarAnswer,
        example: { hits: [{ id: 12 }], id: '11', processingTimeMs: 1, limit: 20, offset: 0, estimatedTotalHits: 1 },
      },
    ],
    errors: similarErrors,
  },
  {
    id: 'multiSearch',
    method: 'post',
    path: '/multi-search',
    tag,
    action,
    summary: 'Several searches in one request, each with its answer or merged to one list',
    body: {
      schema: multiSearchBody,
      example: {
        federation: {},
        queries: [
          { indexUid: 'movies', q: 'star' },
          { indexUid: 'books', q: 'star', federationOptions: { weight: 0.8 } },
        ],
      },
    },
    answers: [
      {
        status: 200,
        says: 'An answer for each query, or one list of all hits where `federation` is there.',
        schema: z.union([z.strictObject({ results: z.array(searchAnswer) }), federatedAnswer]),
        example: { results: Object.entries(RESULTS).map(([uid, answer]) => ({ indexUid: uid, ...answer })) },
      },
    ],
    errors: [...SEARCH_ERRORS, ...codesOf('invalid_multi_search_', 'missing_index_uid')],
  },
];
