export {
  type DocumentsPage,
  type DocumentsQuery,
  listDocumentBytes,
  listDocuments,
  type ShownFields,
} from './documents/list-documents.js';
export { documentWithVectors, shownDocument } from './documents/shown-document.js';
export { distinctValues, facetValues } from './federation/document-values.js';
export { federatedParts, federatedSearch, mergeParts } from './federation/federated-search.js';
export { inQuery } from './federation/in-query.js';
export { mergeDocuments } from './federation/merge-documents.js';
export type {
  FacetCounts,
  FacetStats,
  FederatedAnswer,
  FederatedHit,
  FederatedPart,
  FederatedQuery,
  FederationRequest,
  HitRange,
  IndexFacets,
} from './federation/request.js';
export type { ScoreItem } from './ranked/score-items.js';
export type { SearchExplanation } from './request/answer-parts.js';
export { rankingDeadlineMs } from './request/search-cutoff.js';
export type { FacetSearchResponse } from './request/search-response.js';
export { StageClock } from './request/stage-clock.js';
export { facetSearch, search, searchBytes, searchDocuments } from './search.js';
export { type ConditionOutcomes, conditionOutcomes } from './search-rules/rule-conditions.js';
export {
  DEFAULT_RULE_LIMITS,
  type GivenActions,
  type RuleBook,
  type RuleLimits,
  ruleActions,
  type SearchRule,
} from './search-rules/search-rule.js';
export { similarDocuments } from './similar.js';
export { AnswerWriter, answerJson, tooLargeAnswer } from './wire/answer-bytes.js';
export { wordsSuffice } from './words-suffice.js';
