#!/usr/bin/env node
/**
 * `npm run bench:vectors-http`: searches by vector over HTTP against the truth, on our own server or on any that speaks the API, one after the other:
 * building, searches, memory; then some documents are replaced and some deleted, and searches are asked again.
 *
 *   npm run bench:vectors-http -- [--url NAME=http://127.0.0.1:7700 --pid NAME=1234]... [--documents 20000] [--dimensions 128] [--queries 500] [--checked 200]
 *     [--limit 10] [--seed 7] [--json OUT.json] [--smoke]
 *
 * Without `--url` our built server is started on a free port and an empty folder. A server that is given must be empty; its memory is read where its
 * process is named.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { callApi, waitForTask } from '../../../tools/run/http-api.mjs';
import { readOptions } from '../../../tools/run/options.mjs';
import { findFreePort, spawnServer, stopServer, waitForHealth } from '../../../tools/run/server-process.mjs';
import { VECTOR_SCOPES, vectorDocument } from '../data/vector-documents.mjs';
import { printTable, round, scatter, writeResult } from '../results.mjs';
import { drawVectors, recallOf, Truth } from '../vector-truth.mjs';

const INDEX = 'vectors';
const EMBEDDER = 'own';
const PER_REQUEST = 5_000;
const WARMING_COUNT = 20;
const { values } = readOptions({
  options: {
    url: { type: 'string', multiple: true, default: [] },
    pid: { type: 'string', multiple: true, default: [] },
    documents: { type: 'string', default: '20000' },
    dimensions: { type: 'string', default: '128' },
    queries: { type: 'string', default: '500' },
    checked: { type: 'string', default: '200' },
    limit: { type: 'string', default: '10' },
    seed: { type: 'string', default: '7' },
    json: { type: 'string' },
    smoke: { type: 'boolean', default: false },
  },
});
const [count, dimCount, queryCount] = values.smoke
  ? [400, 16, 20]
  : [Number(values.documents), Number(values.dimensions), Number(values.queries)];
const checkedCount = Math.min(queryCount, Number(values.checked));
const limit = Number(values.limit);
const seed = Number(values.seed);
/** A quarter is replaced, a tenth deleted. */
const [replacedCount, deletedCount] = [Math.round(count / 4), Math.round(count / 10)];
const drawn = drawVectors({ count, queryCount, dimCount, seed });
const { vectors: replacements } = drawVectors({
  count: replacedCount,
  queryCount: 0,
  dimCount,
  seed: seed + 1,
  centreSeed: seed,
  centreCount: drawn.centreCount,
});

const named = (list) => list.map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]);
const pids = new Map(named(values.pid));
const servers =
  values.url.length === 0
    ? { fossick: await measureOwn() }
    : await inTurn(named(values.url), ([name, url]) => measure(url, pids.get(name)));
for (const [name, { build, searches, changed }] of Object.entries(servers)) {
  printTable([{ name, ...build }]);
  printTable(Object.entries(searches).map(([scope, row]) => ({ name: `${name}, ${scope}`, ...row })));
  printTable(Object.entries(changed.searches).map(([scope, row]) => ({ name: `${name}, changed, ${scope}`, ...row })));
}
writeResult({ seed, documents: count, dimensions: dimCount, replacedCount, deletedCount, servers }, values.json);

async function inTurn(entries, work) {
  const results = {};
  for (const entry of entries) results[entry[0]] = await work(entry);
  return results;
}

