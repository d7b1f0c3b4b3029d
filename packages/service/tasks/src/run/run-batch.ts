import { ApiError, apiError, BatchCanceled, messageWithoutPaths, ThreadLost } from '@fossick/base';
import { systemClock } from '../log/clock.js';
import { freesDiskSpace } from '../log/task-log.js';
import type { Task, TaskError, TaskOutcome, WorkStats } from '../task/task.js';
import { type AttemptMark, NO_MARK } from './attempt-mark.js';
import {
  type ErrorPages,
  type Finished,
  finishBatch,
  runCancelation,
  runDeletions,
  withOutcome,
  writeErrors,
} from './finish.js';
import { removePayloads } from './payloads.js';
import { ProgressTracker } from './progress.js';
import { putBack } from './recover.js';
import type { SchedulerOptions, StartedBatch } from './scheduler-options.js';
import type { StartMark } from './start-mark.js';
import { WRITING } from './step-table.js';

/** Shortest interval between reports of a counter, in milliseconds. */
const PROGRESS_MS = 20;
/** Interval between notes of how long a batch has run, in milliseconds. */
const RUN_NOTE_MS = 100;

/** Errors of tasks whose payloads were removed before the log was written: a full disk has no space for either. */
export type FailureReasons = Map<number, TaskError>;

/**
 * Runs a started batch and writes its result; none when its tasks wait again. Any error of the executor fails the
 * tasks, unless the program is about to end or a thread was lost; only an error of the log is thrown.
 */
export async function runBatch(
  running: StartedBatch,
  mark: StartMark,
  options: SchedulerOptions,
  failureReasons: FailureReasons,
): Promise<readonly Finished[]> {
  const { log, clock = systemClock, control } = options;
  const { batch, tasks, work } = running;
  const { type } = tasks[0]!.content;
  const tracker = new ProgressTracker(type, log.kinds.find((kind) => kind.type === type)?.steps);
  const noteTime = runningTime(options.attempts);
  const onProgress = progressReport(tracker, batch.uid, mark, noteTime, options);
  onProgress('processing tasks', 0, 1);
  if (type === 'taskCancelation') return [runCancelation(log, batch, tasks[0]!, clock.now(), { onProgress, tracker })];
  if (type === 'taskDeletion') return [runDeletions(log, batch, tasks, clock.now(), { onProgress, tracker })];
  let stats: WorkStats = {};
  let outcomes: readonly TaskOutcome[];
  let hasFailedByDisk = false;
  try {
    if (running.isFull === true && !tasks.every(({ content }) => freesDiskSpace(content)))
      throw apiError('no_space_left_on_device', 'disk');
    outcomes = await options.executor.execute(running, {
      isCanceled: () => {
        noteTime();
        return control?.isCanceled(work) === true;
      },
      watchCanceled: (listener) => control?.watch(work, listener) ?? (() => undefined),
      onProgress,
      addStats: (more) => {
        stats = { ...stats, ...more };
      },
    });
    if (outcomes.length !== tasks.length) throw new Error(`${outcomes.length} outcomes for ${tasks.length} tasks`);
  } catch (error) {
    if (error instanceof BatchCanceled || options.isEnding?.() === true) {
      // Nothing was committed: the tasks wait again, and the cancelation, which is picked first, applies to those it
      // names.
      log.batches.requeue(tasks.map(({ uid }) => uid));
      return [];
    }
    // it is being opened anew, and may have been lost by others than this batch: the tasks wait for it
    if (isUnavailable(error)) throw error;
    if (!(error instanceof ApiError)) options.onFault?.(error);
    if (error instanceof ThreadLost) return putBack(tasks, error.message, options);
    const failure = describeFailure(error);
    hasFailedByDisk = DISK_CODES.has(failure.code);
    if (hasFailedByDisk && options.yieldsWork?.(tasks, failure.message) === true) throw error;
    outcomes = tasks.map(() => ({ status: 'failed', error: failure }));
  }
  mark.end();
  onProgress(WRITING, 0, 1);
  const finishedAt = clock.now();
  const ended = tasks.map((task, at) =>
    withOutcome(task, reasoned(outcomes[at]!, failureReasons.get(task.uid)), finishedAt),
  );
  const errors = errorPagesOf(tasks, outcomes);
  const write = (): Finished => {
    writeErrors(log, errors);
    return finishBatch(log, batch, ended, { ...stats, progressTrace: tracker.finish() });
  };
  const finished = hasFailedByDisk ? await writeOnFullDisk(ended, write, options, failureReasons) : write();
  for (const { uid } of tasks) failureReasons.delete(uid);
  return [finished];
}

