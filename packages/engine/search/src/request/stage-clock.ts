/** Milliseconds since `startedMs` of performance.now(), as answers show them: rounded down. */
export function elapsedMs(startedMs: number): number {
  return Math.max(0, Math.floor(performance.now() - startedMs));
}

/** Runs the stages of a search. */
export interface Stages {
  time<T>(name: string, work: () => T): T;
}
/** For searches whose stages are not measured, which is most of them. */
export const UNTIMED: Stages = { time: (_name, work) => work() };

/** Durations of the stages of a search. Stages nest; repeated ones are summed. */
export class StageClock implements Stages {
  private readonly spentMs = new Map<string, number>();
  private readonly path: string[] = [];

  /** Runs `work` as a stage within the current stage; `part` is a name for it alone, where other work has the same one. */
  time<T>(name: string, work: () => T, part?: string): T {
    this.path.push(name);
    const key = this.path.join(' > ');
    if (!this.spentMs.has(key)) this.spentMs.set(key, 0); // a stage is listed before its inner stages
    const startedMs = performance.now();
    try {
      return work();
    } finally {
      const ms = performance.now() - startedMs;
      this.add(key, ms);
      if (part !== undefined) this.add(`${key} > ${part}`, ms);
      this.path.pop();
    }
  }

  /** Adds externally measured time under the full name of the stage. */
  add(key: string, ms: number): void {
    this.spentMs.set(key, (this.spentMs.get(key) ?? 0) + ms);
  }

  /** Durations by full name, at most two decimals and a unit: `295.29µs`. */
  toJson(): Record<string, string> {
    return Object.fromEntries([...this.spentMs].map(([name, ms]) => [name, durationText(ms)]));
  }
}

const UNITS = [
  ['s', 1e9],
  ['ms', 1e6],
  ['µs', 1e3],
] as const;

function durationText(ms: number): string {
  const nanoseconds = ms * 1e6;
  const [unit, size] = UNITS.find(([, least]) => nanoseconds >= least) ?? (['ns', 1] as const);
  return `${Number((nanoseconds / size).toFixed(2))}${unit}`;
}
