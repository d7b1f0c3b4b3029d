/**
 * Chooses the search thread for the next job by memory: either threads with equal shares, or one thread with
 * everything.
 */
import { closeAccount, haveFreedMemory, setSharing } from '@fossick/kernel/memory';

/** A thread as far as its memory matters. */
export interface SharingThread {
  /** Its account of the memory for searches. */
  readonly owner: number;
  readonly isBusy: boolean;
  /** When it last got a job. */
  lastTurnMs: number;
  /** When memory was last reserved for a waiting job of it. */
  lastWaitMs: number;
  /**
   * Whether it was requested to free its caches: the request is `asked`, or `done`, or undefined when it has had a job
   * since.
   */
  giving: 'asked' | 'done' | undefined;
  /** Sends the request. Call `ThreadShares.gaveBack` when it has been carried out. */
  requestReturn(): void;
}

/**
 * A thread counts as searching beside others for this long after its last job, in milliseconds. A thread that took the memory of another one in its pause would
 * have to drop all that it holds when that one goes on, because kernel memory never shrinks.
 */
const SHARING_MS = 60_000;
/**
 * For how long only one thread searches after a search that needed more than an even share, in milliseconds: similar
 * searches will follow.
 */
const ALONE_MS = 300_000;

/**
 * Prevents threads from taking each other's memory: the caches of a thread that has everything take seconds to rebuild.
 */
export class ThreadShares<Thread extends SharingThread> {
  private readonly buffer: SharedArrayBuffer;
  private readonly maxBytes: number;
  private aloneUntilMs = 0;

  /** @param buffer the accounts of all threads */
  constructor(buffer: SharedArrayBuffer, maxBytes: number) {
    this.buffer = buffer;
    this.maxBytes = maxBytes;
  }

  /** Called when a search was short of memory: until further notice one thread has everything. */
  beAlone(): void {
    this.aloneUntilMs = performance.now() + ALONE_MS;
  }

  /** Whether only one thread searches at present. */
  get isAlone(): boolean {
    return performance.now() < this.aloneUntilMs;
  }

  /**
   * The thread for the next job, or undefined: the job must wait for a thread, or for memory that another one gives
   * back. A thread that is searching already is preferred to one that would start with nothing.
   */
  choose(threads: readonly Thread[], start: () => Thread | undefined): Thread | undefined {
    const nowMs = performance.now();
    if (this.isAlone) return this.sole(threads, start);
    const free = threads.filter(({ isBusy, giving }) => !isBusy && giving !== 'asked');
    const known = free.find(({ lastTurnMs }) => isRecent(lastTurnMs, nowMs));
    if (known !== undefined) return known;
    const fresh = free[0] ?? start();
    if (fresh === undefined) return undefined;
    const others = threads.filter((thread) => thread !== fresh);
    if (!others.some(({ isBusy }) => isBusy)) return fresh;
    // Searching threads see its mark at their next search, and shrink to their new allowance.
    fresh.lastWaitMs = nowMs;
    this.mark([...others, fresh], nowMs);
    return haveFreedMemory(this.buffer, fresh.owner, this.maxBytes) ? fresh : undefined;
  }

  /** Called when a thread gets a job. */
  begin(thread: Thread, threads: readonly Thread[]): void {
    const nowMs = performance.now();
    thread.lastTurnMs = nowMs;
    thread.giving = undefined;
    this.mark(threads, nowMs);
  }

  /** Called when a thread has freed its caches. */
  gaveBack(thread: Thread): void {
    thread.giving = 'done';
  }

  /** Called when a thread has ended. */
  end(thread: Thread): void {
    closeAccount(this.buffer, thread.owner);
  }

  /** The first thread, once no other is busy or holds anything. */
  private sole(threads: readonly Thread[], start: () => Thread | undefined): Thread | undefined {
    if (threads.some(({ isBusy }) => isBusy)) return undefined;
    const [first, ...others] = threads;
    for (const other of others) {
      if (other.giving === undefined) {
        other.giving = 'asked';
        other.requestReturn();
      }
      other.lastTurnMs = Number.NEGATIVE_INFINITY;
      other.lastWaitMs = Number.NEGATIVE_INFINITY;
    }
    if (others.some(({ giving }) => giving === 'asked')) return undefined;
    return first ?? start();
  }

  private mark(threads: readonly Thread[], nowMs: number): void {
    for (const thread of threads) setSharing(this.buffer, thread.owner, isSharing(thread, nowMs));
  }
}

const isRecent = (ms: number, nowMs: number): boolean => nowMs - ms < SHARING_MS;

const isSharing = ({ isBusy, lastTurnMs, lastWaitMs }: SharingThread, nowMs: number): boolean =>
  isBusy || isRecent(lastTurnMs, nowMs) || isRecent(lastWaitMs, nowMs);
