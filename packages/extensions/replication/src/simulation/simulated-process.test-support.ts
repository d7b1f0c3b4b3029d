import type { VirtualTime } from '@fossick/objects/virtual-time.test-support';
import type { MonotonicClock } from '../port.js';

/** A process that can be paused and killed: what reaches it waits, or is lost. */
export class SimulatedProcess {
  private state: 'running' | 'paused' | 'dead' = 'running';
  private backlog: (() => void)[] = [];

  get isDead(): boolean {
    return this.state === 'dead';
  }

  readonly deliver = (work: () => void): void => {
    if (this.state === 'running') work();
    else if (this.state === 'paused') this.backlog.push(work);
  };

  pause(): void {
    if (this.state === 'running') this.state = 'paused';
  }

  resume(): void {
    if (this.state !== 'paused') return;
    this.state = 'running';
    for (const work of this.backlog.splice(0)) work();
  }

  kill(): void {
    this.state = 'dead';
    this.backlog = [];
  }

  /** The process's clock: it runs at its own rate from its own start. */
  clock(time: VirtualTime, rate: number, startMs: number): MonotonicClock {
    return {
      nowMs: () => startMs + time.nowMs * rate,
      after: (delayMs, work) => time.after(delayMs / rate, () => this.deliver(work)),
    };
  }
}
