import { MAX_EDIT_CONTEXT_BYTES, MAX_LISTED_FIELDS, MAX_LISTED_IDS } from '@fossick/base';
import { idText } from '@fossick/documents';
import { readFilter } from '@fossick/filter';
import { isJsonObject, optional, type Parser, required, wrongType, wrongValue } from '../reading/fields.js';
import { filterValue } from '../reading/filter-value.js';
import { queryBoolean, queryFilter, queryInteger, queryList, queryListOf, querySort } from '../reading/query-values.js';
import { boolean, integer, listOf, names, string } from '../reading/values.js';
import { wrongIdMessage } from './similar-fields.js';

/** A document id: text, or an integer that stands for its text. Throws for values that cannot be an id. */
const documentId: Parser<string> = (value, where) => {
  if (typeof value !== 'string' && typeof value !== 'number') throw wrongType(where, 'a string or a number', value);
  const id = idText(value);
  if (id === undefined) throw wrongValue(where, wrongIdMessage(value));
  return id;
};
/** Ids in a query string: an empty text is an empty list. */
const queryIds: Parser<string[]> = (value, where) => (value === '' ? [] : queryListOf(documentId)(value, where));
/** Query of one document. */
export const ONE_QUERY = {
  fields: optional('invalid_document_fields', queryList),
  retrieveVectors: optional('invalid_document_retrieve_vectors', queryBoolean),
  useNetwork: optional('invalid_document_use_network', queryBoolean),
};
/** Query of a page of documents. */
export const LIST_QUERY = {
  offset: optional('invalid_document_offset', queryInteger),
  limit: optional('invalid_document_limit', queryInteger),
  fields: optional('invalid_document_fields', queryList),
  retrieveVectors: optional('invalid_document_retrieve_vectors', queryBoolean),
  ids: optional('invalid_document_ids', queryIds),
  filter: optional('invalid_document_filter', queryFilter),
  sort: optional('invalid_document_sort', querySort),
  useNetwork: optional('invalid_document_use_network', queryBoolean),
};
const documentFilter: Parser<unknown> = (value, where) => {
  if (typeof value !== 'string' && !Array.isArray(value)) throw wrongType(where, 'a string or an array', value);
  return filterValue(value, where);
};
/** The same as a body. */
export const FETCH_BODY = {
  offset: optional('invalid_document_offset', integer),
  limit: optional('invalid_document_limit', integer),
  fields: optional('invalid_document_fields', listOf(string, MAX_LISTED_FIELDS)),
  retrieveVectors: optional('invalid_document_retrieve_vectors', boolean),
  ids: optional('invalid_document_ids', listOf(documentId, MAX_LISTED_IDS)),
  filter: optional('invalid_document_filter', documentFilter),
  sort: optional('invalid_document_sort', names),
  useNetwork: optional('invalid_document_use_network', boolean),
};

/** A filter that is not empty: an empty one would select every document. */
const deletionFilter: Parser<unknown> = (value, where) => {
  if (typeof value !== 'string' && !Array.isArray(value)) throw wrongType(where, 'a string or an array', value);
  if (readFilter(value, where.code) === null) throw wrongValue(where, 'the filter is empty.');
  return value;
};
/** Body of a deletion by filter. */
export const DELETION_BODY = { filter: required('invalid_document_filter', deletionFilter, 'missing_document_filter') };

const editionFilter: Parser<unknown> = (value, where) => {
  if (typeof value !== 'string' && !Array.isArray(value)) throw wrongType(where, 'a string or an array', value);
  readFilter(value, where.code);
  return value;
};
const editionContext: Parser<unknown> = (value, where) => {
  if (!isJsonObject(value)) throw wrongType(where, 'an object', value);
  const byteCount = Buffer.byteLength(JSON.stringify(value));
  if (byteCount > MAX_EDIT_CONTEXT_BYTES)
    throw wrongValue(where, `its JSON text has ${byteCount} bytes, and at most ${MAX_EDIT_CONTEXT_BYTES} are allowed.`);
  return value;
};
/** Body of an edit by function. */
export const EDITION_BODY = {
  filter: optional('invalid_document_filter', editionFilter),
  context: optional('invalid_document_edition_context', editionContext),
  function: required('invalid_document_edition_function_filter', string, 'missing_document_edition_function'),
};
