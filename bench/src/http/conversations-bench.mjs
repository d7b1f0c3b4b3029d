#!/usr/bin/env node
/**
 * `npm run bench:conversations`: searches during many conversations, in turn with searches alone.
 *
 *   npm run bench:conversations -- [--count 200] [--rounds 3] [--seconds 8] [--chunks 20] [--stream-ms 2000] [--searches]
 *                                  [--shape burst|steady] [--every-ms 20] [--documents 20000] [--json OUT.json] [--smoke]
 *
 * A search is sent every `--every-ms`, whether or not the one before is answered, so that a moment in which the server answers nobody is
 * seen by all searches that fall into it. `burst`: all conversations begin at one instant, again and again. `steady`: there are as many at
 * any time, and their beginnings are spread. The model server, the clients and the server have processes of their own. `--searches`: the
 * model searches once before it answers.
 */
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { callApi, waitForTask } from '../../../tools/run/http-api.mjs';
import { readOptions } from '../../../tools/run/options.mjs';
import { findFreePort, spawnServer, stopServer, waitForHealth } from '../../../tools/run/server-process.mjs';
import { rootFolder } from '../../../tools/run/workspace.mjs';
import { createDocumentGenerator } from '../data/document-generator.mjs';
import { printTable, round, scatter, writeResult } from '../results.mjs';

const { values } = readOptions({
  options: {
    count: { type: 'string', default: '200' },
    rounds: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '8' },
    chunks: { type: 'string', default: '20' },
    'stream-ms': { type: 'string', default: '2000' },
    'every-ms': { type: 'string', default: '20' },
    shape: { type: 'string', default: 'burst' },
    searches: { type: 'boolean', default: false },
    documents: { type: 'string', default: '20000' },
    json: { type: 'string' },
    smoke: { type: 'boolean', default: false },
  },
});
if (values.smoke)
  Object.assign(values, { count: '20', rounds: '1', seconds: '1', documents: '300', 'stream-ms': '300' });

const LOAD = fileURLToPath(new URL('./conversation-load.mjs', import.meta.url));
const SHARED_DATA = join(rootFolder, '..', 'shared', 'data', 'movies.ndjson.gz');
const SETTINGS = {
  searchableAttributes: ['title', 'overview', 'cast', 'genres'],
  filterableAttributes: ['genres', 'year', 'cast'],
  sortableAttributes: ['year'],
  chat: { description: 'Films' },
};
const CHUNK_DOCUMENT_COUNT = 20_000;
const agent = new Agent({ keepAlive: true, maxSockets: 64 });

async function main() {
  const folder = mkdtempSync(join(tmpdir(), 'fossick-bench-'));
  const url = `http://127.0.0.1:${await findFreePort()}`;
  const open = ['--no-analytics', '--experimental-allowed-ip-networks', '127.0.0.1/32'];
  const args = ['--db-path', join(folder, 'data'), '--http-addr', url.slice(7), ...open];
  const server = spawnServer(args, ['ignore', 'ignore', 'inherit']);
  const provider = startLoad('provider', {
    chunkCount: Number(values.chunks),
    streamMs: Number(values['stream-ms']),
    searches: values.searches,
  });
  try {
    await waitForHealth(url, server);
    await prepare(url, (await provider.next()).port);
    const queries = WORDS.flatMap((word, at) => [{ q: word }, { q: `${word} ${WORDS[(at + 3) % WORDS.length]}` }]);
    // loading code and opening connections with the first conversation are not measured
    await searchFor(url, queries, 2_000);
    await measureBeside(url, server, queries, 3_000);
    const rows = [];
    for (let at = 0; at < Number(values.rounds); at++) {
      rows.push({ name: 'alone', ...(await measureAlone(url, server, queries)) });
      rows.push({ name: `with ${values.count}`, ...(await measureBeside(url, server, queries)) });
    }
    await sleep(1_500);
    provider.child.kill('SIGUSR2');
    const { open: openCount } = await provider.next();
    printTable(rows);
    writeResult({ rows, leftOpen: openCount, ratioP99: ratioOf(rows) }, values.json);
  } finally {
    provider.child.kill();
    await stopServer(server);
    rmSync(folder, { recursive: true, force: true });
  }
}
const WORDS = [
  'love',
  'robot',
  'summer',
  'detective',
  'war',
  'paris',
  'dog',
  'secret',
  'night',
  'king',
  'space',
  'girl',
];

