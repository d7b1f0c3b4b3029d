/**
 * A load for a running server, used where the shared benchmark is not available: index, search one after another,
 * search with eight clients, one small update. The same seed sends the same queries.
 */
import { createHash } from 'node:crypto';
import { callApi, waitForTask } from '../../../tools/run/http-api.mjs';
import { createRandom } from '../data/document-generator.mjs';

const INDEX = 'bench';
const CHUNK_DOCUMENT_COUNT = 20_000;
const CLIENT_COUNT = 8;
const UPDATE_COUNT = 5;

/** Runs the load on `documents`; returns figures and a hash of all answers (ids in order), equal for equal builds. */
export async function runHttpLoad({ url, documents, settings, queryCount, seed }) {
  const indexingSeconds = await indexDocuments(url, documents, settings);
  const queries = makeQueries(documents, queryCount, seed);
  const hash = createHash('sha256');
  const durationsMs = [];
  for (const body of queries) {
    const startedMs = performance.now();
    const { hits } = await search(url, body);
    durationsMs.push(performance.now() - startedMs);
    hash.update(`${hits.map((hit) => hit.id).join(',')}\n`);
  }
  return {
    documents: documents.length,
    indexingSeconds: round(indexingSeconds),
    documentsPerSecond: Math.round(documents.length / indexingSeconds),
    searchMs: scatter(durationsMs),
    queriesPerSecond: Math.round(await measureThroughput(url, queries)),
    smallUpdateMs: scatter(await measureUpdates(url, documents)),
    answersHash: hash.digest('hex').slice(0, 16),
  };
}

async function indexDocuments(url, documents, settings) {
  const write = async (method, path, options) => (await callApi(url, method, path, options)).taskUid;
  await waitForTask(url, await write('POST', '/indexes', { body: { uid: INDEX, primaryKey: 'id' } }));
  await waitForTask(url, await write('PATCH', `/indexes/${INDEX}/settings`, { body: settings }));
  const startedMs = performance.now();
  const taskUids = [];
  for (let at = 0; at < documents.length; at += CHUNK_DOCUMENT_COUNT) {
    const chunk = documents.slice(at, at + CHUNK_DOCUMENT_COUNT);
    const body = chunk.map((document) => JSON.stringify(document)).join('\n');
    taskUids.push(await write('POST', `/indexes/${INDEX}/documents`, { body, type: 'application/x-ndjson' }));
  }
  for (const taskUid of taskUids) await waitForTask(url, taskUid);
  return (performance.now() - startedMs) / 1000;
}

/** Words, prefixes, typos, pairs, filters and sorts in turn, drawn from the documents. */
function makeQueries(documents, count, seed) {
  const random = createRandom(seed);
  const pick = (list) => list[Math.floor(random() * list.length)];
  const words = () => `${pick(documents).title} ${pick(documents).overview}`.match(/[\p{L}\p{N}]+/gu) ?? ['search'];
  const longWord = () => words().find((word) => word.length > 5) ?? 'search';
  const kinds = [
    () => ({ q: pick(words()) }),
    () => ({ q: longWord().slice(0, 3) }),
    () => ({ q: longWord().replace(/(?<=^..)./u, '') }),
    () => ({ q: words().slice(0, 2).join(' ') }),
    () => ({ q: `"${words().slice(0, 2).join(' ')}"` }),
    () => ({ q: pick(words()), filter: `year > ${pick(documents).year}` }),
    () => ({ q: pick(words()), sort: ['year:desc'] }),
    () => ({ q: '', facets: ['genres'] }),
  ];
  return Array.from({ length: count }, (_, at) => ({ ...kinds[at % kinds.length](), limit: 20 }));
}

async function measureThroughput(url, queries) {
  const startedMs = performance.now();
  let next = 0;
  const client = async () => {
    while (next < queries.length * 2) await search(url, queries[next++ % queries.length]);
  };
  await Promise.all(Array.from({ length: CLIENT_COUNT }, client));
  return (queries.length * 2) / ((performance.now() - startedMs) / 1000);
}

async function measureUpdates(url, documents) {
  const durationsMs = [];
  for (let at = 0; at < UPDATE_COUNT; at++) {
    const marker = `zqx${at}marker`;
    const startedMs = performance.now();
    const body = [{ ...documents[at], title: marker }];
    await waitForTask(url, (await callApi(url, 'POST', `/indexes/${INDEX}/documents`, { body })).taskUid);
    const { hits } = await search(url, { q: marker, limit: 1 });
    if (hits.length === 0) throw new Error('an update was not searchable after its task succeeded');
    durationsMs.push(performance.now() - startedMs);
  }
  return durationsMs;
}

function search(url, body) {
  return callApi(url, 'POST', `/indexes/${INDEX}/search`, { body });
}

function scatter(list) {
  const sorted = [...list].sort((left, right) => left - right);
  const quantile = (part) => round(sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))]);
  return { p50: quantile(0.5), p95: quantile(0.95), p99: quantile(0.99) };
}

function round(value) {
  return Math.round(value * 100) / 100;
}
