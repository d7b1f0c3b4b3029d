/** Runs vitest, and gathers what its reports say for the end of a log. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { quietEnvironment, rootFolder, runCommand, testSeed } from './workspace.mjs';

/** Files that are listed as the slowest. */
const SLOWEST_SHOWN = 20;
const vitest = join(rootFolder, 'node_modules', '.bin', 'vitest');

/** Of a run that shares the terminal with another one: neither moves the cursor as if it were alone. */
export const SHARED_TERMINAL = ['ignore', 'pipe', 'inherit'];

/**
 * Runs vitest once with these arguments. Returns its exit code, and its report: undefined when it ended without one.
 */
export async function runVitest(args, env = {}, stdio = 'inherit') {
  const folder = mkdtempSync(join(tmpdir(), 'fossick-test-'));
  const file = join(folder, 'report.json');
  console.log(`FOSSICK_TEST_SEED=${testSeed}`);
  try {
    const code = await runCommand(
      vitest,
      ['run', '--reporter=default', '--reporter=json', `--outputFile.json=${file}`, ...args],
      { env: { ...quietEnvironment, FOSSICK_TEST_BUILT: '1', ...env }, stdio },
    );
    return { code, report: existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The files that a run with these arguments has, relative to the root: projects and parts of paths. */
export function filesOfRun(args) {
  const listed = execFileSync(vitest, ['list', '--filesOnly', '--json', ...args], {
    cwd: rootFolder,
    encoding: 'utf8',
  });
  return JSON.parse(listed.slice(listed.indexOf('['))).map(({ file }) => relative(rootFolder, file));
}

/** The results of one command, from one run of vitest or several: the last run of a file counts. */
export class TestResults {
  /** By file, relative to the root: `{ passed, failed, skipped, seconds, lines }`. */
  #files = new Map();
  #reasons = [];
  #flaky = [];

  /**
   * Adds the results of a run. Of the `expected` files, one without a result has failed: its worker crashed, which no
   * report says.
   */
  add({ code, report }, expected = []) {
    if (report === undefined) return this.fail('vitest ended without a report');
    const files = new Map();
    for (const result of report.testResults) {
      const file = relative(rootFolder, result.name);
      // a file may run in several projects
      files.set(file, merged(files.get(file), resultOf(file, result)));
    }
    for (const file of expected) {
      const lines = [`FAILED ${file}: it ended without a result`];
      if (!files.has(file)) files.set(file, { passed: 0, failed: 1, skipped: 0, seconds: 0, lines });
    }
    for (const [file, result] of files) this.#files.set(file, result);
    const hasFailed = [...files.values()].some(({ failed }) => failed > 0);
    if (code !== 0 && !hasFailed) this.fail(`vitest ended with ${code}, though no test failed`);
  }

  /** A failure that is no failed test. */
  fail(reason) {
    this.#reasons.push(`FAILED ${reason}`);
  }

  failedFiles() {
    return [...this.#files].filter(([, { failed }]) => failed > 0).map(([file]) => file);
  }

  /** Adds the second run of a file that failed: if it passes now, the file is flaky. */
  addSecondRun(file, run) {
    this.add(run, [file]);
    if (run.code === 0 && this.#files.get(file)?.failed === 0) this.#flaky.push(file);
  }

  /** Prints what readers need who see only the end of a long log, and returns the exit code. */
  print() {
    const results = [...this.#files.values()];
    const sum = (name) => results.reduce((total, result) => total + result[name], 0);
    const [passed, failed, skipped] = [sum('passed'), sum('failed') + this.#reasons.length, sum('skipped')];
    if (skipped > 0) console.log(`skipped: ${skipped} (each says why where it stands)`);
    const slowest = [...this.#files].sort(([, left], [, right]) => right.seconds - left.seconds);
    for (const [file, { seconds }] of slowest.slice(0, SLOWEST_SHOWN))
      console.log(`SLOW ${seconds.toFixed(0)} s ${file}`);
    for (const file of this.#flaky) console.log(`FLAKY ${file}`);
    for (const line of [...results.flatMap(({ lines }) => lines), ...this.#reasons]) console.log(line);
    console.log(`${passed} passed, ${failed} failed`);
    return failed > 0 || passed === 0 ? 1 : 0;
  }
}

/** The counts of a file, and a line for each failed test. A file that could not be loaded counts as one failure. */
function resultOf(file, { status, message, assertionResults, startTime, endTime }) {
  const countOf = (...states) => assertionResults.filter((one) => states.includes(one.status)).length;
  const failed = assertionResults.filter((one) => one.status === 'failed');
  const isBroken = status === 'failed' && failed.length === 0;
  return {
    passed: countOf('passed'),
    failed: failed.length + (isBroken ? 1 : 0),
    skipped: countOf('pending', 'skipped', 'todo'),
    seconds: (endTime - startTime) / 1_000,
    lines: isBroken
      ? [`FAILED ${file}: ${shortened(message)}`]
      : failed.map(
          ({ fullName, failureMessages }) => `FAILED ${file} > ${fullName}: ${shortened(failureMessages.join(' '))}`,
        ),
  };
}

function merged(left, right) {
  if (left === undefined) return right;
  const sums = ['passed', 'failed', 'skipped', 'seconds'].map((name) => [name, left[name] + right[name]]);
  return { ...Object.fromEntries(sums), lines: [...left.lines, ...right.lines] };
}

function shortened(text) {
  return (text ?? '').replace(/\s+/g, ' ').slice(0, 1_500);
}
