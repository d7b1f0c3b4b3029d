import { expect } from 'vitest';
import { COPIES, HAS_COPIES } from '../e2e/dumping-server.test-support.js';
import { DATE_TIME, DURATION, type Loose, part, walked } from './walk.test-support.js';

const walk = walked(async (w) => {
  await w.done('POST', '/indexes/books/documents', [{ id: 1 }, { id: 2 }]);
  await w.done('POST', '/indexes/films/documents', [{ id: 1 }]);
});
const done = (method: string, path: string, body?: unknown): Promise<Loose> => walk.done(method, path, body);
const list = async (query: string): Promise<Loose> => (await walk.call('GET', `/tasks?${query}`)).body;
const failing = (): Promise<Loose> => done('POST', '/indexes', { uid: 'books' });
/** Keeps the writer busy for a while: after it, tasks stay enqueued. Answers its uid. */
async function busy(): Promise<number> {
  const documents = Array.from({ length: 20_000 }, (_, id) => ({
    id,
    text: `word${id} other${id * 7} third${id % 977}`,
  }));
  return (await walk.call('POST', '/indexes/busy/documents', documents)).body.taskUid;
}

const fields = part('Task');
fields('uid is sequential across all indexes', async () => {
  const [a, b] = [await done('POST', '/indexes/books/documents', [{ id: 1 }]), await done('DELETE', '/indexes/none')];
  expect(b.uid).toBe(a.uid + 1);
});
fields('batchUid is the uid of its batch', async () => {
  const { batchUid, uid } = await done('POST', '/indexes/books/documents', [{ id: 1 }]);
  expect((await list(`batchUids=${batchUid}`)).results.map((each: Loose) => each.uid)).toContain(uid);
});
fields('indexUid is the index, null for global tasks', async () => {
  expect((await done('POST', '/indexes/books/documents', [{ id: 1 }])).indexUid).toBe('books');
  expect((await done('POST', '/tasks/cancel?uids=0')).indexUid).toBeNull();
});
fields('error has message, code, type and link, and only when failed', async () => {
  const { status, error } = await failing();
  expect([status, Object.keys(error)]).toEqual(['failed', ['message', 'code', 'type', 'link']]);
  expect((await done('POST', '/indexes/books/documents', [{ id: 1 }])).error).toBeNull();
});
fields('duration is ISO 8601; enqueuedAt, startedAt, finishedAt are RFC 3339', async () => {
  const { duration, enqueuedAt, startedAt, finishedAt } = await done('POST', '/indexes/books/documents', [{ id: 1 }]);
  expect(duration).toMatch(DURATION);
  for (const date of [enqueuedAt, startedAt, finishedAt]) expect(date).toMatch(DATE_TIME);
});

