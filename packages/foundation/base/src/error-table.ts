/** Every error code of the API: code -> type, HTTP status and its texts (./messages). */
import { ERROR_MESSAGES } from './messages/error-messages.js';
import type { Message, MessageRows } from './messages/message-row.js';

export type ErrorType = 'invalid_request' | 'internal' | 'auth' | 'system';
export interface ErrorSpec {
  readonly type: ErrorType;
  readonly status: number;
  /** Texts of the code by name; `message` is the only one of its code. */
  readonly messages: Readonly<Record<string, Message>>;
}

/** Rows of one type and status: `prefix` followed by each of the blank-separated `names`. */
interface ErrorGroup<Prefix extends string = string, Names extends string = string> {
  readonly type: ErrorType;
  readonly status: number;
  readonly prefix: Prefix;
  readonly names: Names;
}
const group = <const Prefix extends string, const Names extends string>(
  type: ErrorType,
  status: number,
  prefix: Prefix,
  names: Names,
): ErrorGroup<Prefix, Names> => ({ type, status, prefix, names });
const invalid = <const Prefix extends string, const Names extends string>(
  prefix: Prefix,
  names: Names,
  status = 400,
): ErrorGroup<Prefix, Names> => group('invalid_request', status, prefix, names);

const AUTH = [
  group('auth', 401, '', 'missing_authorization_header missing_master_key'),
  group('auth', 403, '', 'invalid_api_key'),
  invalid('', 'api_key_not_found', 404),
  invalid('', 'api_key_already_exists', 409),
  invalid('invalid_api_key_', 'uid name description actions indexes expires_at offset limit'),
  invalid('missing_api_key_', 'actions indexes expires_at'),
  invalid('immutable_api_key_', 'uid key actions indexes expires_at created_at updated_at'),
  invalid('', 'index_scoped_api_key_with_global_action'),
] as const;

const GENERIC = [
  invalid('', 'bad_request bad_parameter malformed_payload missing_payload feature_not_enabled'),
  invalid('', 'unretrievable_error_code'),
  invalid('', 'payload_too_large', 413),
  invalid('', 'payload_timeout', 408),
  invalid('', 'headers_too_large', 431),
  invalid('', 'missing_content_type invalid_content_type unsupported_media_type', 415),
  group(
    'internal',
    500,
    '',
    'internal invalid_state invalid_store_file database_size_limit_reached cluster_log_damaged',
  ),
  group('internal', 400, '', 'unretrievable_document'),
  group('system', 422, '', 'io_error too_many_open_files no_space_left_on_device'),
  group('system', 503, '', 'too_many_search_requests too_many_payloads too_many_answers store_unavailable'),
  group('system', 503, '', 'cluster_log_unavailable replica_behind'),
] as const;

const INDEXES = [
  invalid('', 'index_not_found', 404),
  invalid('', 'index_already_exists', 409),
  group('internal', 500, '', 'index_creation_failed'),
  invalid('', 'duplicate_index_found invalid_index_uid missing_index_uid max_fields_limit_exceeded'),
  invalid('invalid_index_', 'limit offset primary_key custom_metadata'),
  invalid('', 'invalid_skip_creation immutable_index_created_at immutable_index_updated_at'),
  invalid('index_primary_key_', 'already_exists no_candidate_found multiple_candidates_found'),
  invalid('', 'invalid_swap_indexes invalid_swap_duplicate_index_found invalid_swap_rename missing_swap_indexes'),
  invalid('', 'invalid_index_fields_filter'),
  invalid(
    'invalid_index_fields_filter_',
    'attribute_patterns displayed searchable sortable distinct ranking_rule filterable',
  ),
  invalid('invalid_stats_', 'show_internal_database_sizes size_format'),
] as const;

