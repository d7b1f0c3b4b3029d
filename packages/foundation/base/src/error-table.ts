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

/** Codes of one type and HTTP status. Each code is written whole, so that a search for it finds this table. */
interface ErrorGroup<Code extends string = string> {
  readonly type: ErrorType;
  readonly status: number;
  readonly codes: readonly Code[];
}
const group = <const Code extends string>(
  type: ErrorType,
  status: number,
  ...codes: readonly Code[]
): ErrorGroup<Code> => ({ type, status, codes });
const invalid = <const Code extends string>(...codes: readonly Code[]): ErrorGroup<Code> =>
  group('invalid_request', 400, ...codes);

const AUTH = [
  group('auth', 401, 'missing_authorization_header', 'missing_master_key'),
  group('auth', 403, 'invalid_api_key'),
  group('invalid_request', 404, 'api_key_not_found'),
  group('invalid_request', 409, 'api_key_already_exists'),
  invalid(
    'invalid_api_key_uid',
    'invalid_api_key_name',
    'invalid_api_key_description',
    'invalid_api_key_actions',
    'invalid_api_key_indexes',
    'invalid_api_key_expires_at',
    'invalid_api_key_offset',
    'invalid_api_key_limit',
  ),
  invalid('missing_api_key_actions', 'missing_api_key_indexes', 'missing_api_key_expires_at'),
  invalid(
    'immutable_api_key_uid',
    'immutable_api_key_key',
    'immutable_api_key_actions',
    'immutable_api_key_indexes',
    'immutable_api_key_expires_at',
    'immutable_api_key_created_at',
    'immutable_api_key_updated_at',
  ),
  invalid('index_scoped_api_key_with_global_action'),
] as const;

const GENERIC = [
  invalid('bad_request', 'bad_parameter', 'malformed_payload', 'missing_payload', 'feature_not_enabled'),
  group('invalid_request', 404, 'route_not_found'),
  group('invalid_request', 405, 'method_not_allowed'),
  group('invalid_request', 416, 'unsatisfiable_range'),
  invalid('unretrievable_error_code'),
  group('invalid_request', 413, 'payload_too_large'),
  group('invalid_request', 408, 'payload_timeout'),
  group('invalid_request', 431, 'headers_too_large'),
  group('invalid_request', 415, 'missing_content_type', 'invalid_content_type', 'unsupported_media_type'),
  group(
    'internal',
    500,
    'internal',
    'invalid_state',
    'invalid_store_file',
    'database_size_limit_reached',
    'cluster_log_damaged',
  ),
  group('internal', 400, 'unretrievable_document'),
  group('auth', 403, 'origin_not_allowed', 'host_not_allowed'),
  group('system', 422, 'io_error', 'too_many_open_files', 'no_space_left_on_device'),
  group('system', 503, 'too_many_search_requests', 'too_many_payloads', 'too_many_answers', 'store_unavailable'),
  group('system', 503, 'cluster_log_unavailable', 'replica_behind'),
] as const;

/** The Model Context Protocol. */
const MCP = [
  group('auth', 403, 'mcp_origin_not_allowed'),
  invalid('invalid_mcp_argument', 'mcp_answer_too_large'),
] as const;

const INDEXES = [
  group('invalid_request', 404, 'index_not_found'),
  group('invalid_request', 409, 'index_already_exists'),
  group('internal', 500, 'index_creation_failed'),
  invalid('duplicate_index_found', 'invalid_index_uid', 'missing_index_uid', 'max_fields_limit_exceeded'),
  invalid('invalid_index_limit', 'invalid_index_offset', 'invalid_index_primary_key', 'invalid_index_custom_metadata'),
  invalid('invalid_on_document_error'),
  invalid('invalid_skip_creation', 'immutable_index_created_at', 'immutable_index_updated_at'),
  invalid(
    'index_primary_key_already_exists',
    'index_primary_key_no_candidate_found',
    'index_primary_key_multiple_candidates_found',
  ),
  invalid('invalid_swap_indexes', 'invalid_swap_duplicate_index_found', 'invalid_swap_rename', 'missing_swap_indexes'),
  invalid('invalid_index_fields_filter'),
  invalid(
    'invalid_index_fields_filter_attribute_patterns',
    'invalid_index_fields_filter_displayed',
    'invalid_index_fields_filter_searchable',
    'invalid_index_fields_filter_sortable',
    'invalid_index_fields_filter_distinct',
    'invalid_index_fields_filter_ranking_rule',
    'invalid_index_fields_filter_filterable',
  ),
  invalid('invalid_stats_show_internal_database_sizes', 'invalid_stats_size_format'),
] as const;

