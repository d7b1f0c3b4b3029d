import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { copyFolders, HAS_COPIES } from '../e2e/dumping-server.test-support.js';
import { newDatabaseFolder, removeFolder, type TestServer, type WireTask } from '../e2e/server-process.test-support.js';
import { startTestServer } from '../e2e/test-server.test-support.js';
import { type Provider, startProvider, vectorOf } from './provider.test-support.js';

const folder = newDatabaseFolder();
const films = '/indexes/films';
let provider: Provider;
let server: TestServer;
beforeAll(async () => {
  provider = await startProvider();
  server = await startTestServer(`${folder}/data`, [
    ...['--experimental-allowed-ip-networks', '127.0.0.0/8'],
    ...copyFolders(folder),
  ]);
  await server.call('PATCH', '/experimental-features', {
    multimodal: true,
    foreignKeys: true,
    compositeEmbedders: true,
  });
});
beforeEach(async () => {
  await done('DELETE', films);
  await embedders({ own: { source: 'userProvided', dimensions: 2 } });
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
const embedders = (change: object): Promise<WireTask> => done('PATCH', `${films}/settings/embedders`, change);
const add = (...documents: object[]): Promise<WireTask> => done('POST', `${films}/documents`, documents);
const search = (body: object) => server.call<Record<string, unknown>>('POST', `${films}/search`, body);
async function vectorsOf(id: number, from = server): Promise<unknown> {
  const path = `${films}/documents/${id}?retrieveVectors=true`;
  const { body } = await from.call<{ _vectors: unknown }>('GET', path);
  return body._vectors;
}
const stored = (...vectors: number[][]) => ({ own: { embeddings: vectors, regenerate: false } });
/** The documents with vectors of the query's size, nearest first; others score 0. */
const nearest = async (vector: number[]): Promise<unknown> => {
  const { body } = await search({ vector, hybrid: { embedder: 'own', semanticRatio: 1 }, rankingScoreThreshold: 0.01 });
  const hits = body['hits'] as { id: number }[] | undefined;
  return hits?.map(({ id }) => id) ?? body['code'];
};

describe('a document that is sent again', () => {
  it.each([
    ['without `_vectors`', {}],
    ['with `_vectors` null', { _vectors: null }],
    ['with an empty `_vectors`', { _vectors: {} }],
    ['with vectors of another name only', { _vectors: { free: [1] } }],
  ])('%s keeps its vectors, or that it has none', async (_how, vectors) => {
    await add({ id: 1, _vectors: { own: [3, 4] } }, { id: 2, _vectors: { own: null } });
    const again = await add({ id: 1, title: 'a', ...vectors }, { id: 2, title: 'b', ...vectors });
    expect(again.error).toBeNull();
    expect(await vectorsOf(1)).toMatchObject(stored([3, 4]));
    expect(await vectorsOf(2)).toMatchObject(stored());
    expect(await nearest([3, 4])).toEqual([1]);
    const { body } = await server.call<Record<string, unknown>>('GET', `${films}/documents/1`);
    expect(body['title']).toBe('a');
  });

  it('takes new vectors, and a new document still needs some', async () => {
    await add({ id: 1, _vectors: { own: [3, 4] } });
    await add({ id: 1, _vectors: { own: [4, 3] } });
    expect(await vectorsOf(1)).toEqual(stored([4, 3]));
    expect((await add({ id: 2, _vectors: {} })).error?.code).toBe('vector_embedding_error');
    await done('DELETE', `${films}/documents/1`);
    expect((await add({ id: 1 })).error?.code).toBe('vector_embedding_error');
  });

  it('keeps its own vectors, while another embedder makes its vectors again', async () => {
    const { url } = provider;
    const shape = { request: { texts: ['{{text}}', '{{..}}'] }, response: { vectors: ['{{embedding}}', '{{..}}'] } };
    await embedders({ made: { source: 'rest', url, documentTemplate: '{{doc.title}}', ...shape } });
    await add({ id: 1, title: 'a', _vectors: { own: [3, 4], made: [1, 2, 3, 4] } });
    await add({ id: 1, title: 'b' });
    expect(await vectorsOf(1)).toEqual({
      ...stored([3, 4]),
      made: { embeddings: [vectorOf('b')], regenerate: true },
    });
  });
});

describe('an embedder that gets other dimensions', () => {
  beforeEach(() => add({ id: 1, _vectors: { own: [3, 4] } }, { id: 2, _vectors: { own: [4, 3] } }));

  it('refuses searches and documents of the old size from then on', async () => {
    const change = await embedders({ own: { dimensions: 3 } });
    expect([change.status, change.error]).toEqual(['succeeded', null]);
    expect(await vectorsOf(1)).toEqual(stored([3, 4]));
    expect(await nearest([3, 4])).toBe('invalid_vector_dimensions');
    expect(await nearest([1, 2, 3])).toEqual([]);
    expect((await add({ id: 3, _vectors: { own: [1, 2] } })).error?.code).toBe('invalid_vector_dimensions');
    expect((await add({ id: 3, _vectors: { own: [1, 2, 3] } })).error).toBeNull();
    expect(await nearest([1, 2, 3])).toEqual([3]);
    const update = await done('PUT', `${films}/documents`, [{ id: 1, title: 'a' }]);
    expect(update.error).toBeNull();
    expect((await add({ id: 2, title: 'b' })).error).toBeNull();
    expect(await vectorsOf(2)).toEqual(stored([4, 3]));
    await embedders({ own: { dimensions: 2 } });
    expect(await nearest([4, 3])).toEqual([2, 1]);
  });

  it('still refuses vectors of the wrong size under a new name', async () => {
    await add({ id: 4, _vectors: { own: null, next: [1] } });
    const change = await embedders({ next: { source: 'userProvided', dimensions: 2 } });
    expect(change.error?.code).toBe('invalid_vector_dimensions');
  });

  it.runIf(HAS_COPIES)('survives a dump, as do documents without vectors', async () => {
    await embedders({ own: null });
    await add({ id: 5 });
    await embedders({ own: { source: 'userProvided', dimensions: 3 } });
    expect((await embedders({ own: { source: 'userProvided', dimensions: 2 } })).error).toBeNull();
    await add({ id: 1, _vectors: { own: [3, 4] } });
    await embedders({ own: { dimensions: 3 } });
    const { details } = await done('POST', '/dumps');
    const dump = `${folder}/dumps/${(details as { dumpUid: string }).dumpUid}.dump`;
    const restored = await startTestServer(`${folder}/restored`, ['--import-dump', dump]);
    try {
      expect(await vectorsOf(1, restored)).toEqual(stored([3, 4]));
      expect(await vectorsOf(5, restored)).toEqual({});
    } finally {
      await restored.stop();
      removeFolder(`${folder}/restored`);
    }
  });
});

describe('faults of vectors', () => {
  const fragments = {
    source: 'rest',
    request: '{{fragment}}',
    response: '{{embedding}}',
    indexingFragments: { title: { value: '{{doc.title}}' } },
    searchFragments: { title: { value: '{{media.title}}' } },
  };

  it('fragments without dimensions are refused without a request to the provider', async () => {
    const { url } = provider;
    const before = provider.requestCount;
    for (const change of [
      { ...fragments, url },
      {
        source: 'composite',
        indexingEmbedder: { ...fragments, url, searchFragments: undefined },
        searchEmbedder: { ...fragments, url, indexingFragments: undefined },
      },
    ]) {
      const { error } = await embedders({ pictures: change });
      expect(error).toMatchObject({
        code: 'vector_embedding_error',
        message: expect.stringContaining('cannot infer `dimensions`'),
      });
    }
    expect(provider.requestCount).toBe(before);
  });

  it('a search by media alone needs an embedder of the index', async () => {
    await add({ id: 1, _vectors: { own: [1, 2] } });
    const byMedia = (embedder: string) => ({ media: { title: 'a' }, hybrid: { embedder, semanticRatio: 0.5 } });
    const lost = { status: 400, body: { code: 'invalid_search_embedder' } };
    expect(await search(byMedia('lost'))).toMatchObject(lost);
    const federated = { federation: {}, queries: [{ indexUid: 'films', ...byMedia('lost') }] };
    expect(await server.call('POST', '/multi-search', federated)).toMatchObject(lost);
    // this one makes no vectors
    expect(await search(byMedia('own'))).toMatchObject({ status: 400, body: { code: 'vector_embedding_error' } });
    expect(await search({ ...byMedia('lost'), hybrid: { embedder: 'lost', semanticRatio: 0 } })).toMatchObject({
      status: 200,
    });
  });

  it('a federated search in a missing index is 404 where foreign keys are on', async () => {
    const federated = { federation: {}, queries: [{ indexUid: 'films' }, { indexUid: 'lost' }] };
    const send = () => server.call('POST', '/multi-search', federated);
    expect(await send()).toMatchObject({ status: 404, body: { code: 'index_not_found' } });
    const { federation: _, ...separate } = federated;
    expect(await server.call('POST', '/multi-search', separate)).toMatchObject({ status: 400 });
    await server.call('PATCH', '/experimental-features', { foreignKeys: false });
    expect(await send()).toMatchObject({ status: 400, body: { code: 'index_not_found' } });
    await server.call('PATCH', '/experimental-features', { foreignKeys: true });
  });
});