function errorPagesOf(tasks: readonly Task[], outcomes: readonly TaskOutcome[]): ErrorPages {
  return new Map(
    tasks.flatMap(({ uid }, at): [number, readonly Uint8Array[]][] => {
      const outcome = outcomes[at]!;
      const pages = outcome.status === 'succeeded' ? (outcome.errorPages ?? []) : [];
      return pages.length === 0 ? [] : [[uid, pages]];
    }),
  );
}

/** An outcome with the reason for which the task failed first: without its payload it can only fail again. */
function reasoned(outcome: TaskOutcome, error: TaskError | undefined): TaskOutcome {
  return outcome.status === 'failed' && error !== undefined ? { status: 'failed', error } : outcome;
}

/** The tasks end here in any case, and on a full disk removing their payloads may free the space for writing the log. */
async function writeOnFullDisk(
  ended: readonly Task[],
  write: () => Finished,
  { onFault }: SchedulerOptions,
  givenUp: FailureReasons,
): Promise<Finished> {
  try {
    return write();
  } catch {
    for (const { uid, error: reason } of ended) if (reason !== null) givenUp.set(uid, reason);
    await removePayloads(ended, onFault);
    return write();
  }
}

const FULL = 'no_space_left_on_device';
/** System errors that have a code of their own, by the names of libuv and LMDB. */
const SYSTEM_CODES: ReadonlyMap<string | number, string> = new Map<string | number, string>([
  ['ENOSPC', FULL],
  ['EDQUOT', FULL],
  [28, FULL],
  ['EIO', 'io_error'],
  [5, 'io_error'],
  ['EMFILE', 'too_many_open_files'],
  ['ENFILE', 'too_many_open_files'],
  [24, 'too_many_open_files'],
  [-30792, 'database_size_limit_reached'],
]);

/** LMDB passes on the system's message, but not always its number. */
const SYSTEM_WORDS: readonly (readonly [RegExp, string])[] = [
  [/^no space left on device/i, FULL],
  [/^input\/output error/i, 'io_error'],
  [/^too many open files/i, 'too_many_open_files'],
];
/** Codes that a full disk may produce: LMDB reports a partly written page as an input/output error. */
const DISK_CODES: ReadonlySet<string> = new Set([FULL, 'io_error']);

/** Whether a store is being opened anew, or a shared log is away: the same work may succeed later. */
export function isUnavailable(error: unknown): boolean {
  return error instanceof ApiError && (error.code === 'store_unavailable' || error.code === 'cluster_log_unavailable');
}

/** Whether a full disk, or one that takes nothing for another reason, explains an error. */
export function isOfDisk(error: unknown): boolean {
  return DISK_CODES.has(describeFailure(error).code);
}

/** The error of a task whose execution threw. */
function describeFailure(error: unknown): TaskError {
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof ApiError) return { code: error.code, message };
  const systemCode = error instanceof Error && 'code' in error ? (error.code as string | number) : '';
  const code = SYSTEM_CODES.get(systemCode) ?? SYSTEM_WORDS.find(([words]) => words.test(message))?.[1];
  return { code: code ?? 'internal', message: messageWithoutPaths(error) };
}

function progressReport(
  tracker: ProgressTracker,
  batchUid: number,
  mark: StartMark,
  noteTime: () => void,
  { onProgress, onFault }: SchedulerOptions,
): (step: string, done: number, total: number) => void {
  let reportedAt = Number.NEGATIVE_INFINITY;
  return (step, done, total) => {
    noteTime();
    const isNew = tracker.report(step, done, total);
    const now = performance.now();
    if (!mark.isDueAt(now)) return;
    try {
      mark.write();
    } catch (error) {
      onFault?.(error); // the work does not depend on it
    }
    if (!isNew && now - reportedAt < PROGRESS_MS) return;
    reportedAt = now;
    onProgress?.(batchUid, tracker.progress());
  };
}

/** Notes in the mark how long the batch has run, for the case that the process ends: called often, written seldom. */
function runningTime(attempts: AttemptMark = NO_MARK): () => void {
  const startedMs = performance.now();
  let notedMs = startedMs;
  return () => {
    const nowMs = performance.now();
    if (nowMs - notedMs < RUN_NOTE_MS) return;
    notedMs = nowMs;
    attempts.ranFor(nowMs - startedMs);
  };
}
