import { readFileSync } from 'node:fs';
import { ApiError } from '@fossick/base';
import { TEST_SEED } from '@fossick/base/test-seed.test-support';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Film, films } from '../films.test-support.js';
import { createEngine, DamagedFile, type WebEngine } from './index.js';

const kernel = new Uint8Array(
  readFileSync(new URL('../../../foundation/kernel/build/kernel.fast.wasm', import.meta.url)),
);
const codeOf = (error: unknown): unknown => (error instanceof ApiError ? error.code : error);

describe('an engine in memory', () => {
  let engine: WebEngine;
  beforeEach(async () => {
    engine = await createEngine({ kernel });
  });
  afterEach(() => engine.close());

  it('adds documents, and finds them as soon as that has resolved', async () => {
    const index = engine.index<Film>('films');
    expect(await index.add(films(400))).toEqual({ received: 400, indexed: 400 });
    const answer = await index.search('wonderlnd', { limit: 2, attributesToRetrieve: ['title'] });
    expect(answer.hits[0]!.title).toContain('Wonderland');
    expect(Object.keys(answer.hits[0]!)).toEqual(['title']);
    const page = await index.search('', { hitsPerPage: 7, page: 2 });
    expect([page.hits.length, page.totalHits, page.page]).toEqual([7, 400, 2]);
  });

  it('filters, sorts and counts wide integers by all digits, and takes them as ids', async () => {
    const index = engine.index<{ id: bigint; n: bigint | number }>('wide');
    await index.updateSettings({ filterableAttributes: ['n'], sortableAttributes: ['n'] });
    const first = 4_223_372_036_854_775_805n;
    const numbers = [first, first + 1n, first + 2n, 2n ** 64n - 1n, -(2n ** 63n), 5, 2 ** 60];
    await index.add(numbers.map((n, at) => ({ id: first + BigInt(at), n })));
    const found = async (filter: string) => (await index.search('', { filter })).estimatedTotalHits;
    for (const n of numbers) expect(await found(`n = ${n}`)).toBe(1);
    expect(await found(`n = ${first + 3n}`)).toBe(0);
    expect(await found(`n > ${first} AND n < ${2n ** 64n - 1n}`)).toBe(2);
    const { facetDistribution } = await index.search('', { facets: ['n'] });
    expect(new Set(Object.keys(facetDistribution!['n']!))).toEqual(new Set(numbers.map(String)));
    const { results } = await index.documents({ ids: [first + 1n] });
    expect(results).toEqual([await index.get(first + 1n)]);
    expect(await index.delete(first)).toBe(1);
    expect(await index.delete([first + 2n, 7])).toBe(1);
    expect(await index.delete({ filter: `n = ${2n ** 64n - 1n}` })).toBe(1);
    expect((await index.search('', { sort: ['n:asc'] })).hits.map(({ n }) => n)).toEqual(
      [-(2n ** 63n), 5, 2 ** 60, first + 1n].map(Number),
    );
  });

  it('changes and deletes documents one by one, by filter and all', async () => {
    const index = engine.index<Film>('films');
    await index.add(films(30));
    await index.updateSettings({ filterableAttributes: ['year', 'genres'] });
    await index.update([{ id: films(1)[0]!.id, title: 'Another Title' }]);
    expect(await index.get(films(1)[0]!.id)).toMatchObject({ ...films(1)[0], title: 'Another Title' });
    expect(await index.delete(films(1)[0]!.id)).toBe(1);
    expect(await index.get(films(1)[0]!.id)).toBeUndefined();
    const old = films(30).filter(({ year }, at) => at > 0 && year < 1950).length;
    expect(await index.delete({ filter: 'year < 1950' })).toBe(old);
    expect((await index.documents({ limit: 3 })).total).toBe(29 - old);
    expect(await index.clear()).toBe(29 - old);
    expect(await index.drop()).toBe(true);
    expect(await index.drop()).toBe(false);
  });

  it('counts facets, searches their values, and sorts', async () => {
    const index = engine.index<Film>('films');
    await index.updateSettings({ filterableAttributes: ['genres'], sortableAttributes: ['year'] });
    await index.add(films(300));
    const { facetDistribution, hits } = await index.search('', { facets: ['genres'], sort: ['year:asc'], limit: 300 });
    const dramas = films(300).filter(({ genres }) => genres.includes('Drama')).length;
    expect(facetDistribution!['genres']!['Drama']).toBe(dramas);
    const years = hits.map(({ year }) => year);
    expect(years).toEqual([...years].sort((a, b) => a - b));
    const { facetHits } = await index.facetSearch('genres', 'dram');
    expect(facetHits).toEqual([{ value: 'Drama', count: dramas }]);
  });

  it('refuses what a server refuses, with the same codes, and has then changed nothing', async () => {
    const index = engine.index('films');
    expect(codeOf(await index.search('x').catch((error: unknown) => error))).toBe('index_not_found');
    await index.add([{ id: 1, title: 'one' }]);
    const refused = [
      () => index.add([{ id: 2 }, { id: 'not an id' }]),
      () => index.search('', { filter: 'year = 1' }),
      () => index.search('', { limit: -1 }),
      () => index.updateSettings({ rankingRules: ['nonsense'] } as never),
      () => engine.createIndex('films'),
    ];
    const codes = [];
    for (const call of refused) codes.push(codeOf(await call().catch((error: unknown) => error)));
    expect(codes).toEqual([
      'invalid_document_id',
      'invalid_search_filter',
      'invalid_search_limit',
      'invalid_settings_ranking_rules',
      'index_already_exists',
    ]);
    expect((await index.documents()).results).toEqual([{ id: 1, title: 'one' }]);
  });

  it('refuses vectors beyond single precision', async () => {
    const index = engine.index('films');
    await index.updateSettings({ embedders: { own: { source: 'userProvided', dimensions: 2 } } });
    await index.add([{ id: 1, _vectors: { own: [1, 0] } }]);
    for (const number of [1e39, -4e38, Number.MAX_VALUE, Number.POSITIVE_INFINITY, Number.NaN]) {
      const document = { id: 2, _vectors: { own: [number, 0] } };
      expect(codeOf(await index.add([document]).catch((error: unknown) => error))).toBe('invalid_vectors_type');
      const hybrid = { embedder: 'own', semanticRatio: 1 };
      const query = { vector: [number, 0], hybrid };
      expect(codeOf(await index.search('', query).catch((error: unknown) => error))).toBe('invalid_search_vector');
      const queries = [{ indexUid: 'films', ...query }];
      expect(codeOf(await engine.multiSearch(queries).catch((error: unknown) => error))).toBe('invalid_search_vector');
    }
  });

  it('swaps a newly built index with the one that is searched', async () => {
    await engine.index('films').add([{ id: 1, title: 'old' }]);
    await engine.index('films-new').add([{ id: 1, title: 'new' }]);
    await engine.swapIndexes('films', 'films-new');
    expect(await engine.index('films').get(1)).toEqual({ id: 1, title: 'new' });
    expect(engine.indexes().map(({ uid }) => uid)).toEqual(['films', 'films-new']);
  });

  it('opens what another one has exported, with documents, settings and numbers of any length', async () => {
    const index = engine.index<Film>('films');
    await index.updateSettings({ filterableAttributes: ['genres'], stopWords: ['the'] });
    await index.add(films(200));
    await index.delete(films(1)[0]!.id);
    await engine.index('numbers').add([{ id: 1, n: 12_345_678_901_234_567_890n }]);
    const copy = await createEngine({ kernel, from: await engine.export() });
    const requests = [
      { q: 'star', limit: 50 },
      { q: 'lvoe', facets: ['genres'], showRankingScore: true },
      { q: '', filter: 'genres = Drama', attributesToHighlight: ['*'] },
    ];
    const answerOf = async (from: WebEngine, request: object): Promise<object> => {
      const text = Buffer.from(await from.index('films').searchBytes(request)).toString();
      return { ...(JSON.parse(text) as object), processingTimeMs: 0, requestUid: '' };
    };
    for (const request of requests) expect(await answerOf(copy, request)).toEqual(await answerOf(engine, request));
    expect(await copy.index('films').settings()).toEqual(await index.settings());
    const text = Buffer.from(await copy.index('numbers').searchBytes({ q: '' })).toString();
    expect(text).toContain('"n":12345678901234567890');
    await copy.index('films').add([{ id: 9_999_999, title: 'Written after the copy' }]);
    expect((await copy.index<Film>('films').search('writen after')).hits[0]!.title).toBe('Written after the copy');
    await copy.close();
  });

  it('names exported bytes that are damaged, wherever the damage is', async () => {
    await engine.index<Film>('films').add(films(40));
    const bytes = await engine.export();
    const seed = TEST_SEED;
    await fc.assert(
      fc.asyncProperty(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 }), async (at, change) => {
        const damaged = new Uint8Array(bytes);
        damaged[at]! ^= change;
        const error = await createEngine({ kernel, from: damaged }).then(
          (opened) => opened.index('films').search(''),
          (reason: unknown) => reason,
        );
        // a byte of a date or of gzip's own header may be another
        if (error instanceof Error) expect(error).toBeInstanceOf(DamagedFile);
      }),
      { seed, numRuns: 60 },
    );
    for (const length of [0, 5, 12, bytes.length - 1])
      await expect(createEngine({ kernel, from: bytes.subarray(0, length) })).rejects.toThrow(DamagedFile);
  });

  it('runs changes one after another, and refuses calls once it is closed', async () => {
    const index = engine.index('films');
    await Promise.all(Array.from({ length: 20 }, (_, id) => index.add([{ id, title: `film ${id}` }])));
    expect((await index.documents()).total).toBe(20);
    await engine.close();
    await expect(index.search('film')).rejects.toThrow('the engine is closed');
    await expect(index.clear()).rejects.toThrow('the engine is closed');
  });
});
