#!/usr/bin/env node
/**
 * What an installed `@fossick/server` (and `fossick`, which is that and a little more) takes on disk, in production: packs, installs into an
 * empty project and adds up, the largest first. `node tools/packages/installed-size.mjs`; the packages have to be built.
 */
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
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
    const sizes = [...sizesOf(join(folder, 'project', 'node_modules'))].sort(([, a], [, b]) => b - a);
    const total = sizes.reduce((sum, [, bytes]) => sum + bytes, 0);
    const line = (bytes, name) => console.log(`${(bytes / 2 ** 20).toFixed(1).padStart(6)} MiB  ${name}`);
    for (const [name, bytes] of sizes.slice(0, 30)) line(bytes, name);
    const rest = sizes.slice(30);
    line(
      rest.reduce((sum, [, bytes]) => sum + bytes, 0),
      `${rest.length} others`,
    );
    line(total, 'all');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
