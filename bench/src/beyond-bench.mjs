#!/usr/bin/env node
/**
 * `npm run bench:beyond`: what the options beyond the protocol cost those who set them, and those who do not ask for them. For each option
 * two indexes of the same documents are built in turn, one of which has its setting: processor time of indexing, disk, and processor time of
 * searches that do not use the option in both, and of searches that do. An option without a setting has one index, searched with it and without.
 *
 *   npm run bench:beyond -- [--documents 36000] [--rounds 6] [--queries 300] [--only NAME] [--seed 7] [--json OUT.json]
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readOptions } from '../../tools/run/options.mjs';
import { createDocumentGenerator, createRandom } from './data/document-generator.mjs';
import { drawQueries } from './data/documents.mjs';
import { EmbeddedIndex } from './fossick.mjs';
import { hashOf, printTable, round, startMeter, writeResult } from './results.mjs';

const BATCH_DOCUMENTS = 20_000;
/** 2026-01-01 */
const NOW_SECONDS = 1_767_225_600;
const DAY = 86_400;
const BASE = {
  searchableAttributes: ['title', 'overview'],
  filterableAttributes: ['category', 'parts', 'price'],
  sortableAttributes: ['year'],
  rankingRules: ['words', 'typo', 'proximity', 'attribute', 'exactness'],
};
const SCORE = { score: 'decay(publishedAt, 365d) * log(1 + popularity)', buckets: 8 };
/** What a user sets, and a search that uses it. */
const OPTIONS = [
  {
    name: 'score',
    setting: { rankingRules: [...BASE.rankingRules, SCORE] },
    plain: { rankingRules: BASE.rankingRules },
  },
  {
    name: 'facets of levels',
    setting: { hierarchicalFacets: [{ attribute: 'category', separator: ' > ' }] },
    asked: { facetLevels: { category: { under: 'a1' } } },
  },
  {
    name: 'elements',
    setting: { elementAttributes: ['parts'] },
    asked: { filter: 'parts[form = f1 AND size = 2]' },
  },
  { name: 'groups', setting: {}, asked: { group: { by: 'price', limit: 3 } } },
  {
    name: 'sums',
    setting: {},
    asked: { aggregations: { price: { stats: ['sum', 'avg'], histogram: null, by: 'category' } } },
  },
  { name: 'expiry', setting: { expiryAttribute: 'expiresAt' }, asked: {} },
];

const { values } = readOptions({
  options: {
    documents: { type: 'string', default: '36000' },
    rounds: { type: 'string', default: '6' },
    queries: { type: 'string', default: '300' },
    only: { type: 'string' },
    seed: { type: 'string', default: '7' },
    json: { type: 'string' },
    smoke: { type: 'boolean', default: false },
  },
});
const [documentCount, roundCount, queryCount] = values.smoke
  ? [300, 1, 4]
  : [Number(values.documents), Number(values.rounds), Number(values.queries)];
const seed = Number(values.seed);

const rows = [];
const hashes = [];
for (const option of OPTIONS.filter(({ name }) => values.only === undefined || name === values.only)) {
  const pairs = [];
  for (let round = 0; round < roundCount; round++) {
    const measured = new Map();
    const hasSetting = Object.keys(option.setting).length > 0;
    for (const isSet of round % 2 === 0 ? [false, true] : [true, false])
      if (isSet || hasSetting) measured.set(isSet, await measure(option, isSet));
    const set = measured.get(true);
    const without = measured.get(false) ?? set;
    if (without.hash !== set.hash) throw new Error(`${option.name}: other answers to searches that do not use it`);
    pairs.push({ without, set });
  }
  hashes.push(pairs[0].without.hash);
  rows.push(rowOf(option.name, pairs));
}
printTable(rows);
writeResult({ documentCount, roundCount, rows, answersHash: hashOf(hashes) }, values.json);

/** One index: milliseconds of processor time, and bytes. */
async function measure({ setting, plain = {}, asked = {} }, isSet) {
  const index = new EmbeddedIndex();
  try {
    const { some, cpuMs: indexingMs } = await built(index, isSet ? { ...BASE, ...setting } : BASE);
    const queries = drawQueries(some, Math.ceil(queryCount / 4), seed).map(({ q }) => q);
    // dictionaries are loaded with the first search
    index.search({ q: 'opening' });
    searched(index, queries, plain);
    const unused = searched(index, queries, plain);
    const used = isSet ? searched(index, queries, asked).ms : undefined;
    return { indexingMs, mib: index.stats.diskBytes / 2 ** 20, unusedMs: unused.ms, usedMs: used, hash: unused.hash };
  } finally {
    await index.close();
    index.remove();
  }
}

async function built(index, settings) {
  await index.create(settings);
  const next = createDocumentGenerator({ seed });
  const random = createRandom(seed + 1);
  const upTo = (count) => Math.floor(random() * count);
  const complete = (document) => ({
    ...document,
    popularity: upTo(10_000),
    price: upTo(200),
    publishedAt: NOW_SECONDS - upTo(3_000) * DAY,
    expiresAt: NOW_SECONDS + (10_000 + upTo(3_000)) * DAY,
    category: `a${upTo(10)} > b${upTo(10)} > c${upTo(10)}`,
    parts: Array.from({ length: 3 }, () => ({ form: `f${upTo(20)}`, size: upTo(20) })),
  });
  const file = join(index.folder, 'documents.ndjson');
  let cpuMs = 0;
  let some = [];
  for (let from = 0; from < documentCount; from += BATCH_DOCUMENTS) {
    const documents = Array.from({ length: Math.min(BATCH_DOCUMENTS, documentCount - from) }, () => complete(next()));
    writeFileSync(file, documents.map((document) => JSON.stringify(document)).join('\n'));
    if (some.length === 0) some = documents.slice(0, 2_000);
    const meter = startMeter();
    await index.addFile(file);
    while (await index.mergeOnce());
    cpuMs += meter().cpuMs;
  }
  return { some, cpuMs };
}

/** Milliseconds of a search on average. */
function searched(index, queries, request) {
  const meter = startMeter();
  const answers = queries.map((q) => index.search({ q, ...request }));
  const { cpuMs } = meter();
  return { ms: cpuMs / queries.length, hash: hashOf(answers.map(({ hits }) => hits.map(({ id }) => id))) };
}

function rowOf(name, pairs) {
  const median = (list) => round([...list].sort((a, b) => a - b)[Math.floor(list.length / 2)]);
  const of = (kind, figure) => median(pairs.map((pair) => pair[kind][figure]));
  const ratios = pairs.map(({ without, set }) => set.unusedMs / without.unusedMs);
  return {
    name,
    'indexing s': round(of('without', 'indexingMs') / 1000, 2),
    'with it': round(of('set', 'indexingMs') / 1000, 2),
    'disk MiB': round(of('without', 'mib'), 1),
    'disk with it': round(of('set', 'mib'), 1),
    'search ms': of('without', 'unusedMs'),
    'set, not used': of('set', 'unusedMs'),
    ratio: median(ratios),
    used: of('set', 'usedMs'),
  };
}
