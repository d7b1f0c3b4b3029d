#!/usr/bin/env node
/**
 * `npm run bench:vectors`: searches by vector against the truth. Documents lie around seeded centres, as texts of one topic do in the
 * space of a model; the truth is every distance, computed here in double precision.
 *
 *   npm run bench:vectors -- [--documents 20000] [--dimensions 128] [--queries 200] [--limit 10] [--seed 7] [--json OUT.json]
 */
import { parseArgs } from 'node:util';
import { EmbeddedIndex } from './fossick.mjs';
import { hashOf, printTable, round, spread, startMeter, writeResult } from './results.mjs';
import { drawVectors, nearestOf } from './vector-truth.mjs';

const EMBEDDER = 'own';
const PER_BATCH = 5000;
const { values } = parseArgs({
  options: {
    documents: { type: 'string', default: '20000' },
    dimensions: { type: 'string', default: '128' },
    queries: { type: 'string', default: '200' },
    limit: { type: 'string', default: '10' },
    seed: { type: 'string', default: '7' },
    json: { type: 'string' },
    smoke: { type: 'boolean', default: false },
  },
});
const [count, dimCount, queryCount] = values.smoke
  ? [300, 16, 10]
  : [Number(values.documents), Number(values.dimensions), Number(values.queries)];
const limit = Number(values.limit);
const seed = Number(values.seed);
const { vectors, queries } = drawVectors({ count, queryCount, dimCount, seed });
const index = new EmbeddedIndex();

try {
  await index.create({ embedders: { [EMBEDDER]: { source: 'userProvided', dimensions: dimCount } } });
  const indexing = await addAll();
  const searching = searchAll();
  const figures = { documents: count, dimensions: dimCount, queries: queryCount, limit, ...indexing, ...searching };
  printTable(Object.entries(figures).map(([name, value]) => ({ name, value: JSON.stringify(value) })));
  await index.close();
  writeResult({ seed, ...figures }, values.json);
} finally {
  index.remove();
}

async function addAll() {
  const readMeter = startMeter();
  for (let from = 0; from < count; from += PER_BATCH) {
    const batch = vectors.slice(from, from + PER_BATCH);
    await index.addDocuments(batch.map((vector, at) => ({ id: from + at, _vectors: { [EMBEDDER]: [...vector] } })));
    while (await index.mergeOnce());
  }
  const { wallMs, cpuMs } = readMeter();
  const { diskBytes } = index.stats;
  return { indexingMs: wallMs, indexingCpuMs: cpuMs, diskMiB: round(diskBytes / 2 ** 20, 1) };
}

function searchAll() {
  const hybrid = { embedder: EMBEDDER, semanticRatio: 1 };
  const durationsMs = [];
  const answers = [];
  search(queries[0]);
  const readMeter = startMeter();
  for (const query of queries) {
    const startedMs = performance.now();
    answers.push(search(query));
    durationsMs.push(performance.now() - startedMs);
  }
  const { wallMs } = readMeter();
  const shares = answers.map((ids, at) => {
    const truth = new Set(nearestOf(queries[at], vectors, limit));
    return ids.filter((id) => truth.has(id)).length / truth.size;
  });
  return {
    searchMs: spread(durationsMs),
    queriesPerSecond: round((queries.length / wallMs) * 1000, 1),
    recall: round(shares.reduce((sum, share) => sum + share, 0) / shares.length, 4),
    answersHash: hashOf(answers),
  };

  function search(vector) {
    const { hits } = index.search({ q: null, vector: [...vector], hybrid, limit, attributesToRetrieve: ['id'] });
    return hits.map((hit) => Number(hit.id));
  }
}
