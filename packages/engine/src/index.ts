export { knownFacets } from '@fossick/columns';
export { checkIndexes, type IndexFinding } from './check-indexes.js';
export {
  type DocumentsPage,
  type DocumentsQuery,
  listDocumentBytes,
  listDocuments,
  parsedFilter,
  type ShownFields,
} from './documents/list-documents.js';
export { shownVectors } from './documents/vectors.js';
export type { MakeOptions, PendingVectors, VectorMaker } from './embedding/vector-maker.js';
export { distinctValues } from './federation/distinct-values.js';
export { facetValues } from './federation/facet-values.js';
export { federatedParts, federatedSearch, mergeParts } from './federation/federated-search.js';
export { inPlace, inQuery } from './federation/in-query.js';
export { mergeDocuments } from './federation/merge-documents.js';
export type * from './federation/request.js';
export type { ScoreItem } from './federation/score-items.js';
export type * from './indexing/operation.js';
export type { WorkId } from './indexing/receipts.js';
export { BatchCanceled } from './indexing/savepoint.js';
export type { WriteContext } from './indexing/write-context.js';
export type * from './pins/search-rule.js';
export { DEFAULT_RULE_LIMITS } from './pins/search-rule.js';
export type * from './port.js';
export { openEngineReader } from './reader.js';
export { elapsedMs } from './search/elapsed.js';
export type * from './search/request.js';
export { facetSearch, type SearchExtras, search, searchBytes, searchDocuments } from './search/search.js';
export { searchCutoffMs } from './search/search-cutoff.js';
export { StageClock } from './search/stage-clock.js';
export { wordsSuffice } from './search/words-suffice.js';
export { newSummaryMarks } from './summary-marks.js';
export { type SimilarRequest, type SimilarResponse, similarDocuments } from './vectors/similar.js';
export type { IndexVerdict } from './verify/verify-index.js';
export { verifyIndexes } from './verify/verify-indexes.js';
export { type IndexAccess, NO_ACCESS, WHOLE_ACCESS } from './view/index-access.js';
export type * from './view/index-view.js';
export { answerJson, bounded, tooLargeAnswer } from './wire/answer-bytes.js';
export { spelledAnswer } from './wire/spelled-answer.js';
export { openEngineWriter } from './writer.js';
export type { WriterWaits } from './writer-waits.js';
