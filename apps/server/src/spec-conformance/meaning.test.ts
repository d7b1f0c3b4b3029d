import { afterAll, beforeAll, expect } from 'vitest';
import { type Provider, restEmbedder, startProvider } from '../embedding/provider.test-support.js';
import { type Loose, part, Walked } from './walk.test-support.js';

/** Documents and queries embedded by a provider of this machine: texts of the same letters are alike. */
const walk = new Walked();
let provider: Provider;
beforeAll(async () => {
  provider = await startProvider();
  await walk.start(['--experimental-allowed-ip-networks', '127.0.0.0/8']);
  const embedders = { default: restEmbedder(provider), own: { source: 'userProvided', dimensions: 2 } };
  for (const uid of ['words', 'others'])
    await walk.done('PATCH', `/indexes/${uid}/settings`, { embedders, sortableAttributes: ['n'] });
  const task = await walk.done('POST', '/indexes/words/documents', [
    { id: 1, title: 'abab', n: 1, _vectors: { own: [1, 0] } },
    { id: 2, title: 'cdcd', n: 2, _vectors: { own: [0, 1] } },
    { id: 3, title: 'cccd', n: 3, _vectors: { own: [-1, 0] } },
  ]);
  expect(task.error).toBeNull();
  await walk.done('POST', '/indexes/others/documents', [{ id: 9, title: 'abab', n: 2, _vectors: { own: [0, -1] } }]);
});
afterAll(async () => {
  await walk.stop();
  await provider.close();
});
const ask = async (body: object): Promise<Loose> => (await walk.call('POST', '/indexes/words/search', body)).body;
const ids = ({ hits }: Loose): number[] => hits.map(({ id }: Loose) => id);
const hybrid = (semanticRatio: number, embedder = 'default') => ({ hybrid: { embedder, semanticRatio } });

const search = part('Search');
search('hybrid is keyword plus meaning: the words of the query, and what is like it', async () => {
  expect(ids(await ask({ q: 'dcdc' }))).toEqual([]);
  expect(ids(await ask({ q: 'dcdc', ...hybrid(1) }))[0]).toBe(2);
  const both = await ask({ q: 'abab', ...hybrid(0.5) });
  expect([ids(both)[0], ids(both).sort(), both.semanticHitCount]).toEqual([1, [1, 2, 3], expect.any(Number)]);
});
search('vector is a custom query vector, an array of numbers', async () => {
  expect(ids(await ask({ vector: [0.1, 1], ...hybrid(1, 'own') }))).toEqual([2, 1, 3]);
  for (const vector of [[1], ['1', '2'], 'x'])
    expect((await walk.call('POST', '/indexes/words/search', { vector, ...hybrid(1, 'own') })).status).toBe(400);
});
search('retrieveVectors is false by default, true returns the vectors of documents', async () => {
  const vector = { vector: [1, 0], ...hybrid(1, 'own') };
  expect((await ask(vector)).hits[0]).not.toHaveProperty('_vectors');
  const { _vectors } = (await ask({ ...vector, retrieveVectors: true })).hits[0];
  expect(_vectors.own).toEqual({ embeddings: [[1, 0]], regenerate: false });
  expect(_vectors.default.embeddings[0]).toHaveLength(4);
});
search('showRankingScoreDetails: vectorSort tells the similarity, from 0.0 to 1.0', async () => {
  const { hits } = await ask({ vector: [1, 0], ...hybrid(1, 'own'), showRankingScoreDetails: true });
  const similarities = hits.map(({ _rankingScoreDetails }: Loose) => _rankingScoreDetails.vectorSort.similarity);
  expect(similarities).toEqual([1, 0.5, 0]);
});

const similar = part('Similar documents');
similar('are driven by embedders, also by one that made the vectors itself', async () => {
  const body = { id: 2, embedder: 'default', showRankingScore: true };
  const answer = (await walk.call('POST', '/indexes/words/similar', body)).body;
  expect(ids(answer)).toEqual([3, 1]);
  expect(answer.hits[0]._rankingScore).toBeGreaterThan(answer.hits[1]._rankingScore);
});

const federated = part('Federated search');
const merged = async (queries: readonly object[]): Promise<Loose> =>
  (await walk.call('POST', '/multi-search', { federation: {}, queries })).body;
federated('merge rule 2: where only one has a relevancy or a sort score, it is picked', async () => {
  const [plain, sorted] = [{ indexUid: 'others' }, { indexUid: 'words', sort: ['n:asc'] }];
  expect(ids(await merged([plain, sorted]))).toEqual([1, 2, 3, 9]);
  expect(ids(await merged([plain, { indexUid: 'words', q: 'abab' }]))).toEqual([1, 9]);
});
federated('semanticHitCount counts the hits that vectors found', async () => {
  const answer = await merged([{ indexUid: 'words', q: 'dcdc', ...hybrid(1) }]);
  expect([ids(answer)[0], answer.semanticHitCount]).toEqual([2, 3]);
});
