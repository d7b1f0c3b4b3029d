#!/usr/bin/env node
/**
 * The script `test` of each package: runs the tests of the folder it is called in, and leaves their results in
 * `.turbo/test-report.json`, which turbo caches with the success of the task. An argument names another folder.
 */
import { rmSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { stageTestServer } from './test-server.mjs';
import { quietEnvironment, REPORT_FILE, rootFolder, runCommand } from './workspace.mjs';

const folder = resolve(process.argv[2] ?? '.');
const reportFile = join(folder, REPORT_FILE);
rmSync(reportFile, { force: true });
const command = relative(rootFolder, folder) === join('apps', 'server') ? await stageTestServer() : undefined;
process.exitCode = await runCommand(
  join(rootFolder, 'node_modules', '.bin', 'vitest'),
  [
    'run',
    '--passWithNoTests',
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=${reportFile}`,
    `${relative(rootFolder, folder)}/`,
  ],
  {
    env: {
      ...quietEnvironment,
      FOSSICK_TEST_BUILT: '1',
      ...(command === undefined ? {} : { FOSSICK_TEST_COMMAND: command }),
    },
  },
);
