#!/usr/bin/env node
/**
 * `npm run bench:cluster`: a cluster of three nodes on this machine: failover, lag of replicas, what tasks cost in the stores, bulk load,
 * readers, a new replica.
 *
 *   npm run bench:cluster -- [--log postgres://…|s3] [--objects s3://…] [--kills 50] [--seconds 20] [--documents 1000000]
 *                            [--only failover,lag,cost,load,readers,replica] [--json OUT.json] [--smoke]
 *
 * Log and objects are in a folder when their options are absent. `cost` counts requests of S3 with an `endpoint`, and statements of
 * PostgreSQL, by proxies, which take time of their own: it is left out unless it is named. Times in milliseconds. Readers have half a core each, by control
 * groups of the first version (as root); where these cannot be made, that part is left out and a line says so.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { callApi, waitForTask } from '../../../tools/run/http-api.mjs';
import { readOptions } from '../../../tools/run/options.mjs';
import { findFreePort, spawnServer, stopServer, waitForHealth } from '../../../tools/run/server-process.mjs';
import { createDocumentGenerator } from '../data/document-generator.mjs';
import { printTable, round, scatter, writeResult } from '../results.mjs';
import { canLimit, Nodes } from './cluster-nodes.mjs';
import { countRequests, countStatements, difference } from './counting-proxies.mjs';

const PARTS = ['failover', 'lag', 'load', 'readers', 'replica'];
/** Updates a second of which the cost is measured; 0: of a cluster at rest. */
const COST_RATES = [0, 1, 10, 100];
const NAMES = ['a', 'b', 'c'];
const { values } = readOptions({
  options: {
    log: { type: 'string' },
    objects: { type: 'string' },
    kills: { type: 'string', default: '50' },
    seconds: { type: 'string', default: '20' },
    documents: { type: 'string', default: '1000000' },
    only: { type: 'string', default: PARTS.join(',') },
    json: { type: 'string' },
    smoke: { type: 'boolean', default: false },
  },
});
if (values.smoke) Object.assign(values, { kills: '1', seconds: '1', documents: '2000' });
const [killCount, seconds, documentCount] = [values.kills, values.seconds, values.documents].map(Number);
const wanted = values.only.split(',');
const CHUNK = 20_000;
const CLIENTS = 8;

const folder = mkdtempSync(join(tmpdir(), 'fossick-bench-'));
const stores = { log: values.log ?? null, objects: values.objects ?? null };
/** By what is counted: the proxies of the stores. */
const proxies = wanted.includes('cost') ? await countedStores() : new Map();
const nodes = new Nodes({
  ...{ folder, ...stores },
  // a leader is missed soon, where one is ended
  environment: values.smoke && wanted.includes('failover') ? { FOSSICK_TEST_CLUSTER_SILENCE_MS: '1500' } : {},
});
const rows = [];
const note = (name, figures) => rows.push({ name, ...figures });
try {
  await Promise.all(NAMES.map((name) => nodes.start(name)));
  await nodes.leader();
  await put(nodes.url('a'), 'small', { id: 0, text: 'the first document' });
  await nodes.atRest();
  if (wanted.includes('failover')) await measureFailover();
  if (wanted.includes('lag')) for (const rate of [0, 10, 100]) await measureLag(rate);
  if (wanted.includes('cost')) for (const rate of COST_RATES) await measureCost(rate);
  if (wanted.includes('load') || wanted.includes('readers') || wanted.includes('replica')) await measureLoad();
  if (wanted.includes('readers')) await measureReaders();
  if (wanted.includes('replica')) await measureReplica();
  printTable(rows);
  writeResult({ log: values.log?.split(':')[0] ?? 'folder', documents: documentCount, rows }, values.json);
} finally {
  await nodes.end();
  for (const proxy of proxies.values()) await proxy.end();
  rmSync(folder, { recursive: true, force: true });
}

/** From the end of the leader until a task that was sent afterwards has succeeded; and the longest time without a 202. */
async function measureFailover() {
  for (const [how, count] of [
    ['kill -9', killCount],
    ['SIGTERM', Math.min(killCount, 10)],
  ]) {
    const [gaps, refused] = [[], []];
    for (let at = 0; at < count; at++) {
      const name = await nodes.leader();
      const ending = how === 'SIGTERM' ? nodes.stop(name) : nodes.kill(name);
      const endedMs = performance.now();
      const [other] = nodes.running.keys();
      let taskUid;
      while (taskUid === undefined) {
        taskUid = (await put(nodes.url(other), 'small', { id: at, text: `after ${at}` }).catch(() => undefined))
          ?.taskUid;
      }
      refused.push(performance.now() - endedMs);
      await waitForTask(nodes.url(other), taskUid);
      gaps.push(performance.now() - endedMs);
      await ending;
      await nodes.start(name);
      await nodes.atRest();
    }
    note(`leader ended by ${how}: first task of the next`, { ...scatter(gaps), max: round(Math.max(...gaps)) });
    note(`leader ended by ${how}: first 202`, { ...scatter(refused), max: round(Math.max(...refused)) });
  }
}

