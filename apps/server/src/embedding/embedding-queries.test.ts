import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { newDatabaseFolder, removeFolder, type TestServer } from '../e2e/server-process.test-support.js';
import { startTestServer } from '../e2e/test-server.test-support.js';
import { type Provider, restEmbedder, startProvider, vectorOf } from './provider.test-support.js';

interface Answer {
  readonly hits: readonly { readonly id: number }[];
  readonly semanticHitCount?: number;
  readonly code?: string;
  readonly message?: string;
}
/** How long the vector of a query is waited for: whatever the machine is busy with, and where a test waits for the end of it. */
const CUTOFFS_MS = { movies: 300_000, hurried: 300 };
const folder = newDatabaseFolder();
let provider: Provider;
let server: TestServer;
beforeAll(async () => {
  provider = await startProvider();
  const options = ['--experimental-allowed-ip-networks', '127.0.0.0/8', '--experimental-embedding-cache-entries', '2'];
  server = await startTestServer(folder, options);
  await server.call('PATCH', '/experimental-features', { multimodal: true });
  const fragments = {
    documentTemplate: null,
    request: { texts: ['{{fragment}}', '{{..}}'] },
    indexingFragments: { title: { value: '{{ doc.title }}' } },
    searchFragments: { word: { value: '{{ media.word }}' } },
  };
  for (const [uid, searchCutoffMs] of Object.entries(CUTOFFS_MS)) {
    await server.call('PATCH', `/indexes/${uid}/settings`, {
      embedders: {
        default: restEmbedder(provider),
        pieces: { ...restEmbedder(provider), ...fragments, dimensions: 4 },
      },
      filterableAttributes: ['title'],
      searchCutoffMs,
    });
    await server.call('POST', `/indexes/${uid}/documents`, [
      { id: 1, title: 'abab' },
      { id: 2, title: 'cdcd' },
    ]);
  }
  const tasks = await server.allTasksDone();
  expect(tasks.filter(({ status }) => status !== 'succeeded')).toEqual([]);
});
beforeEach(() => {
  provider.behave = (texts) => ({ vectors: texts.map(vectorOf) });
  provider.texts.length = 0;
});
afterAll(async () => {
  await server?.stop();
  await provider?.close();
  removeFolder(folder);
});
const hybrid = (semanticRatio: number, embedder = 'default'): object => ({ hybrid: { embedder, semanticRatio } });
async function search(body: object, uid: keyof typeof CUTOFFS_MS = 'movies'): Promise<Answer> {
  return (await server.call<Answer>('POST', `/indexes/${uid}/search`, body)).body;
}

describe('a query that brings no vector', () => {
  test('is embedded once, and kept', async () => {
    const semantic = { q: 'dcdc', ...hybrid(1) };
    expect(await search(semantic)).toMatchObject({ hits: [{ id: 2 }, { id: 1 }], semanticHitCount: 2 });
    expect(await search({ ...semantic, limit: 1 })).toMatchObject({ hits: [{ id: 2 }] });
    expect(provider.texts).toEqual(['dcdc']);
    await search({ q: 'x', ...hybrid(0) });
    expect(provider.texts).toEqual(['dcdc']);
  });

  test('is embedded in searches of several and merged ones, and as media', async () => {
    const query = { indexUid: 'movies', q: 'baba', ...hybrid(1) };
    const { body: separate } = await server.call<{ results: Answer[] }>('POST', '/multi-search', { queries: [query] });
    expect(separate.results[0]!.hits[0]).toMatchObject({ id: 1 });
    const merged = await server.call<Answer>('POST', '/multi-search', { federation: {}, queries: [query] });
    expect(merged.body.hits[0]).toMatchObject({ id: 1 });
    provider.texts.length = 0;
    const again = { ...query, q: 'baab' };
    const queries = [again, { ...again, hybrid: { embedder: 'default', semanticRatio: 0.7 } }, again];
    await server.call('POST', '/multi-search', { federation: {}, queries });
    expect(provider.texts).toEqual(['baab']);
    expect((await search({ media: { word: 'ddcc' }, ...hybrid(1, 'pieces') })).hits[0]).toMatchObject({ id: 2 });
    expect(await search({ media: { other: 'x' }, ...hybrid(1, 'pieces') })).toMatchObject({
      code: 'vector_embedding_error',
    });
  });

  test('is not embedded where its words decide, and where no vector changes the answer', async () => {
    const good = { q: 'abab', limit: 1, ...hybrid(0.3) };
    expect(await search(good)).toMatchObject({ hits: [{ id: 1 }], semanticHitCount: 0 });
    const { body: separate } = await server.call<{ results: Answer[] }>('POST', '/multi-search', {
      queries: [{ indexUid: 'movies', ...good }],
    });
    expect(separate.results[0]).toMatchObject({ hits: [{ id: 1 }], semanticHitCount: 0 });
    const facets = { facetName: 'title', ...good };
    await server.call('POST', '/indexes/movies/facet-search', facets);
    expect(provider.texts).toEqual([]);
    // one good result does not fill a page of two, and with a threshold both lists are counted
    expect(await search({ ...good, limit: 2 })).toMatchObject({ hits: [{ id: 1 }, { id: 2 }], semanticHitCount: 1 });
    expect(provider.texts).toEqual(['abab']);
    await search({ ...good, q: 'cdcd', rankingScoreThreshold: 0.1 });
    expect(provider.texts).toEqual(['abab', 'cdcd']);
    await search({ ...good, q: 'ab', ...hybrid(0.9) });
    expect(provider.texts).toEqual(['abab', 'cdcd', 'ab']);
    // what is wrong with the request is reported before anybody is asked
    expect(await search({ ...good, q: 'abba', filter: 'nothing = 1' })).toMatchObject({
      code: 'invalid_search_filter',
    });
    expect(provider.texts).toEqual(['abab', 'cdcd', 'ab']);
  });

  test('of a search for facets by meaning alone is embedded, and told when it cannot be', async () => {
    const facets = (body: object): Promise<{ body: Answer & { facetHits: unknown[] } }> =>
      server.call('POST', '/indexes/movies/facet-search', { facetName: 'title', ...hybrid(1), ...body });
    expect((await facets({ q: 'caca' })).body.facetHits).toHaveLength(2);
    expect(provider.texts).toEqual(['caca']);
    expect((await facets({ vector: [1, 2] })).body).toMatchObject({ code: 'invalid_vector_dimensions' });
    provider.behave = () => ({ nonsense: 1 });
    expect((await facets({ q: 'bdbd' })).body).toMatchObject({ code: 'vector_embedding_error' });
  });

  test('whose provider fails or is slow is answered by words, or refused where there are none to go by', async () => {
    // a slow provider is given up after the cutoff, a failing one when it answers: each message names it
    for (const [word, uid, behave] of [
      ['abab', 'hurried', () => undefined],
      ['cdcd', 'movies', () => ({ nonsense: 1 })],
    ] as const) {
      provider.behave = behave;
      expect(await search({ q: word, ...hybrid(0.9) }, uid)).toMatchObject({ hits: [{}], semanticHitCount: 0 });
      const refused = await search({ q: word, ...hybrid(1) }, uid);
      expect(refused).toMatchObject({ code: 'vector_embedding_error' });
      expect(refused.message).toContain(provider.url);
    }
  });
});
