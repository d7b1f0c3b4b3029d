#!/usr/bin/env node
/**
 * `npm test`: installs, builds, runs every test once (architecture rules and bench smoke runs are tests too), and ends
 * with a line `N passed, N failed`. The tests are the tasks `test` of the packages, one after another, and those of the
 * tools. With arguments it is one run of vitest, which gets them.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { stageTestServer } from './test-server.mjs';
import {
  ensureBuilt,
  ensureInstalled,
  packageFolders,
  quietEnvironment,
  REPORT_FILE,
  rootFolder,
  runCommand,
  runTurbo,
} from './workspace.mjs';

/** Folders with tests: the packages, the benches and the tools. */
const FOLDERS = [...packageFolders(), 'bench', 'tools'];
/** Files that are listed as the slowest. */
const SLOWEST_SHOWN = 20;
const given = process.argv.slice(2);
let counts = { passed: 0, failed: 0, skipped: 0 };
const failures = [];
/** Seconds of each file. */
const durations = new Map();
let code = 1;
// a limit of time ends the tests: the counts of those that have ended are shown all the same
process.once('SIGTERM', () => {
  countAll('was ended by SIGTERM before its tests ended');
  finish();
  process.exit(1);
});
try {
  await ensureInstalled();
  await ensureBuilt();
  code = given.length > 0 ? await runGiven(given) : await runTasks();
} catch (error) {
  console.error(error.message);
}
// A run that broke without a failed test (a worker crashed, the build failed) must not count as success.
if (code !== 0 && counts.failed === 0) counts = { ...counts, failed: 1 };
finish();
process.exitCode = counts.failed > 0 || counts.passed === 0 ? 1 : 0;

/** What readers need who see only the end of a long log. */
function finish() {
  if (counts.skipped > 0) console.log(`skipped: ${counts.skipped} (each says why where it stands)`);
  const slowest = [...durations].sort(([, left], [, right]) => right - left).slice(0, SLOWEST_SHOWN);
  for (const [file, seconds] of slowest) console.log(`SLOW ${seconds.toFixed(0)} s ${file}`);
  for (const line of failures) console.log(line);
  console.log(`${counts.passed} passed, ${counts.failed} failed`);
}

/** Runs the tests of each folder and counts them. A folder without a report broke before its end: one failure. */
async function runTasks() {
  for (const folder of FOLDERS) rmSync(join(rootFolder, folder, REPORT_FILE), { force: true });
  // one task at a time: it runs two files at a time, and some of these measure. A cached result is no run of a test.
  const turboCode = await runTurbo([
    'test',
    'test:tools',
    '--only',
    '--concurrency=1',
    '--continue',
    '--force',
    '--log-prefix=none',
  ]);
  countAll('its tests ended without a report');
  return turboCode;
}

/** Counts the reports of all folders; one without a report is a failure. */
function countAll(reason) {
  for (const folder of FOLDERS) {
    if (count(join(rootFolder, folder, REPORT_FILE))) continue;
    counts.failed += 1;
    failures.push(`FAILED ${folder}: ${reason}`);
  }
}

/** One run of vitest with these arguments. Returns its exit code. */
async function runGiven(given) {
  const reportFolder = mkdtempSync(join(tmpdir(), 'fossick-test-'));
  const reportFile = join(reportFolder, 'report.json');
  try {
    const vitestCode = await runCommand(
      join(rootFolder, 'node_modules', '.bin', 'vitest'),
      ['run', '--reporter=default', '--reporter=json', `--outputFile.json=${reportFile}`, ...given],
      { env: { ...quietEnvironment, FOSSICK_TEST_BUILT: '1', FOSSICK_TEST_COMMAND: await stageTestServer() } },
    );
    count(reportFile);
    return vitestCode;
  } finally {
    rmSync(reportFolder, { recursive: true, force: true });
  }
}

/** Adds the results of a report. Returns false if there is none. */
function count(reportFile) {
  if (!existsSync(reportFile)) return false;
  const report = JSON.parse(readFileSync(reportFile, 'utf8'));
  const { passed, failed, skipped } = countResults(report);
  counts = { passed: counts.passed + passed, failed: counts.failed + failed, skipped: counts.skipped + skipped };
  failures.push(...failuresOf(report));
  for (const { name, startTime, endTime } of report.testResults)
    durations.set(relative(rootFolder, name), (endTime - startTime) / 1_000);
  return true;
}

/** Counts tests; a test file that could not be loaded has no tests and counts as one failure. */
function countResults(report) {
  const brokenFileCount = report.testResults.filter(
    (file) => file.status === 'failed' && !file.assertionResults.some((one) => one.status === 'failed'),
  ).length;
  return {
    passed: report.numPassedTests,
    failed: report.numFailedTests + brokenFileCount,
    skipped: report.numPendingTests + (report.numTodoTests ?? 0),
  };
}

/** A line for each failed test, and for each file that broke: `FAILED file > test: first lines of the error`. */
function failuresOf(report) {
  const lines = [];
  for (const { name, status, message, assertionResults } of report.testResults) {
    if (status !== 'failed') continue;
    const file = relative(rootFolder, name);
    const failed = assertionResults.filter((one) => one.status === 'failed');
    if (failed.length === 0) lines.push(`FAILED ${file}: ${shortened(message)}`);
    for (const { fullName, failureMessages } of failed)
      lines.push(`FAILED ${file} > ${fullName}: ${shortened(failureMessages.join(' '))}`);
  }
  return lines;
}

function shortened(text) {
  return (text ?? '').replace(/\s+/g, ' ').slice(0, 1_500);
}
