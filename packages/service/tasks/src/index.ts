export { trialPauseMs } from './batching/poison-tasks.js';
export { createExecutor, type TaskRunner } from './execution/executor.js';
export { ExpiryWatch, expiryLookMs } from './expiry/expiry-watch.js';
export type { TaskFilters } from './log/filters.js';
export { type GatewayLog, openLocalGateway } from './log/local-gateway.js';
export { type LogReserve, openLogReserve } from './log/log-reserve.js';
export { matchesTask } from './log/match-task.js';
export type { EnqueueExtras, NewTask } from './log/new-task.js';
export type { TaskChanger, TaskGateway } from './log/port.js';
export { decodeTaskRecord, encodeTaskRecord } from './log/record-codec.js';
export type { LogOperation, PayloadSource, TaskEntry, TaskLogRecord } from './log/records.js';
export { StatusChanges } from './log/status-changes.js';
export { LOG_BYTES_MAX, LOG_FULL_SHARE, openTaskLog, type Page, type TaskLog } from './log/task-log.js';
export { UidSet } from './log/uid-set.js';
export { type BodyReservation, NO_RESERVATION } from './payloads/body-reservation.js';
export { idsInFile, idText, isArrayText, storeIds } from './payloads/id-file.js';
export { type PayloadFormat, storePayload } from './payloads/store-payload.js';
export { openAttemptFile } from './run/attempt-mark.js';
export { openAttemptNotes } from './run/attempt-notes.js';
export { Canceler } from './run/canceler.js';
export { writeErrors } from './run/finish.js';
export { type Progress, toMilliseconds } from './run/progress.js';
export { runScheduler } from './run/run-scheduler.js';
export type { ExecuteContext, TaskExecutor } from './run/scheduler-options.js';
export {
  type AddedContent,
  type DocumentAddition,
  type DocumentDeletion,
  type DocumentEdition,
  indexUidOf,
  type OnDocumentError,
  payloadOf,
  RULES_INDEX_UID,
  type SettingsUpdate,
  skipsFaulty,
  type TaskContent,
  type TaskPayload,
} from './task/content.js';
export { taskDetails } from './task/details.js';
export { settingsUpdateOf } from './task/long-contents.js';
export { fromRoaringBytes, toRoaringBytes } from './task/roaring.js';
export type { Batch, BatchStats, Micros, Task, TaskOutcome } from './task/task.js';
export { maskDetails, taskText, taskToJson } from './task/task-json.js';
export type { TaskKind } from './task/task-kind.js';
export { toBatchJson, toRfc3339, toSummaryJson } from './task/wire.js';
