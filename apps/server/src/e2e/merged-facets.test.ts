import { afterAll, beforeAll, expect, it } from 'vitest';
import { newDatabaseFolder, removeFolder, type TestServer } from './server-process.test-support.js';
import { startTestServer } from './test-server.test-support.js';

let folder: string;
let server: TestServer;
beforeAll(async () => {
  folder = newDatabaseFolder();
  server = await startTestServer(folder);
  const documents = [
    { id: 1, y: 2020 },
    { id: 2, y: 2020 },
    { id: 3, y: '2020' },
    { id: 4, y: [2020, '2020'] },
    { id: 5, y: [1, '1.0'] },
  ];
  for (const uid of ['a', 'b']) {
    await server.call('PATCH', `/indexes/${uid}/settings`, { filterableAttributes: ['y', 'id'] });
    await server.call('POST', `/indexes/${uid}/documents`, uid === 'a' ? documents : documents.slice(2));
  }
  await server.allTasksDone();
});
afterAll(async () => {
  await server.stop();
  removeFolder(folder);
});

const queries = [{ indexUid: 'a' }, { indexUid: 'b' }];
const facetsByIndex = { a: ['y'], b: ['y'] };
it('counts a value that is a number and a text once for each document, in every kind of search', async () => {
  const call = async (path: string, body: object): Promise<unknown> => (await server.call('POST', path, body)).body;
  expect(await call('/indexes/a/search', { facets: ['y'] })).toMatchObject({
    facetDistribution: { y: { 1: 1, 2020: 4, '1.0': 1 } },
    facetStats: { y: { min: 1, max: 2020 } },
  });
  expect(await call('/indexes/a/facet-search', { facetName: 'y', facetQuery: '20' })).toMatchObject({
    facetHits: [{ value: '2020', count: 4 }],
  });
  const withFacets = queries.map((query) => ({ ...query, facets: ['y'] }));
  expect(await call('/multi-search', { queries: withFacets })).toMatchObject({
    results: [{ facetDistribution: { y: { 2020: 4 } } }, { facetDistribution: { y: { 2020: 2 } } }],
  });
  expect(await call('/multi-search', { queries, federation: { facetsByIndex } })).toMatchObject({
    facetsByIndex: { a: { distribution: { y: { 2020: 4 } } }, b: { distribution: { y: { 2020: 2 } } } },
  });
  expect(await call('/multi-search', { queries, federation: { facetsByIndex, mergeFacets: {} } })).toMatchObject({
    facetDistribution: { y: { 1: 2, 2020: 6, '1.0': 2 } },
  });
  const distinct = { facetsByIndex, mergeFacets: {}, distinct: 'id' };
  expect(await call('/multi-search', { queries, federation: distinct })).toMatchObject({
    facetDistribution: { y: { 1: 1, 2020: 4, '1.0': 1 } },
  });
});