async function measureOwn() {
  const folder = mkdtempSync(join(tmpdir(), 'fossick-bench-'));
  const address = `127.0.0.1:${await findFreePort()}`;
  const args = ['--db-path', join(folder, 'data'), '--http-addr', address, '--no-analytics'];
  const server = spawnServer(args, ['ignore', 'ignore', 'inherit']);
  try {
    await waitForHealth(`http://${address}`, server);
    return await measure(`http://${address}`, server.pid);
  } finally {
    await stopServer(server);
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measure(url, pid) {
  const write = async (method, path, body) => {
    const type = typeof body === 'string' ? 'application/x-ndjson' : 'application/json';
    return (await callApi(url, method, path, { body, type })).taskUid;
  };
  await waitForTask(url, await write('POST', '/indexes', { uid: INDEX, primaryKey: 'id' }));
  const settings = {
    embedders: { [EMBEDDER]: { source: 'userProvided', dimensions: dimCount } },
    filterableAttributes: ['half', 'percent', 'few'],
  };
  await waitForTask(url, await write('PATCH', `/indexes/${INDEX}/settings`, settings));
  const memoryBefore = residentMiB(pid);
  const vectors = [...drawn.vectors];
  const put = async (from, to) => {
    const taskUids = [];
    for (let at = from; at < to; at += PER_REQUEST) {
      const ids = Array.from({ length: Math.min(PER_REQUEST, to - at) }, (_, i) => at + i);
      const body = ids.map((id) => JSON.stringify(vectorDocument(id, EMBEDDER, vectors[id]))).join('\n');
      taskUids.push(await write('POST', `/indexes/${INDEX}/documents`, body));
    }
    for (const taskUid of taskUids) await waitForTask(url, taskUid);
  };
  const seconds = await timed(() => put(0, count));
  const searches = await searchAll(url, vectors);
  const memoryMiB = residentMiB(pid);
  const build = { seconds, memoryMiB, memoryBeforeMiB: memoryBefore };
  for (const [at, vector] of replacements.entries()) vectors[at] = vector;
  const ids = Array.from({ length: deletedCount }, (_, i) => count - 1 - i);
  const changeSeconds = await timed(async () => {
    await put(0, replacedCount);
    await waitForTask(url, await write('POST', `/indexes/${INDEX}/documents/delete-batch`, ids));
  });
  for (const id of ids) delete vectors[id];
  return { build, searches, changed: { seconds: changeSeconds, searches: await searchAll(url, vectors) } };
}

async function timed(work) {
  const startedMs = performance.now();
  await work();
  return round((performance.now() - startedMs) / 1000, 2);
}

/** For each filter: the times of one query after the other by this client, and the recall of the first ones. */
async function searchAll(url, vectors) {
  const search = async (query, filter) => {
    const hybrid = { embedder: EMBEDDER, semanticRatio: 1 };
    const body = { vector: [...query], hybrid, limit, attributesToRetrieve: ['id'], ...(filter && { filter }) };
    const { hits } = await callApi(url, 'POST', `/indexes/${INDEX}/search`, { body });
    return hits.map(({ id }) => id);
  };
  const truth = new Truth(vectors);
  const checked = drawn.queries.slice(0, checkedCount);
  const nearest = checked.map((query) =>
    truth.nearest(
      query,
      limit,
      Object.values(VECTOR_SCOPES).map(({ isIn }) => isIn),
    ),
  );
  const rows = {};
  for (const [at, [name, { filter }]] of Object.entries(VECTOR_SCOPES).entries()) {
    for (const query of drawn.queries.slice(-WARMING_COUNT)) await search(query, filter);
    const durationsMs = [];
    let recall = 0;
    for (const [number, query] of drawn.queries.entries()) {
      const startedMs = performance.now();
      const ids = await search(query, filter);
      durationsMs.push(performance.now() - startedMs);
      if (number < checkedCount) recall += recallOf(ids, nearest[number][at]) / checkedCount;
    }
    rows[name] = { recall: round(recall, 4), ...scatter(durationsMs) };
  }
  return rows;
}

/** Resident memory of a process, with and without its mapped files; undefined where it is not known. */
function residentMiB(pid) {
  if (pid === undefined) return undefined;
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const kib = (name) => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1] ?? 0);
  return `${Math.round(kib('VmRSS') / 1024)} (own ${Math.round(kib('RssAnon') / 1024)})`;
}
