import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TimeBudgetSpent, withinTimeBudget } from '@fossick/base';
import { TEST_SEED } from '@fossick/base/test-seed.test-support';
import { addition } from '@fossick/documents/addition.test-support';
import { type EngineReader, openEngineReader } from '@fossick/index';
import { openEngineWriter } from '@fossick/index/writer';
import { completeSearch, type SearchRequest } from '@fossick/settings/parameters';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runHere, type SearchJob } from './search-jobs.js';

const seed = TEST_SEED;
const DOCUMENTS = 300;
const MEMORY_BYTES = 32 << 20;
const folder = mkdtempSync(join(tmpdir(), 'fossick-dropped-'));
const open = (): EngineReader =>
  openEngineReader({ rootFolder: folder, maxSearchBytes: MEMORY_BYTES, resultCacheBytes: 0 });
let engine: EngineReader;

beforeAll(async () => {
  const writer = openEngineWriter({ rootFolder: folder, maxSearchBytes: MEMORY_BYTES });
  const context = { isCanceled: () => false, onProgress: () => undefined, maxIndexingBytes: 64 << 20 };
  writer.createIndex('books', 'id');
  const settings = {
    filterableAttributes: ['year', 'genre', 'price', '_geo', 'parts'],
    sortableAttributes: ['year', 'price', '_geo'],
    embedders: { given: { source: 'userProvided', dimensions: 3 } },
    synonyms: { wor1: ['wor2 wor3'] },
  };
  await writer.applySettings('books', [settings as never], context);
  const documents = Array.from({ length: DOCUMENTS }, (_, id) => ({
    id,
    title: Array.from({ length: 8 }, (_, at) => `wor${(id * 31 + at * at * 17) % (at < 5 ? 9 : 70)}`).join(' '),
    text: `some text of wor${id % 7}, and more of wor${id % 5} words`,
    year: 1990 + (id % 30),
    genre: [`g${id % 5}`, `h${id % 3}`],
    price: id % 4 === 0 ? null : id / 7,
    parts: [{ name: `p${id % 6}`, size: id % 10 }],
    _geo: { lat: (id % 80) - 40, lng: (id * 7) % 160 },
    _vectors: { given: [Math.sin(id), Math.cos(id), 1] },
  }));
  const payloadFile = join(folder, 'books.ndjson');
  writeFileSync(payloadFile, documents.map((document) => JSON.stringify(document)).join('\n'));
  await writer.applyDocuments('books', [addition(payloadFile)], context);
  writer.createIndex('papers', 'id');
  const papersFile = join(folder, 'papers.ndjson');
  writeFileSync(papersFile, JSON.stringify({ id: 1, text: 'a long text '.repeat(40_000) }));
  await writer.applyDocuments('papers', [addition(papersFile)], context);
  await writer.close();
  engine = open();
});
afterAll(async () => {
  await engine.close();
  rmSync(folder, { recursive: true, force: true });
});

interface Held {
  readonly kernel: { readonly memory: { readonly totalBytes: number } };
}

const on = { indexUid: 'books', scope: { patterns: null, rules: null } as never };
const searchOf = (request: Partial<SearchRequest>): SearchJob => ({
  kind: 'search',
  request: { ...completeSearch({}), ...request },
  extras: { withMetadata: false, withPerformanceDetails: false, hydrates: false, inlineUid: null },
  ruleBook: null,
  ...on,
});
const FILTERS = [
  'year > 2000 AND genre = g1',
  'genre IN [g1, g2, "h 1"] OR price EXISTS',
  '_geoRadius(0, 30, 3000000)',
  '_geoBoundingBox([30, 120], [-20, 10]) AND NOT year 1995 TO 2005',
  'title CONTAINS wor OR price IS NULL',
  [['year = 1990', 'year = 1991'], 'genre != g4'],
];
const anySearch = fc
  .record(
    {
      q: fc.constantFrom(
        '',
        'wor1',
        'wor1 wor2',
        '"wor1 wor5"',
        'wor1x some text',
        'wor',
        'wor3 -wor4',
        'somee txt wor1 wor2',
      ),
      filter: fc.constantFrom(...FILTERS.filter((filter) => !String(filter).includes('CONTAINS'))),
      facets: fc.constantFrom(['*'], ['genre', 'year'], ['price']),
      sort: fc.constantFrom(['year:desc'], ['_geoPoint(1, 2):asc', 'price:asc']),
      distinct: fc.constantFrom('year', 'genre'),
      offset: fc.constantFrom(0, 40),
      limit: fc.constantFrom(3, 60),
      attributesToHighlight: fc.constant(['*']),
      attributesToCrop: fc.constant(['text']),
      showMatchesPosition: fc.constant(true),
      showRankingScoreDetails: fc.constant(true),
      rankingScoreThreshold: fc.constantFrom(0.1, 0.8),
      matchingStrategy: fc.constantFrom('last', 'all', 'frequency'),
      group: fc.constant({ by: 'year', limit: 2 }),
      aggregations: fc.constant({ price: { stats: ['sum'], histogram: null, by: 'genre' } }),
      rankingRules: fc.constant(['words', 'sort', { score: 'log(year) + price', buckets: 10 }, 'typo']),
    },
    { requiredKeys: [] },
  )
  .map((request) => searchOf(request as never));
