/**
 * The instance without HTTP: the basis of the package `fossick`. Requests are the bodies of the HTTP API, checked by
 * the same readers, and answers are its JSON. `fossick` gets everything of other packages through this module: the
 * published server is one bundle, and an error must have the same class on both sides.
 */

export type { FeatureName } from '@fossick/api';
export {
  checkIndexUid,
  FACET_SEARCH_BODY,
  FETCH_BODY,
  MULTI_SEARCH_BODY,
  readFields,
  SEARCH_BODY,
  SIMILAR_BODY,
} from '@fossick/api';
export type { JsonObject } from '@fossick/base';
export { ApiError, type ErrorCode, foreignText } from '@fossick/base';
export { toJsonText } from '@fossick/documents';
export { LaunchError, LOCK_FILE, optionsOf, type ServerOptions, tryLockFile } from '@fossick/instance';
export { type Access, OPEN_ACCESS } from '@fossick/instance/access';
export {
  deletionByFilter,
  deletionOfIds,
  type OpenInstance,
  openInstance,
  prepareFolder,
  type WriterReport,
  withAddition,
} from '@fossick/runtime';
export {
  answerDocument,
  answerDocuments,
  answerFacetSearch,
  answerFederated,
  answerSearch,
  answerSeparately,
  answerSimilar,
  indexStats,
  readSettings,
  requireInfo,
  settingsTask,
  shownSettings,
} from '@fossick/search-service';
export type { Progress, Task, TaskContent } from '@fossick/tasks';
