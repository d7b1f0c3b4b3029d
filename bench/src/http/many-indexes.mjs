#!/usr/bin/env node
/**
 * `npm run bench:many-indexes`: many indexes of a few documents in one server: created, searched, listed, counted, started again.
 *
 *   npm run bench:many-indexes -- [--indexes 10000] [--documents 3] [--at-once 20] [--db-path FOLDER] [--json OUT.json] [--smoke]
 *
 * With `--db-path` the folder is kept, and the indexes that are in it are not created again: a run that was ended goes on. Figures: times in
 * milliseconds, memory of the server's process in MiB (anonymous, without mapped files) as it is after each step.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { readOptions } from '../../../tools/run/options.mjs';
import { findFreePort, spawnServer, stopServer, waitForHealth } from '../../../tools/run/server-process.mjs';
import { printTable, round, scatter, writeResult } from '../results.mjs';

const { values } = readOptions({
  options: {
    indexes: { type: 'string', default: '10000' },
    documents: { type: 'string', default: '3' },
    'at-once': { type: 'string', default: '20' },
    'db-path': { type: 'string' },
    json: { type: 'string' },
    smoke: { type: 'boolean', default: false },
  },
});
if (values.smoke) values.indexes = '30';
const [indexCount, documentCount, atOnce] = [values.indexes, values.documents, values['at-once']].map(Number);
/** A start checks pages of all stores for at most some seconds. */
const START_TIMEOUT_MS = 120_000;
const STOP_GRACE_MS = 30_000;
/** Delay before memory is measured, so that background work has ended. */
const REST_MS = 5_000;

const agent = new Agent({ keepAlive: true, maxSockets: atOnce });
const uids = Array.from({ length: indexCount }, (_, at) => `index${String(at).padStart(6, '0')}`);
const rows = [];
const folder = values['db-path'] ?? mkdtempSync(join(tmpdir(), 'fossick-bench-'));
let server = await start();

try {
  note('started empty', {});
  await measured('created', create);
  await measured('searched, each for the first time', () => forAll(searchOne));
  await measured('searched, each again', () => forAll(searchOne));
  await measured('one index searched often', () => forAll((_, at) => searchOne(uids[at % 5], at % 5)));
  await measured('listed, a page of 20', () => often(10, () => call('GET', '/indexes?limit=20')));
  await measured('listed whole', () => often(3, () => call('GET', `/indexes?limit=${indexCount}`)));
  await measured('counted by /stats', () => often(3, () => call('GET', '/stats')));
  await stopServer(server.child, STOP_GRACE_MS);
  const startedMs = performance.now();
  server = await start();
  note('started again', { allMs: round(performance.now() - startedMs, 1) });
  await measured('first search after a start', () => often(1, () => searchOne(uids[0], 0)));
  await measured('first /stats after a start', () => often(1, () => call('GET', '/stats')));
  printTable(rows);
  writeResult({ indexes: indexCount, documents: documentCount, rows }, values.json);
} finally {
  agent.destroy();
  await stopServer(server.child, STOP_GRACE_MS);
  if (values['db-path'] === undefined) rmSync(folder, { recursive: true, force: true });
}

async function start() {
  const url = `http://127.0.0.1:${await findFreePort()}`;
  const folders = ['--db-path', join(folder, 'data'), '--dump-dir', join(folder, 'dumps')];
  const child = spawnServer(
    [...folders, '--snapshot-dir', join(folder, 'snapshots'), '--http-addr', url.slice(7), '--no-analytics'],
    ['ignore', 'ignore', 'inherit'],
  );
  await waitForHealth(url, child, START_TIMEOUT_MS);
  return { url: new URL(url), child };
}

async function create() {
  const present = new Set((await call('GET', `/indexes?limit=${indexCount}`)).results.map(({ uid }) => uid));
  const durations = await forAll(async (uid, at) => {
    if (present.has(uid)) return;
    const documents = Array.from({ length: documentCount }, (_, id) => ({ id, text: `word${at} number${id} common` }));
    await call('POST', `/indexes/${uid}/documents`, documents);
  });
  for (;;) {
    const { total } = await call('GET', '/tasks?statuses=enqueued,processing&limit=1');
    if (total === 0) return durations;
    await sleep(100);
  }
}

async function searchOne(uid, at) {
  const { hits } = await call('POST', `/indexes/${uid}/search`, { q: `word${at}` });
  if (hits.length !== documentCount) throw new Error(`${uid} answered ${hits.length} documents`);
}

/** Runs work for every index, some at a time; returns how long each took. */
async function forAll(work) {
  const durations = [];
  let next = 0;
  const worker = async () => {
    for (let at = next++; at < uids.length; at = next++) {
      const startedMs = performance.now();
      await work(uids[at], at);
      durations.push(performance.now() - startedMs);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  return durations;
}

async function often(times, work) {
  const durations = [];
  for (let i = 0; i < times; i++) {
    const startedMs = performance.now();
    await work();
    durations.push(performance.now() - startedMs);
  }
  return durations;
}

async function measured(name, work) {
  const startedMs = performance.now();
  const durations = await work();
  const allMs = round(performance.now() - startedMs, 1);
  const atPeakMiB = anonymousMiB();
  await sleep(values.smoke ? 0 : REST_MS);
  note(name, { allMs, ...scatter(durations), atPeakMiB });
}

function note(name, figures) {
  const descriptors = readdirSync(`/proc/${server.child.pid}/fd`).length;
  rows.push({ name, ...figures, anonymousMiB: anonymousMiB(), descriptors });
  console.error(JSON.stringify(rows.at(-1)));
}

function anonymousMiB() {
  const status = readFileSync(`/proc/${server.child.pid}/status`, 'utf8');
  return Math.round(Number(/RssAnon:\s+(\d+)/.exec(status)[1]) / 1024);
}

function call(method, path, body) {
  const payload = body === undefined ? undefined : Buffer.from(JSON.stringify(body));
  const headers = payload === undefined ? {} : { 'content-type': 'application/json', 'content-length': payload.length };
  return new Promise((resolve, reject) => {
    const outgoing = request(new URL(path, server.url), { agent, method, headers }, (response) => {
      const parts = [];
      response
        .on('data', (part) => parts.push(part))
        .on('end', () => {
          const text = Buffer.concat(parts).toString('utf8');
          if (response.statusCode < 300) resolve(JSON.parse(text));
          else reject(new Error(`${method} ${path}: ${response.statusCode} ${text.slice(0, 200)}`));
        });
    });
    outgoing.on('error', reject).end(payload);
  });
}
