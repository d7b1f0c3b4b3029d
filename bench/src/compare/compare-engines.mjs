#!/usr/bin/env node
/**
 * `npm run bench:compare`: the same documents and queries through whole products as their users have them: a Fossick
 * server, a Meilisearch server if its program is given, Orama and MiniSearch in a process. Measures indexing, search
 * times, memory, disk, and how many misspelt titles are found.
 *
 *   npm run bench:compare -- [--reference PATH/meilisearch] [--data FILE.ndjson[.gz]] [--documents N] [--queries 50] [--seed 7]
 *     [--only NAME,NAME] [--index-limit 60] [--search-limit 15] [--json OUT.json]
 *
 * The products run in processes of their own, one after another, and report each finished step. Servers are called over
 * HTTP, one request after another on one connection; libraries by function calls. Limits are seconds for a product's
 * indexing, and for each kind of its queries: a slower product gets fewer of them.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { readOptions } from '../../../tools/run/options.mjs';
import { serverEntry } from '../../../tools/run/server-process.mjs';
import { rootFolder } from '../../../tools/run/workspace.mjs';
import { printTable, round, writeResult } from '../results.mjs';
import { runLibrary, runServer } from './compare-products.mjs';

const FILMS = join(rootFolder, '..', 'shared', 'data', 'movies.ndjson.gz');
const SAMPLE = join(rootFolder, 'data', 'movies-sample.ndjson');
const { values } = readOptions({
  options: {
    reference: { type: 'string' },
    data: { type: 'string', default: existsSync(FILMS) ? FILMS : SAMPLE },
    documents: { type: 'string' },
    queries: { type: 'string', default: '50' },
    seed: { type: 'string', default: '7' },
    only: { type: 'string' },
    'index-limit': { type: 'string', default: '60' },
    'search-limit': { type: 'string', default: '15' },
    json: { type: 'string' },
    smoke: { type: 'boolean', default: false },
  },
});
const work = {
  data: values.smoke ? SAMPLE : values.data,
  documents: values.smoke ? 300 : values.documents === undefined ? null : Number(values.documents),
  queries: values.smoke ? 10 : Number(values.queries),
  seed: Number(values.seed),
  indexLimitMs: Number(values['index-limit']) * 1000,
  searchLimitMs: Number(values['search-limit']) * 1000,
  settleMs: values.smoke ? 0 : 2_000,
};
const serverOf =
  (...command) =>
  (onStep) =>
    runServer((folder, port) => [...command, ...flagsOf(folder, port)], work, onStep);
const products = [
  ['fossick (server)', serverOf(process.execPath, serverEntry)],
  ...(values.reference === undefined ? [] : [['meilisearch (server)', serverOf(values.reference)]]),
  ['minisearch', (onStep) => runLibrary('minisearch', work, onStep)],
  ['orama', (onStep) => runLibrary('orama', work, onStep)],
];
const only = values.only?.split(',');
const measured = [];
for (const [name, run] of products) {
  if (only !== undefined && !only.some((one) => name.startsWith(one))) continue;
  const figures = await run((step) => console.log(lineOf(name, step)));
  if (figures.over !== undefined) console.log(`${name}: ${figures.over} takes longer than it may, ended`);
  measured.push({ name, ...figures });
}
console.log();
printTable(measured.map(rowOf));
writeResult({ ...work, data: undefined, engines: measured }, values.json);

function flagsOf(folder, port) {
  const where = ['--db-path', join(folder, 'data'), '--http-addr', `127.0.0.1:${port}`];
  return [...where, '--no-analytics', '--log-level', 'ERROR'];
}

function lineOf(name, { step, documents, ms, asked, of, p50, p99 }) {
  if (step === 'indexing') return `${name}: ${documents} documents indexed in ${round(ms / 1000, 2)} s`;
  const share = asked < of ? `, ${asked} of ${of} asked in time` : '';
  return `${name}: ${step} ${p50} ms in the middle, ${p99} at worst${share}`;
}

function rowOf({ name, documents, indexMs, searchMs, asked, found, residentMiB, ownMiB, diskMiB }) {
  const times = Object.entries(searchMs ?? {}).map(([kind, { p50, p99 }]) => [
    `${kind} p50/p99 ms`,
    `${p50}/${p99}${asked[kind] < work.queries ? ` (${asked[kind]})` : ''}`,
  ]);
  return {
    name,
    documents,
    'index s': indexMs === undefined ? `> ${work.indexLimitMs / 1000}` : round(indexMs / 1000, 2),
    ...Object.fromEntries(times),
    'typos found': found === undefined ? '-' : `${found.typo}/${found.asked}`,
    'resident MiB': residentMiB,
    'own MiB': ownMiB,
    'disk MiB': diskMiB,
  };
}
