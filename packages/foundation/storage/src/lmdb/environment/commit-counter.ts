import type { Root } from './environment.js';
import { sharedBuffer } from './shared-buffer.js';

/** What is known of an environment: LMDB serves it, a commit failed and nobody knows yet, LMDB refuses it. */
export const [SOUND, IN_DOUBT, LOST] = [0, 1, 2] as const;
export type EnvironmentState = typeof SOUND | typeof IN_DOUBT | typeof LOST;

/**
 * A count of commits shared by all handles of one folder in this process. lmdb-js keeps its read transaction until the
 * next turn of the event loop, so a message of another thread can arrive before its commit is visible here; comparing
 * this count before a read costs one atomic load and shows when to renew the transaction. Next to it is the state of
 * the environment (lost-stores.ts).
 */
export class CommitCounter {
  private readonly shared: Int32Array;
  private seen: number;

  /** `countMin`: the least count, where an environment was opened anew: no count stands for two states. */
  constructor(root: Root, countMin = 0) {
    this.shared = new Int32Array(sharedBuffer(root, 'commits', 8));
    this.seen = this.count();
    while (this.seen < countMin) {
      Atomics.compareExchange(this.shared, 0, this.seen, countMin);
      this.seen = this.count();
    }
  }

  /** Signals a finished commit to the other handles. */
  advance(): void {
    Atomics.add(this.shared, 0, 1);
  }

  /** Commits since the first handle was opened. */
  count(): number {
    return Atomics.load(this.shared, 0);
  }

  /** True when there was a commit since the last call. */
  hasMoved(): boolean {
    const now = this.count();
    const hasMoved = now !== this.seen;
    this.seen = now;
    return hasMoved;
  }

  /** Signals all handles whether the environment may be asked for anything. */
  setState(state: EnvironmentState): void {
    Atomics.store(this.shared, 1, state);
  }

  state(): EnvironmentState {
    return Atomics.load(this.shared, 1) as EnvironmentState;
  }
}
