export { BOOT_ID_LENGTH, bootId } from './boot-id.js';
export { compareUtf8, encodeWords, sortByBytes } from './byte-order.js';
export { collectGarbage } from './collect-garbage.js';
export type { ErrorCode, ErrorCodeAfter, ErrorDescription, ErrorJson, ErrorSpec, ErrorType } from './error-table.js';
export { describeError, ERROR_PAGES_URL, errorTable, errorToJson, isErrorCode } from './error-table.js';
export {
  ApiError,
  apiError,
  type ErrorText,
  foreignText,
  messageWithoutPaths,
  sharedError,
  sharedText,
  ThreadLost,
} from './errors.js';
export { type FaultPoint, faultPoint, isPlanted } from './fault-points.js';
export { watchIdleMemory } from './idle-memory.js';
export type { DocId, DocIds, FieldId, LocalOrdinal, SegmentId, TaskUid, TermOrdinal } from './ids.js';
export type { Json, JsonObject } from './json.js';
export {
  ANSWERS_MEMORY_SHARE,
  DEFAULT_CHAT_DOCUMENTS,
  DEFAULT_CHAT_KEEP_ALIVE_SECONDS,
  DEFAULT_CHAT_ROUNDS,
  DEFAULT_CHAT_SECONDS,
  DEFAULT_CHAT_TEXT_BYTES,
  DEFAULT_PAGE_LIMIT,
  DEFAULT_PAYLOAD_BYTES,
  DEFAULT_PROVIDER_ANSWER_BYTES,
  DEFAULT_PROVIDER_SILENCE_SECONDS,
  DEFAULT_READ_PAYLOAD_BYTES,
  DEFAULT_REMOTE_ANSWER_BYTES,
  isIndexUid,
  MAX_ANSWER_BYTES,
  MAX_ARCHIVE_ENTRIES,
  MAX_ATTRIBUTE_WORD_COUNT,
  MAX_CLUSTER_SECRET_BYTES,
  MAX_CONFIGURED_HEADER_BYTES,
  MAX_CONVERSATIONS,
  MAX_DEFAULT_ANSWERS_BYTES,
  MAX_DEFAULT_SEARCH_BYTES,
  MAX_DOCUMENT_ID_BYTES,
  MAX_EDIT_CONTEXT_BYTES,
  MAX_EMBEDDER_COUNT,
  MAX_FACET_VALUE_BYTES,
  MAX_FIELD_COUNT,
  MAX_FILTER_CONDITIONS,
  MAX_FILTER_ROW,
  MAX_FILTER_VALUES,
  MAX_FOREIGN_DOCUMENTS,
  MAX_INDEX_UID_BYTES,
  MAX_JSON_DEPTH,
  MAX_JSON_PARTS,
  MAX_JSON_TEXT_BYTES,
  MAX_KEY_TEXT_UNITS,
  MAX_LISTED_FIELDS,
  MAX_LISTED_IDS,
  MAX_LOCALE_PATTERNS,
  MAX_MARKER_BYTES,
  MAX_MULTI_SEARCH_QUERIES,
  MAX_NAMES,
  MAX_PROVIDER_MEMBERS,
  MAX_PROVIDER_PARTS,
  MAX_QUERY_UNITS,
  MAX_RANKING_RULES,
  MAX_REMOTE_NAME_UNITS,
  MAX_REMOTES,
  MAX_SETTING_ATTRIBUTES,
  MAX_SETTING_WORDS,
  MAX_STORED_WORD_COUNT,
  MAX_TASK_STREAMS,
  MAX_TEMPLATE_COUNT,
  MAX_TEMPLATE_UNITS,
  MAX_TEMPLATES_UNITS,
  MAX_URL_UNITS,
  MAX_VECTOR_NUMBERS,
  MAX_VIEW_MS,
  MAX_WORD_BYTES,
  MIN_CLUSTER_SECRET_BYTES,
  MIN_DEFAULT_ANSWERS_BYTES,
  MIN_DEFAULT_SEARCH_BYTES,
  MIN_MASTER_KEY_BYTES,
  SEARCH_MEMORY_SHARE,
  STREAM_KEEP_ALIVE_SECONDS,
} from './limits.js';
export { optimiseForLargeIndexes } from './optimise-early.js';
export { own, setOwn } from './own-members.js';
export { keepingNames, type ValuePacker } from './packed-names.js';
export { threadOptions } from './thread-options.js';
export { unreachable } from './unreachable.js';
