import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { newDatabaseFolder, removeFolder, type TestServer, type WireTask } from '../e2e/server-process.test-support.js';
import { startTestServer } from '../e2e/test-server.test-support.js';
import { type Provider, startProvider } from './provider.test-support.js';

const folder = newDatabaseFolder();
const films = '/indexes/films';
const LARGEST = 3.4028234663852886e38;
const hybrid = { embedder: 'own', semanticRatio: 1 };
let provider: Provider;
let server: TestServer;
beforeAll(async () => {
  provider = await startProvider();
  server = await startTestServer(`${folder}/data`, ['--experimental-allowed-ip-networks', '127.0.0.0/8']);
  await server.call('PATCH', '/experimental-features', { editDocumentsByFunction: true });
});
beforeEach(async () => {
  await done('DELETE', films);
  await done('PATCH', `${films}/settings`, {
    embedders: { own: { source: 'userProvided', dimensions: 3 } },
    filterableAttributes: ['kind'],
  });
  await done('POST', `${films}/documents`, [
    { id: 1, kind: 'a', _vectors: { own: [1, 0, 0] } },
    { id: 2, kind: 'b', _vectors: { own: [0, 1, 0] } },
  ]);
});
afterAll(async () => {
  await server?.stop();
  await provider?.close();
  removeFolder(folder);
});

async function done(method: string, path: string, body?: unknown): Promise<WireTask> {
  const { body: summary } = await server.call<{ taskUid: number; message?: string }>(method, path, body, {
    ...(typeof body === 'string' ? { 'content-type': 'application/json' } : {}),
  });
  if (summary.taskUid === undefined) throw new Error(summary.message);
  const tasks = await server.allTasksDone();
  return tasks.find(({ uid }) => uid === summary.taskUid)!;
}

