export type { IndexLookup } from './batching/joins.js';
export { type HeldTasks, type Pick, type PickedBatch, type PickOptions, pickBatch } from './batching/pick-batch.js';
export { type SuspectOptions, trialPauseMs } from './batching/suspects.js';
export type { TaskFilters } from './log/filters.js';
export { matchesTask } from './log/match-task.js';
export { StatusChanges } from './log/status-changes.js';
export {
  type Clock,
  type EnqueueExtras,
  LOG_BYTES_MAX,
  LOG_FULL_SHARE,
  type NewTask,
  openTaskLog,
  type Page,
  type PageOptions,
  systemClock,
  type TaskLog,
} from './log/task-log.js';
export { UidSet } from './log/uid-set.js';
export { type Attempt, type AttemptMark, openAttemptFile } from './run/attempt-mark.js';
export type { Finished } from './run/finish.js';
export { type Progress, type ProgressStep, toMilliseconds, toReadableTime } from './run/progress.js';
export { runScheduler, type Scheduler } from './run/run-scheduler.js';
export type { ExecuteContext, RunningBatch, SchedulerOptions, TaskExecutor } from './run/scheduler-options.js';
export { TRIM_LIMITS, type TrimLimits } from './run/trim-log.js';
export * from './task/content.js';
export { taskDetails } from './task/details.js';
export { DetailsText, settingsUpdateOf } from './task/long-contents.js';
export { fromRoaringBytes, toRoaringBytes } from './task/roaring.js';
export type {
  Batch,
  BatchStats,
  EmbedderRequests,
  Micros,
  Task,
  TaskDeaths,
  TaskError,
  TaskOutcome,
  WorkStats,
  WriteCongestion,
} from './task/task.js';
export { type DescribeError, toBatchJson, toDuration, toRfc3339, toSummaryJson, toTaskJson } from './task/wire.js';
