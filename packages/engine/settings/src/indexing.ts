/** Settings as the indexing of documents needs them: without the checks of changes, which load embedders and templates. */
export { firstPattern } from './attribute-lists.js';
export { DEFAULT_MODELS, FOUND_DIMENSIONS, OPENAI_MODELS } from './embedders/sources.js';
export { isFacetedField } from './field-features.js';
export {
  isExactField,
  isNumeric,
  isSearchableField,
  isSubstringField,
  localesOf,
  tokenizerOptions,
} from './indexing-settings.js';
export type * from './settings.js';