const DOCUMENTS = [
  group('invalid_request', 404, 'document_not_found'),
  invalid('missing_document_id', 'missing_document_filter', 'missing_document_edition_function'),
  invalid(
    'invalid_document_id',
    'invalid_document_ids',
    'invalid_document_fields',
    'invalid_document_limit',
    'invalid_document_offset',
    'invalid_document_sort',
    'invalid_document_filter',
    'invalid_document_retrieve_vectors',
    'invalid_document_use_network',
    'invalid_document_csv_delimiter',
    'invalid_document_edition_context',
    'invalid_document_edition_function_filter',
    'invalid_document_geo_field',
    'invalid_document_geojson_field',
  ),
  invalid('edit_documents_by_function_error'),
  invalid('invalid_vectors_type', 'invalid_vector_dimensions', 'too_many_vectors', 'vector_embedding_error'),
  invalid('inconsistent_document_change_headers', 'invalid_header_value'),
] as const;

const SETTINGS = [
  invalid(
    'invalid_settings_displayed_attributes',
    'invalid_settings_searchable_attributes',
    'invalid_settings_filterable_attributes',
    'invalid_settings_sortable_attributes',
    'invalid_settings_foreign_keys',
    'invalid_settings_element_attributes',
    'invalid_settings_hierarchical_facets',
    'invalid_settings_ranking_rules',
    'invalid_settings_stop_words',
    'invalid_settings_non_separator_tokens',
    'invalid_settings_separator_tokens',
    'invalid_settings_dictionary',
    'invalid_settings_synonyms',
    'invalid_settings_distinct_attribute',
    'invalid_settings_expiry_attribute',
    'invalid_settings_substring_attributes',
    'invalid_settings_proximity_precision',
    'invalid_settings_typo_tolerance',
    'invalid_settings_faceting',
    'invalid_settings_pagination',
    'invalid_settings_embedders',
    'invalid_settings_search_cutoff_ms',
    'invalid_settings_localized_attributes',
    'invalid_settings_facet_search',
    'invalid_settings_prefix_search',
    'invalid_settings_index_chat',
  ),
  invalid('invalid_chat_setting_document_template'),
] as const;

const TASKS = [
  group(
    'invalid_request',
    404,
    'task_not_found',
    'batch_not_found',
    'task_file_not_found',
    'webhook_not_found',
    'dump_not_found',
    'snapshot_not_found',
  ),
  invalid(
    'invalid_task_uids',
    'invalid_task_canceled_by',
    'invalid_task_types',
    'invalid_task_statuses',
    'invalid_task_limit',
    'invalid_task_from',
    'invalid_task_reverse',
    'invalid_task_errors_offset',
    'invalid_task_errors_limit',
  ),
  invalid('invalid_batch_uids', 'missing_task_filters'),
  invalid(
    'invalid_task_after_enqueued_at',
    'invalid_task_before_enqueued_at',
    'invalid_task_after_started_at',
    'invalid_task_before_started_at',
    'invalid_task_after_finished_at',
    'invalid_task_before_finished_at',
  ),
  invalid('invalid_webhooks', 'invalid_webhook_url', 'invalid_webhook_headers', 'invalid_webhook_uuid'),
  invalid('immutable_webhook', 'immutable_webhook_uuid', 'immutable_webhook_is_editable'),
  group('invalid_request', 409, 'dump_already_processing'),
  group('internal', 500, 'dump_process_failed'),
  group('internal', 400, 'invalid_s3_snapshot_request', 'invalid_s3_snapshot_parameters'),
  group('internal', 400, 'invalid_s3_dump_request', 'invalid_s3_dump_parameters'),
  group('internal', 502, 's3_snapshot_server_error', 's3_dump_server_error'),
] as const;

