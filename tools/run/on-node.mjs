#!/usr/bin/env node
/**
 * `npm run test:on -- VERSION [SUITE...]`: the tests on another version of Node, which npm installs below
 * the user's folder for caches. Without suites it runs those of short-suites.mjs; `--all` runs `npm test` and `npm run
 * test:system`.
 * Ends as `npm test` does, with `N passed, N failed`.
 *
 *   npm run test:on -- 24                    the short form on Node 24
 *   npm run test:on -- 26 --all              everything on Node 26
 *   npm run test:on -- 20.19 packages/engine the suites of a folder on Node 20.19
 */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { installedTools } from './installed-tools.mjs';
import { SHORT_SUITES } from './short-suites.mjs';
import { rootFolder, runCommand } from './workspace.mjs';

const [version, ...given] = process.argv.slice(2);
if (version === undefined || !/^\d+(\.\d+){0,2}$/.test(version)) {
  console.error('usage: npm run test:on -- VERSION [--all | SUITE...], such as 24 or 20.19');
  process.exit(2);
}
const env = installedOn(version);
console.log(`Node ${execFileSync('node', ['--version'], { encoding: 'utf8', env }).trim()}`);
const run = (name, ...args) => runCommand('node', [join(rootFolder, 'tools', 'run', name), ...args], { env });
if (given.includes('--all')) process.exitCode = Math.max(await run('test.mjs'), await run('test-system.mjs'));
else process.exitCode = await run('test.mjs', ...(given.length > 0 ? given : SHORT_SUITES));

/** An environment whose scripts of npm, and tests that start `node`, find this version first. */
function installedOn(wanted) {
  try {
    return installedTools([], wanted).env;
  } catch (error) {
    console.error(`npm could not install Node ${wanted}: ${error.message}`);
    console.log('0 passed, 1 failed');
    process.exit(1);
  }
}
