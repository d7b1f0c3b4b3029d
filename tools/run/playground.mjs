#!/usr/bin/env node
/** `npm run playground`: writes the playground with the library into a folder for any web space, dist/playground unless an argument names another. */
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import { writeStaticIndex } from './static-index.mjs';
import { ensureBuilt, ensureInstalled, rootFolder } from './workspace.mjs';

const FILM_SETTINGS = {
  searchableAttributes: ['title', 'overview', 'cast', 'genres'],
  filterableAttributes: ['genres', 'year', 'cast'],
  sortableAttributes: ['year', 'title'],
  faceting: { sortFacetValuesBy: { '*': 'count' } },
  // more than there are: the count of all is shown
  pagination: { maxTotalHits: 10_000 },
};

if (process.argv[1] === import.meta.filename) {
  await ensureInstalled();
  await ensureBuilt();
  const folder = resolve(process.argv[2] ?? join(rootFolder, 'dist/playground'));
  rmSync(folder, { recursive: true, force: true });
  await writePlayground(folder);
  console.log(folder);
}

/**
 * Writes the page into a folder, with the library, which must be built, and the films that it opens on: as a static index, so
 * that the page opens without what indexes, and as documents, which it indexes when their settings change. `home` is where its
 * header leads to; without it, that is the project's page.
 */
export async function writePlayground(folder, home) {
  cpSync(join(rootFolder, 'examples/playground'), folder, { recursive: true });
  cpSync(join(rootFolder, 'apps/dashboard/src/parts/mark.svg'), join(folder, 'mark.svg'));
  if (home !== undefined) {
    const page = join(folder, 'index.html');
    writeFileSync(page, readFileSync(page, 'utf8').replace(/(id="home" href=")[^"]*/, `$1${home}`));
  }
  cpSync(join(rootFolder, 'packages/fossick/dist/browser'), join(folder, 'fossick'), { recursive: true });
  const films = readFileSync(join(rootFolder, 'data/movies-sample.ndjson'), 'utf8');
  const documents = films
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  const target = join(folder, 'films');
  await writeStaticIndex('playground', documents, FILM_SETTINGS, target);
  writeFileSync(join(target, 'settings.json'), JSON.stringify(FILM_SETTINGS));
  writeFileSync(join(target, 'films.ndjson.gz'), gzipSync(films, { level: 9 }));
}
