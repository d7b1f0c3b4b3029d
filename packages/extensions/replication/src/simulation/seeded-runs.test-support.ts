import { afterAll, beforeAll, expect } from 'vitest';
import { type Run, simulate } from './cluster.test-support.js';
import type { PlantedFault } from './planted-faults.test-support.js';

/** Runs that share a turn of the event loop. */
export const AT_ONCE = 64;

export async function simulateSeeds(first: number, count: number, planted?: PlantedFault): Promise<Run[]> {
  const runs: Run[] = [];
  for (let at = 0; at < count; at += AT_ONCE) {
    const seeds = Array.from({ length: Math.min(AT_ONCE, count - at) }, (_, next) => first + at + next);
    runs.push(...(await Promise.all(seeds.map((seed) => simulate(seed, planted)))));
  }
  return runs;
}

/** Expects that all runs of these seeds are without faults, and says what happened in them. */
export async function expectAgreement(first: number, count: number): Promise<void> {
  const runs = await simulateSeeds(first, count);
  const wrong = runs.filter(({ faults }) => faults.length > 0).map(({ seed, faults }) => ({ seed, faults }));
  const kinds: Record<string, number> = {};
  for (const run of runs) for (const [kind, some] of Object.entries(run.kinds)) kinds[kind] = (kinds[kind] ?? 0) + some;
  const entries = sumOf(runs, ({ entryCount }) => entryCount);
  const events = sumOf(runs, ({ eventCount }) => eventCount);
  const answered = sumOf(runs, ({ answeredCount }) => answeredCount);
  console.log(`seeds ${first} to ${first + count - 1}:`, { events, entries, answered, ...kinds });
  expect(wrong.slice(0, 5)).toEqual([]);
  expect(answered).toBeGreaterThan(count * 5);
}

/** Nodes end with thousands of errors, whose stacks nobody reads. */
export function withoutStacks(): void {
  const { stackTraceLimit } = Error;
  beforeAll(() => {
    Error.stackTraceLimit = 0;
  });
  afterAll(() => {
    Error.stackTraceLimit = stackTraceLimit;
  });
}

const sumOf = (runs: readonly Run[], of: (run: Run) => number): number => runs.reduce((sum, run) => sum + of(run), 0);
