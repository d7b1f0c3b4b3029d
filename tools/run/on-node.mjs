#!/usr/bin/env node
/**
 * `npm run test:on -- VERSION [SUITE...]`: the tests on another version of Node, which npm installs below
 * `node_modules/.cache`. Without suites it runs those of short-suites.mjs; `--all` runs `npm test` and `npm run
 * test:system`.
 * Ends as `npm test` does, with `N passed, N failed`.
 *
 *   npm run test:on -- 24                    the short form on Node 24
 *   npm run test:on -- 26 --all              everything on Node 26
 *   npm run test:on -- 20.19 packages/engine the suites of a folder on Node 20.19
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { SHORT_SUITES } from './short-suites.mjs';
import { quietEnvironment, rootFolder, runCommand } from './workspace.mjs';

const [version, ...given] = process.argv.slice(2);
if (version === undefined || !/^\d+(\.\d+){0,2}$/.test(version)) {
  console.error('usage: npm run test:on -- VERSION [--all | SUITE...], such as 24 or 20.19');
  process.exit(2);
}
const node = await installedNode(version).catch((error) => {
  console.error(error.message);
  console.log('0 passed, 1 failed');
  process.exit(1);
});
console.log(`Node ${execFileSync(node, ['--version'], { encoding: 'utf8' }).trim()}`);
// scripts of npm and tests that start `node` find this one first
const env = { ...quietEnvironment, PATH: `${dirname(node)}${delimiter}${process.env.PATH}` };
const run = (name, ...args) => runCommand(node, [join(rootFolder, 'tools', 'run', name), ...args], { env });
if (given.includes('--all')) process.exitCode = Math.max(await run('test.mjs'), await run('test-system.mjs'));
else process.exitCode = await run('test.mjs', ...(given.length > 0 ? given : SHORT_SUITES));

/** The program of this version, installed when it is missing. Throws when npm fails. */
async function installedNode(wanted) {
  const folder = join(rootFolder, 'node_modules', '.cache', `node-${wanted}`);
  // what npm's package 'node' would fetch by a script: some versions of npm run none
  const name = `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`;
  const program = join(folder, 'node_modules', name, 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
  if (existsSync(program)) return program;
  mkdirSync(folder, { recursive: true });
  // a project of its own: the install must not change ours
  writeFileSync(join(folder, 'package.json'), '{ "private": true }\n');
  const args = ['install', '--no-save', '--no-audit', '--no-fund', `${name}@${wanted}`];
  if ((await runCommand('npm', args, { cwd: folder })) !== 0 || !existsSync(program))
    throw new Error(`npm could not install Node ${wanted}`);
  return program;
}
