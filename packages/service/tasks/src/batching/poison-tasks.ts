/**
 * Which tasks are to blame for unexpected ends of their process. Nothing tells a process killed by its task (out of
 * memory, a signal) from one killed by something else, so trials decide: a task waits while the process
 * lives without it, for at least twice as long as it runs, and then runs alone. A killer from outside would have to miss
 * all of the wait and strike in the run, ten times in a row, and the waits are random. An end during a wait clears it.
 * The end of a thread in a living process has no cause outside, so it needs no such wait.
 */
import type { Task, TaskDeaths } from '../task/task.js';

/** Ends of the process, with the task running alone, until it must wait for its trials: most ends are not its fault. */
export const FREE_TRIES = 2;
/** Ends of the process in trials, one after another, after which a task counts as poison. */
const TRIALS_MAX = 10;
/** Ends of its thread in one life of the process, with the task running alone, after which it counts as poison. */
const THREAD_DEATHS_MAX = 3;
/** After an unexpected end the tasks of a batch are divided into this many batches. */
const BATCH_PARTS = 16;
/** The shortest wait for the first trial, in milliseconds; doubled with each. The random part triples it at most. */
export const TRIAL_PAUSE_MS = 2_000;
/** The doubling ends here; only a task that runs for long waits longer. */
const TRIAL_PAUSE_MS_MAX = 300_000;
/** A task waits for this multiple of the longest time that it ran. */
const PAUSE_PER_RUN = 2;
/** The wait after the end of a thread, in milliseconds; doubled with each. */
const THREAD_PAUSE_MS = 100;

/** An unexpected end of the process or thread that ran a task. */
export interface TaskDeath {
  /** The mark that told of it: it is counted once. */
  readonly mark: number;
  /** Tasks of its batch. */
  readonly batchSize: number;
  /** It ran after a wait. */
  readonly isTrial: boolean;
  /** Only a thread ended. */
  readonly isOfThread: boolean;
  /** How long the batch had run, in milliseconds, as far as known. */
  readonly ranMs: number;
}

const NO_DEATHS: TaskDeaths = { total: 0, batchMax: 0, alone: 0, counted: 0, threads: 0, ranMs: 0, mark: 0 };

/** The deaths of a task with one more. The same when that one is counted already. */
export function withDeath(deaths: TaskDeaths = NO_DEATHS, death: TaskDeath): TaskDeaths {
  const { mark, batchSize, isTrial, isOfThread, ranMs } = death;
  if (deaths.mark === mark) return deaths;
  const isAlone = batchSize === 1;
  const more = (isCounted: boolean): number => (isAlone && isCounted ? 1 : 0);
  return {
    mark,
    total: deaths.total + 1,
    batchMax: Math.max(1, Math.floor(batchSize / BATCH_PARTS)),
    alone: deaths.alone + more(!isOfThread),
    counted: deaths.counted + more(!isOfThread && isTrial),
    threads: isOfThread ? deaths.threads + more(true) : 0,
    ranMs: isAlone && !isOfThread ? Math.max(deaths.ranMs, ranMs) : deaths.ranMs,
  };
}

/** The process ended while the task waited and others ran: its earlier deaths may have had the same cause. */
export function doubted(deaths: TaskDeaths): TaskDeaths {
  return { ...deaths, counted: 0, threads: 0 };
}

/** The process ended while the task waited and nothing ran: something else ends the process. */
export function cleared(deaths: TaskDeaths): TaskDeaths {
  return { ...deaths, counted: 0, alone: 0, threads: 0 };
}

/** Whether a task is the cause beyond doubt: it fails. */
export function isPoison({ counted, threads }: TaskDeaths): boolean {
  return counted >= TRIALS_MAX || threads >= THREAD_DEATHS_MAX;
}

/** The most tasks of a batch with this one. */
export function batchMaxOf({ deaths }: Task): number {
  return deaths?.batchMax ?? Number.POSITIVE_INFINITY;
}

/** Whether the next run of a task is a trial. */
export function isOnTrial({ deaths }: Task): boolean {
  return deaths !== undefined && deaths.alone >= FREE_TRIES;
}

/**
 * How long a task waits before it runs, in milliseconds; 0 for most. `baseMs`: the shortest wait for the first trial;
 * `share`: a random number from 0 to 1.
 */
export function pauseMsOf(task: Task, baseMs: number, share: number): number {
  const { deaths } = task;
  if (deaths === undefined) return 0;
  const threadMs = deaths.threads === 0 ? 0 : THREAD_PAUSE_MS * 2 ** (deaths.threads - 1);
  if (!isOnTrial(task)) return threadMs;
  const doubledMs = Math.min(baseMs * 2 ** deaths.counted, TRIAL_PAUSE_MS_MAX);
  return Math.max(threadMs, Math.max(doubledMs, deaths.ranMs * PAUSE_PER_RUN) * (1 + 2 * share));
}

/** The wait for the first trial; `FOSSICK_TEST_TRIAL_PAUSE_MS` shortens it for tests. */
export function trialPauseMs(env: NodeJS.ProcessEnv): number {
  return Number(env['FOSSICK_TEST_TRIAL_PAUSE_MS'] ?? TRIAL_PAUSE_MS);
}

export interface QuarantineOptions {
  /** The shortest wait for the first trial, in milliseconds. */
  readonly pauseMs?: number;
  /** Milliseconds; only differences count. */
  readonly now?: () => number;
  readonly random?: () => number;
}

/** When trials may run, in one life of the process: each waits from when it is first seen. */
export class QuarantineWaits {
  private readonly pauseMs: number;
  readonly now: () => number;
  private readonly random: () => number;
  private readonly dueMs = new Map<number, { readonly mark: number; readonly atMs: number }>();

  constructor({
    pauseMs = TRIAL_PAUSE_MS,
    now = () => performance.now(),
    random = Math.random,
  }: QuarantineOptions = {}) {
    this.pauseMs = pauseMs;
    this.now = now;
    this.random = random;
  }

  /** The time, on the clock of `now`, from which on the task may run; -Infinity for one without deaths. */
  dueAt(task: Task): number {
    const { uid, deaths } = task;
    if (deaths === undefined) return Number.NEGATIVE_INFINITY;
    const known = this.dueMs.get(uid);
    if (known?.mark === deaths.mark) return known.atMs;
    const atMs = this.now() + pauseMsOf(task, this.pauseMs, this.random());
    this.dueMs.set(uid, { mark: deaths.mark, atMs });
    return atMs;
  }

  /** The task has ended. */
  forget(uid: number): void {
    this.dueMs.delete(uid);
  }
}
