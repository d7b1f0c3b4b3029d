import type { ProgressAnswer, TaskType } from '@fossick/api';
import { listsInside, OUTER, PROCESSING, type StepList } from './step-table.js';

/** The progress of a running batch as the API shows it, outermost step first. */
export type Progress = ProgressAnswer;

interface OpenStep {
  readonly name: string;
  finished: number;
  total: number;
  /** Milliseconds on the tracker's clock. */
  readonly startedAt: number;
}

/** Deeper counters are not shown. */
const LEVELS_MAX = 6;

/**
 * Tracks the progress of a running batch. The worker names its steps one after another; the table of steps gives their
 * nesting. A name that is not in the table counts something inside the running step.
 */
export class ProgressTracker {
  private readonly type: TaskType;
  private readonly added: StepList | undefined;
  private readonly clock: () => number;
  private readonly open: OpenStep[] = [];
  /** Milliseconds of each path of steps, in the order in which they first ended. */
  private readonly spent = new Map<string, number>();

  /** `added`: the steps of a kind that an extension adds. `clock` returns milliseconds; only differences count. */
  constructor(type: TaskType, added?: StepList, clock: () => number = () => performance.now()) {
    this.type = type;
    this.added = added;
    this.clock = clock;
    this.enter(0, PROCESSING, 0, OUTER.length);
  }

  /**
   * Notes that `step` runs. `done` of `total` counts for a step outside the table; the progress of a step in the table
   * is its position. Returns whether the step changed. O(levels)
   */
  report(step: string, done: number, total: number): boolean {
    if (this.open.at(-1)?.name === step && this.openStep(step) === undefined) {
      const leaf = this.open.at(-1)!;
      leaf.finished = done;
      leaf.total = total;
      return false;
    }
    const found = this.openStep(step);
    if (found === undefined) {
      const level = Math.min(this.leafLevel(), LEVELS_MAX);
      this.enter(level, step, done, total);
      return true;
    }
    if (this.open[found.level]?.name === step) {
      this.close(found.level + 1);
      return false;
    }
    this.enter(found.level, step, found.finished, found.total);
    return true;
  }

  progress(): Progress {
    let percentage = 0;
    let share = 100;
    for (const { finished, total } of this.open) {
      share /= Math.max(total, 1);
      percentage += share * Math.min(finished, total);
    }
    const steps = this.open.map(({ name, finished, total }) => ({ currentStep: name, finished, total }));
    return { steps, percentage };
  }

  /** Ends every step; returns the time of each path as readable text. */
  finish(): Readonly<Record<string, string>> {
    this.close(0);
    return Object.fromEntries([...this.spent].map(([path, ms]) => [path, toReadableTime(ms)]));
  }

  /**
   * The list of the table that contains the step, searched from the innermost open step outwards; undefined for a
   * counter.
   */
  private openStep(
    step: string,
  ): { readonly level: number; readonly finished: number; readonly total: number } | undefined {
    for (let level = this.open.length; level >= 0; level -= 1) {
      const lists = level === 0 ? [OUTER] : listsInside(this.open[level - 1]!.name, this.type, this.added);
      for (const list of lists) {
        const finished = list.indexOf(step);
        if (finished >= 0) return { level, finished, total: list.length };
      }
    }
    return undefined;
  }

  /** A counter is placed in the innermost step of the table and replaces the counter there. */
  private leafLevel(): number {
    let level = this.open.length;
    while (level > 0 && this.openStep(this.open[level - 1]!.name) === undefined) level -= 1;
    return level;
  }

  private enter(level: number, name: string, finished: number, total: number): void {
    this.close(level);
    this.open.push({ name, finished, total, startedAt: this.clock() });
  }

  private close(level: number): void {
    while (this.open.length > level) {
      const path = this.open.map(({ name }) => name).join(' > ');
      const { startedAt } = this.open.pop()!;
      this.spent.set(path, (this.spent.get(path) ?? 0) + this.clock() - startedAt);
    }
  }
}

const UNITS: readonly (readonly [unit: string, ms: number])[] = [
  ['s', 1_000],
  ['ms', 1],
  ['µs', 1e-3],
];

/** Two decimals of the largest unit that gives at least one: `12.20ms`. */
export function toReadableTime(ms: number): string {
  const [unit, size] = UNITS.find(([, least]) => ms >= least) ?? ['ns', 1e-6];
  return `${(ms / size).toFixed(2)}${unit}`;
}

/** Milliseconds of a text written by `toReadableTime`, to its precision; NaN for any other text. */
export function toMilliseconds(text: string): number {
  const [, digits, unit] = /^([\d.]+)(\D+)$/.exec(text) ?? [];
  const size = UNITS.find(([name]) => name === unit)?.[1] ?? (unit === 'ns' ? 1e-6 : Number.NaN);
  return Number(digits) * size;
}
