/** `distinct` of federated searches, held against what the pages of a model have. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runsOf, TEST_SEED } from '@fossick/base/test-seed.test-support';
import { addition } from '@fossick/documents/addition.test-support';
import { type EngineReader, NO_ACCESS, openEngineReader } from '@fossick/index';
import { openEngineWriter, type WriteContext } from '@fossick/index/writer';
import { DEFAULT_SEARCH } from '@fossick/settings/parameters';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { StageClock } from '../request/stage-clock.js';
import { federatedSearch } from './federated-search.js';
import type { FederatedAnswer, FederationRequest } from './request.js';

const context: WriteContext = { isCanceled: () => false, onProgress: () => undefined, maxIndexingBytes: 64 << 20 };
const INDEXES = ['books', 'films', 'songs'] as const;
const COUNT = 24;
/** One sku, spelt in two ways, or none. */
const SKUS = ['A', 'a ', 'b', 'B', 'c', 'd', 'é', 'É', 'e', 'f', 'g', 7, 8, true, 'true', null, undefined];
const MANY = [['x', 'y'], ['y', 'z'], 'x', 'z', ['w'], [], 5, [5, 'v'], undefined];

interface Film {
  readonly id: number;
  /** No two documents of any index have the same. */
  readonly rank: number;
  readonly group: number;
  readonly sku?: unknown;
  readonly many?: unknown;
}
type Index = (typeof INDEXES)[number];
type Query = readonly [uid: Index, group: number | null];

const documents: Record<Index, Film[]> = { books: [], films: [], songs: [] };
let folder: string;
let reader: EngineReader;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'fossick-federated-distinct-'));
  const options = { rootFolder: join(folder, 'data'), maxSearchBytes: 16 << 20 };
  const writer = openEngineWriter(options);
  let state = TEST_SEED;
  const upTo = (count: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * count);
  };
  for (const [at, uid] of INDEXES.entries()) {
    documents[uid] = Array.from({ length: COUNT }, (_, id) => ({
      ...{ id, rank: ((id * 37 + upTo(COUNT) * 101) % 1_000) * INDEXES.length + at, group: upTo(3) },
      ...{ sku: SKUS[upTo(SKUS.length)], many: MANY[upTo(MANY.length)] },
    }));
    const ranks = new Map(documents[uid].map((film) => [film.rank, film]));
    documents[uid] = [...ranks.values()];
    const payloadFile = join(folder, `${uid}.ndjson`);
    writeFileSync(payloadFile, documents[uid].map((each) => JSON.stringify(each)).join('\n'));
    await writer.applyDocuments(uid, [addition(payloadFile, { primaryKey: 'id' })], context);
    const settings = { filterableAttributes: ['sku', 'many', 'group'], sortableAttributes: ['rank'] };
    await writer.applySettings(uid, [settings], context);
  }
  await writer.close();
  reader = openEngineReader(options);
});
afterAll(async () => {
  await reader.close();
  rmSync(folder, { recursive: true, force: true });
});

function run(queries: readonly Query[], distinct: string, range: FederationRequest['range']): FederatedAnswer {
  return federatedSearch(reader, {
    queries: queries.map(([indexUid, group], position) => {
      const filter = group === null ? null : `group = ${group}`;
      const request = { ...DEFAULT_SEARCH, attributesToRetrieve: ['id'], sort: ['rank:asc'], filter };
      return { indexUid, position, weight: 1, request };
    }),
    ...{ range, distinct, facetsByIndex: new Map(INDEXES.map((uid) => [uid, ['group']])), mergeFacets: null },
    ...{ ruleBook: null, hydrates: false, access: NO_ACCESS, clock: new StageClock() },
    marks: { remote: undefined, isProxied: false },
  });
}
const namesOf = ({ hits }: FederatedAnswer): string[] =>
  hits.map((hit) => `${(hit._federation as { indexUid: string }).indexUid} ${String(hit.id)}`);

/** Case and blanks at the ends make no difference, accents do; a number is no text. */
function keysOf(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(keysOf);
  if (typeof value === 'number') return [`number ${value}`];
  if (typeof value !== 'string' && typeof value !== 'boolean') return [];
  return [String(value).trim().normalize('NFKD').toLowerCase()];
}
interface Hit extends Film {
  readonly uid: Index;
}
/** Of hits in their order, those that have no value of one before. */
function firsts(hits: readonly Hit[], field: 'sku' | 'many'): Hit[] {
  const seen = new Set<string>();
  return hits.filter((hit) => {
    const keys = keysOf(hit[field]);
    if (keys.some((key) => seen.has(key))) return false;
    for (const key of keys) seen.add(key);
    return true;
  });
}
const byRank = (hits: readonly Hit[]): Hit[] => [...new Set(hits)].sort((a, b) => a.rank - b.rank);

/** All hits: the first of each value in each query, then in each index, then of all. */
function modelOf(queries: readonly Query[], field: 'sku' | 'many'): Hit[] {
  const ofIndexes = INDEXES.flatMap((uid) => {
    const all: Hit[] = documents[uid].map((film) => ({ ...film, uid }));
    const ofQueries = queries
      .filter(([one]) => one === uid)
      .flatMap(([, group]) => firsts(byRank(all.filter((film) => group === null || film.group === group)), field));
    return firsts(byRank(ofQueries), field);
  });
  return firsts(byRank(ofIndexes), field);
}
const modelNames = (hits: readonly Hit[]): string[] => hits.map(({ uid, id }) => `${uid} ${id}`);

const queries = fc.array(fc.tuple(fc.constantFrom(...INDEXES), fc.constantFrom(null, 0, 1, 2)), {
  minLength: 1,
  maxLength: 6,
});
const ALL = { from: 0, length: 1_000 };

describe('distinct of a federated search', () => {
  it.each([
    false,
    true,
  ])('keeps the best hit of each value over all queries and indexes, and counts those (paged: %s)', (isPaged) => {
    fc.assert(
      fc.property(queries, fc.constantFrom<'sku' | 'many'>('sku', 'many'), (given, field) => {
        const expected = modelOf(given, field);
        const answer = run(given, field, { isPaged, ...ALL });
        expect(namesOf(answer)).toEqual(modelNames(expected));
        expect(answer.total).toBe(expected.length);
        for (const uid of INDEXES) {
          const counts = answer.facetsByIndex?.[uid]?.distribution['group'] ?? {};
          const counted = Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0));
          const groups = expected.filter((hit) => hit.uid === uid).map(({ group }) => String(group));
          const wanted: Record<string, number> = {};
          for (const group of groups) wanted[group] = (wanted[group] ?? 0) + 1;
          expect(counted).toEqual(wanted);
        }
      }),
      { numRuns: runsOf(300) },
    );
  });

  it('has pages that are parts of one list, where a document has one value', () => {
    fc.assert(
      fc.property(
        queries,
        fc.nat(40),
        fc.integer({ min: 1, max: 12 }),
        fc.boolean(),
        (given, from, length, isPaged) => {
          const expected = modelNames(modelOf(given, 'sku'));
          const answer = run(given, 'sku', { isPaged, from, length });
          expect(namesOf(answer)).toEqual(expected.slice(from, from + length));
          // duplicates after the end of the page are not looked at
          expect(answer.total).toBeGreaterThanOrEqual(expected.length);
          if (from + length > expected.length) expect(answer.total).toBe(expected.length);
        },
      ),
      { numRuns: runsOf(300) },
    );
  });
});
