#!/usr/bin/env node
/**
 * `npm run bench:scale`: how times grow with the number of documents. Generated documents in batches of equal size,
 * merges after each, then searches, and a restart until its first answer.
 *
 *   npm run bench:scale -- [--documents 1000000] [--batch 20000] [--memory-mib 512] [--queries 200] [--seed 7] [--json OUT.json]
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readOptions } from '../../tools/run/options.mjs';
import { drawQueries, readDocuments, writeGenerated } from './data/documents.mjs';
import { EmbeddedIndex } from './fossick.mjs';
import { hashOf, printTable, round, scatter, startMeter, writeResult } from './results.mjs';

const SETTINGS = {
  searchableAttributes: ['title', 'overview', 'cast', 'genres'],
  filterableAttributes: ['genres', 'year', 'cast'],
  sortableAttributes: ['year', 'title'],
};
const ROWS = 10;
/** Queries are drawn from this many documents, because the generator makes documents only in sequence. */
const QUERY_DOCUMENT_COUNT = 5000;
const { values } = readOptions({
  options: {
    documents: { type: 'string', default: '1000000' },
    batch: { type: 'string', default: '20000' },
    'memory-mib': { type: 'string', default: '512' },
    queries: { type: 'string', default: '200' },
    seed: { type: 'string', default: '7' },
    json: { type: 'string' },
    smoke: { type: 'boolean', default: false },
  },
});
const [count, perFile, queryCount] = values.smoke
  ? [400, 50, 5]
  : [Number(values.documents), Number(values.batch), Number(values.queries)];
const seed = Number(values.seed);
const index = new EmbeddedIndex(Number(values['memory-mib']) * 2 ** 20);

try {
  const files = writeGenerated({ count, seed, perFile, fileOf: (at) => join(index.folder, `${at}.ndjson`) });
  await index.create(SETTINGS);
  const { rows, total } = await indexFiles(files);
  const searching = measureSearches();
  const restartMs = await measureRestart();
  const megabytes = round(files.reduce((sum, file) => sum + file.bytes, 0) / 1e6, 1);
  printTable(rows);
  const { diskBytes, documentCount } = index.stats;
  const figures = {
    documentCount,
    megabytes,
    ...total,
    restartMs,
    diskMiB: round(diskBytes / 2 ** 20, 1),
    ...searching,
  };
  printTable(Object.entries(figures).map(([name, value]) => ({ name, value: JSON.stringify(value) })));
  await index.close();
  writeResult({ seed, perFile, ...figures, rows }, values.json);
} finally {
  index.remove();
}

/** A row for each tenth: documents per second of processor time and of wall-clock time, with the time of its merges. */
async function indexFiles(files) {
  const rows = [];
  const readAll = startMeter();
  const filesPerRow = Math.ceil(files.length / ROWS);
  for (let at = 0; at < files.length; at += filesPerRow) {
    const span = files.slice(at, at + filesPerRow);
    const readMeter = startMeter();
    let mergeMs = 0;
    for (const { file } of span) {
      await index.addFile(file);
      const startedMs = performance.now();
      while (await index.mergeOnce());
      mergeMs += performance.now() - startedMs;
    }
    const { wallMs, cpuMs } = readMeter();
    const spanCount = span.reduce((sum, file) => sum + file.count, 0);
    rows.push({
      documents: index.stats.documentCount,
      'per s': Math.round((spanCount / wallMs) * 1000),
      'per cpu s': Math.round((spanCount / cpuMs) * 1000),
      'merge ms': Math.round(mergeMs),
      'resident MiB': Math.round(process.memoryUsage.rss() / 2 ** 20),
      'anonymous MiB': anonymousMiB(),
    });
  }
  const { wallMs, cpuMs } = readAll();
  const perSecond = (ms) => Math.round((index.stats.documentCount / ms) * 1000);
  return { rows, total: { documentsPerSecond: perSecond(wallMs), documentsPerCpuSecond: perSecond(cpuMs) } };
}

/**
 * Memory without pages of mapped files, where the system reports it (Linux): the system can drop the others at any
 * time.
 */
function anonymousMiB() {
  if (process.platform !== 'linux') return undefined;
  const status = readFileSync('/proc/self/status', 'utf8');
  return Math.round(Number(/^RssAnon:\s+(\d+)/m.exec(status)?.[1] ?? 0) / 1024);
}

function measureSearches() {
  const documents = readDocuments({ count: Math.min(count, QUERY_DOCUMENT_COUNT), seed });
  const durationsMs = {};
  const answers = [];
  for (const { kind, q } of drawQueries(documents, queryCount, seed)) {
    const startedMs = performance.now();
    const { hits } = index.search({ q, limit: 20 });
    durationsMs[kind] ??= [];
    durationsMs[kind].push(performance.now() - startedMs);
    answers.push(hits.map((hit) => hit.id));
  }
  const all = scatter(Object.values(durationsMs).flat());
  const searchMs = Object.fromEntries(Object.entries(durationsMs).map(([kind, list]) => [kind, scatter(list)]));
  return { searchMs: { all, ...searchMs }, answersHash: hashOf(answers) };
}

async function measureRestart() {
  await index.close();
  const startedMs = performance.now();
  index.open();
  index.search({ q: 'the', limit: 20 });
  return round(performance.now() - startedMs, 1);
}
