import { Worker } from 'node:worker_threads';
import { ApiError, apiError, MAX_VIEW_MS, threadOptions } from '@fossick/base';
import type { EngineReader, IndexWeight } from '@fossick/engine';
import { type SharingThread, ThreadShares } from '@fossick/search-memory';
import { degradedSearches } from '../degraded-searches.js';
import { refusedSearch, type SearchQueueOptions } from '../search-queue.js';
import type { SearcherOrder, SearcherStart, SearchReport } from './searcher-messages.js';
import { isHeavyJob, type ThreadJob } from './thread-jobs.js';

export interface SearcherThreadsOptions {
  /** Threads at most; 0: every search runs in the HTTP thread. */
  readonly threadCount: number;
  /** Documents from which on an index is searched in these threads (decision 0011). */
  readonly documentsMin: number;
  /** The threads have the accounts behind the first, which is the HTTP thread's. */
  readonly start: Omit<SearcherStart, 'sharedBudget'> & { readonly budget: SharedArrayBuffer };
  readonly queue: SearchQueueOptions;
  /** How long a thread may work on one job. */
  readonly jobMaxMs: number;
  /** Told of threads that ended by themselves. */
  readonly onFault?: (message: string) => void;
}

interface Waiting {
  readonly job: ThreadJob;
  readonly sinceMs: number;
  readonly resolve: (bytes: Buffer) => void;
  readonly reject: (error: Error) => void;
  /** Threads that ended by themselves while they had it. */
  readonly deathCount: number;
  /** Whether it has the memory of all threads. */
  readonly isAlone: boolean;
}
interface Thread extends SharingThread {
  readonly worker: Worker;
  job: Waiting | undefined;
  /** Ends the thread when it does not come back. */
  guard?: NodeJS.Timeout;
  /** It did not, and is being ended; its job was refused. */
  isLost: boolean;
}

type SizeOf = IndexWeight & { readonly isLarge: boolean; readonly atMs: number };

/** Memory for young objects of a search thread, a third of V8's: a search makes few that live on (decision 0020 measured the writer's). */
const YOUNG_MIB = 16;
/** A search whose threads have ended so often is not tried again: it may be what ends them. */
const DEATHS_MAX = 2;
/**
 * How long a thread may work on one job, in milliseconds, before it is taken for lost: it keeps the pages of the commit that it reads from
 * being used again. Searches end at their cutoff and views after MAX_VIEW_MS; a job may have some of these one after another.
 */
const JOB_MS_MAX = 5 * MAX_VIEW_MS;
/** The same, unless a test says otherwise. */
export function searchJobMaxMs(env: NodeJS.ProcessEnv): number {
  return Number(env['FOSSICK_TEST_SEARCH_JOB_MS'] ?? JOB_MS_MAX);
}
/** An index of such a part of the documents that make one large has a thread ready: its facet searches and listings go there before its searches do. */
const AHEAD_SHARE = 1 / 2;
/** How long behind a request such a thread is started, in milliseconds: loading its code takes the processor some hundreds. */
const AHEAD_MS = 500;
/** How long what is known of an index's size is good. */
const SIZE_KEPT_MS = 2_000;
/** And of how many indexes it is known. */
const SIZES_KEPT_MAX = 10_000;

/**
 * Threads for searches that may take long: the HTTP thread answers everything else meanwhile. They are started when the first such search
 * comes, and the first of them for an index that is soon large, so an instance of small indexes pays nothing for them. Each works on one search at a
 * time; the others wait here, as bounded as in the search queue. A thread that ends by itself (out of memory, a fault of ours) is replaced, and its search is run again, once.
 */
export class SearcherThreads {
  private readonly options: SearcherThreadsOptions;
  private readonly engine: EngineReader;
  private readonly threads: Thread[] = [];
  private readonly waiting: Waiting[] = [];
  private readonly sizes = new Map<string, SizeOf>();
  private readonly shares: ThreadShares<Thread>;
  private isStopping = false;
  /** Indexes to look at, and when: together, for small updates come one after the other. */
  private readonly foreseen = new Set<string>();
  private looking: NodeJS.Timeout | undefined;

