import { MAX_INDEX_UID_BYTES } from '@fossick/base';
import { SETTINGS } from '@fossick/settings';
import { immutableProse, missingProse, type ProseTable, parameterProse, prose, reserved, tableProse } from './prose.js';

const BOOLEAN = 'a boolean or null';
const UID = `1 to ${MAX_INDEX_UID_BYTES} of the characters a-z, A-Z, 0-9, \`-\` and \`_\``;

/** Indexes and their fields. */
export const INDEX_PROSE: ProseTable = {
  index_not_found: prose(
    'There is no such index.',
    'No index has the uid in the path, or it was deleted or renamed; in a task, it was gone when the task ran.',
    'List the indexes with `GET /indexes`; add documents or `POST /indexes` to make one.',
  ),
  index_already_exists: prose(
    'The uid of a new index is taken.',
    'An index was made or renamed with the uid of another one.',
    'Use the index that is there, delete it first, or take another uid.',
  ),
  index_creation_failed: reserved(
    'An index could not be made.',
    'Other instances sum up the failure by this code; here the task has the code of the cause.',
    'Read the message and the log of the instance.',
  ),
  duplicate_index_found: reserved(
    'An index is named twice.',
    'Older instances answered this code; for swaps it is `invalid_swap_duplicate_index_found`.',
    'Name each index once.',
  ),
  invalid_index_uid: prose(
    '`uid` of an index, or of what is named like one, is wrong.',
    'A name in the path or in the body is empty, too long or has other characters; the message says whether it is that of an index, of a search rule or of a chat workspace.',
    `Send ${UID}.`,
  ),
  ...parameterProse('invalid_index_', 'of an index', {
    limit: ['limit', 'a non-negative integer'],
    offset: ['offset', 'a non-negative integer'],
    primary_key: ['primaryKey', 'the name of a field, or null'],
    custom_metadata: ['customMetadata', 'a string'],
  }),
  invalid_on_document_error: prose(
    '`onDocumentError` of a write is wrong.',
    'Its value is neither `fail` nor `skip`.',
    'Send one of the two.',
  ),
  invalid_skip_creation: prose(
    '`skipCreation` of a write is wrong.',
    'Its value is neither `true` nor `false`.',
    'Send one of the two.',
  ),
  ...missingProse('missing_index_', 'of a new index or of a query', { uid: ['uid` or `indexUid', UID] }),
  max_fields_limit_exceeded: prose(
    'The documents of the index have too many different fields.',
    'An index takes at most 65,535 field names over all its documents, nested ones included.',
    'Put names that are really values into an array of objects with `name` and `value`.',
  ),
  ...immutableProse('immutable_index_', 'of an index', { created_at: 'createdAt', updated_at: 'updatedAt' }),
  index_primary_key_already_exists: prose(
    'The index has another primary key.',
    'A primary key was sent that differs from that of an index which holds documents.',
    'Leave `primaryKey` out, or delete all documents of the index first.',
  ),
  index_primary_key_no_candidate_found: prose(
    'No field of the documents looks like their id.',
    'The index has no primary key, and no field of the first document ends in `id`.',
    'Name the field with `?primaryKey=`.',
  ),
  index_primary_key_multiple_candidates_found: prose(
    'Several fields of the documents look like their id.',
    'The index has no primary key, and several fields of the first document end in `id`; the message lists them.',
    'Name the right one with `?primaryKey=`.',
  ),
  ...parameterProse('invalid_swap_', 'of a swap', {
    indexes: ['indexes', 'an array of exactly two index uids'],
    rename: ['rename', 'a boolean'],
  }),
  invalid_swap_duplicate_index_found: prose(
    'An index is swapped twice.',
    'The same uid is in several pairs of one request, or twice in one pair.',
    'Send the swaps in several requests, one after another.',
  ),
  ...missingProse('missing_swap_', 'of a swap', { indexes: ['indexes', 'an array of exactly two index uids'] }),
  ...parameterProse('invalid_index_fields_', 'of a list of fields', {
    filter: ['filter', 'an object of what the fields have to be, or null'],
    filter_attribute_patterns: ['filter.attributePatterns', 'an array of patterns'],
    filter_displayed: ['filter.displayed', BOOLEAN],
    filter_searchable: ['filter.searchable', BOOLEAN],
    filter_sortable: ['filter.sortable', BOOLEAN],
    filter_distinct: ['filter.distinct', BOOLEAN],
    filter_ranking_rule: ['filter.rankingRule', BOOLEAN],
    filter_filterable: ['filter.filterable', BOOLEAN],
  }),
  ...parameterProse('invalid_stats_', 'of the statistics', {
    show_internal_database_sizes: ['showInternalDatabaseSizes', '`true` or `false`'],
    size_format: ['sizeFormat', '`raw` or `human`'],
  }),
};

