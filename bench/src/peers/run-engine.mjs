/**
 * The child process of one engine, so that its memory is measured separately. Prints one line of JSON, `null` for an
 * engine that is not installed.
 */
import { drawQueries, readDocuments } from '../data/documents.mjs';
import { hashOf, round, scatter, startMeter } from '../results.mjs';
import { ENGINES } from './engines.mjs';

const { name, data, count, seed, queryCount } = JSON.parse(process.argv[2]);
console.log(JSON.stringify(await measure()));

async function measure() {
  const documents = readDocuments({ data, count, seed });
  const queries = drawQueries(documents, queryCount, seed);
  const idleBytes = settledBytes();
  const engine = await ENGINES[name]();
  if (engine === undefined) return null;
  const readMeter = startMeter();
  await engine.add(documents);
  const indexing = readMeter();
  documents.length = 0;
  const heldBytes = settledBytes() - idleBytes;
  for (const { q } of queries.slice(0, 20)) await engine.search(q);
  const durationsMs = {};
  const answers = [];
  for (const { kind, q } of queries) {
    const startedMs = performance.now();
    const ids = await engine.search(q);
    durationsMs[kind] ??= [];
    durationsMs[kind].push(performance.now() - startedMs);
    answers.push(ids);
  }
  const searchMs = Object.fromEntries(Object.entries(durationsMs).map(([kind, list]) => [kind, scatter(list)]));
  const found = Object.fromEntries(Object.keys(durationsMs).map((kind) => [kind, foundShare(queries, answers, kind)]));
  const restartMs = await measureRestart(engine, queries[0].q);
  await engine.close();
  return {
    name,
    indexing,
    heldMiB: round(heldBytes / 2 ** 20, 1),
    searchMs,
    found,
    restartMs,
    answersHash: hashOf(answers),
  };
}

/** Share of the queries with at least one hit. */
function foundShare(queries, answers, kind) {
  const own = answers.filter((_, at) => queries[at].kind === kind);
  return round(own.filter((ids) => ids.length > 0).length / own.length, 2);
}

/** Time until the first answer, for an engine with a stored index; the others would add all documents again. */
async function measureRestart(engine, q) {
  if (engine.reopen === undefined) return null;
  const startedMs = performance.now();
  await engine.reopen();
  await engine.search(q);
  return round(performance.now() - startedMs, 1);
}

/** Resident bytes without the pages of mapped files after two collections (run with --expose-gc). */
function settledBytes() {
  globalThis.gc();
  globalThis.gc();
  const { rss } = process.memoryUsage();
  return rss;
}