const details = part('Task details');
const SETTINGS = [
  'rankingRules',
  'filterableAttributes',
  'distinctAttribute',
  'searchableAttributes',
  'displayedAttributes',
  'sortableAttributes',
  'stopWords',
  'synonyms',
  'typoTolerance',
  'pagination',
  'faceting',
];
details('documentAdditionOrUpdate: receivedDocuments, indexedDocuments', async () => {
  expect((await done('POST', '/indexes/books/documents', [{ id: 1 }, { id: 3 }])).details).toEqual({
    receivedDocuments: 2,
    indexedDocuments: 2,
  });
});
details('while enqueued or processing, what is counted later is null', async () => {
  await busy();
  const uids: readonly number[] = await Promise.all(
    [
      ['POST', '/indexes/late/documents', [{ id: 1 }]],
      ['POST', '/indexes/late/documents/delete-batch', [1]],
      ['DELETE', '/indexes/late'],
      ...COPIES.slice(0, 1).map((path) => ['POST', path]),
    ].map(async ([method, path, body]) => (await walk.call(String(method), String(path), body)).body.taskUid),
  );
  const { results } = await list(`uids=${uids.join(',')}&reverse=true`);
  const seen = results.filter(({ status }: Loose) => status === 'enqueued' || status === 'processing');
  for (const { type, details: shown } of seen) {
    const name =
      { documentAdditionOrUpdate: 'indexedDocuments', dumpCreation: 'dumpUid' }[type as string] ?? 'deletedDocuments';
    expect([type, shown[name]]).toEqual([type, null]);
  }
  await Promise.all(uids.map((uid) => walk.task(uid)));
});
details('documentDeletion: providedIds, originalFilter, deletedDocuments', async () => {
  await done('POST', '/indexes/gone/documents', [{ id: 1 }, { id: 2 }]);
  await done('PUT', '/indexes/gone/settings/filterable-attributes', ['id']);
  expect((await done('POST', '/indexes/gone/documents/delete-batch', [1, 9])).details).toEqual({
    providedIds: 2,
    deletedDocuments: 1,
    originalFilter: null,
  });
  expect((await done('POST', '/indexes/gone/documents/delete', { filter: 'id = 2' })).details).toMatchObject({
    originalFilter: '"id = 2"',
    deletedDocuments: 1,
  });
});
details('indexCreation and indexUpdate: primaryKey', async () => {
  expect((await done('POST', '/indexes', { uid: 'i', primaryKey: 'k' })).details).toEqual({ primaryKey: 'k' });
  expect((await done('PATCH', '/indexes/i', { primaryKey: 'l' })).details).toMatchObject({ primaryKey: 'l' });
});
details('indexDeletion: deletedDocuments is the count of documents', async () => {
  await done('POST', '/indexes/three/documents', [{ id: 1 }, { id: 2 }, { id: 3 }]);
  expect((await done('DELETE', '/indexes/three')).details).toEqual({ deletedDocuments: 3 });
});
details('indexSwap: swaps', async () => {
  const task = await done('POST', '/swap-indexes', [{ indexes: ['books', 'films'] }]);
  expect(task.details.swaps).toMatchObject([{ indexes: ['books', 'films'] }]);
});
details('settingsUpdate: the settings that were sent', async () => {
  const settings = Object.fromEntries(SETTINGS.map((name) => [name, null]));
  expect((await done('PATCH', '/indexes/books/settings', settings)).details).toEqual(settings);
});
details('dumpCreation: dumpUid is the name of the file', async () => {
  if (!HAS_COPIES) return;
  const { dumpUid } = (await done('POST', '/dumps')).details;
  expect(dumpUid).toMatch(/^\d{8}-\d{9}$/);
});
details('taskCancelation and taskDeletion: matchedTasks, canceledTasks or deletedTasks, originalFilter', async () => {
  const { uid } = await failing();
  expect((await done('POST', `/tasks/cancel?uids=${uid}`)).details).toEqual({
    matchedTasks: 1,
    canceledTasks: 0,
    originalFilter: `?uids=${uid}`,
  });
  expect((await done('DELETE', `/tasks?uids=${uid}`)).details).toEqual({
    matchedTasks: 1,
    deletedTasks: 1,
    originalFilter: `?uids=${uid}`,
  });
});
details('snapshotCreation: null', async () => {
  if (!HAS_COPIES) return;
  expect(await done('POST', '/snapshots')).toMatchObject({ status: 'succeeded', details: null });
});

const summary = part('Summarized task');
summary('has taskUid, indexUid, status enqueued, type and enqueuedAt', async () => {
  const { body } = await walk.call('POST', '/indexes/books/documents', [{ id: 1 }]);
  expect(body).toEqual({
    taskUid: expect.any(Number),
    indexUid: 'books',
    status: 'enqueued',
    type: 'documentAdditionOrUpdate',
    enqueuedAt: expect.stringMatching(DATE_TIME),
  });
});

const states = part('Task status');
states('enqueued or processing becomes canceled; canceledBy and canceledTasks say so', async () => {
  const first = await busy();
  const { body } = await walk.call('POST', '/indexes/waiting/documents', [{ id: 1 }]);
  const canceled = await done('POST', `/tasks/cancel?uids=${first},${body.taskUid}`);
  const tasks = [await walk.task(first), await walk.task(body.taskUid)].filter(({ status }) => status === 'canceled');
  expect(canceled.details).toMatchObject({ matchedTasks: 2, canceledTasks: tasks.length });
  expect(tasks.length).toBeGreaterThan(0);
  for (const task of tasks) expect(task).toMatchObject({ canceledBy: canceled.uid, error: null });
});
states('a finished task is not canceled, and the cancelation succeeds', async () => {
  const { uid } = await done('POST', '/indexes/books/documents', [{ id: 1 }]);
  const canceled = await done('POST', `/tasks/cancel?uids=${uid}`);
  expect(canceled).toMatchObject({ status: 'succeeded', details: { matchedTasks: 1, canceledTasks: 0 } });
  expect((await walk.task(uid)).status).toBe('succeeded');
});
states('a finished task that is deleted answers task_not_found', async () => {
  const { uid } = await done('POST', '/indexes/books/documents', [{ id: 1 }]);
  await done('DELETE', `/tasks?uids=${uid}`);
  expect((await walk.call('GET', `/tasks/${uid}`)).body.code).toBe('task_not_found');
});
states('an unfinished task is matched by a deletion and stays', async () => {
  await busy();
  const waiting = (await walk.call('POST', '/indexes/waiting/documents', [{ id: 1 }])).body.taskUid;
  const deleted = await done('DELETE', `/tasks?uids=${waiting}`);
  expect(deleted.status).toBe('succeeded');
  expect(deleted.details.matchedTasks).toBe(1);
  if (deleted.details.deletedTasks === 0) expect((await walk.task(waiting)).status).toBe('succeeded');
});

