import { apiError, MAX_VIEW_MS } from '@fossick/base';
import type { SharedKernelMemory } from '@fossick/kernel/shared';
import { ControlWord, WatchedThread } from '@fossick/threads';
import type { JobResult } from '../jobs/kinds/job.js';
import type { SearchJob } from '../jobs/search-jobs.js';
import type { Helper } from './hand-over.js';
import type { SearcherOrder, SearcherStart, SearchReport } from './searcher-messages.js';

/**
 * How long a thread may work on one job, in milliseconds, before it counts as hung: it prevents the pages of its commit
 * from being reused. Searches end at their cutoff and views after MAX_VIEW_MS; a job may have several of these in
 * sequence.
 */
const JOB_MS_MAX = 5 * MAX_VIEW_MS;
/** The same, unless a test sets another value. */
export function searchJobMaxMs(env: NodeJS.ProcessEnv): number {
  return Number(env['FOSSICK_TEST_SEARCH_JOB_MS'] ?? JOB_MS_MAX);
}

/** A job and the request that waits for it. */
export interface Waiting {
  readonly job: SearchJob;
  readonly isLong: boolean;
  /** Whether the HTTP thread would have run it, if it had not been busy. */
  readonly isHandedOver: boolean;
  readonly sinceMs: number;
  readonly resolve: (result: JobResult<unknown>) => void;
  readonly reject: (error: Error) => void;
  /** Threads that ended by themselves while running it. */
  readonly deathCount: number;
  /** How often the memory was lost that it used. */
  readonly lossCount: number;
}

/** A job that nobody has run yet. */
export function newWaiting(given: Pick<Waiting, 'job' | 'isLong' | 'isHandedOver' | 'resolve' | 'reject'>): Waiting {
  return { ...given, sinceMs: performance.now(), deathCount: 0, lossCount: 0 };
}

export interface SearchThreadOptions {
  readonly start: Omit<SearcherStart, 'control'>;
  /** How long it may work on one job, in milliseconds. */
  readonly jobMaxMs: number;
  readonly onReport: (report: SearchReport) => void;
  /** Called for the faults of the thread. */
  readonly onFault: (message: string) => void;
  /** Called when the job that it has received, but not begun, has to be run by another thread. */
  readonly onReturned: (waiting: Waiting) => void;
  readonly onEnd: () => void;
}

/**
 * Size of the young generation of a search thread in MiB, a third of V8's: a search makes few long-lived objects
 * (docs/internals/decisions/indexing-threads.md has the writer's).
 */
const YOUNG_MIB = 16;
/**
 * A thread that was stopped ends by itself at its next read of a row. After this time, in milliseconds, it is terminated: one that
 * reads nothing for so long computes without end. Termination within a call of LMDB would end the whole process, because an
 * error of such a call could be thrown no more.
 */
const ENDED_WITHIN_MS = 10_000;

/** A running search thread with its job, and at most one more that it has received. */
export class SearchThread implements Helper {
  readonly owner: number;
  private readonly options: SearchThreadOptions;
  private readonly control = new ControlWord();
  private readonly runner: WatchedThread<SearchJob | SearcherOrder, SearchReport>;
  job: Waiting | undefined;
  queued: Waiting | undefined;
  isReady = false;
  /** Nothing of it counts any more. */
  hasEnded = false;
  /** Ends the thread when its job takes too long. */
  private guard: NodeJS.Timeout | undefined;
  /** Somebody waits for its end. */
  private isStopping = false;
  /** Its job took too long and was refused; the thread is ending. */
  isLost = false;
  /** The kernel memory that it uses, and those that it will use after its present jobs. */
  memories: readonly SharedKernelMemory[] = [];

  constructor(options: SearchThreadOptions, memory: SharedKernelMemory) {
    const { start, onReport, onFault, onEnd } = options;
    this.options = options;
    this.owner = start.sharedBudget.owner;
    const given: SearcherStart = { ...start, control: this.control.buffer };
    this.runner = new WatchedThread({
      script: new URL('./searcher.js', import.meta.url),
      start: given,
      youngGenerationMib: YOUNG_MIB,
      onReport,
      onFault: (error) => onFault(error.stack ?? error.message),
      onEnd: () => {
        clearTimeout(this.guard);
        onEnd();
      },
    });
    this.useMemory(memory);
  }

  get isBusy(): boolean {
    return this.job !== undefined;
  }

  /** The thread uses another kernel memory after its present jobs. */
  useMemory(memory: SharedKernelMemory): void {
    this.memories = [...this.memories, memory];
    this.runner.send({ kind: 'use memory', sharedKernel: { ...memory, thread: this.owner } });
  }

  /** The thread has reported that it uses the memory with this number now. */
  usesMemory(id: number): void {
    this.memories = this.memories.slice(this.memories.findIndex((memory) => memory.id === id));
  }

  /** The thread searches an index for its own words while it has no job. */
  warmUp(indexUid: string): void {
    this.runner.send({ kind: 'warm up', indexUid });
  }

  /** Runs a job. The thread is idle. */
  begin(waiting: Waiting): void {
    this.watch(waiting);
    this.runner.send(waiting.job);
  }

  /** Gives the thread the job that it runs after the present one. */
  queue(waiting: Waiting): void {
    this.queued = waiting;
    this.runner.send(waiting.job);
  }

  /** Called when a job is done: the thread goes on with the one that it has received, or is idle. */
  goOn(): void {
    clearTimeout(this.guard);
    const { queued } = this;
    this.job = undefined;
    this.queued = undefined;
    if (queued !== undefined) this.watch(queued);
    // an idle thread does not keep the process alive, unless somebody waits for its end
    else if (!this.isStopping) this.runner.holdProcess(false);
  }

  /** Ends after its running jobs. Resolves when it has ended. */
  stop(): Promise<void> {
    this.isStopping = true;
    this.runner.holdProcess(true);
    this.leave();
    return this.runner.ended;
  }

  /** Ends soon, because it is idle and not needed. */
  leave(): void {
    this.runner.send('stop');
  }

  private watch(waiting: Waiting): void {
    this.job = waiting;
    this.guard = setTimeout(() => this.abandon(waiting), this.options.jobMaxMs).unref();
    this.runner.holdProcess(true);
  }

  /** Ends the thread, whose job takes too long. */
  private abandon(waiting: Waiting): void {
    const { jobMaxMs, onFault, onReturned } = this.options;
    onFault(`a search thread that did not come back for ${jobMaxMs} ms is ended`);
    this.isLost = true;
    const { queued } = this;
    this.queued = undefined;
    this.control.stop();
    this.runner.send('stop');
    this.guard = setTimeout(() => {
      onFault(`a search thread that read nothing for ${ENDED_WITHIN_MS} ms is terminated`);
      this.runner.terminate();
    }, ENDED_WITHIN_MS).unref();
    waiting.reject(apiError('internal', 'searchTooLong', jobMaxMs / 1_000));
    if (queued !== undefined) onReturned(queued);
  }
}
