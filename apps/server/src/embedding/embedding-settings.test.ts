import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { newDatabaseFolder, removeFolder, type TestServer, type WireTask } from '../e2e/server-process.test-support.js';
import { startTestServer } from '../e2e/test-server.test-support.js';
import { type Provider, restEmbedder, startProvider, vectorOf } from './provider.test-support.js';

const folder = newDatabaseFolder();
let provider: Provider;
let server: TestServer;
beforeAll(async () => {
  provider = await startProvider();
  server = await startTestServer(folder, ['--experimental-allowed-ip-networks', '127.0.0.0/8']);
  await server.call('PATCH', '/experimental-features', { multimodal: true, compositeEmbedders: true });
});
beforeEach(async () => {
  provider.behave = (texts) => ({ vectors: texts.map(vectorOf) });
  await done('DELETE', '/indexes/movies');
  await done('POST', '/indexes/movies/documents', [
    { id: 1, title: 'Alien', year: 1979 },
    { id: 2, title: 'Brazil', year: 1985 },
    { id: 3, title: 'Own', year: 1990, _vectors: { default: [4, 3, 2, 1] } },
  ]);
  provider.texts.length = 0;
});
afterAll(async () => {
  await server?.stop();
  await provider?.close();
  removeFolder(folder);
});

async function done(method: string, path: string, body?: unknown): Promise<WireTask> {
  const { body: summary } = await server.call<{ taskUid: number; message?: string }>(method, path, body);
  if (summary.taskUid === undefined) throw new Error(summary.message);
  const tasks = await server.allTasksDone();
  return tasks.find(({ uid }) => uid === summary.taskUid)!;
}
const embedders = (change: object | null): Promise<WireTask> =>
  done('PATCH', '/indexes/movies/settings', { embedders: { default: change } });
/** What the provider was asked for since the last time, but for questions for the size of its vectors. */
function asked(): string[] {
  const texts = provider.texts.filter((text) => text !== 'test');
  provider.texts.length = 0;
  return texts.sort();
}
async function vectorsOf(id: number): Promise<unknown> {
  const path = `/indexes/movies/documents/${id}?retrieveVectors=true`;
  const { body } = await server.call<{ _vectors: Record<string, unknown> }>('GET', path);
  return body._vectors['default'];
}

describe('an embedder that changes', () => {
  test('embeds what has no vector of the user, and again only what the change is about', async () => {
    await embedders(restEmbedder(provider));
    expect(asked()).toEqual(['Alien', 'Brazil']);
    expect(await vectorsOf(1)).toEqual({ embeddings: [vectorOf('Alien')], regenerate: true });
    expect(await vectorsOf(3)).toEqual({ embeddings: [[4, 3, 2, 1]], regenerate: false });
    await embedders({ apiKey: 'a new secret', headers: { a: 'b' }, distribution: { mean: 0.5, sigma: 0.5 } });
    expect(asked()).toEqual([]);
    await embedders({ documentTemplate: '{% if doc.id == 1 %}The {% endif %}{{ doc.title }}' });
    expect(asked()).toEqual(['The Alien']);
    await embedders({ documentTemplateMaxBytes: 3 });
    expect(asked()).toEqual([]);
    await embedders({ documentTemplateMaxBytes: 6 });
    expect(asked()).toEqual(['Brazil', 'The Al']);
    await embedders({ request: { texts: ['{{text}}', '{{..}}'], other: 1 } });
    expect(asked()).toEqual(['Brazil', 'The Al']);
    await done('PATCH', '/indexes/movies/settings', { sortableAttributes: ['year'], searchableAttributes: ['title'] });
    expect(asked()).toEqual([]);
  });

  test('takes what it made with it when it goes, and leaves what the user gave', async () => {
    await embedders(restEmbedder(provider));
    await embedders(null);
    const { body } = await server.call<{ _vectors: object }>('GET', '/indexes/movies/documents/3?retrieveVectors=true');
    expect(body._vectors).toMatchObject({ default: { embeddings: [[4, 3, 2, 1]], regenerate: false } });
    expect(await vectorsOf(1)).toBeUndefined();
    const { body: stats } = await server.call('GET', '/indexes/movies/stats');
    expect(stats).toMatchObject({ numberOfEmbeddings: 0, numberOfEmbeddedDocuments: 0 });
  });

  test('leaves everything as it was when its provider fails', async () => {
    provider.behave = (_, response) => {
      response.statusCode = 403;
      return {};
    };
    const task = await embedders(restEmbedder(provider));
    expect(task).toMatchObject({ status: 'failed', error: { code: 'vector_embedding_error' } });
    const { body } = await server.call<{ embedders: object }>('GET', '/indexes/movies/settings');
    expect(body.embedders).toEqual({});
  });

  test('of fragments makes a vector of each that a document fills, and again only of those that change', async () => {
    const fragments = (second: string): object => ({
      documentTemplate: null,
      request: { texts: ['{{fragment}}', '{{..}}'] },
      indexingFragments: { title: { value: '{{ doc.title }}' }, second: { value: second } },
      searchFragments: { words: { value: '{{ q }}' } },
      dimensions: 4,
    });
    await done('PUT', '/indexes/movies/documents', [{ id: 1, plot: 'A ship' }]);
    const set = await embedders({ ...restEmbedder(provider), ...fragments('{{ doc.plot }}') });
    expect(set).toMatchObject({ status: 'succeeded' });
    expect(asked()).toEqual(['A ship', 'Alien', 'Brazil']);
    expect(await vectorsOf(1)).toEqual({ embeddings: [vectorOf('Alien'), vectorOf('A ship')], regenerate: true });
    await embedders({ indexingFragments: { second: { value: '{{ doc.plot }}!' } } });
    expect(asked()).toEqual(['A ship!']);
  });

  test('of two sides is refused when they make different vectors', async () => {
    const side = (path: string): object => {
      const { documentTemplate: _template, ...rest } = restEmbedder(provider) as Record<string, unknown>;
      return { ...rest, url: `${provider.url}${path}` };
    };
    const alike = await embedders({ source: 'composite', searchEmbedder: side('/a'), indexingEmbedder: side('/b') });
    expect(alike).toMatchObject({ status: 'succeeded' });
    provider.behave = (texts) => ({
      vectors: texts.map(() => (provider.requestCount % 2 === 0 ? [1, 0, 0, 0] : [0, 1, 0, 0])),
    });
    const unlike = await embedders({ searchEmbedder: side('/c') });
    expect(unlike).toMatchObject({ status: 'failed', error: { code: 'vector_embedding_error' } });
  });
});