/** Small updates at a rate; how late the followers are, in time. */
async function measureLag(rate) {
  const before = { position: (await nodes.status('a')).position, log: nodes.stored('log') };
  const endMs = performance.now() + seconds * 1_000;
  const [accepted, found] = [[], []];
  const watching = watchLag(endMs);
  let sent = 0;
  const running = [];
  for (let at = 0; performance.now() < endMs; at++) {
    if (rate === 0) {
      await sleep(100);
      continue;
    }
    running.push(update(at, accepted, found));
    sent += 1;
    await sleep(1_000 / rate);
  }
  await Promise.all(running);
  const lags = await watching;
  const position = await nodes.atRest();
  const log = nodes.stored('log');
  note(`${rate} updates a second: lag of followers`, lags.length === 0 ? { p50: 0, p99: 0 } : scatter(lags));
  if (sent === 0) return;
  note(`${rate} updates a second: 202`, scatter(accepted));
  note(`${rate} updates a second: found on all nodes`, scatter(found));
  note(`${rate} updates a second: a task`, {
    entries: round((position - before.position) / sent),
    ...(log === null ? {} : { bytes: Math.round((log.bytes - before.log.bytes) / sent) }),
  });
}

/** Puts a proxy in front of each store that has an address, and has the nodes use it. */
async function countedStores() {
  const found = new Map();
  const kept = (name, { proxy, url }) => {
    found.set(name, proxy);
    return url;
  };
  const isS3 = (url) => url?.startsWith('s3://') === true && url.includes('endpoint=');
  if (isS3(stores.objects)) stores.objects = kept('S3', await countRequests(stores.objects));
  if (stores.log?.startsWith('postgres') === true) stores.log = kept('PostgreSQL', await countStatements(stores.log));
  return found;
}

/** What the stores are asked for each task at a rate of small updates; at rest for each second. */
async function measureCost(rate) {
  const position = await nodes.atRest();
  const before = [...proxies].map(([name, proxy]) => [name, proxy.look()]);
  const startedMs = performance.now();
  const running = [];
  for (let at = 0; performance.now() < startedMs + seconds * 1_000; at++) {
    if (rate > 0)
      running.push(put(nodes.url(NAMES[at % NAMES.length]), 'small', { id: at % 1_000, text: `update ${at}` }));
    await sleep(Math.max(0, startedMs + ((at + 1) * 1_000) / Math.max(1, rate) - performance.now()));
  }
  // a store that is too slow for the rate makes some of them fail, which are no tasks
  const accepted = (await Promise.allSettled(running)).filter(({ status }) => status === 'fulfilled');
  const entries = (await nodes.atRest()) - position;
  const count = rate === 0 ? (performance.now() - startedMs) / 1_000 : Math.max(1, accepted.length);
  const each = rate === 0 ? 'at rest: a second' : `${rate} updates a second: a task`;
  note(each, { entries: round(entries / count) });
  for (const [name, first] of before) {
    const { calls, sent, received } = difference(proxies.get(name).look(), first);
    const bytes = { sent: Math.round(sent / count), received: Math.round(received / count) };
    const perTask = Object.entries(calls).map(([call, times]) => [call, round(times / count)]);
    note(`${each} of ${name}`, { ...Object.fromEntries(perTask), ...bytes });
  }
}

async function update(at, accepted, found) {
  const name = NAMES[at % NAMES.length];
  const text = `update ${at} ${performance.now()}`;
  const startedMs = performance.now();
  await put(nodes.url(name), 'small', { id: at % 1_000, text });
  accepted.push(performance.now() - startedMs);
  // one of ten: the questions are a load themselves
  if (at % 10 !== 0) return;
  const isThere = async (one) =>
    (await callApi(nodes.url(one), 'GET', `/indexes/small/documents/${at % 1_000}`).catch(() => undefined))?.text ===
    text;
  for (const one of NAMES) {
    // a later update of the same document may have replaced it
    for (let tries = 0; tries < 1_000 && !(await isThere(one)); tries++) await sleep(5);
  }
  found.push(performance.now() - startedMs);
}

