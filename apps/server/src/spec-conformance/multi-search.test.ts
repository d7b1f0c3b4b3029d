import { expect } from 'vitest';
import { type Loose, part, walked } from './walk.test-support.js';

const EMBEDDERS = { default: { source: 'userProvided', dimensions: 2 } };
const walk = walked(async (w) => {
  for (const uid of ['a', 'b']) {
    const settings = { filterableAttributes: ['kind', 'n'], sortableAttributes: ['n'], embedders: EMBEDDERS };
    await w.done('PATCH', `/indexes/${uid}/settings`, settings);
    const documents = [1, 2, 3].map((n) => ({
      id: `${uid}${n}`,
      text: n === 1 ? 'sea' : `sea number ${n} of ${uid}`,
      kind: n === 1 ? 'one' : uid,
      n: uid === 'a' ? n : n + 10,
      _vectors: { default: [n, 1] },
    }));
    await w.done('POST', `/indexes/${uid}/documents`, documents);
  }
});
const multi = async (body: object): Promise<Loose> => (await walk.call('POST', '/multi-search', body)).body;
const ids = ({ hits }: Loose): string[] => hits.map(({ id }: Loose) => id);

const similar = part('Similar documents');
similar('POST and GET answer hits, id, processingTimeMs, limit, offset and estimatedTotalHits', async () => {
  const expected = { id: 'a1', limit: 20, offset: 0, estimatedTotalHits: 2, processingTimeMs: expect.any(Number) };
  const post = await walk.call('POST', '/indexes/a/similar', { id: 'a1', embedder: 'default' });
  expect(post).toMatchObject({ status: 200, body: expected });
  expect(ids(post.body)).toEqual(['a2', 'a3']);
  expect(await walk.call('GET', '/indexes/a/similar?id=a1')).toMatchObject({
    status: 200,
    body: { ...expected, hits: post.body.hits },
  });
});
similar('id and embedder are mandatory, the embedder of a GET is `default`', async () => {
  for (const body of [{ id: 'a1' }, { embedder: 'default' }])
    expect((await walk.call('POST', '/indexes/a/similar', body)).status).toBe(400);
  expect((await walk.call('GET', '/indexes/a/similar')).status).toBe(400);
});
similar('takes offset, limit, filter, attributesToRetrieve, scores, threshold and vectors', async () => {
  const ask = async (more: object): Promise<Loose> =>
    (await walk.call('POST', '/indexes/a/similar', { id: 'a1', embedder: 'default', ...more })).body;
  expect(ids(await ask({ offset: 1, limit: 1 }))).toEqual(['a3']);
  expect(ids(await ask({ filter: 'n = 3' }))).toEqual(['a3']);
  const { hits } = await ask({
    attributesToRetrieve: ['id'],
    showRankingScore: true,
    showRankingScoreDetails: true,
    retrieveVectors: true,
  });
  expect(Object.keys(hits[0]).sort()).toEqual(['_rankingScore', '_rankingScoreDetails', '_vectors', 'id']);
  expect((await ask({ rankingScoreThreshold: 1 })).hits).toEqual([]);
});

const routes = part('Multi-search');
routes('non-federated answers one result a query, in their order', async () => {
  const { results } = await multi({
    queries: [
      { indexUid: 'b', q: 'sea', limit: 1 },
      { indexUid: 'a', q: 'none' },
    ],
  });
  expect(results).toMatchObject([
    { indexUid: 'b', query: 'sea', limit: 1, offset: 0, hits: [{ id: 'b1' }], estimatedTotalHits: 3 },
    { indexUid: 'a', query: 'none', hits: [] },
  ]);
  const paged = await multi({
    federation: null,
    queries: [{ indexUid: 'a', page: 1, hitsPerPage: 2, facets: ['kind'] }],
  });
  expect(paged.results[0]).toMatchObject({
    page: 1,
    hitsPerPage: 2,
    totalHits: 3,
    totalPages: 2,
    facetDistribution: { kind: { a: 2, one: 1 } },
  });
});
routes('indexUid is required in each query, everything else is optional', async () => {
  expect(await multi({ queries: [{ q: 'sea' }] })).toMatchObject({ code: 'missing_index_uid' });
  expect((await multi({ queries: [{ indexUid: 'a' }] })).results).toHaveLength(1);
});
routes('the first error stops, and only it is returned', async () => {
  const { body } = await walk.call('POST', '/multi-search', {
    queries: [{ indexUid: 'a' }, { indexUid: 'none1' }, { indexUid: 'none2' }],
  });
  expect(body).toMatchObject({ code: 'index_not_found', message: expect.stringContaining('none1') });
  expect(JSON.stringify(body)).not.toContain('none2');
});

