export { loadArchivedValues } from './archived-value.js';
export {
  deletionByFilter,
  deletionOfIds,
  edition,
  onDocumentErrorOf,
  type WriteBody,
  withAddition,
  withIdFile,
} from './document-tasks.js';
export type { Instance } from './instance.js';
export { type Launch, prepareFolder, prepareLaunch } from './launch/launch.js';
export { type OpenInstance, openInstance } from './open-instance.js';
export { adoptCompactedQueue, QueueCompaction } from './queue-compaction.js';
export type { SharedLog } from './shared-log.js';
export { type Changes, TaskChanges } from './task-changes.js';
export type { WriterLink } from './writer/writer-link.js';
export type { WriterReport } from './writer/writer-messages.js';