describe('numbers beyond single precision', () => {
  it.each([
    '[1e39,0,0]',
    '[-1e39,0,0]',
    '[0,3.5e38,0]',
    '[0,0,1e308]',
    '[0,0,-1.7e308]',
    '[[1,0,0],[0,1e40,0]]',
    '{"embeddings":[1e39,0,0],"regenerate":false}',
    '{"embeddings":[[1,1,1],[1e39,0,0]],"regenerate":false}',
    '{"embeddings":[[0,0,-4e38]],"regenerate":true}',
    '[340282366920938463463374607431768211456,0,0]',
    '[99999999999999999999999999999999999999999,0,0]',
  ])('are refused in a document: %s', async (vectors) => {
    for (const method of ['POST', 'PUT'])
      for (const id of [1, 7]) {
        const document = `[{"id":${id},"_vectors":{"own":${vectors}}}]`;
        expect((await done(method, `${films}/documents`, document)).error?.code).toBe('invalid_vectors_type');
      }
    expect((await server.call(`GET`, `${films}/documents/7`)).body).toMatchObject({ code: 'document_not_found' });
    const kept = await server.call('GET', `${films}/documents/1?retrieveVectors=true`);
    expect(kept.body).toMatchObject({ _vectors: { own: { embeddings: [[1, 0, 0]] } } });
  });

  it('are refused once an embedder gets the name under which they are stored', async () => {
    await done('POST', `${films}/documents`, '[{"id":3,"_vectors":{"own":null,"next":[1e39]}}]');
    const shown = await server.call('GET', `${films}/documents/3?retrieveVectors=true`);
    expect(shown.body).toMatchObject({ _vectors: { next: [1e39] } });
    for (const source of ['userProvided', 'rest']) {
      const shape = { request: { texts: ['{{text}}', '{{..}}'] }, response: { vectors: ['{{embedding}}', '{{..}}'] } };
      const rest = source === 'rest' ? { url: provider.url, ...shape } : {};
      const task = await done('PATCH', `${films}/settings/embedders`, { next: { source, dimensions: 1, ...rest } });
      expect(task.error?.code).toBe('invalid_vectors_type');
    }
  });

  it('are refused in what a function makes of a document', async () => {
    const edit = { function: 'doc._vectors = #{own: [1.0e39, 0.0, 0.0]}' };
    expect((await done('POST', `${films}/documents/edit`, edit)).error?.code).toBe('invalid_vectors_type');
  });

  it('are refused in the answer of an embedder, to documents and to queries', async () => {
    provider.behave = () => ({ vectors: [[1e39, 0, 0]] });
    const shape = { request: { texts: ['{{text}}', '{{..}}'] }, response: { vectors: ['{{embedding}}', '{{..}}'] } };
    const made = { source: 'rest', url: provider.url, dimensions: 3, ...shape };
    const task = await done('PATCH', `${films}/settings/embedders`, { made });
    expect(task.error?.code).toBe('vector_embedding_error');
    await done('DELETE', `${films}/documents`);
    await done('PATCH', `${films}/settings/embedders`, { made });
    const query = { q: 'a', hybrid: { embedder: 'made', semanticRatio: 1 } };
    expect((await server.call('POST', `${films}/search`, query)).body).toMatchObject({
      code: 'vector_embedding_error',
    });
  });

  it.each([
    '1e39',
    '-1e39',
    '1e308',
    '-1e308',
    '3.5e38',
    '1e400',
    '-1e999',
    '340282366920938463463374607431768211456',
  ])('are refused in the vector of a query: %s', async (number) => {
    const query = `"vector":[0,${number},0],"hybrid":{"embedder":"own","semanticRatio":1}`;
    const bodies = [
      [`${films}/search`, `{${query},"showRankingScore":true}`],
      [`${films}/facet-search`, `{"facetName":"kind",${query}}`],
      ['/multi-search', `{"queries":[{"indexUid":"films",${query}}]}`],
      ['/multi-search', `{"federation":{},"queries":[{"indexUid":"films",${query}}]}`],
    ];
    for (const [path, body] of bodies) {
      const answer = await server.call('POST', path!, body, { 'content-type': 'application/json' });
      expect([answer.status, answer.body]).toMatchObject([400, { code: 'invalid_search_vector' }]);
    }
    const list = encodeURIComponent(`0,${number},0`);
    const { status, body } = await server.call(
      'GET',
      `${films}/search?vector=${list}&hybridEmbedder=own&hybridSemanticRatio=1`,
    );
    expect([status, body]).toMatchObject([400, { code: 'invalid_search_vector' }]);
  });
});

describe('the largest numbers of single precision', () => {
  it.each([
    [[LARGEST, 0, 0], [1, 0, 0], 1],
    [[LARGEST, LARGEST, LARGEST], [LARGEST, LARGEST, LARGEST], 1],
    [[LARGEST, LARGEST, LARGEST], [-LARGEST, -LARGEST, -LARGEST], 0],
    [[1e38, 0, 0], [0, 1e38, 0], 0.5],
    [[-3e38, 2e38, 1e38], [-3e38, 2e38, 1e38], 1],
    [[1e25, 1e25, 0], [2, 2, 0], 1],
    [[1, 1, 0], [1e38, 1e38, 0], 1],
    [[2e19, 0, 0], [0, 0, 3e19], 0.5],
    [[1e30, -1e30, 0], [1e38, 1e38, 0], 0.5],
    [[LARGEST, 1, 1], [-1, 0, 0], 0],
  ])('have a score: %j for %j', async (stored, vector, score) => {
    await done('POST', `${films}/documents`, [{ id: 9, _vectors: { own: stored } }]);
    const { body } = await server.call<{ hits: { id: number; _rankingScore: number }[] }>('POST', `${films}/search`, {
      ...{ vector, hybrid, showRankingScore: true },
    });
    expect(body.hits.find(({ id }) => id === 9)!._rankingScore).toBeCloseTo(score, 5);
    const similar = await server.call<{ hits: { _rankingScore: number }[] }>('POST', `${films}/similar`, {
      ...{ id: 9, embedder: 'own', showRankingScore: true },
    });
    for (const { _rankingScore } of similar.body.hits) expect(_rankingScore).toBeTypeOf('number');
  });
});
