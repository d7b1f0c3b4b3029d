import type { MonotonicClock } from '@fossick/replication';

/** Waits for positions of a log. */
export class PositionWaits {
  private readonly clock: Pick<MonotonicClock, 'after'>;
  private waiting: { readonly position: number; readonly resolve: () => void }[] = [];

  constructor(clock: Pick<MonotonicClock, 'after'>) {
    this.clock = clock;
  }

  /** Whether the position is applied within a time. */
  within(position: number, withinMs: number): Promise<boolean> {
    return new Promise((resolve) => {
      const timer = this.clock.after(withinMs, () => resolve(false));
      this.waiting.push({
        position,
        resolve: () => {
          timer[Symbol.dispose]();
          resolve(true);
        },
      });
    });
  }

  /** Everything up to a position is applied. */
  settle(applied: number): void {
    const reached = this.waiting.filter(({ position }) => position <= applied);
    this.waiting = this.waiting.filter(({ position }) => position > applied);
    for (const { resolve } of reached) resolve();
  }
}
