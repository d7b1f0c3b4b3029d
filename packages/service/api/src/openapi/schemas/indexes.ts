import { objectSchema, querySchema } from '@fossick/base/contract';
import { z } from 'zod';
import {
  FIELDS_BODY,
  INDEX_CREATION_BODY,
  INDEX_PAGE_QUERY,
  INDEX_UPDATE_BODY,
  STATS_QUERY,
  SWAPS,
} from '../../requests/index-fields.js';
import { registers } from './answers.js';
import {
  type AnswerOf,
  codesOf,
  count,
  date,
  flag,
  indexUid,
  type Operation,
  operationsOf,
  pageOf,
  shows,
} from './operation.js';

const index = z
  .strictObject({
    uid: indexUid,
    createdAt: date('When it was made.'),
    updatedAt: date('When it was changed last.'),
    primaryKey: z
      .string()
      .nullable()
      .meta({ description: 'Attribute that holds the ids; null as long as there is none.' }),
  })
  .meta({ id: 'Index', description: 'A set of documents with settings of its own.' });
export type IndexAnswer = AnswerOf<typeof index>;
const INDEX = { uid: 'movies', createdAt: '2030-01-31T12:00:00Z', updatedAt: '2030-01-31T12:00:01Z', primaryKey: 'id' };
export const statsQuery = querySchema(STATS_QUERY);
const size = z.union([z.int().min(0), z.string()]).meta({ description: 'Bytes, or a text as asked for.' });
export const indexStats = z
  .strictObject({
    numberOfDocuments: count('Documents.'),
    indexSize: size,
    usedIndexSize: size,
    rawDocumentDbSize: size,
    avgDocumentSize: size,
    isIndexing: flag('Whether its documents are being changed now.'),
    internalDatabaseSizes: z.record(z.string(), size).optional(),
    numberOfEmbeddings: count('Vectors.'),
    numberOfEmbeddedDocuments: count('Documents that have any.'),
    fieldDistribution: z.record(z.string(), z.int().min(0)).meta({ description: 'Documents by attribute.' }),
  })
  .meta({ id: 'IndexStats', description: 'What an index holds.' });
export type IndexStatsAnswer = AnswerOf<typeof indexStats>;
export const INDEX_STATS = {
  numberOfDocuments: 2,
  indexSize: 262144,
  usedIndexSize: 184320,
  rawDocumentDbSize: 4096,
  avgDocumentSize: 80,
  isIndexing: false,
  numberOfEmbeddings: 0,
  numberOfEmbeddedDocuments: 0,
  fieldDistribution: { id: 2, title: 2 },
};

const isOn = z.strictObject({ enabled: z.boolean() });
const field = z
  .strictObject({
    name: z.string(),
    displayed: isOn,
    searchable: isOn,
    sortable: isOn,
    distinct: isOn,
    rankingRule: isOn.extend({ order: z.enum(['asc', 'desc']).optional() }),
    filterable: isOn.extend({
      sortBy: z.enum(['alpha', 'count', 'sampledCount']),
      facetSearch: z.boolean(),
      equality: z.boolean(),
      comparison: z.boolean(),
    }),
    localized: z.strictObject({ locales: z.array(z.string()) }),
  })
  .meta({ id: 'Field', description: 'What the settings make of a field.' });
export type FieldAnswer = AnswerOf<typeof field>;
const FIELD = {
  name: 'year',
  displayed: { enabled: true },
  searchable: { enabled: true },
  sortable: { enabled: true },
  distinct: { enabled: false },
  rankingRule: { enabled: false },
  filterable: { enabled: true, sortBy: 'alpha', facetSearch: true, equality: true, comparison: true },
  localized: { locales: [] },
};

const tag = 'Indexes';
const one = '/indexes/{indexUid}';
export const INDEX_OPERATIONS: readonly Operation[] = operationsOf({ tag }, [
  {
    id: 'listIndexes',
    route: 'GET /indexes',
    summary: 'Indexes that the key may see, by their names',
    action: 'indexes.get',
    query: querySchema(INDEX_PAGE_QUERY),
    answers: shows('A page of indexes.', pageOf(index), { results: [INDEX], offset: 0, limit: 20, total: 1 }),
    errors: ['invalid_index_offset', 'invalid_index_limit'],
  },
  {
    id: 'createIndex',
    route: 'POST /indexes',
    summary: 'Make an index',
    action: 'indexes.create',
    body: { schema: objectSchema(INDEX_CREATION_BODY), example: { uid: 'movies', primaryKey: 'id' } },
    answers: registers('indexCreation'),
    errors: ['invalid_index_uid', 'missing_index_uid', 'invalid_index_primary_key'],
  },
  {
    id: 'getIndex',
    route: `GET ${one}`,
    summary: 'One index',
    action: 'indexes.get',
    answers: shows('The index.', index, INDEX),
    errors: ['index_not_found', 'invalid_index_uid'],
  },
  {
    id: 'updateIndex',
    route: `PATCH ${one}`,
    summary: 'Rename an index, or give it a primary key',
    action: 'indexes.update',
    body: { schema: objectSchema(INDEX_UPDATE_BODY), example: { primaryKey: 'id' } },
    answers: registers('indexUpdate'),
    errors: codesOf('invalid_index_uid', 'invalid_index_primary_key', 'immutable_index_'),
  },
  {
    id: 'deleteIndex',
    route: `DELETE ${one}`,
    summary: 'Delete an index with all that it holds',
    action: 'indexes.delete',
    answers: registers('indexDeletion'),
    errors: ['invalid_index_uid'],
  },
  {
    id: 'compactIndex',
    route: `POST ${one}/compact`,
    summary: 'Give unused space of an index back',
    action: 'indexes.compact',
    answers: registers('indexCompaction'),
    errors: ['invalid_index_uid'],
  },
  {
    id: 'swapIndexes',
    route: 'POST /swap-indexes',
    summary: 'Exchange the names of indexes',
    action: 'indexes.swap',
    body: { schema: SWAPS.schema, example: [{ indexes: ['movies', 'movies_new'] }] },
    answers: registers('indexSwap'),
    errors: codesOf('invalid_swap_', 'missing_swap_', 'invalid_index_uid'),
  },
  {
    id: 'indexStats',
    route: `GET ${one}/stats`,
    summary: 'What an index holds',
    action: 'stats.get',
    query: statsQuery,
    answers: shows('Figures of the index.', indexStats, INDEX_STATS),
    errors: codesOf('invalid_stats_', 'index_not_found', 'invalid_index_uid'),
  },
  {
    id: 'listFields',
    route: `POST ${one}/fields`,
    summary: 'What the settings make of each field',
    action: 'fields.post',
    body: { schema: objectSchema(FIELDS_BODY), example: { filter: { filterable: true } } },
    answers: shows('A page of fields.', pageOf(field), { results: [FIELD], offset: 0, limit: 20, total: 1 }),
    errors: codesOf('invalid_index_', 'index_not_found'),
  },
]);
