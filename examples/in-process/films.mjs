/**
 * The engine within a script: fills a folder with films at its first run, and searches it.
 *
 *   node films.mjs [words]      e.g. node films.mjs jurasic park
 */
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { createEngine } from 'fossick';

const FILMS = fileURLToPath(new URL('../../data/movies-sample.ndjson', import.meta.url));
const words = process.argv.slice(2).join(' ') || 'jurasic park';

const engine = await createEngine({ path: process.env.FILMS_PATH ?? './films.fossick' });
const films = engine.index('films');

if ((await engine.indexes()).length === 0) {
  await films.updateSettings({ filterableAttributes: ['genres', 'year'], sortableAttributes: ['year'] });
  await films.add(filmsOfFile(FILMS));
  console.log(`${(await films.stats()).numberOfDocuments} films are in`);
}

const { hits, facetDistribution } = await films.search(words, { limit: 3, facets: ['genres'] });
for (const { title, year } of hits) console.log(`${title} (${year})`);
console.log(
  Object.entries(facetDistribution.genres)
    .slice(0, 4)
    .map(([genre, count]) => `${genre}: ${count}`)
    .join(', '),
);
await engine.close();

/** One document a line, read as fast as they are taken. */
async function* filmsOfFile(file) {
  for await (const line of createInterface({ input: createReadStream(file) })) yield JSON.parse(line);
}
