import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { newDatabaseFolder, removeFolder, type TestServer } from '../e2e/server-process.test-support.js';
import { startTestServer } from '../e2e/test-server.test-support.js';
import { done, expectFailures, MOVIES } from './failures.test-support.js';
import { type Provider, restEmbedder, startProvider, vectorOf } from './provider.test-support.js';

const OPEN = ['--experimental-allowed-ip-networks', '127.0.0.0/8'];

const folders = [newDatabaseFolder(), newDatabaseFolder()];
let provider: Provider;
let server: TestServer;
beforeAll(async () => {
  provider = await startProvider();
  server = await startTestServer(folders[0]!, OPEN);
});
beforeEach(async () => {
  provider.behave = (texts) => ({ vectors: texts.map(vectorOf) });
  await done(server, 'DELETE', '/indexes/movies');
  provider.texts.length = 0;
  provider.requestCount = 0;
});
afterAll(async () => {
  await server?.stop();
  await provider?.close();
  for (const folder of folders) removeFolder(folder);
});

interface Embedded {
  readonly embeddings: number[][];
  readonly regenerate: boolean;
}
async function vectorsOf(server: TestServer, id: number | string, name = 'default'): Promise<Embedded | undefined> {
  const path = `/indexes/movies/documents/${id}?retrieveVectors=true`;
  const { body } = await server.call<{ _vectors: Record<string, Embedded> }>('GET', path);
  return body._vectors[name];
}

describe('documents that come in', () => {
  test('get the vectors of their rendered template, and are found by vector', async () => {
    const set = await done(server, 'PATCH', '/indexes/movies/settings', {
      embedders: { default: restEmbedder(provider) },
    });
    expect(set).toMatchObject({ status: 'succeeded' });
    expect(provider.requestCount).toBe(1);
    provider.texts.length = 0;
    const added = await done(server, 'POST', '/indexes/movies/documents', MOVIES);
    expect(added).toMatchObject({ status: 'succeeded', details: { indexedDocuments: 3 } });
    expect(provider.texts).toEqual(['Alien', 'Brazil', 'Casablanca']);
    expect(await vectorsOf(server, 2)).toEqual({ embeddings: [vectorOf('Brazil')], regenerate: true });
    const { body: found } = await server.call<{ hits: { id: number }[] }>('POST', '/indexes/movies/search', {
      vector: vectorOf('Casablanca'),
      hybrid: { embedder: 'default', semanticRatio: 1 },
    });
    expect(found.hits[0]).toMatchObject({ id: 3 });
    const { body: stats } = await server.call('GET', '/indexes/movies/stats');
    expect(stats).toMatchObject({ numberOfEmbeddings: 3, numberOfEmbeddedDocuments: 3 });
  });

  test('that did not change are not embedded again, by replacing, updating or editing', async () => {
    await server.call('PATCH', '/experimental-features', { editDocumentsByFunction: true });
    await done(server, 'PATCH', '/indexes/movies/settings', { embedders: { default: restEmbedder(provider) } });
    await done(server, 'POST', '/indexes/movies/documents', MOVIES);
    provider.texts.length = 0;
    await done(server, 'POST', '/indexes/movies/documents', MOVIES);
    await done(
      server,
      'POST',
      '/indexes/movies/documents',
      MOVIES.map((movie) => ({ ...movie, year: 1979 })),
    );
    await done(server, 'PUT', '/indexes/movies/documents', [{ id: 1, year: 1980 }]);
    await done(server, 'POST', '/indexes/movies/documents/edit', { function: 'doc.year += 1' });
    expect(provider.texts).toEqual([]);
    await done(server, 'PUT', '/indexes/movies/documents', [{ id: 1, title: 'Aliens' }]);
    await done(server, 'POST', '/indexes/movies/documents/edit', {
      function: 'doc.title = "Brazilian"',
      filter: null,
      context: null,
    });
    expect(provider.texts).toEqual(['Aliens', 'Brazilian', 'Brazilian', 'Brazilian']);
    expect(await vectorsOf(server, 1)).toEqual({ embeddings: [vectorOf('Brazilian')], regenerate: true });
  });

  test('that come twice in a payload end as the last of them says', async () => {
    await done(server, 'PATCH', '/indexes/movies/settings', { embedders: { default: restEmbedder(provider) } });
    const twice = [...MOVIES, { id: 1, title: 'Aliens' }];
    const added = await done(server, 'POST', '/indexes/movies/documents', twice);
    expect(added).toMatchObject({ status: 'succeeded', details: { indexedDocuments: 3 } });
    expect(await vectorsOf(server, 1)).toEqual({ embeddings: [vectorOf('Aliens')], regenerate: true });
  });

  test('keep what the user gave: frozen, none, or until their text changes', async () => {
    await done(server, 'PATCH', '/indexes/movies/settings', { embedders: { default: restEmbedder(provider) } });
    provider.texts.length = 0;
    const own = [9, 8, 7, 6];
    await done(server, 'POST', '/indexes/movies/documents', [
      { id: 1, title: 'Frozen', _vectors: { default: own } },
      { id: 2, title: 'None', _vectors: { default: null } },
      { id: 3, title: 'For now', _vectors: { default: { regenerate: true, embeddings: own } } },
      { id: 4, title: 'Asked for', _vectors: { default: { regenerate: true } } },
    ]);
    expect(provider.texts).toEqual(['Asked for']);
    const update = [1, 2, 3].map((id) => ({ id, year: 2000 }));
    await done(server, 'PUT', '/indexes/movies/documents', update);
    expect(provider.texts).toEqual(['Asked for']);
    expect(await vectorsOf(server, 1)).toEqual({ embeddings: [own], regenerate: false });
    expect(await vectorsOf(server, 2)).toEqual({ embeddings: [], regenerate: false });
    expect(await vectorsOf(server, 3)).toEqual({ embeddings: [own], regenerate: true });
    await done(
      server,
      'PUT',
      '/indexes/movies/documents',
      update.map(({ id }) => ({ id, title: `New ${id}` })),
    );
    expect(provider.texts).toEqual(['Asked for', 'New 3']);
    await done(server, 'POST', '/indexes/movies/documents', [{ id: 1, title: 'Replaced' }]);
    expect(await vectorsOf(server, 1)).toEqual({ embeddings: [vectorOf('Replaced')], regenerate: true });
  });

  test('are counted by the batch: requests, failures and the time they took', async () => {
    await done(server, 'PATCH', '/indexes/movies/settings', { embedders: { default: restEmbedder(provider) } });
    let isFirst = true;
    provider.behave = (texts, response) => {
      if (!isFirst) return { vectors: texts.map(vectorOf) };
      isFirst = false;
      response.statusCode = 503;
      return { sorry: true };
    };
    await done(server, 'POST', '/indexes/movies/documents', MOVIES);
    const { body } = await server.call<{ results: { stats: Record<string, Record<string, unknown>> }[] }>(
      'GET',
      '/batches?limit=1',
    );
    const { embedderRequests, progressTrace } = body.results[0]!.stats;
    expect(embedderRequests).toMatchObject({ total: 2, failed: 1 });
    expect(embedderRequests!.lastError).toContain('503');
    expect(Object.keys(progressTrace!)).toContain(
      'processing tasks > computing document changes > extracting embeddings',
    );
  });
});