states('cancelation is atomic: all that is matched and not over is canceled by one task', async () => {
  await busy();
  const uids: number[] = [];
  for (let id = 0; id < 30; id++)
    uids.push((await walk.call('POST', '/indexes/atom/documents', [{ id }])).body.taskUid);
  const cancelation = await done('POST', '/tasks/cancel?indexUids=atom');
  const { results } = await list(`uids=${uids.join(',')}&limit=100`);
  const canceled = results.filter(({ status }: Loose) => status === 'canceled');
  expect(cancelation.details).toMatchObject({ matchedTasks: 30, canceledTasks: canceled.length });
  for (const { status, canceledBy } of results)
    expect([status, canceledBy]).toEqual(status === 'succeeded' ? [status, null] : ['canceled', cancelation.uid]);
});
states('deletion is atomic: all that is matched and over is removed by one task', async () => {
  for (let id = 0; id < 5; id++) await done('POST', '/indexes/removed/documents', [{ id }]);
  const { total } = await list('indexUids=removed');
  const { details: counts } = await done('DELETE', '/tasks?indexUids=removed');
  expect(counts).toMatchObject({ matchedTasks: total, deletedTasks: total });
  expect((await list('indexUids=removed')).total).toBe(0);
});
states('an enqueued task is left as it is when its index is swapped', async () => {
  for (const uid of ['one', 'two']) await done('POST', `/indexes/${uid}/documents`, [{ id: uid }]);
  await busy();
  const swap = (await walk.call('POST', '/swap-indexes', [{ indexes: ['one', 'two'] }])).body.taskUid;
  const late = (await walk.call('POST', '/indexes/one/documents', [{ id: 'late' }])).body.taskUid;
  await walk.task(swap);
  expect(await walk.task(late)).toMatchObject({ status: 'succeeded', indexUid: 'one' });
  const { results } = (await walk.call('GET', '/indexes/one/documents')).body;
  expect(results.map(({ id }: Loose) => id).sort()).toEqual(['late', 'two']);
});