const SEARCH = [
  invalid(
    'invalid_search_q',
    'invalid_search_vector',
    'invalid_search_media',
    'invalid_search_media_and_vector',
    'invalid_search_offset',
    'invalid_search_limit',
    'invalid_search_page',
    'invalid_search_hits_per_page',
    'invalid_search_attributes_to_retrieve',
    'invalid_search_attributes_to_crop',
    'invalid_search_crop_length',
    'invalid_search_crop_marker',
    'invalid_search_attributes_to_highlight',
    'invalid_search_highlight_pre_tag',
    'invalid_search_highlight_post_tag',
    'invalid_search_show_matches_position',
    'invalid_search_show_ranking_score',
    'invalid_search_show_ranking_score_details',
    'invalid_search_show_performance_details',
    'invalid_search_filter',
    'invalid_search_sort',
    'invalid_search_distinct',
    'invalid_search_exact_distinct_counts',
    'invalid_search_explain',
    'invalid_search_group',
    'invalid_search_facet_levels',
    'invalid_search_facet_order',
    'invalid_search_aggregations',
    'invalid_search_facets',
    'invalid_search_matching_strategy',
    'invalid_search_attributes_to_search_on',
    'invalid_search_typo_tolerance',
    'invalid_search_ranking_rules',
    'invalid_search_attribute_weights',
    'invalid_search_max_query_words',
    'invalid_search_inline_rule',
    'invalid_search_query_mode',
    'invalid_search_boolean_query',
    'invalid_search_ranking_score_threshold',
    'invalid_search_locales',
    'invalid_search_hybrid_query',
    'invalid_search_semantic_ratio',
    'invalid_search_embedder',
    'invalid_search_retrieve_vectors',
    'invalid_search_use_network',
    'invalid_search_personalize',
    'invalid_search_personalize_user_context',
  ),
  invalid('missing_search_hybrid', 'not_found_similar_id'),
  invalid(
    'invalid_similar_id',
    'invalid_similar_offset',
    'invalid_similar_limit',
    'invalid_similar_attributes_to_retrieve',
    'invalid_similar_retrieve_vectors',
    'invalid_similar_filter',
    'invalid_similar_show_ranking_score',
    'invalid_similar_show_ranking_score_details',
    'invalid_similar_show_performance_details',
    'invalid_similar_ranking_score_threshold',
    'invalid_similar_embedder',
  ),
  invalid(
    'invalid_facet_search_facet_name',
    'invalid_facet_search_query',
    'invalid_facet_search_name',
    'invalid_facet_search_exhaustive_facet_count',
  ),
  invalid('missing_facet_search_facet_name', 'facet_search_disabled'),
  invalid('search_analytics_off'),
  invalid('missing_event_type', 'missing_event_name', 'missing_event_index_uid'),
  invalid(
    'invalid_event_type',
    'invalid_event_name',
    'invalid_event_user_id',
    'invalid_event_query_uid',
    'invalid_event_object_id',
    'invalid_event_object_name',
    'invalid_event_position',
  ),
  invalid('invalid_analytics_from', 'invalid_analytics_to', 'invalid_analytics_index', 'invalid_analytics_limit'),
  invalid(
    'invalid_suggestions_enabled',
    'invalid_suggestions_index_uid',
    'invalid_suggestions_sources',
    'invalid_suggestions_min_searches',
    'invalid_suggestions_min_users',
    'invalid_suggestions_days',
    'invalid_suggestions_max_suggestions',
    'invalid_suggestions_denied',
  ),
  invalid(
    'invalid_multi_search_facets',
    'invalid_multi_search_facets_by_index',
    'invalid_multi_search_facet_order',
    'invalid_multi_search_federated',
    'invalid_multi_search_federation_options',
    'invalid_multi_search_max_values_per_facet',
    'invalid_multi_search_merge_facets',
    'invalid_multi_search_query_aggregations',
    'invalid_multi_search_query_explain',
    'invalid_multi_search_query_facets',
    'invalid_multi_search_query_facet_levels',
    'invalid_multi_search_query_group',
    'invalid_multi_search_query_pagination',
    'invalid_multi_search_query_personalization',
    'invalid_multi_search_query_position',
    'invalid_multi_search_query_ranking_rules',
    'invalid_multi_search_query_show_performance_details',
    'invalid_multi_search_distinct',
    'invalid_multi_search_remote',
    'invalid_multi_search_weight',
  ),
] as const;

