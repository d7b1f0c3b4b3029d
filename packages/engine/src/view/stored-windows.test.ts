import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type SearchRequest, search } from '@fossick/search';
import { deletePart, PARTS, readManifest, segmentKey, TABLES } from '@fossick/segments';
import { openLmdbStore } from '@fossick/storage';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openEngineReader } from '../reader.js';
import { DEFAULT_REQUEST } from '../search/scratch-index.test-support.js';
import { openEngineWriter } from '../writer.js';

const INDEX = 'windows';
const DOCUMENT_COUNT = 9_500;
/** Documents before them: small indexes have no windows. */
const SMALL_COUNT = 65_536;
const BATCH = 4_750;
const WORDS = 'the film was directed by theo and thea in there ration radio rat filmed bare ba re late lake'.split(' ');
const REQUEST: SearchRequest = { ...DEFAULT_REQUEST, showRankingScoreDetails: true };

const folder = mkdtempSync(join(tmpdir(), 'fossick-windows-'));
const rootFolder = join(folder, 'data');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Words with numbers behind them, the less frequent the greater, so that short beginnings have hundreds of words. */
function documents(): object[] {
  let state = 11;
  const random = (below: number): number => {
    state = (Math.imul(state, 1664525) + 1013904223) | 0;
    return Math.floor(((state >>> 8) / 2 ** 24) * below);
  };
  const word = (): string => {
    const base = WORDS[random(1 + random(WORDS.length))]!;
    return random(2) === 0 ? base : base + 'abcdefghij'[random(10)]! + 'klmnopqrst'[random(10)]!;
  };
  const text = (count: number): string => Array.from({ length: count }, word).join(' ');
  return Array.from({ length: DOCUMENT_COUNT }, (_, id) => ({
    id,
    title: text(1 + random(4)),
    overview: text(3 + random(25)),
    year: 1990 + random(30),
  }));
}

/** Two segments of windows, merged into one, then some documents replaced and deleted. */
async function writeIndex(): Promise<void> {
  const context = { isCanceled: () => false, onProgress: () => undefined, maxIndexingBytes: 1 << 28 };
  const writer = openEngineWriter({ rootFolder, maxSearchBytes: 64 << 20 });
  writer.createIndex(INDEX, 'id');
  await writer.applySettings(
    INDEX,
    [{ searchableAttributes: ['title', 'overview'], filterableAttributes: ['year'], sortableAttributes: ['year'] }],
    context,
  );
  const all = documents();
  const payloadFile = join(folder, 'documents.ndjson');
  const add = async (lines: readonly object[]): Promise<void> => {
    writeFileSync(payloadFile, lines.map((line) => JSON.stringify(line)).join('\n'));
    await writer.applyDocuments(
      INDEX,
      [{ kind: 'replace', payloadFile, primaryKey: null, skipCreation: false }],
      context,
    );
  };
  await add(Array.from({ length: SMALL_COUNT }, (_, at) => ({ id: `small-${at}` })));
  for (let from = 0; from < all.length; from += BATCH) await add(all.slice(from, from + BATCH));
  while (await writer.mergeOnce(INDEX));
  await add(all.filter((_, at) => at % 97 === 0).map((document) => ({ ...document, title: 'replaced film' })));
  await writer.close();
}

const QUERIES: readonly Partial<SearchRequest>[] = [
  ...['t', 'th', 'the', 'film', 'ra', 'ratio', 'bare', 'lake', 'filmed', 'thf', 'directd'].map((q) => ({ q })),
  ...['the film', 'film th', 'rat radio', 'the film was dir', 'ba re', '"the film"', 'in the', 'radio -film'].map(
    (q) => ({ q }),
  ),
  ...['last', 'all', 'frequency'].map((matchingStrategy) => ({ q: 'late film th', matchingStrategy }) as never),
  { q: 'th', filter: 'year = 1995' },
  { q: 'the fi', filter: 'year > 2018', offset: 100 },
  { q: 'film', sort: ['year:desc'] },
  { q: 'th', attributesToSearchOn: ['title'] },
  { q: 'rat', offset: 500, limit: 100 },
];

function answers(): unknown[] {
  const reader = openEngineReader({ rootFolder, maxSearchBytes: 64 << 20 });
  try {
    return QUERIES.map((request) =>
      reader.withView(INDEX, (view) => {
        const patient = Object.create(view, { settings: { value: { ...view.settings, searchCutoffMs: 60_000 } } });
        const answer = search(patient, { ...REQUEST, ...request });
        return { hits: answer.hits, count: 'estimatedTotalHits' in answer ? answer.estimatedTotalHits : null };
      }),
    );
  } finally {
    void reader.close();
  }
}

beforeAll(writeIndex, 60_000);

test('answers are the same with the windows that were written and without them', async () => {
  const withWindows = answers();
  const [name] = readdirSync(join(rootFolder, 'indexes'));
  const store = openLmdbStore({ folder: join(rootFolder, 'indexes', name!) });
  const removed = store.transaction((rows) => {
    const { segments } = readManifest(rows);
    return segments.filter(({ id }) => {
      const hadSome = rows.get(TABLES.segments, segmentKey(id, PARTS.windows, 0)) !== undefined;
      deletePart(rows, id, PARTS.windowRecords);
      deletePart(rows, id, PARTS.windows);
      return hadSome;
    }).length;
  });
  await store.close();
  expect(removed).toBeGreaterThan(0);
  expect(answers()).toEqual(withWindows);
}, 60_000);
