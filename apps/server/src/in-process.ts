/**
 * The instance without HTTP: what the package `fossick` is made of. Requests are the bodies of the HTTP API, checked by the same readers,
 * and answers are its JSON. What it hands on of other rooms is all that `fossick` has of them: the published server is one bundle, and an
 * error has to be of the same class on both sides.
 */

export { type Access, OPEN_ACCESS } from '@fossick/access';
export { ApiError, type ErrorCode } from '@fossick/base';
export { LaunchError, optionsOf, type ServerOptions } from '@fossick/configuration';
export { toJsonText } from '@fossick/documents';
export { LOCK_FILE, tryLockFile } from '@fossick/instance';
export type { JsonObject, Progress, Task, TaskContent } from '@fossick/scheduler';
export type { FeatureName } from '@fossick/wire';
export { checkIndexUid, readFields } from '@fossick/wire';
export { deletionByFilter, deletionOfIds, withAddition } from './document-tasks.js';
export { requireInfo } from './indexes/index-info.js';
export { indexStats } from './indexes/index-stats.js';
export { prepareFolder } from './launch/launch.js';
export { type OpenInstance, openInstance } from './open-instance.js';
export { answerDocument, answerDocuments } from './search/answer-documents.js';
export { answerSeparately } from './search/answer-multi-search.js';
export { answerFacetSearch, answerSearch } from './search/answer-search.js';
export { answerSimilar } from './search/answer-similar.js';
export { FETCH_BODY } from './search/document-fields.js';
export { answerFederated } from './search/federated-search.js';
export { MULTI_SEARCH_BODY } from './search/multi-search-fields.js';
export { FACET_SEARCH_BODY, SEARCH_BODY } from './search/search-fields.js';
export { SIMILAR_BODY } from './search/similar-fields.js';
export { readSettings, settingsTask, shownSettings } from './settings-task.js';
export type { WriterReport } from './writer-messages.js';
