export { coversField, firstCovering, firstPattern, isNamed, rankedFields, scoredFields } from './attribute-lists.js';
export { resolvedChat } from './chat-settings.js';
export { configurationOf } from './embedders/embedder-configuration.js';
export { cleanEmbedder } from './embedders/merge-embedders.js';
export { resolvedEmbedder } from './embedders/resolved-embedder.js';
export {
  type EmbedderConfig,
  type EmbedderField,
  FOUND_DIMENSIONS,
  OPENAI_MODELS,
  sourceOf,
} from './embedders/sources.js';
export { facetTest } from './facet-test.js';
export { type FieldFeatures, featuresOf, isFacetedField, isSortableField, rulePatterns } from './field-features.js';
export {
  isDisplayedField,
  isNumeric,
  isSearchableField,
  isSubstringField,
  localesOf,
  tokenizerOptions,
} from './indexing-settings.js';
export { mergeSettings } from './merge-settings.js';
export { isRelevancyRule, type RelevancyRule, readRankingRule, type ScoreEntry } from './ranking-rules.js';
export type * from './settings.js';
export {
  DEFAULT_SETTINGS,
  reindexNeed,
  SETTINGS,
  SETTINGS_TABLE,
  type SettingSpec,
  withoutOwnDefaults,
  withoutOwnResets,
} from './settings-table.js';
export { checkSentEmbedders, embedderFeatures } from './values/embedder-values.js';
export type { AttributeWeights, TypoOverride } from './values/request-values.js';
export { SETTING_LIMITS } from './values/setting-limits.js';
