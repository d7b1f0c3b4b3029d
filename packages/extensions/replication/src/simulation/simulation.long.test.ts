import { TEST_SEED } from '@fossick/base/test-seed.test-support';
import { it } from 'vitest';
import { expectAgreement, withoutStacks } from './seeded-runs.test-support.js';

/** FOSSICK_SIMULATION_SEEDS sets how many, FOSSICK_SIMULATION_SEED the first: otherwise each night has others. */
const SEEDS = Number(process.env['FOSSICK_SIMULATION_SEEDS'] ?? 20_000);
const FIRST_SEED = Number(process.env['FOSSICK_SIMULATION_SEED'] ?? TEST_SEED);

withoutStacks();

it('nodes in simulated time agree on one log in which everything answered is once and in order', async () => {
  await expectAgreement(FIRST_SEED, SEEDS);
}, 3_600_000);