const routes = part('Tasks');
routes('GET /tasks is in descending order, from the last, 20 at once', async () => {
  for (let i = 0; i < 12; i++) await done('DELETE', '/indexes/none');
  const { results, limit, from, next, total } = await list('');
  const uids = results.map(({ uid }: Loose) => uid);
  expect([limit, from, uids.length]).toEqual([20, uids[0], 20]);
  expect(uids).toEqual([...uids].sort((left: number, right: number) => right - left));
  expect(next).toBe((await list(`from=${next}&limit=1`)).results[0].uid);
  expect(total).toBeGreaterThan(20);
});
routes('next is null when there are no more', async () => {
  expect((await list('limit=100000')).next).toBeNull();
});
routes('reverse lists the oldest first', async () => {
  const uids = (await list('reverse=true&limit=3')).results.map(({ uid }: Loose) => uid);
  expect(uids).toEqual([...uids].sort((left: number, right: number) => left - right));
});
routes('uids, batchUids, statuses, types and indexUids are lists separated by commas, and filter', async () => {
  const { uid, batchUid } = await failing();
  const other = await done('POST', '/indexes/books/documents', [{ id: 1 }]);
  const uidsOf = async (query: string) => (await list(`${query}&limit=1000`)).results.map((task: Loose) => task.uid);
  expect(await uidsOf(`uids=${uid},${other.uid}`)).toEqual([other.uid, uid]);
  expect(await uidsOf(`batchUids=${batchUid},${other.batchUid}`)).toEqual([other.uid, uid]);
  for (const [query, name, allowed] of [
    ['statuses=failed,canceled', 'status', ['failed', 'canceled']],
    ['types=indexCreation,indexDeletion', 'type', ['indexCreation', 'indexDeletion']],
    ['indexUids=books,films', 'indexUid', ['books', 'films']],
  ] as const)
    for (const task of (await list(`${query}&limit=1000`)).results) expect(allowed).toContain(task[name]);
});
routes('indexUids are case-sensitive', async () => {
  expect((await list('indexUids=BOOKS')).total).toBe(0);
});
routes('total counts what the filter matches', async () => {
  const { total, results } = await list('types=indexCreation&limit=1000');
  expect(total).toBe(results.length);
});
routes('canceledBy filters by the uid of the cancelation', async () => {
  const canceled = (await list('statuses=canceled&limit=1')).results[0];
  const { results } = await list(`canceledBy=${canceled.canceledBy}`);
  expect(results.length).toBeGreaterThan(0);
  for (const task of results) expect(task.canceledBy).toBe(canceled.canceledBy);
});
for (const moment of ['Enqueued', 'Started', 'Finished'])
  routes(`before${moment}At and after${moment}At filter strictly by the date`, async () => {
    const task = (await list('statuses=succeeded&limit=1')).results[0];
    const date = encodeURIComponent(task[`${moment.toLowerCase()}At`]);
    for (const side of ['before', 'after']) {
      const uids = (await list(`${side}${moment}At=${date}&limit=1000`)).results.map(({ uid }: Loose) => uid);
      expect(uids).not.toContain(task.uid);
    }
    const earlier = encodeURIComponent('2020-01-01T00:00:00Z');
    expect((await list(`after${moment}At=${earlier}&uids=${task.uid}`)).total).toBe(1);
    expect((await list(`before${moment}At=${earlier}`)).total).toBe(0);
  });
for (const [method, path, type] of [
  ['POST', '/tasks/cancel', 'taskCancelation'],
  ['DELETE', '/tasks', 'taskDeletion'],
] as const) {
  routes(`${method} ${path} needs a filter, * means all`, async () => {
    expect(await walk.call(method, path)).toMatchObject({ status: 400, body: { code: 'missing_task_filters' } });
    for (const filter of [
      'uids=999999',
      'statuses=canceled',
      'types=indexSwap',
      'indexUids=none',
      'beforeEnqueuedAt=2020-01-01',
    ])
      expect((await walk.call(method, `${path}?${filter}`)).status).toBe(200);
    if (method === 'POST') expect((await done(method, `${path}?statuses=*`)).details.matchedTasks).toBeGreaterThan(0);
  });
  routes(`${method} ${path} answers 200 with a summarized task without index`, async () => {
    const { status, body } = await walk.call(method, `${path}?uids=999999`);
    expect([status, body.type, body.indexUid]).toEqual([200, type, null]);
  });
}