const DOCUMENTS = [
  invalid('', 'document_not_found', 404),
  invalid('', 'missing_document_id missing_document_filter missing_document_edition_function'),
  invalid(
    'invalid_document_',
    'id ids fields limit offset sort filter retrieve_vectors use_network csv_delimiter edition_context edition_function_filter geo_field geojson_field',
  ),
  invalid('', 'edit_documents_by_function_error'),
  invalid('', 'invalid_vectors_type invalid_vector_dimensions too_many_vectors vector_embedding_error'),
  invalid('', 'inconsistent_document_change_headers invalid_header_value'),
] as const;

const SETTINGS = [
  invalid(
    'invalid_settings_',
    'displayed_attributes searchable_attributes filterable_attributes sortable_attributes foreign_keys ranking_rules stop_words non_separator_tokens separator_tokens dictionary synonyms distinct_attribute proximity_precision typo_tolerance faceting pagination embedders search_cutoff_ms localized_attributes facet_search prefix_search index_chat',
  ),
  invalid('', 'invalid_chat_setting_document_template'),
] as const;

const TASKS = [
  invalid('', 'task_not_found batch_not_found task_file_not_found webhook_not_found dump_not_found', 404),
  invalid('invalid_task_', 'uids canceled_by types statuses limit from reverse'),
  invalid('', 'invalid_batch_uids missing_task_filters'),
  invalid(
    'invalid_task_',
    'after_enqueued_at before_enqueued_at after_started_at before_started_at after_finished_at before_finished_at',
  ),
  invalid('invalid_', 'webhooks webhook_url webhook_headers webhook_uuid'),
  invalid('immutable_', 'webhook webhook_uuid webhook_is_editable'),
  invalid('', 'dump_already_processing', 409),
  group('internal', 500, '', 'dump_process_failed'),
  group('internal', 400, 'invalid_s3_snapshot_', 'request parameters'),
  group('internal', 502, '', 's3_snapshot_server_error'),
] as const;

const SEARCH = [
  invalid(
    'invalid_search_',
    'q vector media media_and_vector offset limit page hits_per_page attributes_to_retrieve attributes_to_crop crop_length crop_marker attributes_to_highlight highlight_pre_tag highlight_post_tag show_matches_position show_ranking_score show_ranking_score_details show_performance_details filter sort distinct facets matching_strategy attributes_to_search_on ranking_score_threshold locales hybrid_query semantic_ratio embedder retrieve_vectors use_network personalize personalize_user_context',
  ),
  invalid('', 'missing_search_hybrid not_found_similar_id'),
  invalid(
    'invalid_similar_',
    'id offset limit attributes_to_retrieve retrieve_vectors filter show_ranking_score show_ranking_score_details show_performance_details ranking_score_threshold embedder',
  ),
  invalid('invalid_facet_search_', 'facet_name query name exhaustive_facet_count'),
  invalid('', 'missing_facet_search_facet_name facet_search_disabled'),
  invalid(
    'invalid_multi_search_',
    'facets facets_by_index facet_order federated federation_options max_values_per_facet merge_facets query_facets query_pagination query_personalization query_position query_ranking_rules query_show_performance_details distinct remote weight',
  ),
] as const;

const NETWORK = [
  invalid('invalid_network_', 'self remotes shards leader url search_api_key write_api_key'),
  invalid('', 'missing_network_url unexpected_network_previous_remotes not_leader unknown_remote remote_bad_request'),
  invalid('', 'unprocessed_network_task network_version_too_old'),
  invalid('', 'network_version_mismatch import_task_already_received import_task_unknown_remote', 412),
  invalid('', 'receive_import_finished_unknown_remote', 412),
  invalid('', 'import_task_without_network_task', 503),
  group('auth', 403, '', 'remote_invalid_api_key'),
  group('system', 429, '', 'remote_too_many_requests'),
  group('system', 502, 'remote_', 'bad_response could_not_send_request remote_error timeout'),
  group('system', 502, '', 'proxy_could_not_send_request'),
] as const;

