import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Run, simulate } from './cluster.test-support.js';
import { PLANTED_FAULTS, type PlantedFault } from './planted-faults.test-support.js';

/** FOSSICK_SIMULATION_SEEDS sets how many, FOSSICK_SIMULATION_SEED the first. */
const SEEDS = Number(process.env['FOSSICK_SIMULATION_SEEDS'] ?? 20_000);
const FIRST_SEED = Number(process.env['FOSSICK_SIMULATION_SEED'] ?? 1);
/** Runs that share a turn of the event loop. */
const AT_ONCE = 64;

async function simulateSeeds(first: number, count: number, planted?: PlantedFault): Promise<Run[]> {
  const runs: Run[] = [];
  for (let at = 0; at < count; at += AT_ONCE) {
    const seeds = Array.from({ length: Math.min(AT_ONCE, count - at) }, (_, next) => first + at + next);
    runs.push(...(await Promise.all(seeds.map((seed) => simulate(seed, planted)))));
  }
  return runs;
}

// nodes end with thousands of errors, whose stacks nobody reads
const { stackTraceLimit } = Error;
beforeAll(() => {
  Error.stackTraceLimit = 0;
});
afterAll(() => {
  Error.stackTraceLimit = stackTraceLimit;
});

const sumOf = (runs: readonly Run[], of: (run: Run) => number): number => runs.reduce((sum, run) => sum + of(run), 0);

describe('nodes in simulated time', () => {
  it('agree on one log in which everything answered is once and in order', async () => {
    const runs = await simulateSeeds(FIRST_SEED, SEEDS);
    const wrong = runs.filter(({ faults }) => faults.length > 0).map(({ seed, faults }) => ({ seed, faults }));
    const kinds: Record<string, number> = {};
    for (const run of runs)
      for (const [kind, count] of Object.entries(run.kinds)) kinds[kind] = (kinds[kind] ?? 0) + count;
    const entries = sumOf(runs, ({ entryCount }) => entryCount);
    const events = sumOf(runs, ({ eventCount }) => eventCount);
    const answered = sumOf(runs, ({ answeredCount }) => answeredCount);
    console.log(`seeds ${FIRST_SEED} to ${FIRST_SEED + SEEDS - 1}:`, { events, entries, answered, ...kinds });
    expect(wrong.slice(0, 5)).toEqual([]);
    expect(answered).toBeGreaterThan(SEEDS * 5);
  }, 600_000);

  it('run the same way for the same seed', async () => {
    const [first, second] = [await simulate(7), await simulate(7)];
    expect(second).toEqual(first);
    expect((await simulate(8)).eventCount).not.toBe(first.eventCount);
  });
});

describe('the simulation finds a planted fault', () => {
  it.each(PLANTED_FAULTS)('%s', async (fault) => {
    let seed = 1;
    let faults: readonly string[] = [];
    for (; seed < 4_000 && faults.length === 0; seed += AT_ONCE) {
      const runs = await simulateSeeds(seed, AT_ONCE, fault);
      faults = runs.find((run) => run.faults.length > 0)?.faults ?? [];
    }
    console.log(`${fault}: found before seed ${seed}: ${faults[0]}`);
    expect(faults).not.toEqual([]);
  });
});

it('nodes whose store lets two creates win stop at the chain instead of going on apart', async () => {
  const runs: Run[] = [];
  for (let seed = 1; seed <= 2 * AT_ONCE; seed++) runs.push(await simulate(seed, undefined, { twoWin: true }));
  // a node that starts again from a checkpoint has forgotten that it went another way
  const apart = runs.filter(
    ({ faults, kinds }) => kinds['restored'] === undefined && faults.some((fault) => fault.includes('another node')),
  );
  expect(apart.length).toBeGreaterThan(10);
  const stopped = apart.filter(({ faults }) => faults.some((fault) => fault.includes('of the log is damaged')));
  expect(stopped.length).toBe(apart.length);
});
