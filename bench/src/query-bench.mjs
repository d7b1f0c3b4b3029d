#!/usr/bin/env node
/**
 * `npm run bench:queries`: the cost of new searches by kind, in processor time, in process.
 *
 *   npm run bench:queries -- [--db-path FOLDER] [--index scale] [--queries 1500] [--documents 100000] [--seed 11] [--only KIND]
 *     [--memory-mib 256] [--work] [--json OUT.json]
 *
 * With `--db-path` an index of a server's folder is searched (nothing is written; its documents are those of
 * `documentOf`), otherwise one is created. `--work` also counts what the searches do: rows read, bitmaps as long as the index, documents
 * divided, calls of the kernel. Counting takes time, so its milliseconds are not those of searches.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readOptions } from '../../tools/run/options.mjs';
import { EmbeddedIndex, openIndex } from './fossick.mjs';
import { countWork, meanWork } from './query-work.mjs';
import { hashOf, printTable, round, writeResult } from './results.mjs';
import { documentOf, drawNewQueries, randomOf } from './scale-queries.mjs';

const SETTINGS = {
  searchableAttributes: ['title', 'overview'],
  filterableAttributes: ['year', 'genre', 'author', 'code', '_geo'],
  sortableAttributes: ['year', 'code', '_geo'],
};
const DOCUMENT_SEED = 7;
const BATCH_DOCUMENTS = 20_000;
const { values } = readOptions({
  options: {
    'db-path': { type: 'string' },
    index: { type: 'string', default: 'scale' },
    queries: { type: 'string', default: '1500' },
    documents: { type: 'string', default: '100000' },
    seed: { type: 'string', default: '11' },
    only: { type: 'string' },
    'memory-mib': { type: 'string', default: '256' },
    json: { type: 'string' },
    work: { type: 'boolean', default: false },
    smoke: { type: 'boolean', default: false },
  },
});
const [documentCount, queryCount] = values.smoke ? [400, 40] : [Number(values.documents), Number(values.queries)];
const index = values['db-path']
  ? openIndex(values['db-path'], values.index, Number(values['memory-mib']) * 2 ** 20)
  : await made();

try {
  const queries = drawNewQueries(queryCount, Number(values.seed)).filter(
    ({ kind }) => values.only === undefined || kind === values.only,
  );
  // Dictionaries are loaded with the first search, which may exceed its cutoff.
  index.search({ q: 'opening' });
  const takeWork = values.work ? index.inView(countWork) : () => null;
  const costsMs = { all: [] };
  const works = {};
  const answers = [];
  for (const { kind, request } of queries) {
    takeWork();
    const startedCpu = process.cpuUsage();
    const answer = index.search(request);
    const { user, system } = process.cpuUsage(startedCpu);
    const cpuMs = (user + system) / 1000;
    costsMs.all.push(cpuMs);
    costsMs[kind] ??= [];
    costsMs[kind].push(cpuMs);
    const work = takeWork();
    for (const name of work === null ? [] : ['all', kind]) {
      works[name] ??= [];
      works[name].push(work);
    }
    const { hits, estimatedTotalHits, facetDistribution, facetStats } = answer;
    answers.push(hashOf([hits, estimatedTotalHits, facetDistribution, facetStats]));
  }
  const rows = Object.entries(costsMs).map(([name, list]) => ({
    name,
    ...costOf(list),
    ...(values.work ? meanWork(works[name]) : {}),
  }));
  printTable(rows);
  const memoryMiB = Math.round(process.memoryUsage.rss() / 2 ** 20);
  writeResult({ queries: queries.length, rows, memoryMiB, answersHash: hashOf(answers) }, values.json);
} finally {
  await index.close();
  index.remove?.();
}

/** Milliseconds of processor time: mean, median, tail. */
function costOf(costsMs) {
  const sorted = [...costsMs].sort((left, right) => left - right);
  const at = (part) => round(sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))]);
  const mean = round(sorted.reduce((sum, cost) => sum + cost, 0) / sorted.length);
  return { mean, p50: at(0.5), p90: at(0.9), p99: at(0.99), max: at(1) };
}

async function made() {
  const index = new EmbeddedIndex();
  await index.create(SETTINGS);
  const random = randomOf(DOCUMENT_SEED);
  const file = join(index.folder, 'documents.ndjson');
  for (let from = 0; from < documentCount; from += BATCH_DOCUMENTS) {
    const lines = [];
    for (let id = from + 1; id <= Math.min(documentCount, from + BATCH_DOCUMENTS); id++)
      lines.push(JSON.stringify(documentOf(random, id)));
    writeFileSync(file, lines.join('\n'));
    await index.addFile(file);
    while (await index.mergeOnce());
  }
  return index;
}
