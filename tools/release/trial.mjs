#!/usr/bin/env node
/**
 * The day of publishing, tried with a registry of one's own on 127.0.0.1 (verdaccio, which npm installs below the user's folder for
 * caches):
 *
 *     npm run build && node tools/release/trial.mjs [NAME...]      such as `npm 12`, pnpm, deno
 *
 * Publishes every package to it, as the workflow does but for the signature, and installs `fossick` by its name in an empty project
 * with each package manager: imports it, searches, and starts the command with the sample films. Packages of others come from the
 * registry that npm is set to. Prints each command with its last line. Ends with `N passed, N failed`.
 */
import { execFile, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { packAll } from '../packages/pack.mjs';
import { installedTools } from '../run/installed-tools.mjs';
import { findFreePort } from '../run/server-process.mjs';
import { quietEnvironment } from '../run/workspace.mjs';
import { searchFilms } from './search-films.mjs';

const run = promisify(execFile);
/** Of one command; a new machine downloads packages in it. */
const TIMEOUT_MS = 300_000;
/** Scripts of packages that build a binary where none of the published ones fits; pnpm wants to be told of them. */
const PNPM_SCRIPTS = '--allow-build=lmdb --allow-build=msgpackr-extract';
const OWN = ['fossick', '@fossick/*'];

const searching = (entry) => `import { createEngine } from '${entry}';
const engine = await createEngine();
const films = engine.index('films');
await films.add([{ id: 1, title: 'Jurassic Park' }, { id: 2, title: 'Heat' }]);
console.log((await films.search('jurasic park')).hits[0].title);
await engine.close?.();
`;
/** `run` begins the command of a program that the project has; `start` that of the package. */
const MANAGERS = [
  npm('10.8', null),
  npm('11', null),
  npm('12', '24'),
  { name: 'pnpm', tools: ['pnpm'], node: '24', add: `pnpm add ${PNPM_SCRIPTS} fossick`, start: 'pnpm exec fossick' },
  { name: 'yarn 1', tools: ['yarn@1'], node: null, add: 'yarn add fossick', start: 'yarn -s fossick' },
  {
    name: 'yarn 4',
    tools: ['@yarnpkg/cli-dist@4'],
    node: null,
    files: (registry) => ({
      '.yarnrc.yml': `npmRegistryServer: ${registry}\nunsafeHttpWhitelist: [127.0.0.1]\nenableTelemetry: false\nnpmMinimalAgeGate: 0\n`,
      'yarn.lock': '',
    }),
    add: 'yarn add fossick',
    start: 'yarn fossick',
    run: 'yarn node',
  },
  { name: 'bun', tools: ['bun'], node: null, add: 'bun add fossick', start: 'bunx fossick', run: 'bun' },
  {
    name: 'deno',
    tools: ['deno'],
    node: null,
    // a day must pass otherwise before a version is taken
    files: () => ({ 'deno.json': '{ "minimumDependencyAge": 0 }' }),
    add: 'deno add npm:fossick',
    run: 'deno run -A',
    // there `import 'fossick'` says that the engine is `fossick/web`
    entries: ['fossick/web'],
  },
];

function npm(version, node) {
  const add = 'npm install --no-audit --no-fund fossick';
  return { name: `npm ${version}`, tools: [`npm@${version}`], node, add, start: 'npx fossick' };
}

const asked = process.argv.slice(2);
const work = mkdtempSync(join(tmpdir(), 'fossick-trial-'));
const registry = await startRegistry();
const counts = { passed: 0, failed: 0 };
try {
  await attempt('publish', publish);
  for (const manager of MANAGERS.filter(({ name }) => asked.length === 0 || asked.includes(name)))
    await attempt(manager.name, () => tryManager(manager));
} finally {
  await registry.stop();
  rmSync(work, { recursive: true, force: true, maxRetries: 5 });
}
console.log(`${counts.passed} passed, ${counts.failed} failed`);
process.exitCode = counts.failed === 0 ? 0 : 1;

async function attempt(name, action) {
  try {
    await action();
    counts.passed += 1;
    console.log(`passed ${name}`);
  } catch (error) {
    counts.failed += 1;
    console.log(`FAILED ${name}: ${error.message}\n${error.stdout ?? ''}${error.stderr ?? ''}`);
  }
}

/** Publishes all packages, as `.github/workflows/release.yml` does; only a workflow has an identity to sign with. */
async function publish() {
  const packed = await packAll(join(work, 'packs'));
  const environment = npmEnvironment(quietEnvironment, 'publish');
  for (const { tarball } of packed)
    await shell(`npm publish ${tarball} --access public --no-provenance`, work, environment);
}

/** Installs the package with a manager in an empty project, and tries what a user would. */
async function tryManager({
  name,
  tools,
  node,
  files,
  add,
  start,
  run: runs = 'node',
  entries = ['fossick', 'fossick/web'],
}) {
  const project = join(work, name.replace(' ', '-'));
  mkdirSync(project);
  const environment = npmEnvironment(installedTools(tools, node).env, name);
  const written = {
    'package.json': '{ "name": "a-project", "version": "1.0.0", "private": true, "type": "module" }\n',
    '.npmrc': `registry=${registry.url}\n`,
    ...files?.(registry.url),
    ...Object.fromEntries(entries.map((entry) => [programOf(entry), searching(entry)])),
  };
  for (const [file, text] of Object.entries(written)) writeFileSync(join(project, file), text);
  await shell(add, project, environment);
  for (const entry of entries) {
    const said = await shell(`${runs} ${programOf(entry)}`, project, environment);
    if (said !== 'Jurassic Park') throw new Error(`the search of ${entry} found nothing: ${said}`);
  }
  if (start === undefined) return;
  const { command, said } = await searchFilms(start, project, environment);
  print(command, said);
}

function programOf(entry) {
  return `${entry.replace('/', '-')}.mjs`;
}

/** Runs a command, prints it with its last line, and returns that. Throws with its output when it fails. */
async function shell(command, cwd, env) {
  const { stdout, stderr } = await run('sh', ['-c', command], { cwd, env, timeout: TIMEOUT_MS, maxBuffer: 2 ** 26 });
  const said = (stdout.trim() === '' ? stderr : stdout).trim().split('\n').at(-1);
  print(command, said);
  return said;
}

function print(command, said) {
  console.log(`  $ ${command.replaceAll(work, '')}\n    ${said}`);
}

/** An environment whose package managers know the trial's registry, with a cache of their own. */
function npmEnvironment(env, name) {
  const config = join(work, 'npmrc');
  writeFileSync(config, `registry=${registry.url}\n${registry.url.replace('http:', '')}:_authToken=trial\n`);
  const home = join(work, `home-${name.replace(' ', '-')}`);
  mkdirSync(home, { recursive: true });
  return { ...env, HOME: home, XDG_CACHE_HOME: home, XDG_DATA_HOME: home, NPM_CONFIG_USERCONFIG: config, CI: '' };
}

/** Starts a registry in an empty folder: anyone on this machine may publish our packages, others are fetched. */
async function startRegistry() {
  // it asks for a package by a tag, which not every registry has
  const { folder, env } = installedTools(['verdaccio@6'], null, { 'node-fetch': '^2.7.0' });
  const port = await findFreePort();
  const url = `http://127.0.0.1:${port}/`;
  const { stdout } = await run('npm', ['config', 'get', 'registry'], { cwd: folder, env: quietEnvironment });
  const rights = (proxy) => ({ access: '$all', publish: '$all', ...(proxy === undefined ? {} : { proxy }) });
  const config = {
    storage: join(work, 'storage'),
    uplinks: { others: { url: stdout.trim() } },
    packages: { ...Object.fromEntries(OWN.map((name) => [name, rights()])), '**': rights('others') },
    max_body_size: '100mb',
    log: { type: 'stdout', format: 'pretty', level: 'error' },
  };
  const file = join(work, 'registry.yaml');
  // JSON is YAML
  writeFileSync(file, JSON.stringify(config));
  const child = spawn('verdaccio', ['--config', file, '--listen', `127.0.0.1:${port}`], { cwd: work, env });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      output += chunk;
    });
  const ended = new Promise((resolve) => child.once('close', resolve));
  const endMs = Date.now() + TIMEOUT_MS;
  while (
    !(await fetch(`${url}-/ping`).then(
      ({ ok }) => ok,
      () => false,
    ))
  ) {
    if (child.exitCode !== null || Date.now() > endMs) throw new Error(`the registry did not start:\n${output}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return {
    url,
    stop: async () => {
      child.kill('SIGTERM');
      await ended;
    },
  };
}
