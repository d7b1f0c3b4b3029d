#!/usr/bin/env node
/**
 * `npm run bench`: starts the built server on a free port and an empty folder, puts a load on it, and prints a table
 * and JSON with the machine's facts.
 *
 *   npm run bench -- [--load shared|own] [--documents 36000] [--queries 400] [--seed 7] [--json OUT.json] [--smoke]
 *
 * With ../shared next to the checkout the load is its benchmark on the 36,273 films, which runs on any server that speaks
 * the API; otherwise it is our own on generated documents. `--smoke` is the own load with parameters that take seconds.
 */
import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { readOptions } from '../../../tools/run/options.mjs';
import { findFreePort, spawnServer, stopServer, waitForHealth } from '../../../tools/run/server-process.mjs';
import { ensureBuilt, ensureInstalled, rootFolder } from '../../../tools/run/workspace.mjs';
import { createDocumentGenerator } from '../data/document-generator.mjs';
import { readMachineFacts } from '../machine.mjs';
import { runHttpLoad } from './http-load.mjs';

const SETTINGS = {
  searchableAttributes: ['title', 'overview', 'cast', 'genres'],
  filterableAttributes: ['genres', 'year', 'cast'],
  sortableAttributes: ['year', 'title'],
};
const SMOKE = { documents: 300, queries: 32 };
const SHARED_TIMEOUT_MS = 900_000;

const shared = {
  script: join(rootFolder, '..', 'shared', 'bench', 'http-bench.mjs'),
  settings: join(rootFolder, '..', 'shared', 'bench', 'movies.settings.json'),
  data: join(rootFolder, '..', 'shared', 'data', 'movies.ndjson.gz'),
};
const { values } = readOptions({
  options: {
    load: { type: 'string' },
    documents: { type: 'string', default: '36000' },
    queries: { type: 'string', default: '400' },
    seed: { type: 'string', default: '7' },
    json: { type: 'string' },
    smoke: { type: 'boolean', default: false },
  },
});

await main();

async function main() {
  if (!values.smoke) {
    await ensureInstalled();
    await ensureBuilt();
  }
  const folder = mkdtempSync(join(tmpdir(), 'fossick-bench-'));
  const address = `127.0.0.1:${await findFreePort()}`;
  const args = ['--db-path', join(folder, 'data'), '--http-addr', address, '--no-analytics'];
  const server = spawnServer(args, ['ignore', 'ignore', 'inherit']);
  try {
    await waitForHealth(`http://${address}`, server);
    const figures = await putLoad(`http://${address}`, server.pid, join(folder, 'data'));
    const result = { machine: readMachineFacts(), figures };
    printFigures(figures);
    console.log(JSON.stringify(result));
    if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(result, null, 2)}\n`);
  } finally {
    await stopServer(server);
    rmSync(folder, { recursive: true, force: true });
  }
}

async function putLoad(url, pid, dbFolder) {
  const isShared = existsSync(shared.script) && existsSync(shared.data);
  if (!values.smoke && !isShared) console.log('bench: ../shared/data is not there, so the documents are generated');
  if (!values.smoke && isShared && values.load !== 'own') return putSharedLoad(url, pid, dbFolder);
  const documentCount = values.smoke ? SMOKE.documents : Number(values.documents);
  const queryCount = values.smoke ? SMOKE.queries : Number(values.queries);
  const seed = Number(values.seed);
  const makeDocument = createDocumentGenerator({ seed, vocabularyCount: Math.min(50_000, documentCount * 10) });
  const documents = Array.from({ length: documentCount }, makeDocument);
  return { load: 'own', seed, ...(await runHttpLoad({ url, documents, settings: SETTINGS, queryCount, seed })) };
}

async function putSharedLoad(url, pid, dbFolder) {
  const report = join(dbFolder, '..', 'report.json');
  const subject = ['--url', url, '--pid', String(pid), '--dir', dbFolder];
  const work = [
    '--data',
    shared.data,
    '--settings',
    shared.settings,
    '--queries',
    values.queries,
    '--seed',
    values.seed,
  ];
  await promisify(execFile)(process.execPath, [shared.script, ...subject, ...work, '--json', report], {
    timeout: SHARED_TIMEOUT_MS,
    maxBuffer: 64 * 1024 * 1024,
  });
  return { load: 'shared', ...JSON.parse(readFileSync(report, 'utf8')) };
}

/** One line per figure; nested figures (p50, p95 ...) are joined with dots. */
function printFigures(figures, prefix = '') {
  for (const [name, value] of Object.entries(figures)) {
    if (value !== null && typeof value === 'object') printFigures(value, `${prefix}${name}.`);
    else console.log(`${`${prefix}${name}`.padEnd(40)} ${value}`);
  }
}