const NETWORK = [
  invalid(
    'invalid_network_self',
    'invalid_network_remotes',
    'invalid_network_shards',
    'invalid_network_leader',
    'invalid_network_url',
    'invalid_network_search_api_key',
    'invalid_network_write_api_key',
  ),
  invalid(
    'missing_network_url',
    'unexpected_network_previous_remotes',
    'not_leader',
    'unknown_remote',
    'remote_bad_request',
  ),
  invalid('unprocessed_network_task', 'network_version_too_old'),
  group(
    'invalid_request',
    412,
    'network_version_mismatch',
    'import_task_already_received',
    'import_task_unknown_remote',
  ),
  group('invalid_request', 412, 'receive_import_finished_unknown_remote'),
  group('invalid_request', 503, 'import_task_without_network_task'),
  group('auth', 403, 'remote_invalid_api_key'),
  group('system', 429, 'remote_too_many_requests'),
  group('system', 502, 'remote_bad_response', 'remote_could_not_send_request', 'remote_remote_error', 'remote_timeout'),
  group('system', 502, 'proxy_could_not_send_request'),
] as const;

const OTHERS = [
  invalid(
    'invalid_export_url',
    'invalid_export_api_key',
    'invalid_export_payload_size',
    'invalid_export_indexes_patterns',
    'invalid_export_index_filter',
    'invalid_export_index_override_settings',
  ),
  invalid('invalid_render_template', 'invalid_render_input', 'template_parsing_error', 'template_rendering_error'),
  group('invalid_request', 404, 'render_document_not_found', 'dynamic_search_rule_not_found', 'chat_not_found'),
  invalid(
    'invalid_dynamic_search_rule_offset',
    'invalid_dynamic_search_rule_limit',
    'invalid_dynamic_search_rule_filter',
    'invalid_dynamic_search_rule_filter_query',
    'invalid_dynamic_search_rule_filter_active',
    'invalid_dynamic_search_rule_show_target',
    'invalid_dynamic_search_rule_description',
    'invalid_dynamic_search_rule_priority',
    'invalid_dynamic_search_rule_active',
    'invalid_dynamic_search_rule_conditions',
    'invalid_dynamic_search_rule_actions',
  ),
  invalid(
    'invalid_chat_completion_source',
    'invalid_chat_completion_org_id',
    'invalid_chat_completion_project_id',
    'invalid_chat_completion_api_version',
    'invalid_chat_completion_deployment_id',
    'invalid_chat_completion_base_api',
    'invalid_chat_completion_api_key',
    'invalid_chat_completion_prompts',
    'invalid_chat_completion_system_prompt',
    'invalid_chat_completion_search_description_prompt',
    'invalid_chat_completion_search_query_param_prompt',
    'invalid_chat_completion_search_filter_param_prompt',
    'invalid_chat_completion_search_index_uid_param_prompt',
    'invalid_chat_completion_pre_query_prompt',
  ),
  group(
    'invalid_request',
    501,
    'unimplemented_external_function_calling',
    'unimplemented_non_streaming_chat_completions',
    'unimplemented_multi_choice_chat_completions',
  ),
] as const;

const GROUPS = [
  ...AUTH,
  ...GENERIC,
  ...MCP,
  ...INDEXES,
  ...DOCUMENTS,
  ...SETTINGS,
  ...TASKS,
  ...SEARCH,
  ...NETWORK,
  ...OTHERS,
] as const;
/** Every code of the table: errors cannot be thrown with another one. */
export type ErrorCode = (typeof GROUPS)[number]['codes'][number];

/** checks that every code with texts is in the table */
ERROR_MESSAGES satisfies Partial<Record<ErrorCode, unknown>>;

/** Texts of a code by name. */
function messagesOf(code: ErrorCode): ErrorSpec['messages'] {
  const row = (ERROR_MESSAGES as MessageRows)[code] ?? {};
  return typeof row === 'function' ? { message: row } : row;
}

/** code -> type, HTTP status and texts, in the order of the spec. */
export const errorTable: ReadonlyMap<ErrorCode, ErrorSpec> = new Map(
  GROUPS.flatMap(({ type, status, codes }) =>
    codes.map((code): [ErrorCode, ErrorSpec] => [code, { type, status, messages: messagesOf(code) }]),
  ),
);

/** Whether a code from outside (an old database, a dump, another instance) is in the table. */
export function isErrorCode(code: string): code is ErrorCode {
  return (errorTable as ReadonlyMap<string, ErrorSpec>).has(code);
}
