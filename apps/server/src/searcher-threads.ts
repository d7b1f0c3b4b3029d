import { Worker } from 'node:worker_threads';
import { ApiError } from '@fossick/base';
import type { EngineReader, IndexWeight } from '@fossick/engine';
import { isHeavy, type SearchJob } from './search/search-jobs.js';
import { refusedSearch, type SearchQueueOptions } from './search/search-queue.js';
import type { SearcherStart, SearchReport } from './searcher-messages.js';

export interface SearcherThreadsOptions {
  /** Threads at most; 0: every search runs in the HTTP thread. */
  readonly threadCount: number;
  /** Documents from which on an index is searched in these threads (decision 0011). */
  readonly documentsMin: number;
  readonly start: SearcherStart;
  readonly queue: SearchQueueOptions;
}

interface Waiting {
  readonly job: SearchJob;
  readonly sinceMs: number;
  readonly resolve: (bytes: Buffer) => void;
  readonly reject: (error: Error) => void;
}
interface Thread {
  readonly worker: Worker;
  job: Waiting | undefined;
}

type SizeOf = IndexWeight & { readonly isLarge: boolean; readonly atMs: number };

/** How long what is known of an index's size is good. */
const SIZE_KEPT_MS = 2_000;
/** And of how many indexes it is known. */
const SIZES_KEPT_MAX = 10_000;

/**
 * Threads for searches that may take long: the HTTP thread answers everything else meanwhile. They are started when the first such search
 * comes, so an instance of small indexes pays nothing for them. Each works on one search at a time; the others wait here, as bounded as in
 * the search queue.
 */
export class SearcherThreads {
  readonly #options: SearcherThreadsOptions;
  readonly #engine: EngineReader;
  readonly #threads: Thread[] = [];
  readonly #waiting: Waiting[] = [];
  readonly #sizes = new Map<string, SizeOf>();
  #isStopping = false;

  constructor(options: SearcherThreadsOptions, engine: EngineReader) {
    this.#options = options;
    this.#engine = engine;
  }

  /** Whether the job, whose indexes exist, may take so long that it belongs here. */
  takes(job: SearchJob): boolean {
    return this.#options.threadCount > 0 && isHeavy(job, (uid) => this.#sizeOf(uid));
  }

  #sizeOf(indexUid: string): SizeOf {
    const nowMs = performance.now();
    const known = this.#sizes.get(indexUid);
    if (known !== undefined && nowMs - known.atMs < SIZE_KEPT_MS) return known;
    const weight = this.#engine.weight(indexUid);
    const size = { ...weight, isLarge: weight.documentCount >= this.#options.documentsMin, atMs: nowMs };
    if (this.#sizes.size >= SIZES_KEPT_MAX) this.#sizes.clear();
    this.#sizes.set(indexUid, size);
    return size;
  }

  /** The answer as JSON bytes. @throws ApiError for what the request has wrong, and too_many_search_requests */
  run(job: SearchJob): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ job, sinceMs: performance.now(), resolve, reject });
      this.#fill();
      const { slotCount, capacity } = this.#options.queue;
      const running = this.#threads.filter((thread) => thread.job !== undefined).length;
      if (this.#waiting.length > Math.max(0, slotCount - running) + capacity) {
        const at = Math.floor(Math.random() * this.#waiting.length);
        this.#waiting.splice(at, 1)[0]!.reject(refusedSearch(slotCount));
      }
    });
  }

  /** Ends the threads after what they are at; what waits is not answered any more. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    for (const { reject } of this.#waiting.splice(0)) reject(new Error('the server is stopping'));
    const ends = this.#threads.map(({ worker }) => new Promise((resolve) => worker.once('exit', resolve)));
    for (const { worker } of this.#threads) worker.postMessage('stop');
    await Promise.all(ends);
  }

  /** Gives waiting searches to idle threads, and starts threads as long as there may be more. */
  #fill(): void {
    const { threadCount, queue } = this.#options;
    for (;;) {
      const next = this.#waiting[0];
      if (next === undefined || this.#isStopping) return;
      if (performance.now() - next.sinceMs > queue.waitMaxMs) {
        this.#waiting.shift()!.reject(refusedSearch(queue.slotCount));
        continue;
      }
      let thread = this.#threads.find(({ job }) => job === undefined);
      if (thread === undefined && this.#threads.length < threadCount) thread = this.#startThread();
      if (thread === undefined) return;
      thread.job = this.#waiting.shift()!;
      thread.worker.postMessage(thread.job.job);
    }
  }

  #startThread(): Thread {
    const worker = new Worker(new URL('./searcher.js', import.meta.url), { workerData: this.#options.start });
    const thread: Thread = { worker, job: undefined };
    worker.on('message', (report: SearchReport) => {
      const done = thread.job!;
      thread.job = undefined;
      this.#fill();
      if (report.kind === 'answer')
        done.resolve(Buffer.from(report.bytes.buffer, report.bytes.byteOffset, report.bytes.length));
      else if (report.kind === 'refusal') done.reject(new ApiError(report.code, report.message));
      else done.reject(new Error(report.message));
    });
    // An error ends the thread: its search fails, and the next one starts another.
    worker.on('error', (error) => thread.job?.reject(error));
    worker.on('exit', () => {
      thread.job?.reject(new Error('the search thread ended'));
      this.#threads.splice(this.#threads.indexOf(thread), 1);
      this.#fill();
    });
    this.#threads.push(thread);
    return thread;
  }
}
