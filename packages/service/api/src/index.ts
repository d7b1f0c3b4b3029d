export {
  type Complete,
  checkIndexUid,
  checkLength,
  completing,
  isJsonObject,
  type Received,
  readFields,
  readNoQuery,
  readQuery,
  toThreeLetterLocale,
  wrongType,
} from '@fossick/base/contract';
export {
  type IndexSettings,
  SETTINGS_TABLE,
  type SettingSpec,
  type SettingsPatch,
  withoutOwnResets,
} from '@fossick/settings';
export { ACTION_NAMES, coversAction, coversIndex, coversWithinIndexes, isGlobalAction } from './names/actions.js';
export { API_VERSION, DATABASE_VERSION } from './names/api-version.js';
export { databaseSizes } from './names/database-sizes.js';
export { FEATURE_NAMES, type FeatureName, ON_AT_FIRST } from './names/feature-names.js';
export { PRODUCT_VERSION } from './names/product-version.js';
export {
  type AddedTaskType,
  shownTaskType,
  TASK_STATUS_NAMES,
  TASK_TYPE_NAMES,
  type TaskStatus,
  type TaskType,
} from './names/task-names.js';
export type * from './openapi/answer-types.js';
export { formatByteSize, parseByteSize, wholeSize } from './reading/byte-size.js';
export { filterDate } from './reading/dates.js';
export {
  bothFilters,
  checkFilterGates,
  checkWriteFilter,
  refuseForeign,
  type SearchFeatures,
} from './reading/filter-gates.js';
export { parseEdition, parseJson, parseLossless } from './reading/json-bytes.js';
export {
  hasLargerObject,
  hasLoneSurrogate,
  hasMoreValues,
  isTooDeep,
  LONE_SURROGATE,
} from './reading/json-text.js';
export { LOG_LEVELS, parseLogTarget } from './reading/log-target.js';
export { readUuid } from './reading/uuid.js';
export {
  ADDITION_PARAMETERS,
  ADDITION_QUERY,
  CHECKED_DELETION,
  CHECKED_EDITION,
  DELETION_BODY,
  EDITION_BODY,
  EDITION_QUERY,
  FETCH_BODY,
  LIST_QUERY,
  METADATA_QUERY,
  ONE_QUERY,
} from './requests/document-fields.js';
export type {
  GivenAddition,
  GivenFacetSearch,
  GivenFederation,
  GivenFetch,
  GivenHybrid,
  GivenIndex,
  GivenSearch,
  GivenSimilar,
} from './requests/given-members.js';
export {
  FIELDS_BODY,
  INDEX_CREATION_BODY,
  INDEX_PAGE_QUERY,
  INDEX_UPDATE_BODY,
  INDEX_UPDATE_RULE,
  STATS_QUERY,
  SWAPS,
} from './requests/index-fields.js';
export { httpAddress, INDEX_PATTERN, isIndexPattern } from './requests/instance/addresses.js';
export { featuresBody } from './requests/instance/feature-fields.js';
export { KEY_CHANGE_BODY, KEY_CHANGE_RULE, KEY_CREATION_BODY, KEY_PAGE_QUERY } from './requests/instance/key-fields.js';
export { LOG_LEVEL_BODY, LOG_STREAM_BODY } from './requests/instance/log-fields.js';
export {
  NETWORK_BODY,
  NETWORK_RULE,
  type RemoteChanges,
  type ShardChanges,
} from './requests/instance/network-fields.js';
export { type Federation, MULTI_SEARCH_BODY, type MultiSearchQuery } from './requests/multi-search-fields.js';
export { type RenderInput, type RenderTemplate, readRenderRequest } from './requests/render-request.js';
export { checkNewRuleUid, checkRuleUid, type InlineRule, RULE_BODY, RULES_BODY } from './requests/rule-fields.js';
export { FACET_SEARCH_BODY, SEARCH_BODY, SEARCH_QUERY } from './requests/search-fields.js';
export {
  fromSearchQuery,
  requireFeature,
  requirePersonalization,
  toFacetSearchRequest,
  toSearchRequest,
  toSimilarRequest,
} from './requests/search-request.js';
export { SERVER_MULTI_SEARCH_BODY, SERVER_SEARCH_BODY, type SearchBody } from './requests/server-search-fields.js';
export { SIMILAR_BODY, SIMILAR_QUERY } from './requests/similar-fields.js';
export {
  TASK_ERRORS_QUERY,
  TASK_FILTER_QUERY,
  TASK_LIST_QUERY,
  taskFilterQuery,
  taskListQuery,
} from './requests/task-fields.js';
export { maskSecret, shownEmbedders } from './settings/shown-embedders.js';
