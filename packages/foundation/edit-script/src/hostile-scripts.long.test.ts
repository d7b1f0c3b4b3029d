import { TEST_SEED } from '@fossick/base/test-seed.test-support';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyScript, anyText, HOSTILE_SCRIPTS, outcomeOf } from './hostile-scripts.test-support.js';

/** Milliseconds of processor time of this process: what else the machine does is not in them. */
function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

/** What a script that uses up all it may have takes on a busy machine, many times over; before there were budgets it was minutes. */
const GENEROUS_MS = 8_000;
const SCRIPTS = 20_000;

function expectQuick(source: string): void {
  const startedMs = cpuMs();
  outcomeOf(source);
  expect(cpuMs() - startedMs, source.slice(0, 300)).toBeLessThan(GENEROUS_MS);
}

describe('an operation of a script takes no longer than it is charged for', () => {
  it.each(HOSTILE_SCRIPTS)('%s', (source) => expectQuick(source));

  it('in any script', () => {
    fc.assert(fc.property(anyScript, expectQuick), { seed: TEST_SEED, numRuns: SCRIPTS });
  }, 3_600_000);

  it('in any text', () => {
    fc.assert(fc.property(anyText, expectQuick), { seed: TEST_SEED, numRuns: SCRIPTS * 2 });
  }, 3_600_000);
});
