export {
  coversField,
  firstCovering,
  firstPattern,
  isNamed,
  patternCovers,
  rankedFields,
  scoredFields,
} from './attribute-lists.js';
export {
  type ChatSearchParameters,
  type ChatSettings,
  resolvedChat,
} from './chat-settings.js';
export { checkEmbedder, checkEmbedderCount, checkSentFields, checkTemplates } from './embedders/check-embedder.js';
export { configurationOf } from './embedders/embedder-configuration.js';
export { cleanEmbedder, mergeEmbedder } from './embedders/merge-embedders.js';
export { resolvedEmbedder } from './embedders/resolved-embedder.js';
export {
  DEFAULT_MODELS,
  EMBEDDER_SOURCES,
  type EmbedderConfig,
  type EmbedderField,
  type EmbedderSource,
  FOUND_DIMENSIONS,
  OPENAI_MODELS,
  sourceOf,
} from './embedders/sources.js';
export { facetTest } from './facet-test.js';
export {
  allowsFilters,
  type FieldFeatures,
  featuresOf,
  isFacetedField,
  isSortableField,
  rulePatterns,
} from './field-features.js';
export {
  isDisplayedField,
  isExactField,
  isNumeric,
  isSearchableField,
  isSubstringField,
  localesOf,
  tokenizerOptions,
} from './indexing-settings.js';
export { mergeSettings } from './merge-settings.js';
export {
  isRelevancyRule,
  RANKING_RULES,
  type RankingRuleEntry,
  RELEVANCY_RULES,
  type RelevancyRule,
  readRankingRule,
  type ScoreEntry,
} from './ranking-rules.js';
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
export {
  type AttributeWeights,
  attributeWeights,
  requestRankingRules,
  requestTypoTolerance,
  type TypoOverride,
} from './values/request-values.js';
export { hybridMembers, matchingStrategy } from './values/search-values.js';
export { SETTING_LIMITS } from './values/setting-limits.js';
