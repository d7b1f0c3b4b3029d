import { CommitCounter, IN_DOUBT, LOST, SOUND } from './commit-counter.js';
import { Environment } from './environment.js';
import { checkSpareDescriptors } from './free-descriptors.js';
import { announceLoss, isRefused, lostError, type RenewableStore, unwatchStore, watchStore } from './lost-stores.js';
import { OpenTables } from './open-tables.js';

/** lmdb-js passes on the words of an error of a flush, without its number. */
const WORDS: readonly (readonly [RegExp, string])[] = [
  [/^input\/output error/i, 'EIO'],
  [/^no space left on device/i, 'ENOSPC'],
];

/**
 * Shortest interval between attempts to open a lost environment anew, in milliseconds: an attempt that comes too early
 * has it open for a moment, which keeps other threads from succeeding.
 */
const ATTEMPT_MS = 5;
/**
 * A read that another thread began before a commit failed has described its error by then, in milliseconds: two
 * threads must not do that at one instant (noteLoss).
 */
const READ_MS = 2;
/** Time within which a thread finds out whether its failed commit has made LMDB refuse the environment. */
const DOUBT_MS = 50;

/**
 * One store's environment, which is closed and opened anew when LMDB refuses it (lost-stores.ts): everything that
 * belongs to the environment is here, and is another thing after `renew`.
 */
export class EnvironmentHandle implements RenewableStore {
  readonly folder: string;
  private readonly mapBytes: number | undefined;
  environment: Environment;
  tables: OpenTables;
  commits: CommitCounter;
  private flushes: SharedFlush;
  isWriting = false;
  private isOpen = true;
  private attemptedMs = Number.NEGATIVE_INFINITY;

  constructor(folder: string, mapBytes: number | undefined) {
    this.folder = folder;
    this.mapBytes = mapBytes;
    this.environment = new Environment(folder, mapBytes);
    this.commits = new CommitCounter(this.environment.root);
    this.flushes = new SharedFlush(this.environment.root);
    this.tables = new OpenTables(this.environment, this.commits);
    // A table cannot be opened while another is being read, so all existing ones are opened now.
    this.tables.openAll();
    watchStore(this);
  }

  get isLost(): boolean {
    return this.commits.state() === LOST;
  }

  get isBusy(): boolean {
    return this.isWriting || this.tables.readingCount > 0 || this.flushes.isRunning;
  }

  /** See Store. Rejects with the error of the system. */
  flush(): Promise<void> {
    return this.flushes.flush();
  }

  async close(): Promise<void> {
    unwatchStore(this);
    if (this.flushes.isRunning) await this.flushes.idle();
    await this.release();
  }

  /** Throws ApiError store_unavailable when the environment was lost and cannot be opened anew yet. */
  expectOpen(): void {
    if (this.commits.state() === SOUND) return;
    const untilMs = performance.now() + DOUBT_MS;
    while (this.commits.state() === IN_DOUBT && performance.now() < untilMs) sleep(1);
    if (this.commits.state() !== SOUND) this.renew();
  }

  /**
   * Closes a lost environment and opens it anew. Throws ApiError store_unavailable while it is being read here or is
   * open in another thread, and what opening throws. Some 0.3 ms, seldom.
   */
  renew(): void {
    if (this.isBusy || performance.now() - this.attemptedMs < ATTEMPT_MS) throw lostError(this.folder);
    this.attemptedMs = performance.now();
    void this.release();
    checkSpareDescriptors();
    let environment: Environment;
    try {
      environment = new Environment(this.folder, this.mapBytes);
    } catch (error) {
      throw isRefused(error) ? lostError(this.folder) : error;
    }
    this.environment = environment;
    this.flushes = new SharedFlush(environment.root);
    // what was read before must not count as of this environment
    this.commits = new CommitCounter(environment.root, this.commits.count() + 1);
    this.tables = new OpenTables(environment, this.commits);
    this.isOpen = true;
    this.tables.openAll();
  }

  /**
   * Finds out whether a failed commit has made LMDB refuse the environment, and tells all threads. Others wait
   * meanwhile: an error of LMDB in two threads at one instant may end the process, because it describes errors in
   * memory that all threads share (`last_error` of lmdb 3.5.6).
   */
  noteLoss(error: unknown): void {
    if (this.isLost || !(error instanceof Error) || !('code' in error) || typeof error.code !== 'number') return;
    this.commits.setState(IN_DOUBT);
    sleep(READ_MS);
    try {
      checkSpareDescriptors();
      // a handle of its own begins a transaction of its own; renewing one would describe the error twice
      void new Environment(this.folder, this.mapBytes).root.close();
    } catch (refusal) {
      if (isRefused(refusal)) return this.lose();
    }
    this.commits.setState(SOUND);
  }

  lose(): void {
    if (this.isLost) return;
    this.commits.setState(LOST);
    announceLoss(this.folder);
  }

  /** Done when the call returns. */
  private async release(): Promise<void> {
    if (!this.isOpen) return;
    this.isOpen = false;
    this.tables.clear();
    await this.environment.root.close();
  }
}

function sleep(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

/** Part of lmdb-js that its type declarations omit: flushes the file in a thread of the pool. */
interface Syncs {
  sync(done: (error?: Error) => void): void;
}

function named(error: Error): Error {
  const code = WORDS.find(([words]) => words.test(error.message))?.[1];
  return code === undefined ? error : Object.assign(error, { code, message: `${code}: ${error.message}` });
}

/**
 * Flushes of one environment. A running flush may have begun before the commit that a caller wants flushed, so the
 * caller waits for the next one, and all callers until then share it.
 */
class SharedFlush {
  private running: Promise<void> | undefined;
  private next: Promise<void> | undefined;
  private readonly root: Syncs;

  constructor(root: object) {
    this.root = root as Syncs;
  }

  /** Resolves once every commit before the call is on disk; rejects with the system's error. */
  flush(): Promise<void> {
    if (this.running === undefined) return this.begin();
    this.next ??= this.running.then(
      () => this.begin(),
      () => this.begin(),
    );
    return this.next;
  }

  get isRunning(): boolean {
    return this.running !== undefined;
  }

  /** Resolves when no flush is running: the environment may be closed. */
  async idle(): Promise<void> {
    while (this.running !== undefined) await this.running.catch(() => undefined);
  }

  private begin(): Promise<void> {
    this.next = undefined;
    const running = new Promise<void>((resolve, reject) => {
      this.root.sync((error) => (error === undefined ? resolve() : reject(named(error))));
    }).finally(() => {
      if (this.running === running) this.running = undefined;
    });
    this.running = running;
    return running;
  }
}
