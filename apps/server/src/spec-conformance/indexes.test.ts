import { expect } from 'vitest';
import { DATE_TIME, type Loose, part, walked } from './walk.test-support.js';

const walk = walked(async (w) => {
  await w.done('POST', '/indexes/books/documents', [
    { id: 1, title: 'Sea', year: 1 },
    { id: 2, title: 'River' },
  ]);
});
const index = async (uid: string): Promise<Loose> => (await walk.call('GET', `/indexes/${uid}`)).body;

const fields = part('Index');
fields('uid is unique', async () => {
  const task = await walk.done('POST', '/indexes', { uid: 'books' });
  expect(task).toMatchObject({ status: 'failed', error: { code: 'index_already_exists' } });
});
fields('createdAt and updatedAt are RFC 3339, set on creation, updatedAt also on update', async () => {
  await walk.done('POST', '/indexes', { uid: 'dated' });
  const before = await index('dated');
  for (const date of [before.createdAt, before.updatedAt]) expect(date).toMatch(DATE_TIME);
  await walk.done('PATCH', '/indexes/dated', { primaryKey: 'k' });
  const after = await index('dated');
  expect(after.createdAt).toBe(before.createdAt);
  expect(after.updatedAt > before.updatedAt).toBe(true);
});
fields('primaryKey is null, and guessed from the first document added', async () => {
  await walk.done('POST', '/indexes', { uid: 'guessed' });
  expect((await index('guessed')).primaryKey).toBeNull();
  await walk.done('POST', '/indexes/guessed/documents', [{ book_id: 1, title: 'x' }]);
  expect((await index('guessed')).primaryKey).toBe('book_id');
});

const routes = part('Indexes');
routes('GET /indexes has offset 0, limit 20, total and results', async () => {
  const { status, body } = await walk.call('GET', '/indexes');
  expect([status, body.offset, body.limit, body.total]).toEqual([200, 0, 20, body.results.length]);
  const second = (await walk.call('GET', '/indexes?offset=1&limit=1')).body;
  expect(second).toMatchObject({ offset: 1, limit: 1, total: body.total, results: [body.results[1]] });
});
routes('GET /indexes/{index_uid} answers 200 with the index', async () => {
  const { status, body } = await walk.call('GET', '/indexes/books');
  expect(status).toBe(200);
  expect(Object.keys(body).sort()).toEqual(['createdAt', 'primaryKey', 'uid', 'updatedAt']);
});
routes('POST answers 202, uid is required, primaryKey is null by default', async () => {
  const { status, body } = await walk.call('POST', '/indexes', { uid: 'made' });
  expect([status, body.type, body.status]).toEqual([202, 'indexCreation', 'enqueued']);
  expect(await walk.task(body.taskUid)).toMatchObject({ details: { primaryKey: null } });
  expect((await walk.call('POST', '/indexes', { primaryKey: 'id' })).body.code).toBe('missing_index_uid');
});
routes('PATCH answers 202 and sets the primary key', async () => {
  await walk.done('POST', '/indexes', { uid: 'patched' });
  const { status, body } = await walk.call('PATCH', '/indexes/patched', { primaryKey: 'key' });
  expect([status, body.type]).toEqual([202, 'indexUpdate']);
  expect((await walk.task(body.taskUid)).details).toMatchObject({ primaryKey: 'key' });
  expect((await index('patched')).primaryKey).toBe('key');
});
routes('DELETE answers 202 and deletes', async () => {
  await walk.done('POST', '/indexes/short/documents', [{ id: 1 }, { id: 2 }]);
  const { status, body } = await walk.call('DELETE', '/indexes/short');
  expect(status).toBe(202);
  expect((await walk.task(body.taskUid)).details).toEqual({ deletedDocuments: 2 });
  expect((await walk.call('GET', '/indexes/short')).body.code).toBe('index_not_found');
});

const swaps = part('Swap');
swaps(
  'takes one object a pair, several pairs a request, and answers a summarized task with indexUid null',
  async () => {
    for (const uid of ['a', 'b', 'c', 'd']) await walk.done('POST', `/indexes/${uid}/documents`, [{ id: uid }]);
    const body = [{ indexes: ['a', 'b'] }, { indexes: ['c', 'd'] }];
    const { body: summary } = await walk.call('POST', '/swap-indexes', body);
    expect(summary).toMatchObject({ type: 'indexSwap', indexUid: null, status: 'enqueued' });
    expect((await walk.task(summary.taskUid)).details.swaps).toMatchObject(body);
    for (const [uid, id] of [
      ['a', 'b'],
      ['b', 'a'],
      ['c', 'd'],
      ['d', 'c'],
    ] as const)
      expect((await walk.call('GET', `/indexes/${uid}/documents`)).body.results).toEqual([{ id }]);
  },
);
swaps('refuses other than two indexes', async () => {
  for (const indexes of [['a'], ['a', 'b', 'c'], 'a'])
    expect((await walk.call('POST', '/swap-indexes', [{ indexes }])).status).toBe(400);
  expect((await walk.call('POST', '/swap-indexes', [{}])).status).toBe(400);
});
swaps('an empty array is valid and performs no swap', async () => {
  expect(await walk.done('POST', '/swap-indexes', [])).toMatchObject({ status: 'succeeded', details: { swaps: [] } });
});
swaps('exchanges the indexes in the history of tasks', async () => {
  const { uid } = await walk.done('POST', '/indexes/e/documents', [{ id: 1 }]);
  await walk.done('POST', '/indexes/f/documents', [{ id: 1 }]);
  await walk.done('POST', '/swap-indexes', [{ indexes: ['e', 'f'] }]);
  expect((await walk.call('GET', `/tasks/${uid}`)).body.indexUid).toBe('f');
});
swaps('with an index that the key may not touch is refused as a whole', async () => {
  const key = (await walk.call('POST', '/keys', { actions: ['indexes.swap'], indexes: ['a', 'b'], expiresAt: null }))
    .body.key;
  expect((await walk.call('POST', '/swap-indexes', [{ indexes: ['a', 'c'] }], key)).status).toBe(403);
  expect((await walk.call('POST', '/swap-indexes', [{ indexes: ['a', 'b'] }], key)).status).toBe(202);
});

