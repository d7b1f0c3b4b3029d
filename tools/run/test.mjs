#!/usr/bin/env node
/**
 * `npm test`: installs, builds, runs every test once (architecture rules and bench smoke runs are tests too), and ends
 * with a line `N passed, N failed`. Arguments go to vitest.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureBuilt, ensureInstalled, quietEnvironment, rootFolder, runCommand } from './workspace.mjs';

const reportFolder = mkdtempSync(join(tmpdir(), 'fossick-test-'));
const reportFile = join(reportFolder, 'report.json');
let counts = { passed: 0, failed: 0, skipped: 0 };
let code = 1;
try {
  await ensureInstalled();
  await ensureBuilt();
  code = await runCommand(
    join(rootFolder, 'node_modules', '.bin', 'vitest'),
    ['run', '--reporter=default', '--reporter=json', `--outputFile.json=${reportFile}`, ...process.argv.slice(2)],
    { env: { ...quietEnvironment, FOSSICK_TEST_BUILT: '1' } },
  );
  counts = existsSync(reportFile) ? countResults(JSON.parse(readFileSync(reportFile, 'utf8'))) : counts;
} catch (error) {
  console.error(error.message);
} finally {
  rmSync(reportFolder, { recursive: true, force: true });
}
// A run that broke without a failed test (a worker crashed, the build failed) must not read as success.
if (code !== 0 && counts.failed === 0) counts = { ...counts, failed: 1 };
if (counts.skipped > 0) console.log(`skipped: ${counts.skipped} (each says why where it stands)`);
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
