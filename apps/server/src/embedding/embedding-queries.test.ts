import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  newDatabaseFolder,
  removeFolder,
  type ServerProcess,
  startServerProcess,
} from '../e2e/server-process.test-support.js';
import { isBuilt } from '../reliability/launch.test-support.js';
import { type Provider, restEmbedder, startProvider, vectorOf } from './provider.test-support.js';

interface Answer {
  readonly hits: readonly { readonly id: number }[];
  readonly semanticHitCount?: number;
  readonly code?: string;
  readonly message?: string;
}
const folder = newDatabaseFolder();
let provider: Provider;
let server: ServerProcess;
beforeAll(async () => {
  if (!isBuilt) return;
  provider = await startProvider();
  const options = ['--experimental-allowed-ip-networks', '127.0.0.0/8', '--experimental-embedding-cache-entries', '2'];
  server = await startServerProcess(folder, options);
  await server.call('PATCH', '/experimental-features', { multimodal: true });
  const fragments = {
    documentTemplate: null,
    request: { texts: ['{{fragment}}', '{{..}}'] },
    indexingFragments: { title: { value: '{{ doc.title }}' } },
    searchFragments: { word: { value: '{{ media.word }}' } },
  };
  await server.call('PATCH', '/indexes/movies/settings', {
    embedders: { default: restEmbedder(provider), pieces: { ...restEmbedder(provider), ...fragments, dimensions: 4 } },
    searchCutoffMs: 500,
  });
  await server.call('POST', '/indexes/movies/documents', [
    { id: 1, title: 'abab' },
    { id: 2, title: 'cdcd' },
  ]);
  const tasks = await server.allTasksDone();
  expect(tasks.filter(({ status }) => status !== 'succeeded')).toEqual([]);
}, 60_000);
beforeEach(() => {
  if (!isBuilt) return;
  provider.behave = (texts) => ({ vectors: texts.map(vectorOf) });
  provider.texts.length = 0;
});
afterAll(async () => {
  await server?.kill();
  await provider?.close();
  removeFolder(folder);
});
const hybrid = (semanticRatio: number, embedder = 'default'): object => ({ hybrid: { embedder, semanticRatio } });
async function search(body: object): Promise<Answer> {
  return (await server.call<Answer>('POST', '/indexes/movies/search', body)).body;
}

describe.skipIf(!isBuilt)('a query that brings no vector', () => {
  test('is embedded once, and kept', async () => {
    const semantic = { q: 'dcdc', ...hybrid(1) };
    expect(await search(semantic)).toMatchObject({ hits: [{ id: 2 }, { id: 1 }], semanticHitCount: 2 });
    expect(await search({ ...semantic, limit: 1 })).toMatchObject({ hits: [{ id: 2 }] });
    expect(provider.texts).toEqual(['dcdc']);
    await search({ q: 'x', ...hybrid(0) });
    expect(provider.texts).toEqual(['dcdc']);
  }, 30_000);

  test('is embedded in searches of several and merged ones, and as media', async () => {
    const query = { indexUid: 'movies', q: 'baba', ...hybrid(1) };
    const { body: separate } = await server.call<{ results: Answer[] }>('POST', '/multi-search', { queries: [query] });
    expect(separate.results[0]!.hits[0]).toMatchObject({ id: 1 });
    const merged = await server.call<Answer>('POST', '/multi-search', { federation: {}, queries: [query] });
    expect(merged.body.hits[0]).toMatchObject({ id: 1 });
    expect((await search({ media: { word: 'ddcc' }, ...hybrid(1, 'pieces') })).hits[0]).toMatchObject({ id: 2 });
    expect(await search({ media: { other: 'x' }, ...hybrid(1, 'pieces') })).toMatchObject({
      code: 'vector_embedding_error',
    });
  }, 30_000);

  test('whose provider fails or is slow is answered by words, or refused where there are none to go by', async () => {
    for (const [word, behave] of [
      ['abab', () => undefined],
      ['cdcd', () => ({ nonsense: 1 })],
    ] as const) {
      provider.behave = behave;
      expect(await search({ q: word, ...hybrid(0.9) })).toMatchObject({ hits: [{}], semanticHitCount: 0 });
      const refused = await search({ q: word, ...hybrid(1) });
      expect(refused).toMatchObject({ code: 'vector_embedding_error' });
      expect(refused.message).toContain(provider.url);
    }
  }, 30_000);
});
