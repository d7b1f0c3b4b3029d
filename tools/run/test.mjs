#!/usr/bin/env node
/**
 * `npm test`: what needs no other process, browser, database or clock, and some smokes of the real server. Installs and
 * builds what is missing, and ends with a line `N passed, N failed`.
 *
 *   npm test                                everything that a commit needs
 *   npm test -- packages/engine             all tests below a folder, those of `npm run test:system` and of
 *                                           `npm run test:long` as well; arguments go to vitest
 */
import { buildForTests } from './quick-build.mjs';
import { filesOfRun, runVitest, TestResults } from './test-results.mjs';
import { stageTestServer } from './test-server.mjs';
import { ensureBuilt, ensureInstalled } from './workspace.mjs';

const given = process.argv.slice(2);
const results = new TestResults();
// a limit of time ends the tests
process.once('SIGTERM', () => {
  results.fail('the tests were ended by SIGTERM');
  process.exit(results.print());
});
try {
  await ensureInstalled();
  if (given.length === 0) {
    await buildForTests();
    const whole = ['--project=unit', '--project=server', '--project=isolated'];
    results.add(await runVitest(whole, { FOSSICK_TEST_COMMAND: await stageTestServer() }), filesOfRun(whole));
  } else {
    await ensureBuilt();
    results.add(await runVitest(given, { FOSSICK_TEST_COMMAND: await stageTestServer() }));
  }
} catch (error) {
  results.fail(error.message);
}
process.exitCode = results.print();
