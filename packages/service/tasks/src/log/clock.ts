import type { Micros } from '../task/task.js';

export interface Clock {
  now(): Micros;
}
/** Wall clock of the process, in microseconds. */
export const systemClock: Clock = {
  now: () => Math.round((performance.timeOrigin + performance.now()) * 1000),
};
