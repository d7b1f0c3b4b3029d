import { apiError, optimiseForLargeIndexes, TimeBudgetSpent, withinTimeBudget } from '@fossick/base';
import type { EngineReader } from '@fossick/index';
import { SHARING_THREADS_MAX } from '@fossick/kernel/shared';
import type { AnswerAccount } from '../jobs/answer-account.js';
import type { JobPlace, JobResult } from '../jobs/kinds/job.js';
import { isAskedFor, placeOf, type ResultOf, runHere, type SearchJob } from '../jobs/search-jobs.js';
import { refusedSearch, type SearchQueueOptions } from '../queue/search-queue.js';
import { busyClock } from './busy-clock.js';
import { EarlyStart } from './early-start.js';
import { HandOver, SOON_MS, searchThreadsMax } from './hand-over.js';
import { IndexSizes } from './index-sizes.js';
import { LongShapes } from './long-shapes.js';
import { newWaiting, SearchThread, type Waiting } from './search-thread.js';
import { REST_INTERVAL_MS, type Refusal, type SearcherStart, type SearchReport } from './searcher-messages.js';
import { receivedResult, refused, threadError } from './searcher-reports.js';
import { ThreadMemory } from './thread-memory.js';
import { WarmUp } from './warm-up.js';

export interface SearcherThreadsOptions {
  /** Maximal number of threads; 0: every search runs in the HTTP thread. */
  readonly threadCount: number;
  /** Number of threads up to which one is started for searches of small indexes while the HTTP thread is busy. */
  readonly helperCount: number;
  /** Number of documents from which on an index is searched in these threads (docs/internals/decisions/search-threads.md). */
  readonly documentsMin: number;
  /** How long a job may take in the HTTP thread, in milliseconds. */
  readonly budgetMs: number;
  /** The threads have the accounts after the first one, which belongs to the HTTP thread. */
  readonly start: Omit<SearcherStart, 'sharedBudget' | 'control' | 'answers' | 'asked'> & {
    readonly budget: SharedArrayBuffer;
    /** The account of the kernel memory that the threads share. */
    readonly kernelOwner: number;
  };
  readonly queue: SearchQueueOptions;
  /** The account of their answers. */
  readonly answers: AnswerAccount;
  /** How long a thread may work on one job, in milliseconds. */
  readonly jobMaxMs: number;
  /** Whether the process does other work than searches; absent: nothing is warmed up. */
  readonly isWorking?: () => boolean;
  /** Called for threads that ended by themselves. */
  readonly onFault?: (message: string) => void;
}

/**
 * The same while no thread is free, or none waits for the HTTP thread, in milliseconds, if it is more: starting one takes as long as hundreds of searches, the first
 * searches of a process take ten times as long as later ones, and a job in a thread may take seconds. Others may wait for so long.
 */
const BUDGET_ALONE_MS = 50;
/** So many times as long until the HTTP thread has worked for so long on jobs, in milliseconds: until then its code is not compiled, and that of a thread is not either. */
const YOUNG_FACTOR = 5;
const YOUNG_MS = 3_000;
/** A search whose threads ended this often is not run again: it may be the cause. */
const DEATHS_MAX = 2;
/** The same for losses of the memory that threads share, most of which other searches cause. */
const LOSSES_MAX = 5;
/** The same for a search that lacks memory although the memory was made anew. */
const SHORTAGES_MAX = 2;
/** Delay after which the thread that was started in addition to the only one ends when it has had no work, in milliseconds. */
const SPARE_MS = 60_000;
/** Threads that are kept ready for searches of large indexes: each is another 50 MiB. */
const READY_THREADS = 2;
/**
 * Threads for searches that take long, while the HTTP thread answers everything else. They are started with the
 * first such search; the first of them, and then a second one, for an index that is about to be large, or one for crowds of
 * searches of an index that is not (`HandOver.isWorthAhead`), so an instance with small indexes pays nothing for them. Each runs one search at a time; the others wait here, with the limits of the search queue.
 * Jobs that are hundreds of searches never occupy all threads. A thread that ends by itself (out of memory, a bug) is replaced, and its search is run again, once.
 */
export class SearcherThreads {
  private readonly options: SearcherThreadsOptions;
  private readonly threads: SearchThread[] = [];
  /** Threads that are ending because they are no longer needed. */
  private readonly leaving = new Set<SearchThread>();
  private spareTimer: NodeJS.Timeout | undefined;
  private fillTimer: NodeJS.Timeout | undefined;
  private readonly waiting: Waiting[] = [];
  private readonly sizes: IndexSizes;
  private readonly longShapes = new LongShapes();
  private readonly memory: ThreadMemory;
  private readonly placeOf = (job: SearchJob): JobPlace => placeOf(job, (uid) => this.sizes.of(uid));
  private isStopping = false;
  private isForLarge = false;
  /** How long the HTTP thread has worked on jobs. */
  private workedMs = 0;
  /** When the last job came, and how many have come: threads that warm themselves up look at it. */
  private askedMs = Number.NEGATIVE_INFINITY;
  private readonly asked = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  readonly warmUp: WarmUp | undefined;
  private readonly early: EarlyStart;
  private readonly handOver: HandOver;