/** Documents. */
export const DOCUMENT_PROSE: ProseTable = {
  document_not_found: prose(
    'There is no such document.',
    'The index has no document with the id in the path.',
    'Check the id, and whether the task that adds the document is done.',
  ),
  missing_document_id: prose(
    'A document has no id.',
    'The field that is the primary key of the index is missing; the message shows the document.',
    'Add the field, or name another one with `?primaryKey=` for an index without documents.',
  ),
  ...missingProse('missing_document_', 'of the body', {
    filter: ['filter', 'a filter expression'],
    edition_function: ['function', 'the text of a function'],
  }),
  ...parameterProse('invalid_document_', 'of a request for documents', {
    id: [
      'id',
      'an integer, or up to 511 bytes of the characters a-z, A-Z, 0-9, `-` and `_`, as the id of each document',
    ],
    ids: ['ids', 'an array of ids of documents'],
    limit: ['limit', 'a non-negative integer'],
    offset: ['offset', 'a non-negative integer'],
    sort: ['sort', 'criteria like `year:asc` over sortable attributes'],
    filter: ['filter', 'a filter expression over filterable attributes'],
    retrieve_vectors: ['retrieveVectors', 'a boolean'],
    use_network: ['useNetwork', 'a boolean'],
    csv_delimiter: ['csvDelimiter', 'one ASCII character, and only with `text/csv`'],
    edition_context: ['context', 'an object or null'],
    edition_function_filter: ['filter', 'a filter expression over filterable attributes'],
  }),
  invalid_document_fields: prose(
    '`fields` of a request is wrong, or a template cannot be rendered with a document.',
    '`fields` is no list of names; in a task, a template names a field that the document does not have.',
    'Send a list of attribute names; ask for the field with `{% if %}` in the template.',
  ),
  invalid_document_geo_field: prose(
    '`_geo` of a document is not a place.',
    '`lat` or `lng` is missing, no number, or out of range; the message names the document.',
    'Send `{"lat": -90 to 90, "lng": a number}`, or null.',
  ),
  invalid_document_geojson_field: prose(
    '`_geojson` of a document is not GeoJSON.',
    'The object is no geometry that RFC 7946 knows; the message names the document.',
    'Correct the shape, or send null.',
  ),
  edit_documents_by_function_error: prose(
    'The function failed on a document.',
    'It does not compile, took too long, or left something that is no document; the message says which.',
    'Correct the function; nothing was changed.',
  ),
  invalid_vectors_type: prose(
    '`_vectors` of a document is not in its form.',
    'It holds something else than null, a vector, an array of vectors, or an object with `embeddings` and `regenerate`.',
    'Bring it into one of these forms.',
  ),
  invalid_vector_dimensions: prose(
    'A vector has another length than its embedder makes.',
    'The vector of a document or of a search has more or fewer numbers than `dimensions` of the embedder.',
    'Send as many numbers as the message says, or correct `dimensions`.',
  ),
  too_many_vectors: prose(
    'A document has too many vectors for one embedder.',
    'A document takes at most 256 vectors for each embedder.',
    'Send fewer, or split the document.',
  ),
  vector_embedding_error: prose(
    'A vector could not be made.',
    'The provider of the embedder failed or its templates do not fit; or a document brings no vector of its own.',
    'Read what the provider said; correct the embedder, or add `_vectors` to the document.',
  ),
  inconsistent_document_change_headers: reserved(
    'The headers of a forwarded change contradict each other.',
    'Another edition of the API forwards changes among instances.',
    'Nothing has to be done by clients.',
  ),
  invalid_header_value: reserved(
    'A header of a forwarded request is wrong.',
    'Another edition of the API forwards requests among instances.',
    'Nothing has to be done by clients.',
  ),
};

/** Settings of an index. */
export const SETTINGS_PROSE: ProseTable = {
  ...tableProse('of the settings', SETTINGS),
  invalid_chat_setting_document_template: prose(
    '`documentTemplate` of the chat settings is no template.',
    'It is not valid Liquid; the message names the place.',
    'Correct the template, or send null for the default.',
  ),
};
