export { AnswerAccount, AnswerHold } from './answer-account.js';
export { answerDocument, answerDocuments } from './answer-documents.js';
export { answerSeparately } from './answer-multi-search.js';
export { answerFacetSearch, answerSearch } from './answer-search.js';
export { answerSimilar } from './answer-similar.js';
export type { ChatFindings } from './chat-search.js';
export { degradedSearches } from './degraded-searches.js';
export { needsNoEmbedding } from './embedding-need.js';
export { answerFederated } from './federated-search.js';
export { listFields } from './field-listing.js';
export { requireInfo } from './indexes/index-info.js';
export { indexStats } from './indexes/index-stats.js';
export { isProxiedSearch } from './proxied-search.js';
export { wantsMetadata } from './query-metadata.js';
export { ruleBookOf } from './rule-book.js';
export { runJob } from './run-job.js';
export type { SearchContext } from './search-context.js';
export type { SearchJob } from './search-jobs.js';
export { SearchQueue } from './search-queue.js';
export {
  ALL_FIELDS,
  readSettings,
  resetOneTask,
  resetTask,
  settingsTask,
  settingTask,
  shownSettings,
  shownValue,
} from './settings/settings-task.js';
export { REST_INTERVAL_MS } from './threads/searcher-messages.js';
export { SearcherThreads, searchJobMaxMs, searchThreadsMax } from './threads/searcher-threads.js';
export { TimeSlices } from './time-slices.js';