const OTHERS = [
  invalid('invalid_export_', 'url api_key payload_size indexes_patterns index_filter index_override_settings'),
  invalid('', 'invalid_render_template invalid_render_input template_parsing_error template_rendering_error'),
  invalid('', 'render_document_not_found dynamic_search_rule_not_found chat_not_found', 404),
  invalid(
    'invalid_dynamic_search_rule_',
    'offset limit filter filter_query filter_active description priority active conditions actions',
  ),
  invalid(
    'invalid_chat_completion_',
    'source org_id project_id api_version deployment_id base_api api_key prompts system_prompt search_description_prompt search_query_param_prompt search_filter_param_prompt search_index_uid_param_prompt pre_query_prompt',
  ),
  invalid(
    'unimplemented_',
    'external_function_calling non_streaming_chat_completions multi_choice_chat_completions',
    501,
  ),
] as const;

const GROUPS = [
  ...AUTH,
  ...GENERIC,
  ...INDEXES,
  ...DOCUMENTS,
  ...SETTINGS,
  ...TASKS,
  ...SEARCH,
  ...NETWORK,
  ...OTHERS,
] as const;
type Words<Text extends string, Found = never> = Text extends `${infer Word} ${infer Rest}`
  ? Words<Rest, Found | Word>
  : Found | Text;
type CodesOf<Group> = Group extends ErrorGroup<infer Prefix, infer Names> ? `${Prefix}${Words<Names> & string}` : never;
/** Every code of the table: errors cannot be thrown with another one. */
export type ErrorCode = CodesOf<(typeof GROUPS)[number]>;

/** What may follow `Prefix` in a code. */
export type ErrorCodeAfter<Prefix extends string> = ErrorCode extends infer Code
  ? Code extends `${Prefix}${infer Tail}`
    ? Tail
    : never
  : never;

/** checks that every code with texts is in the table */
ERROR_MESSAGES satisfies Partial<Record<ErrorCode, unknown>>;

/** Texts of a code by name. */
function messagesOf(code: ErrorCode): ErrorSpec['messages'] {
  const row = (ERROR_MESSAGES as MessageRows)[code] ?? { messages: {} };
  return 'message' in row ? row : row.messages;
}

/** code -> type, HTTP status and texts, in the order of the spec. */
export const errorTable: ReadonlyMap<ErrorCode, ErrorSpec> = new Map(
  GROUPS.flatMap(({ type, status, prefix, names }) =>
    names.split(' ').map((name): [ErrorCode, ErrorSpec] => {
      const code = `${prefix}${name}` as ErrorCode;
      return [code, { type, status, messages: messagesOf(code) }];
    }),
  ),
);

/** Whether a code from outside (an old database, a dump, another instance) is in the table. */
export function isErrorCode(code: string): code is ErrorCode {
  return (errorTable as ReadonlyMap<string, ErrorSpec>).has(code);
}

/** The default address of the error pages. */
export const ERROR_PAGES_URL = 'https://github.com/fossick/fossick/blob/main/docs/errors.md';

export interface ErrorDescription extends Omit<ErrorSpec, 'messages'> {
  readonly link: string;
}

/**
 * Type, HTTP status and documentation link of a code. A code that is not in the table is a bug and is described as
 * `internal`.
 */
export function describeError(code: string, baseUrl = ERROR_PAGES_URL): ErrorDescription {
  const { type, status } = (errorTable as ReadonlyMap<string, ErrorSpec>).get(code) ?? {
    type: 'internal' as const,
    status: 500,
  };
  return { type, status, link: `${baseUrl}#${code}` };
}

/** An error in the API's form, also in `task.error`; keys in the order of the spec. */
export interface ErrorJson {
  readonly message: string;
  readonly code: string;
  readonly type: ErrorType;
  readonly link: string;
}
/** An error in the API's form. */
export function errorToJson(code: string, message: string, baseUrl?: string): ErrorJson {
  const { type, link } = describeError(code, baseUrl);
  return { message, code, type, link };
}
