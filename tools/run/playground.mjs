#!/usr/bin/env node
/** `npm run playground`: writes the playground with the library into a folder for any web space, dist/playground unless an argument names another. */
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import { ensureBuilt, ensureInstalled, rootFolder } from './workspace.mjs';

if (process.argv[1] === import.meta.filename) {
  await ensureInstalled();
  await ensureBuilt();
  const folder = resolve(process.argv[2] ?? join(rootFolder, 'dist/playground'));
  rmSync(folder, { recursive: true, force: true });
  writePlayground(folder);
  console.log(folder);
}

/** Writes the page with the library, which must be built, and the films that it opens on, into a folder. */
export function writePlayground(folder) {
  cpSync(join(rootFolder, 'examples/playground'), folder, { recursive: true });
  cpSync(join(rootFolder, 'packages/fossick/dist/browser'), join(folder, 'fossick'), { recursive: true });
  const films = readFileSync(join(rootFolder, 'data/movies-sample.ndjson'));
  writeFileSync(join(folder, 'films.ndjson.gz'), gzipSync(films, { level: 9 }));
}
