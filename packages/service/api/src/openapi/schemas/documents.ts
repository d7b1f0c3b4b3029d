import { listOf, objectSchema, querySchema } from '@fossick/base/contract';
import { documentId } from '@fossick/settings/parameters';
import { z } from 'zod';
import {
  ADDITION_QUERY,
  DELETION_BODY,
  EDITION_BODY,
  EDITION_QUERY,
  FETCH_BODY,
  LIST_QUERY,
  METADATA_QUERY,
  ONE_QUERY,
} from '../../requests/document-fields.js';
import { hit, registers, remoteErrors } from './answers.js';
import { codesOf, type Operation, operationsOf, pageOf, shows } from './operation.js';

const document = hit;
const metadataQuery = querySchema(METADATA_QUERY);
/** Documents are read as a stream: their only rule is the id, which depends on the index. */
const additionBody = z
  .union([z.array(document), document])
  .meta({ description: 'Documents, or a single one. Each has an id.' });
/** A list of any length: wrong ids are errors of the task. */
const idsBody = listOf(documentId, { says: 'Ids of documents.' }).schema;

const documentsPage = pageOf(document).extend({ remoteErrors });

const base = '/indexes/{indexUid}/documents';
const tag = 'Documents';
const added = registers('documentAdditionOrUpdate');
const deleted = registers('documentDeletion');
const WRITING = ['invalid_index_uid', 'invalid_index_custom_metadata', 'no_space_left_on_device'] as const;
const READING = [
  ...codesOf('invalid_document_', 'proxy_', 'remote_'),
  ...(['index_not_found', 'invalid_index_uid', 'feature_not_enabled', 'too_many_search_requests'] as const),
];
const EDITION_CODES = [
  'invalid_document_',
  'invalid_on_document_error',
  'missing_document_edition',
  'feature_not_enabled',
] as const;
const addition = (method: 'POST' | 'PUT', id: string, summary: string) => ({
  id,
  route: `${method} ${base}` as const,
  summary,
  action: 'documents.add',
  query: querySchema(ADDITION_QUERY),
  body: {
    schema: additionBody,
    example: [{ id: 11, title: 'Star Wars', genres: ['Adventure'], year: 1977 }],
    otherMedia: {
      'application/x-ndjson': '{"id":11,"title":"Star Wars"}\n{"id":12,"title":"Finding Nemo"}\n',
      'text/csv': 'id,title,year:number\n11,Star Wars,1977\n12,Finding Nemo,2003\n',
    },
  },
  answers: added,
  errors: [
    ...WRITING,
    ...codesOf(
      'malformed_payload',
      'invalid_document_csv_delimiter',
      'invalid_skip_creation',
      'invalid_on_document_error',
      'invalid_index_primary_key',
    ),
  ],
});

export const DOCUMENT_OPERATIONS: readonly Operation[] = operationsOf({ tag }, [
  {
    id: 'listDocuments',
    route: `GET ${base}`,
    summary: 'Documents, page by page',
    action: 'documents.get',
    query: querySchema(LIST_QUERY),
    answers: shows('A page of documents.', documentsPage, { results: [{ id: 11 }], offset: 0, limit: 20, total: 1 }),
    errors: READING,
  },
  addition('POST', 'addDocuments', 'Add documents, or replace those with the same id'),
  addition('PUT', 'updateDocuments', 'Add documents, or merge into those with the same id'),
  {
    id: 'deleteAllDocuments',
    route: `DELETE ${base}`,
    summary: 'Delete all documents',
    action: 'documents.delete',
    query: metadataQuery,
    answers: deleted,
    errors: WRITING,
  },
  {
    id: 'fetchDocuments',
    route: `POST ${base}/fetch`,
    summary: 'Documents, page by page, by a body',
    action: 'documents.get',
    body: { schema: objectSchema(FETCH_BODY), example: { filter: 'year > 2000', fields: ['title'], limit: 5 } },
    answers: shows('A page of documents.', documentsPage, {
      results: [{ title: 'Finding Nemo' }],
      offset: 0,
      limit: 5,
      total: 1,
    }),
    errors: READING,
  },
  {
    id: 'getDocument',
    route: `GET ${base}/{documentId}`,
    summary: 'One document',
    action: 'documents.get',
    query: querySchema(ONE_QUERY),
    answers: shows('The document.', document, { id: 11, title: 'Star Wars' }),
    errors: [...READING, 'document_not_found'],
  },
  {
    id: 'deleteDocument',
    route: `DELETE ${base}/{documentId}`,
    summary: 'Delete a document',
    action: 'documents.delete',
    query: metadataQuery,
    answers: deleted,
    errors: [...WRITING, 'invalid_document_id'],
  },
  {
    id: 'deleteDocuments',
    route: `POST ${base}/delete-batch`,
    summary: 'Delete documents by their ids',
    action: 'documents.delete',
    query: metadataQuery,
    body: { schema: idsBody, example: [11, 'a-12'] },
    answers: deleted,
    errors: [...WRITING, 'invalid_document_id'],
  },
  {
    id: 'deleteDocumentsByFilter',
    route: `POST ${base}/delete`,
    summary: 'Delete documents by a filter',
    action: 'documents.delete',
    query: metadataQuery,
    body: { schema: objectSchema(DELETION_BODY), example: { filter: 'year < 1930' } },
    answers: deleted,
    errors: [...WRITING, 'invalid_document_filter', 'missing_document_filter', 'feature_not_enabled'],
  },
  {
    id: 'editDocuments',
    route: `POST ${base}/edit`,
    summary: 'Change documents by a function',
    action: 'documents.*',
    feature: 'editDocumentsByFunction',
    query: querySchema(EDITION_QUERY),
    body: {
      schema: objectSchema(EDITION_BODY),
      example: { function: 'doc.title = doc.title.to_upper()', filter: 'year > 2000' },
    },
    answers: registers('documentEdition'),
    errors: [...WRITING, ...codesOf(...EDITION_CODES)],
  },
]);