const anyJob: fc.Arbitrary<SearchJob> = fc.oneof(
  { arbitrary: anySearch, weight: 4 },
  fc
    .record({
      q: fc.constantFrom('wor1', null),
      facetName: fc.constantFrom('genre'),
      facetQuery: fc.constantFrom(null, 'g', 'hh'),
    })
    .map(
      ({ q, facetName, facetQuery }): SearchJob => ({
        kind: 'facets',
        request: { ...completeSearch({}), q, facetName, facetQuery, exhaustiveFacetCount: true } as never,
        ...on,
      }),
    ),
  fc
    .record({
      filter: fc.constantFrom(null, ...FILTERS.slice(0, 2)),
      sort: fc.constantFrom(null, ['price:desc', '_geoPoint(3, 4):desc']),
    })
    .map(
      ({ filter, sort }): SearchJob => ({
        kind: 'documents',
        query: { offset: 5, limit: 50, ids: null, filter, sort },
        shown: { fields: ['id', 'title'], retrieveVectors: true },
        ...on,
      }),
    ),
  fc.constantFrom(1, 20).map(
    (limit): SearchJob => ({
      kind: 'similar',
      withPerformanceDetails: false,
      request: { ...completeSearch({}), id: '7', embedder: 'given', limit, tenantFilter: null } as never,
      ...on,
    }),
  ),
  fc.constantFrom(...FILTERS).map((filter): SearchJob => ({ kind: 'syntax', filter })),
);

/** What a job answers, without what differs each time. */
function outcome(reader: EngineReader, job: SearchJob): string {
  try {
    const { value, ...rest } = runHere(reader, job);
    const text = Buffer.isBuffer(value) ? value.toString() : JSON.stringify(value);
    return `${text.replace(/"processingTimeMs":\d+|"requestUid":"[^"]+"/g, '')} ${JSON.stringify(rest)}`;
  } catch (error) {
    if (error instanceof TimeBudgetSpent) throw error;
    return String(error);
  }
}

/** Runs a job that is dropped when it has looked at the clock so often; undefined when it was. And how often it looked. */
function within(looks: number, reader: EngineReader, job: SearchJob): { found: string | undefined; count: number } {
  let count = 0;
  const look = (): number => count++;
  try {
    return { found: withinTimeBudget(looks, () => outcome(reader, job), look), count };
  } catch (error) {
    if (error instanceof TimeBudgetSpent) return { found: undefined, count };
    throw error;
  }
}

describe(`a job that takes too long (seed ${seed})`, () => {
  it('is dropped without a trace: it answers the same when it begins again, and so does the next one', async () => {
    let dropCount = 0;
    const share = fc.double({ min: 0, max: 1, noNaN: true });
    await fc.assert(
      fc.asyncProperty(anyJob, anyJob, fc.array(share, { minLength: 1, maxLength: 4 }), async (job, next, shares) => {
        const other = open();
        const { found: expected = '', count } = within(1e9, other, job);
        const expectedNext = outcome(other, next);
        await other.close();
        for (const each of shares) {
          const { found } = within(each * count, engine, job);
          if (found === undefined) dropCount += 1;
          else expect(found).toBe(expected);
        }
        expect(outcome(engine, next)).toBe(expectedNext);
        expect(outcome(engine, job)).toBe(expected);
      }),
      { seed, numRuns: 60 },
    );
    expect(dropCount).toBeGreaterThan(30);
  });

  it('leaves no memory behind, wherever it is dropped', async () => {
    const jobs = [
      searchOf({ q: 'wor1 wor20' }),
      searchOf({ q: 'wo', filter: 'year > 1995' }),
      searchOf({ q: 'text', facets: ['genre'], sort: ['price:asc'] }),
    ];
    const bytesOf = (reader: EngineReader): number => (reader as never as Held).kernel.memory.totalBytes;
    const [whole, dropped] = [open(), open()];
    for (const job of jobs) {
      const { count } = within(1e9, whole, job);
      for (let looks = 0; looks < count; looks++) within(looks, dropped, job);
      outcome(dropped, job);
    }
    expect(bytesOf(dropped)).toBeLessThan(1.05 * bytesOf(whole));
    await whole.close();
    await dropped.close();
  });

  it('is dropped before it reads a long document, which nothing interrupts', () => {
    const shown = { fields: null, retrieveVectors: false };
    const one = (id: string): SearchJob => ({ kind: 'document', ...on, indexUid: 'papers', id, shown });
    const query = { offset: 0, limit: 1, ids: null, filter: null, sort: null };
    const page: SearchJob = { kind: 'documents', ...on, indexUid: 'papers', query, shown };
    for (const job of [one('1'), page]) {
      expect(within(1e9, engine, job)).toMatchObject({ found: undefined });
      expect(outcome(engine, job)).toContain('a long text');
    }
    expect(within(1e9, engine, one('2')).found).toContain('null');
  });
});
