import type { PendingMerges } from '@fossick/index';

/** Resources prepared for a large payload are released after this time, in milliseconds. */
const EXPECTED_WITHIN_MS = 10_000;
/** The memory of merges is freed within this time, in milliseconds. */
const RELEASED_WITHIN_MS = 1_000;

/**
 * What the writer does. `looking`: the next turn of the event loop decides. `resting`: nothing is left to do and the memory is released.
 * `expecting`: a thread is ready for a payload that arrives.
 */
export type WriterState = 'resting' | 'looking' | 'expecting' | 'merging' | 'executing' | 'stopped';

/** What may follow what. A batch may begin while a piece of a merge ends; the piece then leaves its state to the batch. */
export const FOLLOWING: Readonly<Record<WriterState, readonly WriterState[]>> = {
  resting: ['looking', 'expecting', 'executing', 'stopped'],
  looking: ['resting', 'looking', 'merging', 'executing', 'stopped'],
  expecting: ['looking', 'executing', 'stopped'],
  merging: ['looking', 'executing', 'stopped'],
  executing: ['looking', 'stopped'],
  stopped: [],
};

export interface WriterWorkOptions {
  readonly merges: Pick<PendingMerges, 'add' | 'next' | 'delete' | 'postpone' | 'close'>;
  /** Merges one piece of an index; resolves with whether there may be more. */
  readonly mergeOnce: (uid: string) => Promise<boolean>;
  /** Whether tasks wait. */
  readonly isMoreWaiting: () => boolean;
  /** Prepares for a large payload. */
  readonly prepare: () => void;
  /** Releases what only work needs. */
  readonly rest: () => void;
  /** Says whether merges hold memory. */
  readonly setMerging: (isMerging: boolean) => void;
  readonly onFault: (error: unknown) => void;
}

/** The states of the writer: batches come first, merges use the time between them, then it rests. */
export class WriterWork {
  private readonly options: WriterWorkOptions;
  private current: WriterState = 'resting';
  /** A piece of a merge has begun and not ended; a batch may have begun since. */
  private isPieceRunning = false;
  private look: NodeJS.Immediate | undefined;
  private expectation: NodeJS.Timeout | undefined;
  /** Reports the end of merges once their memory is freed. */
  private mergesEnded: NodeJS.Timeout | undefined;

  constructor(options: WriterWorkOptions) {
    this.options = options;
  }

  get state(): WriterState {
    return this.current;
  }

  /** Whether a batch or a piece of a merge runs. */
  get isBusy(): boolean {
    return this.current === 'executing' || this.isPieceRunning;
  }

  /** Runs a batch on these indexes, which are merged afterwards. */
  async execute<T>(indexUids: readonly string[], batch: () => Promise<T>): Promise<T> {
    this.enter('executing');
    try {
      return await batch();
    } finally {
      for (const uid of indexUids) this.options.merges.add(uid);
      this.enter('looking');
    }
  }

  /** A payload arrives whose batch will need a second thread: the thread starts meanwhile, and ends again if no batch follows. */
  expectLarge(): void {
    if (this.current === 'executing' || this.current === 'stopped') return;
    this.options.prepare();
    clearTimeout(this.expectation);
    this.expectation = setTimeout(() => this.wake(), EXPECTED_WITHIN_MS).unref();
    if (this.current === 'resting') this.enter('expecting');
  }

  /** There may be something to merge. */
  wake(): void {
    if (this.current !== 'executing' && this.current !== 'merging') this.enter('looking');
  }

  /** Nothing begins after it; a running piece ends by itself. */
  stop(): void {
    this.enter('stopped');
    this.options.merges.close();
  }

  private enter(next: WriterState): void {
    if (!FOLLOWING[this.current].includes(next)) return;
    this.current = next;
    clearImmediate(this.look);
    if (next === 'looking') this.look = setImmediate(() => this.tryToDecide());
    if (next === 'resting') this.release();
    if (next === 'merging' || next === 'stopped') clearTimeout(this.mergesEnded);
    if (next === 'stopped') clearTimeout(this.expectation);
  }

  /** A fault, of a disk or for want of descriptors, does not end the thread: another one could not begin then. */
  private tryToDecide(): void {
    try {
      this.decide();
    } catch (error) {
      this.options.onFault(error);
    }
  }

  /** One piece of a merge of one index, then back to the event loop, so that a waiting task runs first. */
  private decide(): void {
    // a running piece looks again when it ends, a batch after its end
    if (this.isPieceRunning || this.options.isMoreWaiting()) return;
    const uid = this.options.merges.next();
    if (uid === undefined) this.enter('resting');
    else if (uid === null) this.enter('looking');
    else void this.merge(uid);
  }

  private async merge(uid: string): Promise<void> {
    const { merges, mergeOnce, setMerging, onFault } = this.options;
    this.enter('merging');
    this.isPieceRunning = true;
    setMerging(true);
    try {
      if (!(await mergeOnce(uid))) merges.delete(uid);
    } catch (error) {
      merges.postpone(uid, () => this.wake());
      onFault(error);
    } finally {
      this.isPieceRunning = false;
    }
    if (this.current !== 'executing') this.enter('looking');
  }

  private release(): void {
    this.options.rest();
    clearTimeout(this.mergesEnded);
    this.mergesEnded = setTimeout(() => this.options.setMerging(false), RELEASED_WITHIN_MS).unref();
  }
}
