import { TEST_SEED } from '@fossick/base/test-seed.test-support';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyScript, anyText, HOSTILE_SCRIPTS, NESTED_SCRIPTS, outcomeOf } from './hostile-scripts.test-support.js';

/** One for each 2,000 of the million operations that a script has. The time of each is a matter of hostile-scripts.long.test.ts. */
const PULSES_MAX = 500;

function expectWithinBudget(source: string): void {
  let pulses = 0;
  outcomeOf(source, () => {
    pulses += 1;
  });
  expect(pulses, source.slice(0, 300)).toBeLessThanOrEqual(PULSES_MAX);
}

describe('a script that asks for too much', () => {
  it.each(HOSTILE_SCRIPTS)('%s', (source) => expectWithinBudget(source));

  it.each(NESTED_SCRIPTS)('by nesting %s', (_, scriptOf) => {
    for (const count of [10, 50, 100, 399, 1_000, 50_000]) outcomeOf(scriptOf(count));
  });
});

describe('any script', () => {
  it('ends with a document or an error of the table, within its budget', () => {
    const property = fc.property(anyScript, expectWithinBudget);
    // found by earlier runs
    for (const seed of [1, 42, 20_261_122]) fc.assert(property, { seed, numRuns: 50 });
    fc.assert(property, { seed: TEST_SEED, numRuns: 300 });
  });

  it('of random characters, too', () => {
    fc.assert(fc.property(anyText, expectWithinBudget), { seed: TEST_SEED, numRuns: 600 });
  });
});