const batches = part('Batch');
const listBatches = async (query: string): Promise<Loose> => (await walk.call('GET', `/batches?${query}`)).body;
batches('uid begins at 0 and increases by one', async () => {
  const uids = (await listBatches('reverse=true&limit=3')).results.map(({ uid }: Loose) => uid);
  expect(uids).toEqual([0, 1, 2]);
});
batches('has progress null, duration, dates and a strategy once it is processed', async () => {
  const { batchUid } = await done('POST', '/indexes/books/documents', [{ id: 1 }]);
  const { status, body } = await walk.call('GET', `/batches/${batchUid}`);
  expect(status).toBe(200);
  expect(body).toMatchObject({ uid: batchUid, progress: null, duration: expect.stringMatching(DURATION) });
  for (const date of [body.startedAt, body.finishedAt]) expect(date).toMatch(DATE_TIME);
  expect(body.batchStrategy).toBeTypeOf('string');
  expect(body.details).toMatchObject({ receivedDocuments: 1, indexedDocuments: 1 });
});
batches('stats: totals, five statuses, types, indexes, and trace', async () => {
  const { batchUid } = await done('POST', '/indexes/books/documents', [{ id: 1 }]);
  const { stats } = (await walk.call('GET', `/batches/${batchUid}`)).body;
  expect(stats).toMatchObject({ totalNbTasks: 1, types: { documentAdditionOrUpdate: 1 }, indexUids: { books: 1 } });
  const statuses = { enqueued: 0, processing: 0, succeeded: 1, failed: 0, canceled: 0 };
  expect(stats.status).toEqual(statuses);
  expect(stats.progressTrace).toBeTypeOf('object');
});
const SIZE_AND_CHANGE = /^[\d.]+ ([KMGT]i)?B \([+-][\d.]+ ([KMGT]i)?B\)$/;
batches('stats: congestion of the writer and sizes of the stores, with their change', async () => {
  const statsOf = async ({ batchUid }: Loose) => (await walk.call('GET', `/batches/${batchUid}`)).body.stats;
  const stats = await statsOf(await done('POST', '/indexes/sized/documents', [{ id: 1, text: 'wave '.repeat(9_000) }]));
  expect(stats.writeChannelCongestion).toEqual({
    attempts: expect.any(Number),
    blocking_attempts: expect.any(Number),
    blocking_ratio: expect.any(Number),
    waitedForExtraction: '0.00ns',
    waitedForDisk: expect.stringMatching(/^\d+\.\d\d(ns|µs|ms|s)$/),
  });
  expect(Object.keys(stats.internalDatabaseSizes).sort()).toEqual([
    'documents',
    'externalDocumentsIds',
    'main',
    'segments',
  ]);
  for (const size of Object.values(stats.internalDatabaseSizes)) expect(size).toMatch(SIZE_AND_CHANGE);
  expect(stats.internalDatabaseSizes.documents).toMatch(/^4[48] KiB \(\+4[48] KiB\)$/);
  const after = (await statsOf(await done('DELETE', '/indexes/sized'))).internalDatabaseSizes;
  for (const size of Object.values(after)) expect(size).toMatch(/^0 B \(-/);
});
batches('stats: congestion and sizes are there also where nothing was written', async () => {
  const { batchUid } = await done('POST', '/tasks/cancel?uids=0');
  const { stats } = (await walk.call('GET', `/batches/${batchUid}`)).body;
  expect(stats.writeChannelCongestion).toMatchObject({ attempts: 0, blocking_attempts: 0, blocking_ratio: 0 });
  expect(stats.internalDatabaseSizes).toEqual({});
});
batches('progress has steps and a percentage while it is processing, and duration is null', async () => {
  const uid = await busy();
  for (let tries = 0; tries < 400; tries++) {
    const batch = (await listBatches('limit=1')).results[0];
    if (batch.progress === null) {
      if ((await walk.call('GET', `/tasks/${uid}`)).body.finishedAt !== null) break;
      continue;
    }
    expect(batch.duration).toBeNull();
    expect(batch.progress.percentage).toBeTypeOf('number');
    const step = { currentStep: expect.any(String), finished: expect.any(Number), total: expect.any(Number) };
    for (const each of batch.progress.steps) expect(each).toEqual(step);
    if (batch.progress.steps.length > 0) break;
  }
  await walk.task(uid);
});
batches('GET /batches is in descending order with total, limit, from and next', async () => {
  const { results, limit, from, next, total } = await listBatches('');
  expect([limit, from]).toEqual([20, results[0].uid]);
  const uids = results.map(({ uid }: Loose) => uid);
  expect(uids).toEqual(uids.toSorted((a: number, b: number) => b - a));
  // batches whose tasks were deleted are gone
  expect((await listBatches(`from=${results.at(-1).uid - 1}&limit=1`)).results[0].uid).toBe(next);
  expect(total).toBeGreaterThan(20);
});
batches('filters look at the tasks inside', async () => {
  const { uid, batchUid } = await failing();
  const found = async (query: string) =>
    (await listBatches(`${query}&limit=1000`)).results.map((each: Loose) => each.uid);
  expect(await found(`uids=${uid}`)).toEqual([batchUid]);
  expect(await found(`batchUids=${batchUid}`)).toEqual([batchUid]);
  for (const query of ['indexUids=books', 'statuses=failed', 'types=indexCreation'])
    expect([query, (await found(query)).includes(batchUid)]).toEqual([query, true]);
  for (const query of ['indexUids=films', 'statuses=canceled', 'types=dumpCreation', 'beforeEnqueuedAt=2020-01-01'])
    expect([query, (await found(query)).includes(batchUid)]).toEqual([query, false]);
});
