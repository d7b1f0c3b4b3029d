import type { MessageRows } from './message-row.js';
import { listedNames } from './shared.js';

/** Messages of errors of documents, by code. */
export const DOCUMENTS_MESSAGES = {
  document_not_found: (documentId: string) => `Document \`${documentId}\` not found.`,
  edit_documents_by_function_error: {
    failed: (reason: string) => `The function failed on a document: ${reason}.`,
    tooLong: (minutes: number) =>
      `The function ran for longer than ${minutes} minutes over all documents: select fewer of them by a filter.`,
    notStored: (externalId: string, reason: string) => `The document \`${externalId}\`: ${reason}`,
    changedPrimaryKey: (primaryKey: string, externalId: string) =>
      `The function changed the primary key \`${primaryKey}\` of the document \`${externalId}\`, which stays as it is.`,
  },
  index_primary_key_already_exists: {
    hasDocuments: (uid: string, primaryKey: string) =>
      `Index \`${uid}\` has documents with the primary key \`${primaryKey}\`; it cannot be changed.`,
    alreadySet: (before: string, primaryKey: string) =>
      `The index already has the primary key \`${before}\`; \`${primaryKey}\` cannot be set.`,
  },
  index_primary_key_multiple_candidates_found: (names: readonly string[]) =>
    `The primary key could not be inferred: the fields ${listedNames(names, '`')} of the first document all end with \`id\`. Name one with \`primaryKey\`.`,
  index_primary_key_no_candidate_found: () =>
    'The primary key could not be inferred: no field of the first document has a name that ends with `id`. Name it with `primaryKey`.',
  invalid_document_fields: (externalId: string, reason: string) => `The document \`${externalId}\`: ${reason}`,
  invalid_document_filter: {
    foreignIndex: (uid: string) => `A write cannot look into the index \`${uid}\`.`,
    readOnlyOperator: (operator: string, context: string) => `\`${operator}\` is for reading only.\n${context}`,
  },
  invalid_document_geo_field: (externalId: string, fault: string) =>
    `The \`_geo\` field of the document \`${externalId}\` is invalid: ${fault}.`,
  invalid_document_geojson_field: (externalId: string, reason: string) =>
    `The \`_geojson\` field of the document \`${externalId}\` is invalid: ${reason}.`,
  invalid_document_id: {
    severalValues: (primaryKey: string) =>
      `A document has several values at its primary key \`${primaryKey}\`; one is allowed.`,
    notValid: (value: string, primaryKey: string, maxBytes: number) =>
      `The document identifier \`${value}\` (field \`${primaryKey}\`) is invalid: it must be an integer, or a string of 1 to ${maxBytes} bytes made of a-z A-Z 0-9, - and _.`,
  },
  invalid_document_ids: (at: number, id: string | undefined) =>
    `Invalid value at \`ids[${at}]\`: \`${id}\` is not a valid document id.`,
  invalid_document_sort: {
    notSortable: (field: string, sortable: readonly string[]) =>
      `Attribute \`${field}\` is not sortable. Sortable attributes: ${listedNames(sortable, '`') || 'none'}.`,
    tooManyEntries: (count: number, maxCount: number) =>
      `\`sort\` has ${count} different entries, and at most ${maxCount} are taken.`,
    tooSlow: (seconds: number) =>
      `Sorting took longer than ${seconds} seconds. Sort by fewer entries, ask for fewer documents at a time, or narrow them down with \`filter\`.`,
  },
  invalid_vectors_type: (path: string, externalId: string, fault: string) =>
    `\`${path}\` of the document \`${externalId}\` is invalid: ${fault}.`,
  max_fields_limit_exceeded: (maxFieldCount: number) => `An index holds at most ${maxFieldCount} distinct field names.`,
  missing_document_id: (primaryKey: string, excerpt: string) =>
    `A document has no field \`${primaryKey}\`, which is the primary key: \`${excerpt}\`.`,
  too_many_vectors: (externalId: string, vectorCount: number, name: string, maxCount: number) =>
    `The document \`${externalId}\` has ${vectorCount} vectors for the embedder \`${name}\`; ${maxCount} are allowed.`,
} satisfies MessageRows;