const stats = part('Stats');
stats('databaseSize and usedDatabaseSize are bytes, used not above claimed', async () => {
  const { status, body } = await walk.call('GET', '/stats');
  expect(status).toBe(200);
  expect(Number.isInteger(body.databaseSize) && Number.isInteger(body.usedDatabaseSize)).toBe(true);
  expect(body.usedDatabaseSize).toBeGreaterThan(0);
  expect(body.databaseSize).toBeGreaterThanOrEqual(body.usedDatabaseSize);
});
stats('lastUpdate is RFC 3339', async () => {
  expect((await walk.call('GET', '/stats')).body.lastUpdate).toMatch(DATE_TIME);
});
stats('indexes has one entry an index, equal to that of the index', async () => {
  const { body } = await walk.call('GET', '/stats');
  const one = await walk.call('GET', '/indexes/books/stats');
  expect(one.status).toBe(200);
  expect(body.indexes.books).toEqual(one.body);
});
stats('numberOfDocuments, rawDocumentDbSize, avgDocumentSize and isIndexing', async () => {
  const { body } = await walk.call('GET', '/indexes/books/stats');
  expect(body).toMatchObject({ numberOfDocuments: 2, isIndexing: false });
  expect(body.rawDocumentDbSize).toBeGreaterThan(0);
  expect(Number.isInteger(body.avgDocumentSize) && body.avgDocumentSize > 0).toBe(true);
});
stats('indexSize is the bytes of the index on disk, usedIndexSize those in use', async () => {
  const { body } = await walk.call('GET', '/indexes/books/stats');
  expect(body.usedIndexSize).toBeGreaterThan(body.rawDocumentDbSize);
  expect(body.indexSize).toBeGreaterThanOrEqual(body.usedIndexSize);
  const all = (await walk.call('GET', '/stats')).body;
  expect(all.databaseSize).toBeGreaterThanOrEqual(body.indexSize);
});
stats('internalDatabaseSizes only when asked for, largest first, as bytes or for people', async () => {
  const plain = (await walk.call('GET', '/indexes/books/stats')).body;
  expect(plain).not.toHaveProperty('internalDatabaseSizes');
  const { internalDatabaseSizes: sizes, ...others } = (
    await walk.call('GET', '/indexes/books/stats?showInternalDatabaseSizes=true')
  ).body;
  expect(others).toEqual(plain);
  expect(Object.keys(sizes).sort()).toEqual(['documents', 'externalDocumentsIds', 'main', 'segments']);
  for (const bytes of Object.values(sizes)) expect(Number(bytes) % 4096).toBe(0);
  expect(Object.values(sizes)).toEqual(Object.values(sizes).toSorted((a, b) => Number(b) - Number(a)));
  const { indexes } = (await walk.call('GET', '/stats?showInternalDatabaseSizes=true&sizeFormat=human')).body;
  expect(Object.keys(indexes.books.internalDatabaseSizes)).toEqual(Object.keys(sizes));
  for (const size of Object.values(indexes.books.internalDatabaseSizes)) expect(size).toMatch(/^[\d.]+ (Ki)?B$/);
});
stats('numberOfEmbeddedDocuments counts documents with an embedding, numberOfEmbeddings the embeddings', async () => {
  await walk.done('PATCH', '/indexes/vectors/settings', {
    embedders: { e: { source: 'userProvided', dimensions: 2 } },
  });
  const documents = [
    {
      id: 1,
      _vectors: {
        e: [
          [1, 2],
          [3, 4],
        ],
      },
    },
    { id: 2, _vectors: { e: [1, 2] } },
    { id: 3, _vectors: { e: null } },
  ];
  await walk.done('POST', '/indexes/vectors/documents', documents);
  const { body } = await walk.call('GET', '/indexes/vectors/stats');
  expect(body).toMatchObject({ numberOfDocuments: 3, numberOfEmbeddedDocuments: 2, numberOfEmbeddings: 3 });
});
stats('fieldDistribution counts every field, whatever is searchable or displayed', async () => {
  await walk.done('PATCH', '/indexes/books/settings', { searchableAttributes: ['title'], displayedAttributes: ['id'] });
  expect((await walk.call('GET', '/indexes/books/stats')).body.fieldDistribution).toEqual({ id: 2, title: 2, year: 1 });
});