  constructor(options: SearcherThreadsOptions, engine: EngineReader) {
    this.options = options;
    this.engine = engine;
    this.shares = new ThreadShares(options.start.budget, options.start.maxSearchBytes);
  }

  /** Whether the job, whose indexes exist, may take so long that it belongs here. */
  takes(job: ThreadJob): boolean {
    return this.options.threadCount > 0 && isHeavyJob(job, (uid) => this.sizeOf(uid));
  }

  /**
   * To be called with indexes that have changed, were there at the start or are searched: where one of them is soon large, or is, the first thread starts
   * before there is a job for it. None need exist.
   */
  foresee(indexUids: Iterable<string>): void {
    if (this.options.threadCount === 0 || this.threads.length > 0) return;
    for (const uid of indexUids) this.foreseen.add(uid);
    this.looking ??= setTimeout(() => {
      this.looking = undefined;
      const uids = [...this.foreseen];
      this.foreseen.clear();
      if (this.isStopping || this.threads.length > 0) return;
      const least = this.options.documentsMin * AHEAD_SHARE;
      try {
        if (uids.some((uid) => this.engine.stats(uid).numberOfDocuments >= least)) this.startThread();
      } catch {
        // it is gone, or cannot be read: who searches it hears of that
      }
    }, AHEAD_MS).unref();
  }

  private sizeOf(indexUid: string): SizeOf {
    const nowMs = performance.now();
    const known = this.sizes.get(indexUid);
    if (known !== undefined && nowMs - known.atMs < SIZE_KEPT_MS) return known;
    const weight = this.engine.weight(indexUid);
    const size = { ...weight, isLarge: weight.documentCount >= this.options.documentsMin, atMs: nowMs };
    if (this.sizes.size >= SIZES_KEPT_MAX) this.sizes.clear();
    this.sizes.set(indexUid, size);
    this.foresee([indexUid]);
    return size;
  }

