#!/usr/bin/env node
/**
 * `npm run test:system`: the tests with processes of their own: servers, pages in Chromium, PostgreSQL, S3, clients,
 * packed packages, the mirrored engine. Installs and builds what is missing. Arguments are parts of paths of files.
 *
 * Two runs of vitest work at the same time: pages and clusters, of which one file works and mostly waits, and all others.
 *
 * A file that fails runs once more, alone. If it passes then, the log says `FLAKY file` and the run is green: its cause
 * is a fault to be found, and the name stays in docs/flaky.md until it is gone. Ends with `N passed, N failed`.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { filesOfRun, runVitest, SHARED_TERMINAL, TestResults } from './test-results.mjs';
import { stageTestServer } from './test-server.mjs';
import { ensureBuilt, ensureInstalled, rootFolder, runCommand } from './workspace.mjs';

const LANES = [
  ['--project=system', '--project=servers', '--project=mirrored'],
  ['--project=pages', '--project=clusters'],
];
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
  const packs = mkdtempSync(join(tmpdir(), 'fossick-packs-'));
  process.once('exit', () => rmSync(packs, { recursive: true, force: true }));
  const env = { FOSSICK_TEST_COMMAND: await stageTestServer(), FOSSICK_TEST_PACKS: packs };
  const lanes = LANES.map((projects) => [...projects, ...given]).map((args) => ({ args, files: filesOfRun(args) }));
  const runs = lanes.filter(({ files }) => files.length > 0);
  await Promise.all(
    runs.map(async ({ args, files }) => results.add(await runVitest(args, env, SHARED_TERMINAL), files)),
  );
  for (const file of results.failedFiles()) results.addSecondRun(file, await runVitest([...LANES.flat(), file], env));
} catch (error) {
  results.fail(error.message);
}
process.exitCode = results.print();
