#!/usr/bin/env node
/**
 * `npm test`: installs, builds, runs every test once (architecture rules and bench smoke runs are tests too), and ends
 * with a line `N passed, N failed`. Arguments go to vitest.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { ensureBuilt, ensureInstalled, quietEnvironment, rootFolder, runCommand } from './workspace.mjs';

const reportFolder = mkdtempSync(join(tmpdir(), 'fossick-test-'));
const reportFile = join(reportFolder, 'report.json');
let counts = { passed: 0, failed: 0, skipped: 0 };
let failures = [];
let code = 1;
try {
  await ensureInstalled();
  await ensureBuilt();
  code = await runCommand(
    join(rootFolder, 'node_modules', '.bin', 'vitest'),
    ['run', '--reporter=default', '--reporter=json', `--outputFile.json=${reportFile}`, ...process.argv.slice(2)],
    { env: { ...quietEnvironment, FOSSICK_TEST_BUILT: '1' } },
  );
  if (existsSync(reportFile)) {
    const report = JSON.parse(readFileSync(reportFile, 'utf8'));
    counts = countResults(report);
    failures = failuresOf(report);
  }
} catch (error) {
  console.error(error.message);
} finally {
  rmSync(reportFolder, { recursive: true, force: true });
}
// A run that broke without a failed test (a worker crashed, the build failed) must not count as success.
if (code !== 0 && counts.failed === 0) counts = { ...counts, failed: 1 };
if (counts.skipped > 0) console.log(`skipped: ${counts.skipped} (each says why where it stands)`);
// Printed again, for readers who see only the end of a long log.
for (const line of failures) console.log(line);
console.log(`${counts.passed} passed, ${counts.failed} failed`);
process.exitCode = counts.failed > 0 || counts.passed === 0 ? 1 : 0;

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