  /** The answer as JSON bytes. @throws ApiError for what the request has wrong, and too_many_search_requests */
  run(job: ThreadJob): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ job, sinceMs: performance.now(), resolve, reject, deathCount: 0, isAlone: false });
      this.fill();
      const { slotCount, capacity } = this.options.queue;
      if (this.waiting.length > Math.max(0, slotCount - this.runningCount) + capacity) {
        const at = Math.floor(Math.random() * this.waiting.length);
        this.waiting.splice(at, 1)[0]!.reject(refusedSearch(slotCount));
      }
    });
  }

  /** Jobs that run. */
  get runningCount(): number {
    return this.threads.filter(({ job }) => job !== undefined).length;
  }
  /** Jobs that wait for a thread. */
  get waitingCount(): number {
    return this.waiting.length;
  }

  /** Ends the threads after what they are at; what waits is not answered any more. */
  async stop(): Promise<void> {
    this.isStopping = true;
    for (const { reject } of this.waiting.splice(0)) reject(new Error('the server is stopping'));
    const ends = this.threads.map(({ worker }) => new Promise((resolve) => worker.once('exit', resolve)));
    for (const { worker } of this.threads) {
      worker.ref();
      worker.postMessage('stop');
    }
    await Promise.all(ends);
  }

  /** Gives waiting searches to idle threads, and starts threads as long as there may be more. */
  private fill(): void {
    const { threadCount, queue } = this.options;
    for (;;) {
      const next = this.waiting[0];
      if (next === undefined || this.isStopping) return;
      if (performance.now() - next.sinceMs > queue.waitMaxMs) {
        this.waiting.shift()!.reject(refusedSearch(queue.slotCount));
        continue;
      }
      const start = (): Thread | undefined => (this.threads.length < threadCount ? this.startThread() : undefined);
      const thread = this.shares.choose(this.threads, start);
      if (thread === undefined) return;
      this.begin(thread, this.waiting.shift()!);
    }
  }

  private begin(thread: Thread, waiting: Waiting): void {
    const { jobMaxMs, onFault } = this.options;
    thread.job = waiting;
    this.shares.begin(thread, this.threads);
    thread.guard = setTimeout(() => {
      onFault?.(`a search thread that did not come back for ${jobMaxMs} ms was ended`);
      thread.isLost = true;
      void thread.worker.terminate();
      waiting.reject(apiError('internal', 'searchTooLong', jobMaxMs / 1_000));
    }, jobMaxMs);
    thread.guard.unref();
    thread.worker.ref();
    thread.worker.postMessage(waiting.job);
  }

  /** What becomes of a search that was short of memory: it comes next, with all that there is. */
  private runAlone(job: Waiting, message: string): void {
    if (job.isAlone || this.isStopping) {
      job.reject(new ApiError('too_many_search_requests', message));
      return;
    }
    this.shares.beAlone();
    this.engine.giveBack();
    this.waiting.unshift({ ...job, isAlone: true });
  }

  /** What becomes of a search whose thread ended by itself. */
  private putBack(job: Waiting): void {
    const deathCount = job.deathCount + 1;
    const isLast = this.isStopping || deathCount >= DEATHS_MAX;
    this.options.onFault?.(`a search thread ended by itself; its search is ${isLast ? 'given up' : 'run again'}`);
    if (!isLast) this.waiting.unshift({ ...job, deathCount });
    else if (this.isStopping) job.reject(new Error('the server is stopping'));
    else job.reject(apiError('internal', 'searchThreadEnded', deathCount));
  }

  private startThread(): Thread {
    const { budget, ...start } = this.options.start;
    let owner = 1;
    while (this.threads.some((thread) => thread.owner === owner)) owner += 1;
    const workerData: SearcherStart = { ...start, sharedBudget: { buffer: budget, owner } };
    const resourceLimits = { maxYoungGenerationSizeMb: YOUNG_MIB };
    const given = { workerData, resourceLimits, ...threadOptions() };
    const worker = new Worker(new URL('./searcher.js', import.meta.url), given);
    const thread: Thread = {
      worker,
      owner,
      job: undefined,
      isLost: false,
      lastTurnMs: Number.NEGATIVE_INFINITY,
      lastWaitMs: Number.NEGATIVE_INFINITY,
      giving: undefined,
      get isBusy() {
        return this.job !== undefined;
      },
      askBack: () => worker.postMessage('give back' satisfies SearcherOrder),
    };
    worker.on('message', (report: SearchReport) => {
      if (report.kind === 'gave back') {
        this.shares.gaveBack(thread);
        this.fill();
        return;
      }
      const done = thread.job;
      if (done === undefined || thread.isLost) return;
      clearTimeout(thread.guard);
      thread.job = undefined;
      // one that has nothing to do keeps no program from its end
      worker.unref();
      if (report.kind === 'shortage') this.runAlone(done, report.message);
      this.fill();
      if (report.kind === 'answer') {
        degradedSearches.count += report.degradedCount;
        done.resolve(Buffer.from(report.bytes.buffer, report.bytes.byteOffset, report.bytes.length));
      } else if (report.kind === 'refusal') done.reject(new ApiError(report.code, report.message));
      else if (report.kind === 'fault') done.reject(new Error(report.message));
    });
    // An error ends the thread.
    worker.on('error', (error) => this.options.onFault?.(error.stack ?? error.message));
    worker.on('exit', () => {
      clearTimeout(thread.guard);
      this.threads.splice(this.threads.indexOf(thread), 1);
      this.shares.end(thread);
      if (thread.job !== undefined && !thread.isLost) this.putBack(thread.job);
      this.fill();
    });
    this.threads.push(thread);
    return thread;
  }
}