  constructor(options: SearcherThreadsOptions, engine: EngineReader) {
    this.options = options;
    this.sizes = new IndexSizes(engine, options.documentsMin, (uid, hasManyDocuments) => {
      if (hasManyDocuments) this.compileForLarge();
      this.expectSearches([uid]);
    });
    const { isWorking } = options;
    const { budget, maxSearchBytes, kernelOwner } = options.start;
    if (isWorking !== undefined)
      this.warmUp = new WarmUp({
        engine,
        run: (job) => runHere(engine, job).value,
        isWorking,
        askedMs: () => this.askedMs,
        keepsCode: true,
        onWork: (milliseconds) => {
          this.workedMs += milliseconds;
        },
      });
    const startForLarge = (uid: string): void => {
      if (options.threadCount === 0) return;
      this.compileForLarge();
      this.startAhead(uid, 1);
    };
    const warmUp = (uid: string, documentCount: number): void =>
      this.warmUp?.start(uid, () => {
        if (this.handOver.isWorthAhead(maxSearchBytes, documentCount)) this.startAhead(uid, 1);
      });
    this.early = new EarlyStart(engine, options.documentsMin, startForLarge, warmUp);
    this.handOver = new HandOver(Math.min(options.helperCount, options.threadCount));
    this.memory = new ThreadMemory(budget, maxSearchBytes, kernelOwner);
  }

  /** Whether the job, whose indexes exist, begins here. Where it would have to wait for others, it does so only if the HTTP thread would drop it again. */
  takes(job: SearchJob): boolean {
    if (isAskedFor(job)) {
      this.askedMs = performance.now();
      Atomics.add(this.asked, 0, 1);
    }
    if (this.options.threadCount === 0) return false;
    return this.placeOf(job) !== 'here' || this.longShapes.has(job, this.hasHelp ? 0 : this.budgetMs);
  }

  /** Whether a thread would begin a job at once, and others wait for this one. */
  private get hasHelp(): boolean {
    if (!this.handOver.isCrowded(performance.now())) return false;
    return this.threads.some((thread) => thread.isReady && !thread.isLost && !thread.isBusy);
  }

  private get budgetMs(): number {
    const { budgetMs } = this.options;
    if (!this.hasHelp) return Math.max(budgetMs, BUDGET_ALONE_MS);
    return this.workedMs > YOUNG_MS ? budgetMs : YOUNG_FACTOR * budgetMs;
  }

  /**
   * Begins a job in the HTTP thread, by synchronous work without effects. @throws TimeBudgetSpent when it takes so long that it is to be run by a thread.
   */
  begin<T>(job: SearchJob, work: () => T): T {
    if (this.options.threadCount === 0 || this.isStopping) return work();
    const { budgetMs } = this;
    const clock = busyClock(budgetMs);
    const startedMs = clock();
    try {
      const result = withinTimeBudget(budgetMs, work, clock);
      const tookMs = clock() - startedMs;
      // it looked at the clock too seldom
      if (tookMs > 2 * budgetMs) this.longShapes.add(job, tookMs);
      else this.longShapes.note(job, tookMs, this.options.budgetMs / 2);
      return result;
    } catch (error) {
      if (error instanceof TimeBudgetSpent) this.longShapes.add(job, budgetMs);
      throw error;
    } finally {
      this.workedMs += clock() - startedMs;
    }
  }

  /** Called with indexes that have changed, existed at the start or are searched: if one is large or about to be, the first thread starts before there is a job for it. They need not exist. */
  expectSearches(indexUids: Iterable<string>): void {
    if (this.threads.length > 0) return;
    this.early.expectSearches(indexUids);
  }

  /** Starts a thread that waits for searches of an index, unless there are so many. */
  private startAhead(indexUid: string, threadsMax: number): void {
    if (!this.isStopping && this.threads.length < threadsMax) this.warmThread(this.startThread(), indexUid);
  }

  /** A thread that waits for searches of an index searches it for its own words, once there is nothing else to do. */
  private warmThread(thread: SearchThread, indexUid: string): void {
    const { isWorking } = this.options;
    if (isWorking === undefined || this.isStopping || thread.hasEnded) return;
    if (thread.isReady && !isWorking()) thread.warmUp(indexUid);
    else setTimeout(() => this.warmThread(thread, indexUid), REST_INTERVAL_MS).unref();
  }

