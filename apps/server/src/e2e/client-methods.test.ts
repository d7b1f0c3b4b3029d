import { type Index, Meilisearch } from 'meilisearch';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { copyFolders, HAS_COPIES } from './dumping-server.test-support.js';
import { newDatabaseFolder, removeFolder, type TestServer } from './server-process.test-support.js';
import { startTestServer } from './test-server.test-support.js';

const MASTER_KEY = 'a-master-key-of-more-than-16-bytes';
const BOOKS = [
  { id: 1, title: 'The Sea', year: 2005, author: 'a1' },
  { id: 2, title: 'The River', year: 2011, author: 'a2' },
  { id: 3, title: 'The Mountain', year: 2011, author: 'a1' },
];
const FEATURES = {
  editDocumentsByFunction: true,
  dynamicSearchRules: true,
  network: true,
  renderRoute: true,
  foreignKeys: true,
  getTaskDocumentsRoute: true,
  chatCompletions: true,
} as const;

/** Methods that these tests leave out, and why. */
const LEFT_OUT: Readonly<Record<string, string>> = {
  constructor: 'called to begin with',
  tasks: 'a property',
  batches: 'a property',
  initializeNetwork: 'needs a leader, which a network does not have here',
  addRemote: 'needs a leader',
  removeRemote: 'needs a leader',
  addRemotesToShard: 'needs a leader',
  removeRemotesFromShard: 'needs a leader',
  ...Object.fromEntries(
    [
      ...['getWebhooks', 'getWebhook', 'createWebhook', 'updateWebhook', 'deleteWebhook'],
      ...[
        'getChatWorkspaces',
        'getChatWorkspace',
        'deleteChatWorkspace',
        'chat',
        'get',
        'update',
        'reset',
        'streamCompletion',
      ],
    ].map((name) => [name, 'called in the tests of the extension that has their routes']),
  ),
};
/** Setting, as the methods name it -> a value that is not the default. */
const SETTINGS: Readonly<Record<string, unknown>> = {
  Pagination: { maxTotalHits: 50 },
  Synonyms: { sea: ['ocean'] },
  StopWords: ['the'],
  RankingRules: ['words', 'typo'],
  DistinctAttribute: 'author',
  FilterableAttributes: ['year'],
  SortableAttributes: ['year'],
  SearchableAttributes: ['title'],
  DisplayedAttributes: ['id', 'title'],
  TypoTolerance: { enabled: false },
  Faceting: { maxValuesPerFacet: 7 },
  SeparatorTokens: ['~'],
  NonSeparatorTokens: ['@'],
  Dictionary: ['J.R.R.'],
  ProximityPrecision: 'byAttribute',
  Embedders: { own: { source: 'userProvided', dimensions: 2 } },
  SearchCutoffMs: 150,
  LocalizedAttributes: [{ attributePatterns: ['title'], locales: ['fra'] }],
  ForeignKeys: [{ foreignIndexUid: 'authors', fieldName: 'author' }],
  FacetSearch: false,
  PrefixSearch: 'disabled',
};
type Loose = Record<string, (...args: unknown[]) => unknown>;

