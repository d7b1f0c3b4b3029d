import { objectSchema, querySchema } from '@fossick/base/contract';
import { z } from 'zod';
import { FACET_SEARCH_BODY, SEARCH_QUERY } from '../../requests/search-fields.js';
import { SERVER_MULTI_SEARCH_BODY, SERVER_SEARCH_BODY } from '../../requests/server-search-fields.js';
import { SIMILAR_BODY, SIMILAR_QUERY } from '../../requests/similar-fields.js';
import { answerOfIndex, federatedAnswer, hit, remoteErrors, SEARCH_ANSWER, searchAnswer } from './answers.js';
import { codesOf, count, type Operation, operationsOf, shows, text } from './operation.js';

const searchBody = {
  ...objectSchema(SERVER_SEARCH_BODY),
  id: 'SearchQuery',
  description: 'A search in one index.',
};
const facetSearchBody = {
  ...objectSchema(FACET_SEARCH_BODY, { ignoresUnknown: true }),
  id: 'FacetSearchQuery',
  description: 'A search in the values of a facet, among the documents that a search finds. Other members are ignored.',
};

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
const similarAnswer = z.strictObject({
  hits: z.array(hit),
  id: text('The document asked for.'),
  processingTimeMs: count('Milliseconds.'),
  offset: count('Hits that were skipped.'),
  limit: count('Hits asked for.'),
  estimatedTotalHits: count('Hits in all.'),
  performanceDetails: z.record(z.string(), z.string()).optional().meta({ description: 'Time of each stage.' }),
});

const similar = {
  answers: shows('Documents, nearest first.', similarAnswer, {
    hits: [{ id: 12 }],
    id: '11',
    processingTimeMs: 1,
    limit: 20,
    offset: 0,
    estimatedTotalHits: 1,
  }),
  errors: [
    ...codesOf('invalid_similar_', 'not_found_similar_'),
    ...(['index_not_found', 'invalid_index_uid', 'feature_not_enabled', 'too_many_search_requests'] as const),
  ],
};

export const SEARCH_OPERATIONS: readonly Operation[] = operationsOf({ tag, action }, [
  {
    id: 'search',
    route: `POST ${base}/search`,
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
    route: `GET ${base}/search`,
    summary: 'Search in an index, by an address',
    query: querySchema(SEARCH_QUERY),
    answers: [found],
    errors: SEARCH_ERRORS,
  },
  {
    id: 'facetSearch',
    route: `POST ${base}/facet-search`,
    summary: 'Search in the values of a facet',
    body: { schema: facetSearchBody, example: { facetName: 'genres', facetQuery: 'com' } },
    answers: shows(
      'Values that fit, and how many documents have them.',
      z.strictObject({
        facetHits: z.array(z.strictObject({ value: text('The value.'), count: count('Documents that have it.') })),
        facetQuery: z.string().nullable(),
        processingTimeMs: count('Milliseconds that it took.'),
        remoteErrors,
      }),
      { facetHits: [{ value: 'Comedy', count: 12 }], facetQuery: 'com', processingTimeMs: 1 },
    ),
    errors: [...SEARCH_ERRORS, ...codesOf('invalid_facet_search_', 'missing_facet_search_', 'facet_search_disabled')],
  },
  {
    id: 'similar',
    route: `POST ${base}/similar`,
    summary: 'Documents like one',
    body: { schema: objectSchema(SIMILAR_BODY), example: { id: 11, embedder: 'default' } },
    ...similar,
  },
  {
    id: 'similarByQuery',
    route: `GET ${base}/similar`,
    summary: 'Documents like one, by an address',
    query: querySchema(SIMILAR_QUERY),
    ...similar,
  },
  {
    id: 'multiSearch',
    route: 'POST /multi-search',
    summary: 'Several searches in one request, each with its answer or merged to one list',
    body: {
      schema: objectSchema(SERVER_MULTI_SEARCH_BODY),
      example: {
        federation: {},
        queries: [
          { indexUid: 'movies', q: 'star' },
          { indexUid: 'books', q: 'star', federationOptions: { weight: 0.8 } },
        ],
      },
    },
    answers: shows(
      'An answer for each query, or one list of all hits where `federation` is there.',
      z.union([z.strictObject({ results: z.array(answerOfIndex) }), federatedAnswer]),
      { results: Object.entries(RESULTS).map(([uid, answer]) => ({ indexUid: uid, ...answer })) },
    ),
    errors: [...SEARCH_ERRORS, ...codesOf('invalid_multi_search_', 'missing_index_uid')],
  },
]);
