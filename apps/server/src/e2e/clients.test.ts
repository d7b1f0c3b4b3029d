import { instantMeiliSearch } from '@meilisearch/instant-meilisearch';
import { Meilisearch, MeilisearchApiError } from 'meilisearch';
import { generateTenantToken } from 'meilisearch/token';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newDatabaseFolder, removeFolder, type TestServer } from './server-process.test-support.js';
import { startTestServer } from './test-server.test-support.js';

const MASTER_KEY = 'a-master-key-of-more-than-16-bytes';
const MOVIES = [
  { id: 1, title: 'Carol', genres: ['Romance', 'Drama'], year: 2015 },
  { id: 2, title: 'Wonder Woman', genres: ['Action', 'Adventure'], year: 2017 },
  { id: 3, title: 'Life of Pi', genres: ['Adventure', 'Drama'], year: 2012 },
  { id: 4, title: 'Mad Max: Fury Road', genres: ['Adventure', 'Action'], year: 2015 },
  { id: 5, title: 'Moana', genres: ['Fantasy', 'Adventure'], year: 2016 },
  { id: 6, title: 'Philadelphia', genres: ['Drama'], year: 1993 },
];
const SETTINGS = { filterableAttributes: ['genres', 'year'], sortableAttributes: ['year'] };

describe('the public clients', () => {
  const folder = newDatabaseFolder();
  let server: TestServer;
  let client: Meilisearch;

  beforeAll(async () => {
    server = await startTestServer(folder, ['--master-key', MASTER_KEY]);
    client = new Meilisearch({
      host: server.url,
      apiKey: MASTER_KEY,
      defaultWaitOptions: { interval: 10, timeout: 60_000 },
    });
    await client.createIndex('movies', { primaryKey: 'id' }).waitTask();
    await client.index('movies').updateSettings(SETTINGS).waitTask();
    const task = await client.index('movies').addDocuments(MOVIES).waitTask();
    expect(task).toMatchObject({ status: 'succeeded', details: { receivedDocuments: 6, indexedDocuments: 6 } });
  });
  afterAll(async () => {
    await server.stop();
    removeFolder(folder);
  });

  it('tell health, version, index and stats', async () => {
    expect(await client.isHealthy()).toBe(true);
    expect((await client.getVersion()).pkgVersion).toBeTypeOf('string');
    expect(await client.index('movies').getRawInfo()).toMatchObject({ uid: 'movies', primaryKey: 'id' });
    expect((await client.getIndexes()).results.map((index) => index.uid)).toContain('movies');
    const stats = await client.index('movies').getStats();
    expect(stats).toMatchObject({ numberOfDocuments: 6, isIndexing: false });
    expect(stats.fieldDistribution).toEqual({ id: 6, title: 6, genres: 6, year: 6 });
    expect((await client.getStats()).indexes).toHaveProperty('movies');
  });

  it('search with filter, facets, sort and highlight', async () => {
    const answer = await client.index('movies').search('', {
      filter: ['genres = Adventure', 'year >= 2015'],
      facets: ['genres', 'year'],
      sort: ['year:desc'],
    });
    expect(answer.hits.map((hit) => hit['id'])).toEqual([2, 5, 4]);
    expect(answer.facetDistribution?.['genres']).toEqual({ Action: 2, Adventure: 3, Fantasy: 1 });
    expect(answer.facetStats?.['year']).toEqual({ min: 2015, max: 2017 });
    const marked = await client.index('movies').search('wondr', { attributesToHighlight: ['title'] });
    expect(marked.hits[0]?._formatted?.['title']).toBe('<em>Wonde</em>r Woman');
    const viaGet = await client.index('movies').searchGet('mad', { attributesToRetrieve: ['title'], limit: 1 });
    expect(viaGet.hits).toEqual([{ title: 'Mad Max: Fury Road' }]);
    const facets = await client.index('movies').searchForFacetValues({ facetName: 'genres', facetQuery: 'adv' });
    expect(facets.facetHits).toEqual([{ value: 'Adventure', count: 4 }]);
  });

  it('add NDJSON and CSV, read, update and delete documents', async () => {
    const index = client.index('mixed');
    await index.addDocumentsFromString('{"id":1,"n":"one"}\n{"id":2,"n":"two"}', 'application/x-ndjson').waitTask();
    const csv = await index
      .addDocumentsFromString('id;n\n3;three\n4;four\n', 'text/csv', { csvDelimiter: ';' })
      .waitTask();
    expect(csv.status).toBe('succeeded');
    await index.updateFilterableAttributes(['n']).waitTask();
    await index.updateDocuments([{ id: 1, more: true }]).waitTask();
    expect(await index.getDocument(1)).toEqual({ id: 1, n: 'one', more: true });
    expect((await index.getDocuments({ filter: 'n = three' })).results).toEqual([{ id: '3', n: 'three' }]);
    expect((await index.getDocuments({ limit: 2, offset: 1, fields: ['n'] })).results).toEqual([
      { n: 'two' },
      { n: 'three' },
    ]);
    await index.deleteDocument(1).waitTask();
    await index.deleteDocuments([2]).waitTask();
    await index.deleteDocuments({ filter: 'n = four' }).waitTask();
    expect((await index.getDocuments()).results).toEqual([{ id: '3', n: 'three' }]);
    await index.deleteAllDocuments().waitTask();
    expect((await index.getDocuments()).total).toBe(0);
    await expect(index.getDocument(1)).rejects.toMatchObject({ cause: { code: 'document_not_found' } });
    await expect(index.getDocument(1)).rejects.toBeInstanceOf(MeilisearchApiError);
  });

  it('change and reset settings', async () => {
    const index = client.index('set');
    await client.createIndex('set').waitTask();
    const fresh = await index.getSettings();
    await index.updateSettings({ stopWords: ['the'], synonyms: { a: ['b'] }, distinctAttribute: 'n' }).waitTask();
    expect(await index.getSettings()).toEqual({
      ...fresh,
      stopWords: ['the'],
      synonyms: { a: ['b'] },
      distinctAttribute: 'n',
    });
    await index.resetStopWords().waitTask();
    expect(await index.getStopWords()).toEqual([]);
    await index.resetSettings().waitTask();
    expect(await index.getSettings()).toEqual(fresh);
  });

  it('swap and delete indexes', async () => {
    await client
      .index('left')
      .addDocuments([{ id: 1, side: 'left' }])
      .waitTask();
    await client
      .index('right')
      .addDocuments([{ id: 1, side: 'right' }])
      .waitTask();
    expect((await client.swapIndexes([{ indexes: ['left', 'right'], rename: false }]).waitTask()).status).toBe(
      'succeeded',
    );
    expect(await client.index('left').getDocument(1)).toEqual({ id: 1, side: 'right' });
    await client.deleteIndex('right').waitTask();
    await expect(client.getRawIndex('right')).rejects.toMatchObject({ cause: { code: 'index_not_found' } });
  });

  it('filter, cancel and delete tasks', async () => {
    const failed = await client
      .index('tasks')
      .addDocuments([{ nothing: 1 }])
      .waitTask();
    expect(failed).toMatchObject({ status: 'failed', error: { code: 'index_primary_key_no_candidate_found' } });
    const listed = await client.tasks.getTasks({ indexUids: ['tasks'], statuses: ['failed'] });
    expect(listed.results.map((task) => task.uid)).toEqual([failed.uid]);
    const cancel = await client.tasks.cancelTasks({ uids: [failed.uid] }).waitTask();
    expect(cancel).toMatchObject({ type: 'taskCancelation', details: { matchedTasks: 1, canceledTasks: 0 } });
    const deletion = await client.tasks.deleteTasks({ uids: [failed.uid] }).waitTask();
    expect(deletion).toMatchObject({ type: 'taskDeletion', details: { matchedTasks: 1, deletedTasks: 1 } });
    await expect(client.tasks.getTask(failed.uid)).rejects.toMatchObject({ cause: { code: 'task_not_found' } });
  });

  it('hold keys and tenant tokens to what they may do', async () => {
    const key = await client.createKey({ name: 'movies', actions: ['search'], indexes: ['movies'], expiresAt: null });
    expect((await client.getKey(key.uid)).key).toBe(key.key);
    const limited = new Meilisearch({ host: server.url, apiKey: key.key });
    expect((await limited.index('movies').search('carol')).hits).toHaveLength(1);
    await expect(limited.index('left').search('')).rejects.toMatchObject({ cause: { code: 'invalid_api_key' } });
    await expect(limited.getKeys()).rejects.toMatchObject({ cause: { code: 'invalid_api_key' } });
    const searchRules = { movies: { filter: 'year = 2015' } };
    const token = await generateTenantToken({ apiKey: key.key, apiKeyUid: key.uid, searchRules });
    const tenant = new Meilisearch({ host: server.url, apiKey: token });
    const seen = await tenant.index('movies').search('', { filter: 'genres = Adventure' });
    expect(seen.hits.map((hit) => hit['id'])).toEqual([4]);
    await client.updateKey(key.uid, { name: 'renamed' });
    await client.deleteKey(key.uid);
    await expect(tenant.index('movies').search('')).rejects.toMatchObject({ cause: { code: 'invalid_api_key' } });
    const bare = new Meilisearch({ host: server.url });
    await expect(bare.getStats()).rejects.toMatchObject({ cause: { code: 'missing_authorization_header' } });
  });

  it('serve a search interface through instant-meilisearch', async () => {
    const { searchClient } = instantMeiliSearch(server.url, MASTER_KEY);
    const params = {
      query: 'mad',
      facets: ['genres', 'year'],
      facetFilters: [['genres:Action']],
      hitsPerPage: 5,
      page: 0,
    };
    const marks = { highlightPreTag: '__ais-highlight__', highlightPostTag: '__/ais-highlight__' };
    const { results } = await searchClient.search([{ indexName: 'movies', params: { ...params, ...marks } }]);
    expect(results[0]).toMatchObject({
      index: 'movies',
      nbHits: 1,
      facets: { genres: { Action: 1, Adventure: 1 }, year: { '2015': 1 } },
      hits: [
        { id: 4, _highlightResult: { title: { value: '__ais-highlight__Mad__/ais-highlight__ Max: Fury Road' } } },
      ],
    });
  });
});
