/** Which search thread is next, by the memory that they have together: side by side with the same each, or one with all. */
import { closeAccount, haveMadeRoom, setSharing } from './memory-budget.js';

/** A thread as its memory sees it. */
export interface SharingThread {
  /** Its account of the memory for searches. */
  readonly owner: number;
  readonly isBusy: boolean;
  /** When it was last given a job. */
  lastTurnMs: number;
  /** When room was last kept for a job of it that waits. */
  lastWaitMs: number;
  /** Whether it was told to let go of what it keeps: it is `asked`, it is `done`, or it has had a job since. */
  giving: 'asked' | 'done' | undefined;
  /** Tells it to. `ThreadShares.gaveBack` is to be called when it has. */
  askBack(): void;
}

/** A thread counts as one that searches side by side with others for so long behind its last turn, in milliseconds. */
const SHARING_MS = 5_000;
/** For how long one thread alone searches behind a search that needed more than an even share, in milliseconds: others like it will come. */
const ALONE_MS = 300_000;

/** Keeps threads from taking each other's memory: what is kept by one that has it all takes seconds to make again. */
export class ThreadShares<Thread extends SharingThread> {
  private readonly buffer: SharedArrayBuffer;
  private readonly maxBytes: number;
  private aloneUntilMs = 0;

  /** @param buffer the accounts of all threads */
  constructor(buffer: SharedArrayBuffer, maxBytes: number) {
    this.buffer = buffer;
    this.maxBytes = maxBytes;
  }

  /** To be called when a search was short of memory: until further notice one thread has it all. */
  beAlone(): void {
    this.aloneUntilMs = performance.now() + ALONE_MS;
  }

  /**
   * The thread that the next job goes to, or undefined: it has to wait for one, or for memory that another gives back. One that searches already
   * comes before one that would have to begin with nothing.
   */
  choose(threads: readonly Thread[], start: () => Thread | undefined): Thread | undefined {
    const nowMs = performance.now();
    if (nowMs < this.aloneUntilMs) return this.sole(threads, start);
    const free = threads.filter(({ isBusy, giving }) => !isBusy && giving !== 'asked');
    const known = free.find(({ lastTurnMs }) => isRecent(lastTurnMs, nowMs));
    if (known !== undefined) return known;
    const fresh = free[0] ?? start();
    if (fresh === undefined) return undefined;
    const others = threads.filter((thread) => thread !== fresh);
    if (!others.some(({ isBusy }) => isBusy)) return fresh;
    // Those that search see its mark at their next search, and come down to what is theirs beside it.
    fresh.lastWaitMs = nowMs;
    this.mark([...others, fresh], nowMs);
    return haveMadeRoom(this.buffer, fresh.owner, this.maxBytes) ? fresh : undefined;
  }

  /** To be called when a thread is given a job. */
  begin(thread: Thread, threads: readonly Thread[]): void {
    const nowMs = performance.now();
    thread.lastTurnMs = nowMs;
    thread.giving = undefined;
    this.mark(threads, nowMs);
  }

  /** To be called when a thread has let go of what it kept. */
  gaveBack(thread: Thread): void {
    thread.giving = 'done';
  }

  /** To be called when a thread has ended. */
  end(thread: Thread): void {
    closeAccount(this.buffer, thread.owner);
  }

  /** The first thread, once no other is busy or keeps anything. */
  private sole(threads: readonly Thread[], start: () => Thread | undefined): Thread | undefined {
    if (threads.some(({ isBusy }) => isBusy)) return undefined;
    const [first, ...others] = threads;
    for (const other of others) {
      if (other.giving === undefined) {
        other.giving = 'asked';
        other.askBack();
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