  /** One thread is warm: the first crowd of searches of a large index finds another one, after the HTTP thread is warm, too. */
  private keepReady(indexUid: string): void {
    if (!this.isForLarge || this.threads.length > 1) return;
    this.warmUp?.request(indexUid, () => {
      if (this.handOver.isWorthAhead(this.options.start.maxSearchBytes, Number.POSITIVE_INFINITY))
        this.startAhead(indexUid, Math.min(READY_THREADS, this.options.threadCount));
    });
  }

  /** Not for small indexes, nor for other long jobs: all threads of the process, this one too, would run unoptimised code for longer. */
  private compileForLarge(): void {
    if (this.isForLarge) return;
    this.isForLarge = true;
    optimiseForLargeIndexes();
  }

  /** @throws ApiError for an invalid request, and too_many_search_requests */
  run<J extends SearchJob>(job: J): Promise<ResultOf<J['kind']>> {
    const result = new Promise<JobResult<unknown>>((resolve, reject) => {
      const isLong = this.placeOf(job) === 'spare';
      this.waiting.push(newWaiting({ job, isLong, isHandedOver: false, resolve, reject }));
      this.fill();
      const { slotCount, capacity } = this.options.queue;
      if (this.waiting.length > Math.max(0, slotCount - this.runningCount) + capacity) {
        const at = Math.floor(Math.random() * this.waiting.length);
        this.waiting.splice(at, 1)[0]!.reject(refusedSearch(slotCount));
      }
    });
    // the kind of a job says what its result is
    return result as Promise<ResultOf<J['kind']>>;
  }

  /**
   * Runs a light job, for which the HTTP thread has no time now, in a thread that can run it at once or after one other such job. Undefined if there
   * is none; when that happens often, a thread is started. `isCrowded`: whether other jobs wait for the HTTP thread already.
   */
  offer<J extends SearchJob>(job: J, isCrowded: boolean): Promise<ResultOf<J['kind']>> | undefined {
    this.handOver.noteWait(performance.now());
    if (this.isStopping || this.waiting.length > 0) return undefined;
    const thread = this.handOver.choose(this.threads);
    if (thread === undefined) {
      if (isCrowded && this.handOver.isDue(this.threads.length, performance.now())) this.startThread();
      return undefined;
    }
    const result = new Promise<JobResult<unknown>>((resolve, reject) => {
      const waiting = newWaiting({ job, isLong: false, isHandedOver: true, resolve, reject });
      if (thread.isBusy) thread.queue(waiting);
      else thread.begin(waiting);
    });
    // as in run
    return result as Promise<ResultOf<J['kind']>>;
  }

  /** Number of running jobs. */
  get runningCount(): number {
    return this.threads.filter(({ job }) => job !== undefined).length;
  }
  /** Number of jobs waiting for a thread. */
  get waitingCount(): number {
    return this.waiting.length;
  }

  /** Ends the threads after their running jobs; waiting jobs are not answered. */
  async stop(): Promise<void> {
    this.isStopping = true;
    this.warmUp?.stop();
    clearTimeout(this.spareTimer);
    for (const { reject } of this.waiting.splice(0)) reject(new Error('the server is stopping'));
    await Promise.all([...this.threads, ...this.leaving].map((thread) => thread.stop()));
  }

  /** Gives waiting jobs to idle threads, and starts threads up to the limit. A thread that is still starting gets no job: another may be free before it. */
  private fill(): void {
    const { queue } = this.options;
    for (;;) {
      const at = this.nextAt();
      const next = this.waiting[at];
      if (next === undefined || this.isStopping) return;
      if (performance.now() - next.sinceMs > queue.waitMaxMs) {
        this.waiting.splice(at, 1)[0]!.reject(refusedSearch(queue.slotCount));
        continue;
      }
      const idle = this.threads.find(({ isReady, isBusy }) => isReady && !isBusy);
      if (idle !== undefined) idle.begin(this.waiting.splice(at, 1)[0]!);
      else if (!this.mayStart()) return;
      else if (this.handOver.soonReadyCount(this.threads, performance.now()) >= this.waiting.length)
        return this.fillLater();
      else this.startThread();
    }
  }

  private fillLater(): void {
    clearTimeout(this.fillTimer);
    this.fillTimer = setTimeout(() => this.fill(), SOON_MS).unref();
  }

  /** The index of the next job: the first, unless it is long and the others of its kind have all threads but one. -1: none may start. */
  private nextAt(): number {
    const longMax = Math.max(1, this.options.threadCount - 1);
    if (this.longCount < longMax) return this.waiting.length === 0 ? -1 : 0;
    return this.waiting.findIndex(({ isLong }) => !isLong);
  }

  private get longCount(): number {
    return this.threads.filter(({ job }) => job?.isLong === true).length;
  }

