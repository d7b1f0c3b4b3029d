#!/usr/bin/env node
/**
 * `npm run test:system`: the tests with processes of their own: servers, pages in Chromium, PostgreSQL, S3, clients,
 * packed packages, the mirrored engine. Installs and builds what is missing. Arguments are parts of paths of files.
 *
 * A file that fails runs once more, alone. If it passes then, the log says `FLAKY file` and the run is green: its cause
 * is a fault to be found, and the name stays in docs/flaky.md until it is gone. Ends with `N passed, N failed`.
 */
import { join } from 'node:path';
import { filesOfRun, runVitest, TestResults } from './test-results.mjs';
import { stageTestServer } from './test-server.mjs';
import { ensureBuilt, ensureInstalled, rootFolder, runCommand } from './workspace.mjs';

const PROJECTS = ['--project=system', '--project=mirrored', '--project=pages'];
const given = process.argv.slice(2);
const results = new TestResults();
process.once('SIGTERM', () => {
  results.fail('the tests were ended by SIGTERM');
  process.exit(results.print());
});
try {
  // PostgreSQL, versitygw and Chromium: where they cannot be installed, the tests that need them say that they are skipped
  await runCommand(join(rootFolder, 'tools', 'run', 'services.sh'), []);
  await ensureInstalled();
  await ensureBuilt();
  const env = { FOSSICK_TEST_COMMAND: await stageTestServer() };
  const whole = [...PROJECTS, ...given];
  results.add(await runVitest(whole, env), filesOfRun(whole));
  for (const file of results.failedFiles()) results.addSecondRun(file, await runVitest([...PROJECTS, file], env));
} catch (error) {
  results.fail(error.message);
}
process.exitCode = results.print();
