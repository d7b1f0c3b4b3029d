#!/usr/bin/env node
/**
 * `npm run test:faults`: the long form of the reliability tests (kills, faults, hostile input), which `npm test` runs in a short form. Takes minutes.
 * Arguments go to vitest; ends with a line `N passed, N failed`.
 */
import { join } from 'node:path';
import { rootFolder, runCommand } from './workspace.mjs';

process.exitCode = await runCommand(
  process.execPath,
  [join(rootFolder, 'tools', 'run', 'test.mjs'), 'src/reliability/', ...process.argv.slice(2)],
  { env: { ...process.env, FOSSICK_TEST_FAULTS: 'long' } },
);
