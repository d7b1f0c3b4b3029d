import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
// @ts-expect-error: the tool is plain JavaScript
import { TestResults } from './test-results.mjs';
// @ts-expect-error: the tool is plain JavaScript
import { rootFolder } from './workspace.mjs';

let lines: string[] = [];
beforeEach(() => {
  lines = [];
  vi.spyOn(console, 'log').mockImplementation((line: string) => {
    lines.push(line);
  });
});
afterEach(() => {
  vi.restoreAllMocks();
});

/** A file of a report with a test for each of these states. */
const file = (name: string, ...states: readonly string[]) => ({
  name: join(rootFolder, name),
  status: states.includes('failed') ? 'failed' : 'passed',
  message: '',
  startTime: 0,
  endTime: 1_000,
  assertionResults: states.map((status, at) => ({ status, fullName: `test ${at}`, failureMessages: ['why'] })),
});
const run = (code: number, ...testResults: readonly object[]) => ({ code, report: { testResults } });
const counts = () => lines.at(-1);

test('a run is green when all its tests passed', () => {
  const results = new TestResults();
  results.add(run(0, file('a.test.ts', 'passed', 'passed', 'skipped')), ['a.test.ts']);
  expect(results.print()).toBe(0);
  expect(counts()).toBe('2 passed, 0 failed');
});

test('a failed test, a file without a result, a run without a report and a code without a reason are failures', () => {
  for (const [what, ...given] of [
    ['FAILED a.test.ts > test 1: why', run(1, file('a.test.ts', 'passed', 'failed')), ['a.test.ts']],
    ['FAILED b.test.ts: it ended without a result', run(1, file('a.test.ts', 'passed')), ['a.test.ts', 'b.test.ts']],
    ['FAILED vitest ended without a report', { code: 1, report: undefined }],
    ['FAILED vitest ended with 1, though no test failed', run(1, file('a.test.ts', 'passed'))],
  ] as const) {
    const results = new TestResults();
    results.add(...given);
    expect(results.print()).toBe(1);
    expect(lines).toContain(what);
    expect(counts()).toMatch(/ 1 failed$/);
  }
});

test('runs beside each other have one sum, and a file that is missing in its own fails', () => {
  const results = new TestResults();
  results.add(run(0, file('a.test.ts', 'passed', 'passed')), ['a.test.ts']);
  results.add(run(0, file('b.test.ts', 'passed')), ['b.test.ts', 'c.test.ts']);
  expect(results.failedFiles()).toEqual(['c.test.ts']);
  expect(results.print()).toBe(1);
  expect(counts()).toBe('3 passed, 1 failed');
});

test('a file that passes alone is flaky and green, one that fails again is red', () => {
  const results = new TestResults();
  results.add(run(1, file('a.test.ts', 'failed'), file('b.test.ts', 'failed')), [
    'a.test.ts',
    'b.test.ts',
    'c.test.ts',
  ]);
  expect(results.failedFiles()).toEqual(['a.test.ts', 'b.test.ts', 'c.test.ts']);
  results.addSecondRun('a.test.ts', run(0, file('a.test.ts', 'passed')));
  results.addSecondRun('b.test.ts', run(1, file('b.test.ts', 'failed')));
  results.addSecondRun('c.test.ts', run(0, file('c.test.ts', 'passed')));
  expect(results.print()).toBe(1);
  expect(lines.filter((line) => line.startsWith('FLAKY'))).toEqual(['FLAKY a.test.ts', 'FLAKY c.test.ts']);
  expect(counts()).toBe('2 passed, 1 failed');
});
