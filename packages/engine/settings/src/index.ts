export { coversField, firstCovering, firstPattern, isNamed, patternCovers, rankedFields } from './attribute-lists.js';
export {
  CHAT_SEARCH_PARAMETERS,
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
export {
  isDisplayedField,
  isExactField,
  isSearchableField,
  localesOf,
  reindexNeed,
} from './indexing-settings.js';
export { mergeSettings } from './merge-settings.js';
export {
  isRelevancyRule,
  RANKING_RULES,
  type RankingRuleEntry,
  RELEVANCY_RULES,
  type RelevancyRule,
  readRankingRule,
} from './ranking-rules.js';
export type * from './settings.js';
export { DEFAULT_SETTINGS } from './settings.js';
export { tokenizerOptions } from './tokenizer-options.js';
