#!/usr/bin/env node
/**
 * `npm run test:door`: what a new user meets. Runs README's first command in a fresh clone and waits for a search, then
 * installs in that clone with other versions of npm. Plain Node without dependencies: nothing is installed before it.
 *
 *   npm run test:door                      with the npm of this machine, then the installs of NPM_VERSIONS
 *   npm run test:door -- --starts          `npm start` and `npm install && npm start` with each of START_VERSIONS
 *
 * The clone has what is committed. Ends with `N passed, N failed`.
 */
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { installedTools, nodeOf } from './installed-tools.mjs';
import { findFreePort } from './server-process.mjs';
import { quietEnvironment, rootFolder } from './workspace.mjs';

/** Versions of npm whose install is tried, with the version of Node that each runs on; null is the one of this process. */
const NPM_VERSIONS = [
  { npm: '10.8', node: null },
  { npm: '11', node: null },
  { npm: '12', node: '24' },
];
/** The same for whole starts: every npm that a supported Node brings, and the versions that installed wrongly before. */
const START_VERSIONS = [
  { npm: '10.8.2', node: null },
  { npm: '11.16.0', node: null },
  { npm: '11.18.0', node: null },
  { npm: '11.19.1', node: null },
  { npm: '11', node: '22' },
  { npm: '11', node: '24' },
  { npm: '12', node: '22' },
  { npm: '12', node: '24' },
  { npm: '12', node: '26' },
];
/** Ten times what a quiet machine needs. */
const PATIENCE_MS = 600_000;
const POLL_MS = 100;
/** Lines that make a new user doubt: warnings and errors of npm, and stack traces. */
const FRIGHTENING = /^npm (warn|error)|^\s+at .*:\d+:\d+\)?$|\bdeprecated\b|vulnerabilit/im;
/** npm 11 and 12 say this about the settings of the machine, whatever the project is. */
const ABOUT_MACHINE = /^npm warn Unknown (env|user|global|builtin) config .*\n/gm;

const work = mkdtempSync(join(tmpdir(), 'fossick-door-'));
process.once('exit', () => rmSync(work, { recursive: true, force: true, maxRetries: 5 }));
const counts = { passed: 0, failed: 0 };
const machine = { name: `npm ${npmVersion(process.env)}, Node ${process.versions.node}`, env: quietEnvironment };
if (process.argv.includes('--starts')) {
  for (const versions of START_VERSIONS) {
    const tools = toolsOf(versions);
    await attempt(`npm start with ${tools.name}`, () => start(freshClone(), tools));
    await attempt(`npm install && npm start with ${tools.name}`, () => start(freshClone(), tools, true));
  }
} else {
  const clone = freshClone();
  await attempt(`npm start with ${machine.name}`, () => start(clone, machine));
  for (const versions of NPM_VERSIONS) {
    const tools = toolsOf(versions);
    await attempt(`the install of npm start with ${tools.name}`, () => install(clone, tools));
  }
}
console.log(`${counts.passed} passed, ${counts.failed} failed`);
process.exitCode = counts.failed === 0 ? 0 : 1;

async function attempt(name, run) {
  const startedMs = performance.now();
  try {
    const said = await run();
    counts.passed += 1;
    console.log(`passed ${name}: ${said}`);
  } catch (error) {
    counts.failed += 1;
    console.log(`FAILED ${name} after ${seconds(startedMs)} s: ${error.message}`);
  }
}

/** A clone of what is committed here. */
function freshClone() {
  const folder = mkdtempSync(join(work, 'clone-'));
  execFileSync('git', ['clone', '--quiet', rootFolder, folder]);
  return folder;
}