  private mayStart(): boolean {
    const { threadCount } = this.options;
    if (this.threads.length + this.leaving.size >= SHARING_THREADS_MAX) return false;
    if (this.threads.length < threadCount) return true;
    return this.longCount === threadCount && this.threads.length < searchThreadsMax(threadCount);
  }

  /** Ends the second thread, once it has had nothing to do for a while. */
  private retireLater(): void {
    clearTimeout(this.spareTimer);
    if (this.isStopping || this.threads.length <= this.options.threadCount) return;
    this.spareTimer = setTimeout(() => {
      const spare = this.longCount > 0 ? undefined : this.threads.findLast(({ job }) => job === undefined);
      if (spare === undefined || this.isStopping) return;
      this.threads.splice(this.threads.indexOf(spare), 1);
      this.leaving.add(spare);
      spare.leave();
    }, SPARE_MS).unref();
  }

  /** A job that a thread has received but not begun waits for another one. */
  private takeBack(queued: Waiting): void {
    if (this.isStopping) return queued.reject(new Error('the server is stopping'));
    this.waiting.unshift(queued);
    this.fill();
  }

  /** Handles a search whose thread ended by itself. */
  private putBack(job: Waiting): void {
    const deathCount = job.deathCount + 1;
    const isLast = this.isStopping || deathCount >= DEATHS_MAX;
    this.options.onFault?.(`a search thread ended by itself; its search is ${isLast ? 'given up' : 'run again'}`);
    if (!isLast) this.waiting.unshift({ ...job, deathCount });
    else if (this.isStopping) job.reject(new Error('the server is stopping'));
    else job.reject(apiError('internal', 'searchThreadEnded', deathCount));
  }

  /** Handles a search whose memory was lost, with another thread or in a call of its own: then it may be the cause. */
  private runAfterLoss(job: Waiting, refusal?: Refusal): void {
    const lossCount = job.lossCount + 1;
    if (this.isStopping) job.reject(new Error('the server is stopping'));
    else if (lossCount < (refusal === undefined ? LOSSES_MAX : SHORTAGES_MAX))
      this.waiting.unshift({ ...job, lossCount });
    else job.reject(refusal === undefined ? apiError('internal', 'searchThreadEnded', lossCount) : refused(refusal));
  }

  private startThread(): SearchThread {
    const { budget, kernelOwner, ...start } = this.options.start;
    let owner = 1;
    while ([...this.threads, ...this.leaving].some((thread) => thread.owner === owner)) owner += 1;
    const thread: SearchThread = new SearchThread(
      {
        start: {
          ...start,
          answers: this.options.answers.shared,
          asked: this.asked.buffer,
          sharedBudget: { buffer: budget, owner, kernelOwner },
        },
        jobMaxMs: this.options.jobMaxMs,
        onReport: (report) => this.receive(thread, report),
        onFault: (message) => this.options.onFault?.(message),
        onReturned: (queued) => this.takeBack(queued),
        onEnd: () => this.ended(thread),
      },
      this.memory.current,
    );
    this.threads.push(thread);
    return thread;
  }

  private receive(thread: SearchThread, report: SearchReport): void {
    if (report.kind === 'ready') {
      thread.isReady = true;
      return this.fill();
    }
    if (report.kind === 'warm') return this.keepReady(report.indexUid);
    if (report.kind === 'using') return thread.usesMemory(report.memory);
    if (report.kind === 'worn') return this.memory.replace(report.memory, this.threads);
    // in this turn what is done with the answer holds them again
    if (report.kind === 'answer' && !thread.hasEnded) this.options.answers.take(thread.owner, report.heldBytes);
    const done = thread.job;
    if (done === undefined || thread.isLost) return;
    thread.goOn();
    if (report.kind === 'lost') this.runAfterLoss(done, report.refusal);
    this.fill();
    this.retireLater();
    if (report.kind === 'answer') {
      this.longShapes.note(done.job, report.workMs, this.options.budgetMs / 2);
      done.resolve(receivedResult(report.result));
    } else if (report.kind === 'refusal') done.reject(refused(report));
    else if (report.kind === 'fault') done.reject(threadError(report));
  }

  private ended(thread: SearchThread): void {
    thread.hasEnded = true;
    this.options.answers.forget(thread.owner);
    if (!this.leaving.delete(thread)) this.threads.splice(this.threads.indexOf(thread), 1);
    if (!this.memory.end(thread, this.threads))
      this.options.onFault?.('a search thread ended while it changed the memory that all share, which is made anew');
    if (thread.queued !== undefined) this.takeBack(thread.queued);
    const job = thread.job ?? (thread.isReady ? undefined : this.waiting.shift()); // threads that cannot start would be started without end
    if (job !== undefined && !thread.isLost) this.putBack(job);
    this.fill();
  }
}