describe('a provider that fails', () => {
  test('fails the task with its code, naming document and address, and the next task goes on', async () => {
    await expectFailures(server, provider, [
      [
        'refuses',
        (_, response) => {
          response.statusCode = 401;
          return { error: 'bad key' };
        },
        'status 401',
      ],
      ['answers nonsense', () => ({ hello: 1 }), 'without `.vectors`'],
      ['makes too few', (texts) => ({ vectors: texts.slice(1).map(vectorOf) }), '2 vectors for 3 inputs'],
      ['makes others', (texts) => ({ vectors: texts.map(() => [1, 2, 3]) }), '3 dimensions'],
    ]);
  });

  test('or is on a private network that nobody opened, fails the settings task that asks it', async () => {
    const closed = await startTestServer(folders[1]!);
    const task = await done(closed, 'PATCH', '/indexes/movies/settings', {
      embedders: { default: restEmbedder(provider) },
    });
    expect(task).toMatchObject({ status: 'failed', error: { code: 'vector_embedding_error' } });
    await closed.stop();
    expect(task.error!.message).toContain('private network');
    expect(provider.requestCount).toBe(0);
  });

  test('is not asked for a document that its template does not fit, whose task fails with its code', async () => {
    await done(server, 'PATCH', '/indexes/movies/settings', { embedders: { default: restEmbedder(provider) } });
    const task = await done(server, 'POST', '/indexes/movies/documents', [...MOVIES, { id: 4, name: 'No title' }]);
    expect(task).toMatchObject({ status: 'failed', error: { code: 'invalid_document_fields' } });
    expect(task.error!.message).toContain('`4`');
    const { body } = await server.call<{ total: number }>('GET', '/indexes/movies/documents');
    expect(body.total).toBe(0);
  });
});
