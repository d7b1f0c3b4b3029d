#!/usr/bin/env node
/**
 * Disk usage of an installed package, in production, with all its dependencies: packs it, installs it into an empty
 * project and adds up, the largest first. `node tools/packages/installed-size.mjs [fossick]`, by default
 * `@fossick/server`; the packages must be built.
 */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { newProject, packAll } from './pack.mjs';

/** Bytes of the disk blocks of a folder, as `du` counts them, by package. */
export function sizesOf(modules) {
  const names = readdirSync(modules).flatMap((name) =>
    name.startsWith('@') ? readdirSync(join(modules, name)).map((inner) => `${name}/${inner}`) : [name],
  );
  return new Map(names.map((name) => [name, blockBytes(join(modules, name))]));
}

/** Installed sizes of a package and all its dependencies, the largest first. */
export function sizesWithDependencies(modules, name) {
  const sizes = sizesOf(modules);
  return [...closureOf(modules, name)].map((one) => [one, sizes.get(one)]).sort(([, a], [, b]) => b - a);
}

/** A package and all its dependencies, including optional packages for this platform. */
function closureOf(modules, name, found = new Set()) {
  const file = join(modules, name, 'package.json');
  if (found.has(name) || !existsSync(file)) return found;
  found.add(name);
  const { dependencies, optionalDependencies } = JSON.parse(readFileSync(file, 'utf8'));
  for (const needed of Object.keys({ ...dependencies, ...optionalDependencies })) closureOf(modules, needed, found);
  return found;
}

function blockBytes(path) {
  const entry = statSync(path);
  const own = entry.blocks * 512;
  if (!entry.isDirectory()) return own;
  return readdirSync(path).reduce((sum, name) => sum + blockBytes(join(path, name)), own);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const folder = mkdtempSync(join(tmpdir(), 'fossick-size-'));
  try {
    await newProject(join(folder, 'project'), await packAll(join(folder, 'packed')));
    const name = process.argv[2] ?? '@fossick/server';
    const sizes = sizesWithDependencies(join(folder, 'project', 'node_modules'), name);
    const total = sizes.reduce((sum, [, bytes]) => sum + bytes, 0);
    const line = (bytes, what) => console.log(`${(bytes / 1e6).toFixed(1).padStart(6)} MB  ${what}`);
    for (const [one, bytes] of sizes.slice(0, 12)) line(bytes, one);
    const rest = sizes.slice(12);
    line(
      rest.reduce((sum, [, bytes]) => sum + bytes, 0),
      `${rest.length} others`,
    );
    line(total, `${name} with all that it needs`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