const federated = part('Federated search');
const both = (more: object = {}) => [
  { indexUid: 'a', q: 'sea', ...more },
  { indexUid: 'b', q: 'sea', ...more },
];
federated('merges all results by descending score, offset 0, limit 20', async () => {
  const answer = await multi({ federation: {}, queries: both({ showRankingScore: true }) });
  expect(answer).toMatchObject({ offset: 0, limit: 20, estimatedTotalHits: 6, processingTimeMs: expect.any(Number) });
  const scores = answer.hits.map(({ _rankingScore }: Loose) => _rankingScore);
  expect(scores).toEqual([...scores].sort((left: number, right: number) => right - left));
  const page = await multi({ federation: { offset: 1, limit: 2 }, queries: both() });
  expect(page).toMatchObject({ offset: 1, limit: 2 });
  expect(ids(page)).toEqual(ids(answer).slice(1, 3));
});
federated('each hit carries indexUid, queriesPosition and weightedRankingScore', async () => {
  const { hits } = await multi({
    federation: {},
    queries: both({ showRankingScore: true, federationOptions: { weight: 0.5 } }),
  });
  for (const { _federation, _rankingScore, id } of hits) {
    expect(_federation).toMatchObject({ indexUid: id[0], queriesPosition: id[0] === 'a' ? 0 : 1 });
    expect(_federation.weightedRankingScore).toBeCloseTo(_rankingScore * 0.5, 9);
  }
});
federated('weight is a positive number, 1.0 by default, and moves its query', async () => {
  const heavy = [both()[0], { ...both()[1], federationOptions: { weight: 3 } }];
  expect(
    ids(await multi({ federation: {}, queries: heavy }))
      .slice(0, 3)
      .every((id) => id.startsWith('b')),
  ).toBe(true);
  const wrong = [{ indexUid: 'a', federationOptions: { weight: -1 } }];
  expect((await multi({ federation: {}, queries: wrong })).code).toBe('invalid_multi_search_weight');
});
for (const name of ['limit', 'offset', 'hitsPerPage', 'page'])
  federated(`${name} of a query is incompatible`, async () => {
    const answer = await multi({ federation: {}, queries: [{ indexUid: 'a', [name]: 1 }] });
    expect(answer.code).toBe('invalid_multi_search_query_pagination');
  });
federated('facetsByIndex gives distribution and stats of each index', async () => {
  const { facetsByIndex } = await multi({
    federation: { facetsByIndex: { a: ['kind', 'n'], b: ['kind'] } },
    queries: both(),
  });
  expect(facetsByIndex).toMatchObject({
    a: { distribution: { kind: { a: 2, one: 1 } }, stats: { n: { min: 1, max: 3 } } },
    b: { distribution: { kind: { b: 2, one: 1 } } },
  });
});
federated('mergeFacets gives merged distribution and stats instead', async () => {
  const federation = { facetsByIndex: { a: ['kind', 'n'], b: ['kind', 'n'] }, mergeFacets: { maxValuesPerFacet: 2 } };
  const answer = await multi({ federation, queries: both() });
  expect(answer).not.toHaveProperty('facetsByIndex');
  expect(Object.keys(answer.facetDistribution.kind)).toHaveLength(2);
  expect(answer.facetStats).toEqual({ n: { min: 1, max: 13 } });
});
federated('merge rule 1: the bigger relevancy wins', async () => {
  const answer = await multi({ federation: {}, queries: both() });
  expect(ids(answer).slice(0, 2).sort()).toEqual(['a1', 'b1']);
});
federated('merge rule 3: sorted the same way, the value first in that direction wins', async () => {
  const sorted = async (direction: string) =>
    ids(
      await multi({
        federation: {},
        queries: [
          { indexUid: 'b', sort: [`n:${direction}`] },
          { indexUid: 'a', sort: [`n:${direction}`] },
        ],
      }),
    );
  expect(await sorted('asc')).toEqual(['a1', 'a2', 'a3', 'b1', 'b2', 'b3']);
  expect(await sorted('desc')).toEqual(['b3', 'b2', 'b1', 'a3', 'a2', 'a1']);
});
federated('merge rule 5: on a perfect tie the query with the lowest position wins', async () => {
  expect(ids(await multi({ federation: {}, queries: both() }))[0]).toBe('a1');
  expect(ids(await multi({ federation: {}, queries: both().reverse() }))[0]).toBe('b1');
});
federated('documents are the same by index and primary key, not across indexes', async () => {
  await walk.done('POST', '/indexes/c/documents', [{ id: 'a1', text: 'sea' }]);
  const queries = [
    { indexUid: 'a', q: 'sea' },
    { indexUid: 'a', q: 'sea' },
    { indexUid: 'c', q: 'sea' },
  ];
  expect(ids(await multi({ federation: {}, queries })).filter((id) => id === 'a1')).toHaveLength(2);
});
federated('remote has to name one of the network; a remote that fails is reported in remoteErrors', async () => {
  await walk.call('PATCH', '/experimental-features', { network: true });
  const remotes = { away: { url: 'http://127.0.0.1:9' } };
  await walk.call('PATCH', '/network', { self: 'here', remotes });
  const ask = (remote: string) =>
    multi({ federation: {}, queries: [...both(), { indexUid: 'a', federationOptions: { remote } }] });
  expect((await ask('none')).code).toBe('invalid_multi_search_remote');
  const answer = await ask('away');
  expect(answer.remoteErrors.away).toMatchObject({
    message: expect.any(String),
    code: expect.any(String),
    link: expect.any(String),
  });
  expect(answer.hits).toHaveLength(6);
});