async function prepare(url, providerPort) {
  await callApi(url, 'PATCH', '/experimental-features', { body: { chatCompletions: true } });
  const workspace = { source: 'vLlm', baseUrl: `http://127.0.0.1:${providerPort}`, apiKey: 'k' };
  await callApi(url, 'PATCH', '/chats/bench/settings', { body: workspace });
  const write = async (method, path, options) => waitForTask(url, (await callApi(url, method, path, options)).taskUid);
  await write('POST', '/indexes', { body: { uid: 'bench', primaryKey: 'id' } });
  await write('PATCH', '/indexes/bench/settings', { body: SETTINGS });
  const lines = readLines();
  for (let at = 0; at < lines.length; at += CHUNK_DOCUMENT_COUNT) {
    const body = lines.slice(at, at + CHUNK_DOCUMENT_COUNT).join('\n');
    await write('POST', '/indexes/bench/documents', { body, type: 'application/x-ndjson' });
  }
}

/** Films next to the checkout if they exist, otherwise generated documents. */
function readLines() {
  if (existsSync(SHARED_DATA) && !values.smoke)
    return gunzipSync(readFileSync(SHARED_DATA)).toString().trim().split('\n');
  const makeDocument = createDocumentGenerator({ seed: 7, vocabularyCount: 50_000 });
  return Array.from({ length: Number(values.documents) }, () => JSON.stringify(makeDocument()));
}

async function measureAlone(url, server, queries) {
  const before = cpuMs(server.pid);
  const durations = await searchFor(url, queries, Number(values.seconds) * 1000);
  return { ...figuresOf(durations), cpuPerSecond: share(before, server.pid), ownMiB: ownMiB(server.pid) };
}

async function measureBeside(url, server, queries, totalMs = Number(values.seconds) * 1000) {
  const clients = startLoad('clients', {
    url,
    count: Number(values.count),
    shape: values.shape,
    streamMs: Number(values['stream-ms']),
  });
  await clients.next();
  const before = cpuMs(server.pid);
  const durations = await searchFor(url, queries, totalMs);
  const cpuPerSecond = share(before, server.pid);
  clients.child.kill('SIGTERM');
  const { doneCount, failedCount, firstByteMs } = await clients.next();
  const reported = { done: doneCount, failed: failedCount, 'first byte p50': firstByteMs.p50, 'p99 ': firstByteMs.p99 };
  return { ...figuresOf(durations), cpuPerSecond, ownMiB: ownMiB(server.pid), ...reported };
}

/** Sends searches at a fixed rate for this long, and returns the milliseconds of each. */
async function searchFor(url, queries, totalMs) {
  const { hostname, port } = new URL(url);
  const startedMs = performance.now();
  const all = [];
  for (let at = 0; ; at++) {
    const dueMs = startedMs + at * Number(values['every-ms']);
    if (dueMs - startedMs > totalMs) break;
    await sleep(Math.max(0, dueMs - performance.now()));
    all.push(search({ hostname, port }, queries[at % queries.length]));
  }
  return Promise.all(all);
}

/** `numbered`: makes every query different, so that no answer is cached. */
let searchCount = 0;
function search(address, { q }) {
  const body = JSON.stringify({ q, offset: searchCount++ % 1_000, limit: 20 });
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
  return new Promise((resolve, reject) => {
    const sentMs = performance.now();
    const outgoing = request(
      { ...address, agent, headers, method: 'POST', path: '/indexes/bench/search' },
      (answer) => {
        answer.resume();
        answer.on('end', () => {
          if (answer.statusCode === 200) resolve(performance.now() - sentMs);
          else reject(new Error(`status ${answer.statusCode}`));
        });
      },
    );
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

function startLoad(role, options) {
  const child = spawn(process.execPath, [LOAD, role, JSON.stringify(options)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  const next = async () => {
    const { value, done } = await lines.next();
    if (done) throw new Error(`the ${role} ended by itself`);
    return JSON.parse(value);
  };
  return { child, next };
}

function figuresOf(durations) {
  const sorted = [...durations].sort((left, right) => left - right);
  return { searches: sorted.length, ...scatter(sorted), max: round(sorted.at(-1)) };
}
/** The middle p99 during conversations over the middle p99 alone. */
function ratioOf(rows) {
  const middle = (isBeside) => {
    const all = rows.filter(({ name }) => (name !== 'alone') === isBeside).map(({ p99 }) => p99);
    return all.sort((left, right) => left - right)[all.length >> 1];
  };
  return round(middle(true) / middle(false));
}
/** Processor time of a process in milliseconds, and when it was read. */
function cpuMs(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
  return { atMs: performance.now(), cpu: ((Number(fields[11]) + Number(fields[12])) * 1000) / TICKS };
}
const TICKS = Number(execFileSync('getconf', ['CLK_TCK']).toString());
function share(before, pid) {
  const now = cpuMs(pid);
  return round((now.cpu - before.cpu) / (now.atMs - before.atMs), 2);
}
/** Memory without file pages. */
function ownMiB(pid) {
  return Math.round(Number(/RssAnon:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024);
}

await main();
