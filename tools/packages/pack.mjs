#!/usr/bin/env node
/**
 * Packs every published package: `node tools/packages/pack.mjs FOLDER [NAME ...]` writes a tarball each, which `npm
 * publish` takes. They must be built; the server and `fossick` are bundled here (./stage-bundle.mjs). `newProject` makes a project
 * that has them installed, from these tarballs and npm's cache only.
 */
import { execFile } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { packageFolders, quietEnvironment, rootFolder } from '../run/workspace.mjs';
import { manifestOf, publishedFolders } from './published.mjs';
import { BUNDLED_FOLDERS, stageBundle } from './stage-bundle.mjs';

const run = promisify(execFile);
/** Between two looks whether another test has packed, in milliseconds. */
const POLL_MS = 100;

/** Packs all of them, or those with the given names; returns for each its name, its tarball, and its files. */
export async function packAll(target, names = publishedFolders().map((folder) => manifestOf(folder).name)) {
  mkdirSync(target, { recursive: true });
  const folders = publishedFolders().filter((folder) => names.includes(manifestOf(folder).name));
  for (const folder of folders) removeStale(join(rootFolder, folder));
  const staged = mkdtempSync(join(tmpdir(), 'fossick-bundles-'));
  const stagedOf = (folder) => join(staged, basename(folder));
  const bundled = folders.filter((folder) => BUNDLED_FOLDERS.includes(folder));
  try {
    for (const folder of bundled) await stageBundle(folder, stagedOf(folder));
    const wanted = folders.map((folder) => (bundled.includes(folder) ? stagedOf(folder) : `./${folder}`));
    const args = ['pack', '--json', '--ignore-scripts', '--pack-destination', target, ...wanted];
    const { stdout } = await run('npm', args, { cwd: rootFolder, env: quietEnvironment, maxBuffer: 2 ** 26 });
    return JSON.parse(stdout).map(({ name, filename, files, unpackedSize }) => ({
      name,
      tarball: join(target, basename(filename)),
      files: files.map(({ path }) => path),
      unpackedBytes: unpackedSize,
    }));
  } finally {
    rmSync(staged, { recursive: true, force: true });
  }
}

/**
 * All of them for a test, as `packAll` returns them. Tests of one run share them: `npm run test:system` names a folder in
 * FOSSICK_TEST_PACKS, and the first test that asks packs. Without that they go into the folder `own`.
 */
export async function packsForTests(own) {
  const shared = process.env.FOSSICK_TEST_PACKS;
  if (shared === undefined) return packAll(own);
  const [list, claim] = [join(shared, 'packed.json'), join(shared, 'claim')];
  while (!existsSync(list)) {
    if (!claimed(claim)) {
      await setTimeout(POLL_MS);
      continue;
    }
    try {
      // another one may have come first, and be through
      if (existsSync(list)) break;
      writeFileSync(`${list}.new`, JSON.stringify(await packAll(shared)));
      renameSync(`${list}.new`, list);
    } finally {
      // after a failure the next one tries
      rmSync(claim, { recursive: true });
    }
  }
  return JSON.parse(readFileSync(list, 'utf8'));
}

/** Whether no other test packs; from now on this one does. */
function claimed(claim) {
  try {
    mkdirSync(claim);
    return true;
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw error;
  }
}

/** The compiler leaves output of deleted sources. */
function removeStale(folder) {
  const [source, built] = [join(folder, 'src'), join(folder, 'dist')];
  if (!existsSync(source) || !existsSync(built) || !existsSync(join(folder, 'tsconfig.json'))) return;
  if (!existsSync(join(built, 'index.js'))) return; // not the compiler's output
  for (const entry of readdirSync(built, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !/\.(js|d\.ts)(\.map)?$/.test(entry.name)) continue;
    const path = join(entry.parentPath, entry.name);
    if (path.startsWith(join(built, 'browser', '/'))) continue; // a bundle of its own (packages/fossick/build-browser.mjs)
    const origin = join(source, path.slice(built.length + 1)).replace(/\.(js|d\.ts)(\.map)?$/, '.ts');
    if (!existsSync(origin)) rmSync(path);
  }
}

/**
 * Makes a project in an empty folder that depends on these packages and has them installed. Nothing is downloaded:
 * third-party packages have the versions of our lock file and come from npm's cache, where `npm ci` has put them.
 */
export async function newProject(folder, packed) {
  mkdirSync(folder, { recursive: true });
  const dependencies = Object.fromEntries(packed.map(({ name, tarball }) => [name, `file:${tarball}`]));
  const manifest = { name: 'a-project', version: '1.0.0', private: true, type: 'module', dependencies };
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest, null, 2));
  writeFileSync(join(folder, 'package-lock.json'), JSON.stringify(lockOf(manifest), null, 2));
  const args = ['install', '--offline', '--no-audit', '--no-fund', '--omit=dev', '--omit=peer'];
  await run('npm', args, { cwd: folder, env: quietEnvironment, maxBuffer: 2 ** 24 });
}

/** Third-party packages at the versions of our lock file; npm takes those it needs. */
function lockOf(manifest) {
  const { packages } = JSON.parse(readFileSync(join(rootFolder, 'package-lock.json'), 'utf8'));
  const ownNames = new Set(packageFolders().map((folder) => manifestOf(folder).name));
  const isThird = ([path, { link }]) => {
    if (link === true || !path.startsWith('node_modules/')) return false;
    return !ownNames.has(path.slice('node_modules/'.length));
  };
  const third = Object.entries(packages).filter(isThird);
  const bare = third.map(([path, { dev, optional, devOptional, ...entry }]) => [
    path,
    { ...entry, ...(optional || devOptional ? { optional: true } : {}) },
  ]);
  return {
    name: manifest.name,
    version: manifest.version,
    lockfileVersion: 3,
    requires: true,
    packages: { '': manifest, ...Object.fromEntries(bare) },
  };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [target, ...names] = process.argv.slice(2);
  if (target === undefined) {
    console.error('usage: node tools/packages/pack.mjs FOLDER [NAME ...]');
    process.exit(2);
  }
  for (const { name, tarball, unpackedBytes } of await packAll(target, names.length > 0 ? names : undefined))
    console.log(
      `${name.padEnd(24)} ${String(Math.round(unpackedBytes / 1024)).padStart(6)} kB  ${basename(dirname(tarball))}/${basename(tarball)}`,
    );
}
