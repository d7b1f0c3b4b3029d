export {
  checkIndexUid,
  checkLength,
  type Field,
  type Fields,
  isJsonObject,
  type Kind,
  optional,
  optionalNotNull,
  type Parser,
  queryBoolean,
  queryInteger,
  queryListOrStar,
  queryText,
  type Received,
  readFields,
  readNoQuery,
  readQuery,
  required,
  toThreeLetterLocale,
  type Where,
  wrongType,
  wrongValue,
} from '@fossick/base/contract';
export { type IndexSettings, SETTINGS_TABLE, type SettingSpec, withoutOwnResets } from '@fossick/settings';
export { ACTION_NAMES, coversAction, coversIndex, coversWithinIndexes, isGlobalAction } from './names/actions.js';
export { ANALYTICS_INDEX_UID } from './names/analytics-index.js';
export { API_VERSION, DATABASE_VERSION } from './names/api-version.js';
export { databaseSizes } from './names/database-sizes.js';
export { FEATURE_NAMES, type FeatureName } from './names/feature-names.js';
export { PRODUCT_VERSION } from './names/product-version.js';
export { filterDate, isRfc3339, parseFutureDate } from './reading/dates.js';
export { checkFilterGates, refuseForeign, type SearchFeatures } from './reading/filter-gates.js';
export { bothFilters } from './reading/filter-value.js';
export { parseJson } from './reading/json-bytes.js';
export { hasMoreValues, isTooDeep, refuseLoneSurrogate, SURROGATE_ESCAPE } from './reading/json-text.js';
export {
  anything,
  boolean,
  indexUid,
  integer,
  listOf,
  mapOf,
  names,
  nullable,
  object,
  oneOf,
  string,
  strings,
  textUpTo,
} from './reading/parsers.js';
export { readUuid } from './reading/uuid.js';
export { ANALYTICS_QUERY, EVENT_BODY, SUGGESTIONS_BODY } from './requests/analytics-fields.js';
export { DELETION_BODY, EDITION_BODY, FETCH_BODY, LIST_QUERY, ONE_QUERY } from './requests/document-fields.js';
export type {
  GivenAggregation,
  GivenFacetSearch,
  GivenFederation,
  GivenFetch,
  GivenGroup,
  GivenHybrid,
  GivenSearch,
  GivenSimilar,
} from './requests/given-members.js';
export { type Federation, MULTI_SEARCH_BODY, type MultiSearchQuery } from './requests/multi-search-fields.js';
export { type RenderInput, type RenderTemplate, readRenderRequest } from './requests/render-request.js';
export { FACET_SEARCH_BODY, SEARCH_BODY, SEARCH_QUERY } from './requests/search-fields.js';
export {
  fromSearchQuery,
  requireFeature,
  requirePersonalization,
  toFacetSearchRequest,
  toSearchRequest,
  toSimilarRequest,
} from './requests/search-request.js';
export { SIMILAR_BODY, SIMILAR_QUERY } from './requests/similar-fields.js';
export { maskSecret } from './settings/secrets.js';
export { shownEmbedders } from './settings/shown-embedders.js';
