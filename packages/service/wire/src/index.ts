export { databaseSizes } from './database-sizes.js';
export { filterDate, isRfc3339, parseFutureDate } from './dates.js';
export { FEATURE_NAMES, type FeatureName } from './feature-names.js';
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
} from './fields.js';
export { checkFilterGates, refuseForeign, type SearchFeatures } from './filter-gates.js';
export { bothFilters, filterValue } from './filter-value.js';
export { parseJson } from './json-bytes.js';
export { hasMoreValues, isTooDeep, refuseLoneSurrogate, SURROGATE_ESCAPE } from './json-text.js';
export { LOCALE_CODES, toThreeLetterLocale } from './locales.js';
export {
  queryBoolean,
  queryFilter,
  queryInteger,
  queryList,
  queryListOf,
  queryListOrStar,
  queryNumber,
  queryShare,
  querySort,
  queryText,
} from './query-values.js';
export { type RenderInput, type RenderTemplate, readRenderRequest } from './render-request.js';
export { checkSentEmbedders, embedderFeatures } from './settings/embedders.js';
export { maskSecret } from './settings/secrets.js';
export { SETTINGS_TABLE, type SettingSpec } from './settings/settings-table.js';
export { shownEmbedders } from './settings/shown-embedders.js';
export { readUuid } from './uuid.js';
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
  number,
  numbers,
  object,
  oneOf,
  share,
  string,
  strings,
  textUpTo,
} from './values.js';
