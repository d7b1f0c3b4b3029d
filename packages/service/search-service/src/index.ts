export { answerDocument, answerDocuments } from './answers/answer-documents.js';
export { answerFederated } from './answers/answer-federated.js';
export { answerSeparately, type SeparateAnswer, separateAnswersParts } from './answers/answer-multi-search.js';
export { answerFacetSearch, answerSearch } from './answers/answer-search.js';
export { answerSimilar } from './answers/answer-similar.js';
export { needsNoEmbedding } from './answers/embedding-need.js';
export { requireSearched } from './answers/federation-plan.js';
export { isProxiedSearch } from './answers/proxied-search.js';
export { ruleBookOf } from './answers/rule-book.js';
export { QueryVectors } from './embedding/query-vectors.js';
export { listFields } from './indexes/field-listing.js';
export { requireInfo } from './indexes/index-info.js';
export { indexStats } from './indexes/index-stats.js';
export { AnswerAccount, AnswerReservation } from './jobs/answer-account.js';
export type { BodyName } from './jobs/kinds/bodies/check-jobs.js';
export type { RenderedHits } from './jobs/kinds/rendered-search.js';
export { runInThread, runJob } from './jobs/run-job.js';
export type { SearchContext, SearchCounts } from './jobs/search-context.js';
export type { ResultOf, SearchJob } from './jobs/search-jobs.js';
export { changeNetwork, type Network, readNetwork, type Shard } from './network/network.js';
export { RemoteClient, remoteTimeoutMs } from './network/remote-client.js';
export { RemoteHealth } from './network/remote-health.js';
export type { AnsweredSearch, AnswerOptions, CarriedHeaders } from './parts/answered-search.js';
export { newRequestUid, wantsMetadata } from './parts/query-metadata.js';
export { SearchQueue } from './queue/search-queue.js';
export { TimeSlices } from './queue/time-slices.js';
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
export { searchHelpersMax, searchThreadsMax } from './threads/hand-over.js';
export { searchJobMaxMs } from './threads/search-thread.js';
export { REST_INTERVAL_MS } from './threads/searcher-messages.js';
export { SearcherThreads } from './threads/searcher-threads.js';
