#!/usr/bin/env node
/**
 * `npm run bench:compare`: the same documents and queries through whole products as their users have them: a Fossick server, a Meilisearch
 * server where its program is named, Orama and MiniSearch in a process. Indexing, search times, memory, disk, and how many misspelt titles are found.
 *
 *   npm run bench:compare -- [--reference PATH/meilisearch] [--data FILE.ndjson[.gz]] [--documents N] [--queries 200] [--seed 7] [--only NAME] [--json OUT.json]
 *
 * Each has a process of its own, one after another. Servers are asked over HTTP, one request after another on one connection; libraries by a call.
 */
import { execFile, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { callApi, waitForTask } from '../../tools/run/http-api.mjs';
import { findFreePort, serverEntry, stopServer, waitForHealth } from '../../tools/run/server-process.mjs';
import { rootFolder } from '../../tools/run/workspace.mjs';
import { chooseQueries, filmsOf, scoreOf, timed } from './compare-queries.mjs';
import { printTable, round, writeResult } from './results.mjs';

const FILMS = join(rootFolder, '..', 'shared', 'data', 'movies.ndjson.gz');
const SAMPLE = join(rootFolder, 'data', 'movies-sample.ndjson');
const CHILD = fileURLToPath(new URL('./compare-library.mjs', import.meta.url));
const FIELDS = ['title', 'overview'];
const { values } = parseArgs({
  options: {
    reference: { type: 'string' },
    data: { type: 'string', default: existsSync(FILMS) ? FILMS : SAMPLE },
    documents: { type: 'string' },
    queries: { type: 'string', default: '200' },
    seed: { type: 'string', default: '7' },
    only: { type: 'string' },
    json: { type: 'string' },
    smoke: { type: 'boolean', default: false },
  },
});
const work = {
  data: values.smoke ? SAMPLE : values.data,
  documents: values.smoke ? 300 : values.documents === undefined ? null : Number(values.documents),
  queries: values.smoke ? 10 : Number(values.queries),
  seed: Number(values.seed),
};
const runs = [
  ['fossick (server)', () => runServer((folder, port) => [process.execPath, serverEntry, ...flagsOf(folder, port)])],
  ...(values.reference === undefined
    ? []
    : [['meilisearch (server)', () => runServer((folder, port) => [values.reference, ...flagsOf(folder, port)])]]),
  ['minisearch', () => runLibrary('minisearch')],
  ['orama', () => runLibrary('orama')],
];
const measured = [];
for (const [name, run] of runs)
  if (values.only === undefined || name.startsWith(values.only)) measured.push({ name, ...(await run()) });
printTable(measured.map(rowOf));
writeResult({ ...work, data: undefined, engines: measured }, values.json);

function flagsOf(folder, port) {
  return [
    '--db-path',
    join(folder, 'data'),
    '--http-addr',
    `127.0.0.1:${port}`,
    '--no-analytics',
    '--log-level',
    'ERROR',
  ];
}

async function runServer(commandOf) {
  const folder = mkdtempSync(join(tmpdir(), 'fossick-compare-'));
  const port = await findFreePort();
  const [command, ...words] = commandOf(folder, port);
  const url = `http://127.0.0.1:${port}`;
  const server = spawn(command, words, { cwd: folder, stdio: 'ignore' });
  try {
    await waitForHealth(url, server);
    const films = filmsOf(work);
    const body = films.map((film) => JSON.stringify(film)).join('\n');
    const settings = { searchableAttributes: FIELDS };
    const { taskUid: first } = await callApi(url, 'PATCH', '/indexes/films/settings', { body: settings });
    await waitForTask(url, first);
    const indexing = await timed(async () => {
      const { taskUid } = await callApi(url, 'POST', '/indexes/films/documents', {
        body,
        type: 'application/x-ndjson',
      });
      await waitForTask(url, taskUid);
    });
    const search = async (q) => {
      const { hits } = await callApi(url, 'POST', '/indexes/films/search', {
        body: { q, limit: 10, attributesToRetrieve: ['id'] },
      });
      return hits.map(({ id }) => id);
    };
    const figures = await scoreOf(search, chooseQueries(films, work));
    // what is freed after indexing is free by then
    await pause(values.smoke ? 0 : 2_000);
    return { indexMs: indexing, ...figures, ...memoryOf(server.pid), diskMiB: await diskMiB(folder) };
  } finally {
    await stopServer(server);
    rmSync(folder, { recursive: true, force: true });
  }
}

async function runLibrary(name) {
  const args = ['--expose-gc', CHILD, JSON.stringify({ ...work, name })];
  const { stdout } = await promisify(execFile)(process.execPath, args, { maxBuffer: 1 << 24, timeout: 180_000 });
  return { ...JSON.parse(stdout.trim().split('\n').at(-1)), diskMiB: 0 };
}

/** Resident memory in MiB: all of it, and what is no page of a file, which the system may drop. Linux alone tells. */
function memoryOf(pid) {
  const file = `/proc/${pid}/status`;
  if (!existsSync(file)) return {};
  const read = (name) => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(readFileSync(file, 'utf8'))?.[1] ?? 0);
  return { residentMiB: Math.round(read('VmRSS') / 1024), ownMiB: Math.round(read('RssAnon') / 1024) };
}
async function diskMiB(folder) {
  const { stdout } = await promisify(execFile)('du', ['-sk', folder]);
  return Math.round(Number.parseInt(stdout, 10) / 1024);
}

function rowOf({ name, indexMs, searchMs, found, residentMiB, ownMiB, diskMiB: disk }) {
  return {
    name,
    'index s': round(indexMs / 1000, 2),
    ...Object.fromEntries(
      Object.entries(searchMs).map(([kind, { p50, p99 }]) => [`${kind} p50/p99 ms`, `${p50}/${p99}`]),
    ),
    'typos found': `${found.typo}/${found.asked}`,
    'resident MiB': residentMiB ?? '-',
    'own MiB': ownMiB ?? '-',
    'disk MiB': disk,
  };
}
