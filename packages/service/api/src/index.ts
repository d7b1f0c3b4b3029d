export { ACTION_NAMES, coversAction, coversIndex, coversWithinIndexes, isGlobalAction } from './names/actions.js';
export { API_VERSION, DATABASE_VERSION } from './names/api-version.js';
export { databaseSizes } from './names/database-sizes.js';
export { FEATURE_NAMES, type FeatureName } from './names/feature-names.js';
export { PRODUCT_VERSION } from './names/product-version.js';
export { filterDate, isRfc3339, parseFutureDate } from './reading/dates.js';
export {
  type Field,
  type Fields,
  isJsonObject,
  optional,
  optionalNotNull,
  type Parser,
  type Received,
  readFields,
  readNoQuery,
  readQuery,
  required,
  type Where,
  wrongType,
  wrongValue,
} from './reading/fields.js';
export { checkFilterGates, refuseForeign, type SearchFeatures } from './reading/filter-gates.js';
export { bothFilters } from './reading/filter-value.js';
export { parseJson } from './reading/json-bytes.js';
export { hasMoreValues, isTooDeep, refuseLoneSurrogate, SURROGATE_ESCAPE } from './reading/json-text.js';
export { toThreeLetterLocale } from './reading/locales.js';
export { queryBoolean, queryInteger, queryListOrStar, queryText } from './reading/query-values.js';
export { readUuid } from './reading/uuid.js';
export {
  anything,
  boolean,
  checkIndexUid,
  checkLength,
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
} from './reading/values.js';
export { DELETION_BODY, EDITION_BODY, FETCH_BODY, LIST_QUERY, ONE_QUERY } from './requests/document-fields.js';
export { type Federation, MULTI_SEARCH_BODY, type MultiSearchQuery } from './requests/multi-search-fields.js';
export { type RenderInput, type RenderTemplate, readRenderRequest } from './requests/render-request.js';
export { FACET_SEARCH_BODY, SEARCH_BODY, SEARCH_QUERY } from './requests/search-fields.js';
export {
  fromSearchQuery,
  requireFeature,
  requirePersonalization,
  toFacetSearchRequest,
  toSearchRequest,
} from './requests/search-request.js';
export { SIMILAR_BODY, SIMILAR_QUERY, toSimilarRequest } from './requests/similar-fields.js';
export { checkSentEmbedders, embedderFeatures } from './settings/embedders.js';
export { maskSecret } from './settings/secrets.js';
export { SETTINGS_TABLE, type SettingSpec } from './settings/settings-table.js';
export { shownEmbedders } from './settings/shown-embedders.js';
