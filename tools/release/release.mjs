#!/usr/bin/env node
/**
 * Makes a release (tools/release/README.md):
 *
 *     npm run release -- [--version 1.2.3] [--folder release] [--only NAME,NAME]
 *
 * With a version it writes that into every package.json and the changelog; without one it tries the release of the version that is
 * there, and changes nothing. It packs every published package, tries each in an empty project, and runs `npm publish --dry-run`. Nothing is
 * published: the workflow .github/workflows/release.yml does, from a tag, with provenance.
 */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { packAll } from '../packages/pack.mjs';
import { manifestOf, publishedFolders } from '../packages/published.mjs';
import { readOptions } from '../run/options.mjs';
import { quietEnvironment, rootFolder, runCommand } from '../run/workspace.mjs';
import { CHANGELOG, withRelease } from './changelog.mjs';
import { tryPackage } from './try-package.mjs';
import { checkVersion, writeVersions } from './versions.mjs';

const run = promisify(execFile);
const WANTED = ['name', 'version', 'license', 'repository', 'homepage', 'bugs', 'engines', 'publishConfig'];

const { values } = readOptions({
  options: { version: { type: 'string' }, folder: { type: 'string' }, only: { type: 'string' } },
});
const folder = resolve(values.folder ?? mkdtempSync(join(tmpdir(), 'fossick-release-')));
if (values.version !== undefined) await prepare(values.version);
const packed = await pack();
for (const { name } of packed.filter((one) => isWanted(one.name))) {
  const project = mkdtempSync(join(tmpdir(), 'fossick-project-'));
  try {
    console.log(`${name.padEnd(24)} ${(await tryPackage(project, name, packed)).join(', ')}`);
  } finally {
    rmSync(project, { recursive: true, force: true });
  }
}
for (const { name, tarball } of packed.filter((one) => isWanted(one.name))) await dryRun(name, tarball);
const record = await writeRecord(packed);
console.log(
  `${packed.length} packages of version ${packed[0].manifest.version} and ${basename(record)} are in ${folder}`,
);

function isWanted(name) {
  return values.only === undefined || values.only.split(',').includes(name);
}

/** Writes the version and the changelog, and builds. */
async function prepare(version) {
  checkVersion(version);
  const { stdout: changes } = await git('status', '--porcelain');
  if (changes.trim() !== '') throw new Error('there are changes that are not committed');
  const date = new Date().toISOString().slice(0, 10);
  writeFileSync(CHANGELOG, withRelease(readFileSync(CHANGELOG, 'utf8'), { version, date }));
  writeVersions(version);
  for (const [command, ...words] of [
    ['npm', 'install', '--package-lock-only', '--ignore-scripts', '--no-audit', '--no-fund'],
    ['npm', 'run', 'build'],
  ])
    if ((await runCommand(command, words)) !== 0) throw new Error(`${command} ${words.join(' ')} failed`);
}

/** Packs all packages and reads their manifests as they are in the packs. */
async function pack() {
  mkdirSync(folder, { recursive: true });
  const versions = new Set(publishedFolders().map((each) => manifestOf(each).version));
  if (versions.size !== 1) throw new Error(`the packages have several versions: ${[...versions].join(', ')}`);
  const all = await packAll(folder);
  return Promise.all(all.map(async (one) => ({ ...one, manifest: await manifestIn(one) })));
}

async function manifestIn({ name, tarball }) {
  const { stdout } = await run('tar', ['-xzOf', tarball, 'package/package.json']);
  const manifest = JSON.parse(stdout);
  const missing = WANTED.filter((member) => manifest[member] === undefined);
  if (missing.length > 0) throw new Error(`${name} lacks ${missing.join(', ')}`);
  if (manifest.publishConfig.provenance !== true) throw new Error(`${name} would be published without provenance`);
  return manifest;
}

/** What npm would publish. Provenance itself is only made in a workflow, where npm gets an identity. */
async function dryRun(name, tarball) {
  const args = ['publish', tarball, '--dry-run', '--json', '--ignore-scripts', '--access', 'public', '--tag', 'latest'];
  const { stderr } = await run('npm', args, { cwd: folder, env: quietEnvironment, maxBuffer: 2 ** 26 });
  // nobody is logged in where a release is tried
  const faults = stderr
    .split('\n')
    .filter((line) => /npm (error|warn publish)/.test(line) && !line.includes('requires you to be logged in'));
  if (faults.length > 0) throw new Error(`npm publish --dry-run ${name}:\n${faults.join('\n')}`);
}

/** A list of the packs with their checksums and the commit they are of. */
async function writeRecord(all) {
  const { stdout: commit } = await git('rev-parse', 'HEAD');
  const packages = all.map(({ name, tarball, unpackedBytes, manifest }) => ({
    name,
    version: manifest.version,
    file: basename(tarball),
    integrity: `sha512-${createHash('sha512').update(readFileSync(tarball)).digest('base64')}`,
    unpackedBytes,
  }));
  const file = join(folder, 'release.json');
  const record = { commit: commit.trim(), repository: all[0].manifest.repository.url, node: process.version, packages };
  writeFileSync(file, `${JSON.stringify(record, null, 2)}\n`);
  return file;
}

function git(...words) {
  return run('git', words, { cwd: rootFolder, maxBuffer: 2 ** 26 });
}
