#!/usr/bin/env node
import { VectorGraph, VectorSet } from '@fossick/kernel';
/**
 * `npm run bench:vectors`: searches by vector through the whole engine, in one thread of this process, against the truth. Documents lie around seeded
 * centres, as texts of one topic do in the space of a model; the truth is every distance, computed here in double precision.
 *
 *   npm run bench:vectors -- [--documents 100000] [--dimensions 256] [--queries 2000] [--checked 200] [--limit 10] [--seed 7] [--quantized] [--json OUT.json]
 */
import { readOptions } from '../../tools/run/options.mjs';
import { VECTOR_SCOPES, vectorDocument } from './data/vector-documents.mjs';
import { EmbeddedIndex } from './fossick.mjs';
import { hashOf, printTable, round, scatter, startMeter, writeResult } from './results.mjs';
import { drawVectors, recallOf, Truth } from './vector-truth.mjs';

const EMBEDDER = 'own';
const PER_BATCH = 20_000;
const { values } = readOptions({
  options: {
    documents: { type: 'string', default: '100000' },
    dimensions: { type: 'string', default: '256' },
    queries: { type: 'string', default: '2000' },
    checked: { type: 'string', default: '200' },
    limit: { type: 'string', default: '10' },
    seed: { type: 'string', default: '7' },
    quantized: { type: 'boolean', default: false },
    json: { type: 'string' },
    smoke: { type: 'boolean', default: false },
  },
});
const [count, dimCount, queryCount] = values.smoke
  ? [300, 16, 10]
  : [Number(values.documents), Number(values.dimensions), Number(values.queries)];
const checkedCount = Math.min(queryCount, Number(values.checked));
const limit = Number(values.limit);
const seed = Number(values.seed);
const { vectors, queries } = drawVectors({ count, queryCount, dimCount, seed });
const index = new EmbeddedIndex();

try {
  const embedder = { source: 'userProvided', dimensions: dimCount, binaryQuantized: values.quantized };
  await index.create({ embedders: { [EMBEDDER]: embedder }, filterableAttributes: ['half', 'percent', 'few'] });
  const indexing = await addAll();
  const found = searchAll();
  const facts = { documents: count, dimensions: dimCount, queries: queryCount, checked: checkedCount, limit };
  const figures = { ...facts, quantized: values.quantized, ...indexing, ...found, vectorBytes: vectorBytes() };
  printTable([{ name: 'build', ...indexing }]);
  printTable([{ name: 'bytes a vector', ...figures.vectorBytes }]);
  printTable(Object.entries(found.searches).map(([name, row]) => ({ name, ...row })));
  await index.close();
  writeResult({ seed, ...figures }, values.json);
} finally {
  index.remove();
}

/** Adds all documents and merges until nothing is left to merge; making the payloads is not measured. */
async function addAll() {
  const sum = { indexingMs: 0, mergingMs: 0, indexingCpuMs: 0 };
  const meter = async (name, work) => {
    const readMeter = startMeter();
    await work();
    const { wallMs, cpuMs } = readMeter();
    sum[name] += wallMs;
    sum.indexingCpuMs += cpuMs;
  };
  for (let from = 0; from < count; from += PER_BATCH) {
    const batch = vectors.slice(from, from + PER_BATCH);
    const file = index.writePayload(batch.map((vector, at) => vectorDocument(from + at, EMBEDDER, vector)));
    await meter('indexingMs', () => index.addFile(file));
    await meter('mergingMs', async () => {
      while (await index.mergeOnce());
    });
  }
  const { diskBytes } = index.stats;
  const rounded = Object.fromEntries(Object.entries(sum).map(([name, value]) => [name, Math.round(value)]));
  return { ...rounded, diskMiB: round(diskBytes / 2 ** 20, 1) };
}

function searchAll() {
  const answers = Object.entries(VECTOR_SCOPES).map(([name, { filter }]) => {
    search(queries[0], filter);
    const durationsMs = [];
    const readMeter = startMeter();
    const ids = queries.map((query) => {
      const startedMs = performance.now();
      const found = search(query, filter);
      durationsMs.push(performance.now() - startedMs);
      return found;
    });
    const { wallMs } = readMeter();
    return { name, ids, searchMs: scatter(durationsMs), queriesPerSecond: round((queryCount / wallMs) * 1000, 1) };
  });
  const recalls = answers.map(() => 0);
  const truth = new Truth(vectors);
  const scopes = Object.values(VECTOR_SCOPES).map(({ isIn }) => isIn);
  for (let at = 0; at < checkedCount; at++)
    for (const [scope, nearest] of truth.nearest(queries[at], limit, scopes).entries())
      recalls[scope] += recallOf(answers[scope].ids[at], nearest) / checkedCount;
  return {
    searches: Object.fromEntries(
      answers.map(({ name, searchMs, queriesPerSecond }, at) => [
        name,
        { recall: round(recalls[at], 4), queriesPerSecond, ...searchMs },
      ]),
    ),
    answersHash: hashOf(answers.map(({ ids }) => ids)),
  };
}

function search(vector, filter) {
  const hybrid = { embedder: EMBEDDER, semanticRatio: 1 };
  const { hits } = index.search({ q: null, vector: [...vector], hybrid, filter, limit, attributesToRetrieve: ['id'] });
  return hits.map((hit) => Number(hit.id));
}

/** Bytes of kernel memory per vector, as the limits of memory count them. */
function vectorBytes() {
  const perVector = (bytes) => round(bytes / count, 1);
  const codes = ['f32', 'int8', 'signs'].map((kind) => [kind, perVector(VectorSet.bytesFor(kind, dimCount, count))]);
  // a sixteenth of the nodes is on a level above the lowest
  const graph = perVector(VectorGraph.bytesFor(count, Math.ceil(count / 15)));
  return { ...Object.fromEntries(codes), graph };
}
