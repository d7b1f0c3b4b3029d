import { describe, expect, it } from 'vitest';
import { type Run, simulate } from './cluster.test-support.js';
import { PLANTED_FAULTS } from './planted-faults.test-support.js';
import { AT_ONCE, expectAgreement, simulateSeeds, withoutStacks } from './seeded-runs.test-support.js';

/** The long form has twenty times as many. */
const SEEDS = 1_000;

withoutStacks();

describe('nodes in simulated time', () => {
  it('agree on one log in which everything answered is once and in order', async () => {
    await expectAgreement(1, SEEDS);
  });

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
