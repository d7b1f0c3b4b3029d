/** When searches of small indexes, which the HTTP thread runs by itself, are handed over to search threads. */

/** A search thread as far as it may get a search from the HTTP thread. */
export interface Helper {
  /** Whether it has loaded its code. */
  readonly isReady: boolean;
  readonly isLost: boolean;
  /** Its running job. */
  readonly job: { readonly isHandedOver: boolean; readonly sinceMs: number } | undefined;
  /** The job that it has received and runs next. */
  readonly queued: object | undefined;
}

/**
 * Searches that have to wait for others within CROWD_MS before a thread is started for them: a thread costs half a second of
 * processor time and some 50 MiB, which a short burst is not worth.
 */
const CROWD = 50;
const CROWD_MS = 5_000;
/**
 * Memory for searches, in bytes, and documents of the largest small index from which on a thread is kept ready for the
 * first crowd: its code is compiled then. It takes some 100 MiB.
 */
const AHEAD_BYTES = 512 << 20;
const AHEAD_DOCUMENTS = 20_000;

/** With this many threads the HTTP thread is busy with receiving and sending alone. */
const HELPERS_MAX = 6;
/** Threads up to which one is started for searches of small indexes, unless a test sets another number: one for each core but that of the HTTP thread. */
export function searchHelpersMax(coreCount: number, env: NodeJS.ProcessEnv): number {
  const usual = Math.min(HELPERS_MAX, coreCount - 1);
  return Number(env['FOSSICK_TEST_SEARCH_HELPERS'] ?? usual);
}

/** Threads that there are at most where the operator says `threadCount`: the only one gets another one while it works on a long job. */
export function searchThreadsMax(threadCount: number): number {
  return threadCount === 1 ? 2 : threadCount;
}

/** How long a search that was handed over is expected to take at most, in milliseconds. */
export const SOON_MS = 250;

/** How long after a search had to wait others may be about to, in milliseconds. */
const CROWDED_MS = 1_000;

/** Counts searches that have to wait, and chooses threads for them. */
export class HandOver {
  private readonly threadsMax: number;
  private waitCount = 0;
  private sinceMs = Number.NEGATIVE_INFINITY;
  private waitedMs = Number.NEGATIVE_INFINITY;

  /** @param threadsMax threads up to which one is started for searches of small indexes */
  constructor(threadsMax: number) {
    this.threadsMax = threadsMax;
  }

  /** Whether a thread is kept ready before searches have to wait: `maxSearchBytes` is the memory for searches, `documentCount` those of the index. */
  isWorthAhead(maxSearchBytes: number, documentCount: number): boolean {
    return this.threadsMax > 0 && maxSearchBytes >= AHEAD_BYTES && documentCount >= AHEAD_DOCUMENTS;
  }

  /** Called with each search that has to wait. */
  noteWait(nowMs: number): void {
    this.waitedMs = nowMs;
  }

  /** Whether searches had to wait lately. Where none had to, one that is dropped for a thread to begin it again only takes longer. */
  isCrowded(nowMs: number): boolean {
    return nowMs - this.waitedMs < CROWDED_MS;
  }

  /**
   * The thread that a search is given to: an idle one, or else one that runs another such search, which it begins next
   * without asking the HTTP thread. Undefined if there is none. O(threads)
   */
  choose<Thread extends Helper>(threads: readonly Thread[]): Thread | undefined {
    const ready = threads.filter((thread) => thread.isReady && !thread.isLost);
    return (
      ready.find(({ job }) => job === undefined) ??
      ready.find(({ job, queued }) => job?.isHandedOver === true && queued === undefined)
    );
  }

  /** Threads that can begin a waiting search soon: those that start, and those whose search is short. */
  soonReadyCount(threads: readonly Helper[], nowMs: number): number {
    return threads.filter(
      ({ isReady, job }) => !isReady || (job?.isHandedOver === true && nowMs - job.sinceMs < SOON_MS),
    ).length;
  }

  /**
   * Called with each search that has to wait although others wait already. Whether a thread is to be started for such
   * searches now, where there are `threadCount`.
   */
  isDue(threadCount: number, nowMs: number): boolean {
    if (nowMs - this.sinceMs > CROWD_MS) {
      this.sinceMs = nowMs;
      this.waitCount = 0;
    }
    this.waitCount += 1;
    if (threadCount >= this.threadsMax || this.waitCount < CROWD) return false;
    this.waitCount = 0;
    return true;
  }
}
