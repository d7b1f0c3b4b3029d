export { ApiError, type ErrorCode } from '@fossick/base';
export type { DocumentError } from '@fossick/documents/document-errors';
export { LaunchError } from '@fossick/instance';
export type { Added, AddOptions, AddProgress } from './add-documents.js';
export type { DocumentId, DocumentsPage, DocumentsQuery, Filter, SortCriterion } from './documents.js';
export { createEngine, type Engine, type IndexInfo } from './engine.js';
export type { EngineOptions } from './engine-options.js';
export type { FederatedAnswer, FederatedHit, Federation, MultiSearch, Query, QueryAnswer } from './multi-search.js';
export type { GetOptions, Index, IndexStats } from './search-index.js';
export type {
  Aggregated,
  ComputedNumbers,
  FacetAnswer,
  FacetParameters,
  Formatted,
  Hit,
  HitGroup,
  HybridParameters,
  MatchPosition,
  NumberedPage,
  OffsetPage,
  SearchAnswer,
  SearchParameters,
  Shown,
  SimilarAnswer,
  SimilarParameters,
} from './search-types.js';
export type { EmbedderSettings, RankingRule, Settings, SettingsChange } from './settings.js';
