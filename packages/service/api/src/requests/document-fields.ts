import { MAX_EDIT_CONTEXT_BYTES, MAX_LISTED_FIELDS, MAX_LISTED_IDS, utf8Length } from '@fossick/base';
import {
  anyObject,
  checked,
  choice,
  criteria,
  exampleText,
  flag,
  inQuery,
  isJsonObject,
  type Kind,
  listOf,
  optional,
  type Parser,
  pick,
  required,
  shown,
  text,
  wrongType,
  wrongValue,
} from '@fossick/base/contract';
import { toJsonText } from '@fossick/documents';
import { readFilter } from '@fossick/filter';
import { filter, listedId } from '@fossick/settings/parameters';
import { pageFields } from './page-fields.js';

/** In a query string, an empty text is an empty list. */
const idList = listOf(listedId, { says: 'Only these documents.', maxItems: MAX_LISTED_IDS });
const ids: Kind<readonly string[]> = {
  ...idList,
  inQuery: (value, where) => (value === '' ? [] : idList.inQuery(value, where)),
};
const nameList = listOf(text(''), {
  says: 'Attributes to show; absent: all.',
  maxItems: MAX_LISTED_FIELDS,
  examples: [['title']],
});
const parseFilter: Parser<unknown> = (value, where) => {
  if (typeof value !== 'string' && !Array.isArray(value)) throw wrongType(where, 'a string or an array', value);
  return filter.parse(value, where);
};

/** Body of a page of documents. */
export const FETCH_BODY = {
  ...pageFields('invalid_document_offset', 'invalid_document_limit'),
  fields: optional('invalid_document_fields', nameList),
  retrieveVectors: optional('invalid_document_retrieve_vectors', flag('Show the vectors of documents.'), false),
  ids: optional('invalid_document_ids', ids),
  filter: optional('invalid_document_filter', { ...filter, parse: parseFilter }),
  /** `name:asc` or `name:desc`. */
  sort: optional('invalid_document_sort', criteria('Attributes to sort by, with their direction.', 'year:desc')),
  useNetwork: optional('invalid_document_use_network', flag('Ask the other instances of the network too.'), false),
};
/** The same as a query. */
export const LIST_QUERY = inQuery(FETCH_BODY);
/** Query of one document. */
export const ONE_QUERY = pick(LIST_QUERY, 'fields', 'retrieveVectors', 'useNetwork');

/** A filter that is not empty: an empty one would select every document. */
const deletionFilter: Parser<unknown> = (value, where) => {
  if (typeof value !== 'string' && !Array.isArray(value)) throw wrongType(where, 'a string or an array', value);
  if (readFilter(value, where.code) === null) throw wrongValue(where, 'the filter is empty.');
  return value;
};
/** Body of a deletion by filter. */
export const DELETION_BODY = {
  filter: required('invalid_document_filter', checked(filter, deletionFilter), 'missing_document_filter'),
};

/** A filter that was parsed in another thread, which takes long: it is not parsed again. */
const parsedFilter = checked(filter, (value) => value);
/** A body that a thread has found to be a DELETION_BODY. */
export const CHECKED_DELETION = {
  filter: required('invalid_document_filter', parsedFilter, 'missing_document_filter'),
};

const editionFilter: Parser<unknown> = (value, where) => {
  if (typeof value !== 'string' && !Array.isArray(value)) throw wrongType(where, 'a string or an array', value);
  readFilter(value, where.code);
  return value;
};
const editionContext: Parser<unknown> = (value, where) => {
  if (!isJsonObject(value)) throw wrongType(where, 'an object', value);
  const byteCount = utf8Length(toJsonText(value));
  if (byteCount > MAX_EDIT_CONTEXT_BYTES)
    throw wrongValue(where, `its JSON text has ${byteCount} bytes, and at most ${MAX_EDIT_CONTEXT_BYTES} are allowed.`);
  return value;
};
/** Body of an edit by function. */
export const EDITION_BODY = {
  filter: optional('invalid_document_filter', checked(filter, editionFilter)),
  context: optional(
    'invalid_document_edition_context',
    checked(anyObject('Values that the function sees as `context`.'), editionContext),
  ),
  function: required(
    'invalid_document_edition_function_filter',
    exampleText('What is done to each document, `doc`.', 'doc.title = doc.title.to_upper()'),
    'missing_document_edition_function',
  ),
};

/** A body that a thread has found to be an EDITION_BODY. */
export const CHECKED_EDITION = { ...EDITION_BODY, filter: optional('invalid_document_filter', parsedFilter) };

const onDocumentError = optional(
  'invalid_on_document_error',
  choice(
    ['fail', 'skip'],
    'Whether a faulty document fails the task, or is left out and listed by `GET /tasks/{uid}/errors`.',
  ),
  'fail',
);
const customMetadata = optional('invalid_index_custom_metadata', text('A note that the task keeps.', 'import of May'));
/** Query of a write that becomes a task. */
export const METADATA_QUERY = inQuery({ customMetadata });
/** Query of an edit by function. */
export const EDITION_QUERY = inQuery({ onDocumentError, customMetadata });

const parseDelimiter: Parser<string> = (value, where) => {
  const delimiter = value as string;
  if (delimiter.length !== 1 || delimiter.charCodeAt(0) > 127)
    throw wrongValue(where, `\`${delimiter}\` is not one single ASCII character.`);
  return delimiter;
};
/** In upper or lower case, unlike other switches. */
const parseSwitch: Parser<boolean> = (value, where) => {
  const word = (value as string).toLowerCase();
  if (word !== 'true' && word !== 'false') throw wrongValue(where, `\`${word}\` is neither \`true\` nor \`false\`.`);
  return word === 'true';
};
/** How documents are added. */
export const ADDITION_PARAMETERS = {
  /**
   * The field that identifies documents; inferred from the first document (`id`, or a name with that ending) when
   * absent.
   */
  primaryKey: optional(
    'invalid_index_primary_key',
    text('Attribute that holds the ids, where the index has none yet.', 'id'),
  ),
  csvDelimiter: optional(
    'invalid_document_csv_delimiter',
    checked(
      shown(exampleText('Character between the values of a CSV.', ';'), { minLength: 1, maxLength: 1 }),
      parseDelimiter,
    ),
  ),
  /** Only existing documents are changed. */
  skipCreation: optional(
    'invalid_skip_creation',
    checked(flag('Leave out documents that the index does not have.'), parseSwitch),
    false,
  ),
  /** `skip`: a faulty document is left out, and reported in `errors`, instead of failing the whole addition. */
  onDocumentError,
  customMetadata,
};
/** Query of an addition of documents. */
export const ADDITION_QUERY = inQuery(ADDITION_PARAMETERS);