/** Runs the first command of the README and waits until the page is there, the films are found and nothing frightened. */
async function start(clone, { env }, isInstalledFirst = false) {
  const startedMs = performance.now();
  const address = `127.0.0.1:${await findFreePort()}`;
  const command = `npm start -- --http-addr ${address} --no-analytics`;
  const child = spawn('sh', ['-c', isInstalledFirst ? `npm install && exec ${command}` : `exec ${command}`], {
    cwd: clone,
    env: { ...env, CI: '', FOSSICK_TEST_COMMAND: '' },
    stdio: ['ignore', 'pipe', 'pipe'],
    // a group of its own, so that all of it can be ended
    detached: true,
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      output += chunk;
    });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  const get = async (path) =>
    fetch(`http://${address}${path}`, { headers: { accept: 'text/html' } })
      .then((answer) => answer.text())
      .catch(() => '');
  const isRunning = () => child.exitCode === null && child.signalCode === null;
  const until = async (what, isThere) => {
    for (;;) {
      if (await isThere()) return;
      assert(isRunning(), `the command ended before ${what}:\n${output}`);
      assert(performance.now() - startedMs < PATIENCE_MS, `${what}: not within ${PATIENCE_MS / 1000} s:\n${output}`);
      await sleep(POLL_MS);
    }
  };
  const pages = new Set();
  try {
    await until('a film was found', async () => {
      pages.add(await get('/'));
      return (await get('/indexes/movies/search?q=star+wrs&limit=1')).includes('"Star Wars"');
    });
    await until('it said what to do next', () => output.includes('Try: curl'));
    const answeredAfter = seconds(startedMs);
    await until('the dashboard was there', async () => {
      const page = await get('/');
      pages.add(page);
      return page.includes('dashboard/');
    });
    // whoever opens the address too early reads that the dashboard is being built
    pages.delete('');
    for (const page of pages) assert.match(page, /its dashboard is being built|dashboard\//);
    assert.doesNotMatch(output.replace(ABOUT_MACHINE, ''), FRIGHTENING);
    assert.equal(
      existsSync(join(clone, 'node_modules', '.partial')),
      !isInstalledFirst,
      `a part was installed:\n${output}`,
    );
    const program = ['examples/in-process/films.mjs', 'star', 'wrs'];
    const found = execFileSync(nodeOf(env), program, {
      cwd: clone,
      env: { ...env, FILMS_PATH: join(clone, 'films.fossick') },
    });
    assert.match(found.toString(), /Star Wars \(1977\)/);
    return `answered after ${answeredAfter} s, with its dashboard after ${seconds(startedMs)} s`;
  } finally {
    if (isRunning()) process.kill(-child.pid, 'SIGTERM');
    await ended;
  }
}

/** Installs what a start needs, again from nothing. */
async function install(clone, { env }) {
  rmSync(join(clone, 'node_modules'), { recursive: true, force: true, maxRetries: 5 });
  const startedMs = performance.now();
  const program = "await (await import('./tools/run/workspace.mjs')).ensureInstalledForStart();";
  const output = execFileSync(nodeOf(env), ['--input-type=module', '-e', program], { cwd: clone, env }).toString();
  const after = seconds(startedMs);
  assert.doesNotMatch(output.replace(ABOUT_MACHINE, ''), FRIGHTENING);
  assert(existsSync(join(clone, 'node_modules', '.partial')), `not a part was installed, but all:\n${output}`);
  assert(existsSync(join(clone, 'node_modules', 'fastify')));
  return `${after} s`;
}

/** An environment whose `npm` and `node` are of these versions. */
function toolsOf({ npm, node }) {
  const { folder, env } = installedTools([`npm@${npm}`], node);
  const nodeVersion = execFileSync(nodeOf(env), ['--version'], { encoding: 'utf8' }).trim().slice(1);
  const installed = JSON.parse(readFileSync(join(folder, 'node_modules', 'npm', 'package.json'), 'utf8')).version;
  assert.equal(npmVersion(env), installed);
  return { name: `npm ${installed}, Node ${nodeVersion}`, env };
}

function npmVersion(env) {
  return execFileSync('npm', ['--version'], { encoding: 'utf8', env, cwd: tmpdir() }).trim();
}

function seconds(sinceMs) {
  return ((performance.now() - sinceMs) / 1000).toFixed(1);
}