describe('every method of the npm client', () => {
  const folder = newDatabaseFolder();
  const called = new Set<string>();
  let server: TestServer;
  let client: Meilisearch;
  let books: Index;

  /** The object, noting which of its methods are called. */
  const noting = <T extends object>(target: T): T =>
    new Proxy(target, {
      get(object, name) {
        const value: unknown = Reflect.get(object, name, object);
        if (typeof value !== 'function') return value;
        return (...args: unknown[]) => {
          called.add(String(name));
          return (value as (...args: unknown[]) => unknown).apply(object, args);
        };
      },
    });

  beforeAll(async () => {
    server = await startTestServer(folder, ['--master-key', MASTER_KEY, ...copyFolders(folder)]);
    client = noting(
      new Meilisearch({ host: server.url, apiKey: MASTER_KEY, defaultWaitOptions: { interval: 10, timeout: 60_000 } }),
    );
    await client.updateExperimentalFeatures(FEATURES);
    books = noting(client.index('books'));
  });
  afterAll(async () => {
    await server.stop();
    removeFolder(folder);
  });

  it('instance', async () => {
    expect(await client.health()).toEqual({ status: 'available' });
    expect(await client.isHealthy()).toBe(true);
    // the version of the reference whose API the server speaks
    expect((await client.getVersion()).pkgVersion).toBe('1.57.0');
    expect(await client.getExperimentalFeatures()).toMatchObject(FEATURES);
    expect((await client.getStats()).databaseSize).toBeGreaterThan(0);
  });

  it('indexes', async () => {
    expect(await client.createIndex('books', { primaryKey: 'id' }).waitTask()).toMatchObject({ status: 'succeeded' });
    await client.createIndex('old').waitTask();
    expect(await client.updateIndex('old', { primaryKey: 'key' }).waitTask()).toMatchObject({ status: 'succeeded' });
    expect(await client.getRawIndex('old')).toMatchObject({ uid: 'old', primaryKey: 'key' });
    expect((await client.getIndex('old')).primaryKey).toBe('key');
    expect((await client.getIndexes({ limit: 1 })).total).toBe(2);
    expect((await client.getRawIndexes()).results.map(({ uid }) => uid)).toEqual(['books', 'old']);
    expect(await client.swapIndexes([{ indexes: ['books', 'old'], rename: false }]).waitTask()).toMatchObject({
      status: 'succeeded',
    });
    await client.swapIndexes([{ indexes: ['books', 'old'], rename: false }]).waitTask();
    expect(await client.deleteIndex('old').waitTask()).toMatchObject({ status: 'succeeded' });
    // the deletion of a missing index is accepted, and fails in its task
    expect(await client.deleteIndexIfExists('old')).toBeTypeOf('boolean');
    expect(await books.getRawInfo()).toMatchObject({ uid: 'books' });
    expect((await books.fetchInfo()).primaryKey).toBe('id');
    expect(await books.fetchPrimaryKey()).toBe('id');
    expect(await books.update({ primaryKey: 'id' }).waitTask()).toMatchObject({ status: 'succeeded' });
    expect(await books.compact().waitTask()).toMatchObject({ status: 'succeeded', type: 'indexCompaction' });
  });

  it('documents', async () => {
    await books.updateFilterableAttributes(['year', 'author']).waitTask();
    expect(await books.addDocuments(BOOKS).waitTask()).toMatchObject({ details: { indexedDocuments: 3 } });
    for (const task of books.addDocumentsInBatches([{ id: 4 }, { id: 5 }], 1)) await task.waitTask();
    for (const task of books.updateDocumentsInBatches([{ id: 4, year: 1 }, { id: 5 }], 1)) await task.waitTask();
    await books.addDocumentsFromString('{"id":6}\n{"id":7}', 'application/x-ndjson' as never).waitTask();
    await books.updateDocumentsFromString('id:number,year:number\n6,1999', 'text/csv' as never).waitTask();
    await books.updateDocuments([{ id: 7, title: 'Seven' }]).waitTask();
    expect(await books.getDocument(6)).toEqual({ id: 6, year: 1999 });
    expect((await books.getDocuments({ filter: 'year = 2011', fields: ['id'] })).results).toEqual([
      { id: 2 },
      { id: 3 },
    ]);
    await books.deleteDocument(4).waitTask();
    await books.deleteDocuments([5, 6]).waitTask();
    expect(await books.deleteDocuments({ filter: 'NOT year EXISTS' }).waitTask()).toMatchObject({
      details: { deletedDocuments: 1 },
    });
    const edit = { function: 'doc.title = doc.title.to_upper()', filter: 'year = 2005' };
    expect(await books.updateDocumentsByFunction(edit).waitTask()).toMatchObject({ status: 'succeeded' });
    expect(await books.getDocument(1)).toMatchObject({ title: 'THE SEA' });
    expect((await books.getStats()).numberOfDocuments).toBe(3);
    expect((await books.getFields({ filter: { attributePatterns: ['ti*'] } })).results).toMatchObject([
      { name: 'title' },
    ]);
  });

  it('searches', async () => {
    expect((await books.search('river')).hits).toMatchObject([{ id: 2 }]);
    expect((await books.searchGet('montain')).hits).toMatchObject([{ id: 3 }]);
    const facet = await books.searchForFacetValues({ facetName: 'author', facetQuery: 'a1' });
    expect(facet.facetHits).toEqual([{ value: 'a1', count: 2 }]);
    const { results } = await client.multiSearch({ queries: [{ indexUid: 'books', q: 'sea' }] });
    expect(results[0]?.hits).toMatchObject([{ id: 1 }]);
  });

  it('similar documents', async () => {
    const shelf = noting(client.index('shelf'));
    await shelf.updateEmbedders({ own: { source: 'userProvided', dimensions: 2 } }).waitTask();
    const documents = [1, 2, 3].map((id) => ({ id, _vectors: { own: [id, 1] } }));
    await shelf.addDocuments(documents).waitTask();
    const { hits } = await shelf.searchSimilarDocuments({ id: 1, embedder: 'own', limit: 1 });
    expect(hits).toMatchObject([{ id: 2 }]);
    await shelf.delete().waitTask();
  });

  it('settings', async () => {
    const loose = books as unknown as Loose;
    const defaults = await books.getSettings();
    for (const [name, value] of Object.entries(SETTINGS)) {
      const before = await loose[`get${name}`]!();
      const task = await (loose[`update${name}`]!(value) as ReturnType<Index['resetSettings']>).waitTask();
      expect([name, task.status]).toEqual([name, 'succeeded']);
      const after = await loose[`get${name}`]!();
      if (typeof value === 'object' && !Array.isArray(value)) expect(after).toMatchObject(value!);
      else expect(after).toEqual(value);
      expect(after).not.toEqual(name === 'FilterableAttributes' ? undefined : before);
      await (loose[`reset${name}`]!() as ReturnType<Index['resetSettings']>).waitTask();
    }
    await books.updateChat({ description: 'All the books' }).waitTask();
    expect(await books.getChat()).toMatchObject({ description: 'All the books' });
    expect(await books.updateSettings({ stopWords: ['a'] }).waitTask()).toMatchObject({ status: 'succeeded' });
    await books.resetSettings().waitTask();
    expect(await books.getSettings()).toEqual({ ...defaults, filterableAttributes: [] });
  });

  it('keys', async () => {
    const created = await client.createKey({ actions: ['search'], indexes: ['books'], expiresAt: null, name: 'one' });
    expect(await client.updateKey(created.uid, { name: 'two' })).toMatchObject({ name: 'two' });
    expect(await client.getKey(created.key)).toMatchObject({ uid: created.uid, name: 'two' });
    expect((await client.getKeys()).results.map(({ uid }) => uid)).toContain(created.uid);
    await client.deleteKey(created.uid);
    await expect(client.getKey(created.uid)).rejects.toMatchObject({ cause: { code: 'api_key_not_found' } });
  });

  it('rules and the network', async () => {
    const actions = [{ selector: { indexUid: 'books', id: '1' }, action: { type: 'pin' as const, position: 0 } }];
    await client.updateDynamicSearchRule('promo', { active: true, actions }).waitTask();
    expect(await client.getDynamicSearchRule('promo')).toMatchObject({ uid: 'promo', actions });
    expect((await client.getDynamicSearchRules()).results).toHaveLength(1);
    await client.deleteDynamicSearchRule('promo').waitTask();
    expect(await client.deleteAllDynamicSearchRules().waitTask()).toMatchObject({ status: 'succeeded' });
    expect(await client.updateNetwork({ self: 'me', remotes: { me: { url: server.url } } } as never)).toMatchObject({
      self: 'me',
    });
    expect(await client.getNetwork()).toMatchObject({ remotes: { me: { url: server.url } } });
  });

  it('templates', async () => {
    const template = { kind: 'inlineDocumentTemplate', inline: '{{ doc.title }}' };
    const input = { kind: 'indexDocument', indexUid: 'books', id: '2' };
    expect(await client.renderTemplate({ template, input } as never)).toMatchObject({ rendered: 'The River' });
  });

  it.runIf(HAS_COPIES)('tasks, batches, dumps and snapshots', async () => {
    expect(await client.createDump().waitTask()).toMatchObject({ status: 'succeeded', type: 'dumpCreation' });
    const [tasks, batches] = [noting(client.tasks), noting(client.batches)];
    const page = await tasks.getTasks({ limit: 2, types: ['dumpCreation'] });
    expect(page.results).toMatchObject([{ type: 'dumpCreation' }]);
    expect(await tasks.getTask(page.results[0]!.uid)).toMatchObject({ status: 'succeeded' });
    const { uid } = page.results[0]!;
    expect(await tasks.waitForTask(uid)).toMatchObject({ uid, status: 'succeeded' });
    expect(await tasks.waitForTasks([uid, 0])).toMatchObject([{ uid }, { uid: 0 }]);
    for await (const task of tasks.waitForTasksIter([uid])) expect(task).toMatchObject({ uid });
    await expect(tasks.getTaskDocuments(uid)).rejects.toMatchObject({ cause: { code: 'task_file_not_found' } });
    expect(await tasks.cancelTasks({ statuses: ['enqueued'] }).waitTask()).toMatchObject({ status: 'succeeded' });
    expect(await tasks.deleteTasks({ types: ['dumpCreation'] }).waitTask()).toMatchObject({
      details: { deletedTasks: 1 },
    });
    const listed = await batches.getBatches({ limit: 1 });
    expect(await batches.getBatch(listed.results[0]!.uid)).toMatchObject({ uid: listed.results[0]!.uid });
    expect((await client.createSnapshot()).type).toBe('snapshotCreation');
    expect(await books.deleteAllDocuments().waitTask()).toMatchObject({ details: { deletedDocuments: 3 } });
    expect(await books.delete().waitTask()).toMatchObject({ status: 'succeeded' });
  });

  // some methods make copies: without them not all can be called
  it.runIf(HAS_COPIES)('was called', () => {
    const methodsOf = (target: object): string[] => Object.getOwnPropertyNames(Object.getPrototypeOf(target));
    const plain = new Meilisearch({ host: 'http://a' });
    const all = [plain, plain.index('a'), plain.tasks, plain.batches, plain.chat('a')].flatMap(methodsOf);
    expect(all.filter((name) => !called.has(name) && !(name in LEFT_OUT))).toEqual([]);
  });
});