/** Samples of how long ago the leader had applied what a follower has not, until a time. */
async function watchLag(endMs) {
  const leader = await nodes.leader();
  const history = [];
  const lags = [];
  while (performance.now() < endMs) {
    const statuses = await Promise.all([...nodes.running.keys()].map(async (name) => [name, await nodes.status(name)]));
    const nowMs = performance.now();
    const { position } = statuses.find(([name]) => name === leader)[1];
    if (history.at(-1)?.position !== position) history.push({ position, atMs: nowMs });
    for (const [name, status] of statuses) {
      if (name === leader) continue;
      const first = history.find((one) => one.position > status.position);
      lags.push(first === undefined ? 0 : nowMs - first.atMs);
    }
    await sleep(20);
  }
  return lags;
}

/** All documents into the cluster, and into one server. */
async function measureLoad() {
  const loading = load(nodes.url(await nodes.leader()));
  let isOver = false;
  loading.finally(() => {
    isOver = true;
  });
  const lags = [];
  while (!isOver) lags.push(...(await watchLag(performance.now() + 200)));
  const clusterSeconds = await loading;
  await nodes.atRest();
  const url = `http://127.0.0.1:${await findFreePort()}`;
  const single = spawnServer(
    ['--db-path', join(folder, 'single'), '--http-addr', url.slice(7), '--no-analytics', '--log-level', 'ERROR'],
    ['ignore', 'ignore', 'inherit'],
  );
  await waitForHealth(url, single);
  const singleSeconds = await load(url);
  await stopServer(single, 60_000);
  rmSync(join(folder, 'single'), { recursive: true, force: true });
  note('load: documents a second of a cluster', { all: Math.round(documentCount / clusterSeconds) });
  note('load: documents a second of one server', { all: Math.round(documentCount / singleSeconds) });
  note('load: lag of followers', lags.length === 0 ? {} : scatter(lags));
}

/** Seconds. */
async function load(url) {
  const next = createDocumentGenerator({ seed: 1 });
  const startedMs = performance.now();
  let last;
  for (let at = 0; at < documentCount; at += CHUNK) {
    const lines = Array.from({ length: Math.min(CHUNK, documentCount - at) }, () => JSON.stringify(next()));
    const body = lines.join('\n');
    last = await callApi(url, 'POST', '/indexes/large/documents', { body, type: 'application/x-ndjson' });
  }
  await waitForTask(url, last.taskUid);
  return (performance.now() - startedMs) / 1_000;
}

/** Searches a second of one, two and three nodes, each with half a core. */
async function measureReaders() {
  if (!canLimit()) return console.log('readers: left out, control groups of the first version cannot be made here');
  for (const name of NAMES) {
    await nodes.stop(name);
    await nodes.start(name, { share: 0.5 });
  }
  await nodes.atRest();
  let one;
  for (let count = 1; count <= NAMES.length; count++) {
    const urls = NAMES.slice(0, count).map((name) => nodes.url(name));
    const perSecond = await searchesPerSecond(urls);
    one ??= perSecond;
    note(`searches a second, ${count} readers of half a core`, {
      all: round(perSecond, 1),
      ratio: round(perSecond / one, 2),
    });
  }
}

async function searchesPerSecond(urls) {
  const next = createDocumentGenerator({ seed: 1 });
  const endMs = performance.now() + seconds * 1_000;
  let count = 0;
  const client = async (at) => {
    for (let turn = 0; performance.now() < endMs; turn++) {
      const q =
        next()
          .overview.match(/[a-z]{4,}/g)
          ?.slice(0, 2)
          .join(' ') ?? 'word';
      await callApi(urls[(at + turn) % urls.length], 'POST', '/indexes/large/search', { body: { q } });
      count += 1;
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, (_, at) => client(at)));
  return count / seconds;
}

/** A node with an empty folder, until it is where the others are. */
async function measureReplica() {
  const position = await nodes.atRest();
  const before = nodes.stored('checkpoint-sets');
  // a set is due after 64 MiB of log, and looked for each one to two minutes
  for (
    let tries = 0;
    !values.smoke && tries < 180 && before !== null && nodes.stored('checkpoint-sets').count === 0;
    tries++
  )
    await sleep(1_000);
  const startedMs = performance.now();
  await nodes.start('new');
  while ((await nodes.status('new')).position < position) await sleep(20);
  const replicaSeconds = (performance.now() - startedMs) / 1_000;
  const { databaseSize } = await callApi(nodes.url('new'), 'GET', '/stats');
  note('a new replica', {
    seconds: round(replicaSeconds, 1),
    megabytesPerSecond: round(databaseSize / 1e6 / replicaSeconds, 1),
  });
}

function put(url, index, document) {
  return callApi(url, 'POST', `/indexes/${index}/documents?primaryKey=id`, { body: [document] });
}
