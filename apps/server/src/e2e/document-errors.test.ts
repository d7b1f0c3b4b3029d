import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { copyFolders, HAS_COPIES } from './dumping-server.test-support.js';
import { newDatabaseFolder, removeFolder, type TestServer, type WireTask } from './server-process.test-support.js';
import { startTestServer } from './test-server.test-support.js';

const MASTER_KEY = 'aMasterKeyOfSixteen';
const NDJSON = { 'content-type': 'application/x-ndjson' };
const CSV = { 'content-type': 'text/csv' };
/** Lines 2 and 3 are faulty when they are received, line 5 when it is indexed. */
const LINES = '{"id":1,"title":"one"}\n{"id":\n[7]\n\n{"title":"none"}\n{"id":6,"title":"six"}\n';

interface ErrorRow {
  readonly id: string | null;
  readonly line: number | null;
  readonly code: string;
  readonly reason: string;
}
interface ErrorsPage {
  readonly results: readonly ErrorRow[];
  readonly offset: number;
  readonly limit: number;
  readonly total: number;
}

const folder = newDatabaseFolder();
const dumpFolder = join(folder, 'dumps');
const OPTIONS = ['--master-key', MASTER_KEY, ...copyFolders(folder)];
let server: TestServer;
beforeAll(async () => {
  server = await startTestServer(folder, OPTIONS);
});
afterAll(async () => {
  await server.stop();
  removeFolder(folder);
});

const call = <T>(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
  server.call<T>(method, path, body, { authorization: `Bearer ${MASTER_KEY}`, ...headers });
async function write(
  path: string,
  body: unknown,
  headers?: Record<string, string>,
  method = 'POST',
): Promise<WireTask> {
  const { status, body: receipt } = await call<{ taskUid: number }>(method, path, body, headers);
  expect(status).toBe(202);
  for (;;) {
    const { body: task } = await call<WireTask>('GET', `/tasks/${receipt.taskUid}`);
    if (task.status !== 'enqueued' && task.status !== 'processing') return task;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
const errors = async (uid: number, query = ''): Promise<ErrorsPage> =>
  (await call<ErrorsPage>('GET', `/tasks/${uid}/errors${query}`)).body;

describe('onDocumentError=skip', () => {
  test('stores the good documents of NDJSON, and says of each other where it is and what is wrong', async () => {
    const { uid, status, details, error } = await write('/indexes/a/documents?onDocumentError=skip', LINES, NDJSON);
    expect([status, error]).toEqual(['succeeded', null]);
    expect(details).toMatchObject({ receivedDocuments: 5, indexedDocuments: 2, failedDocuments: 3 });
    const page = await errors(uid);
    expect(page).toMatchObject({ offset: 0, limit: 20, total: 3 });
    expect(details!['documentErrors']).toEqual(page.results);
    expect(page.results.map(({ line, code }) => [line, code])).toEqual([
      [2, 'malformed_payload'],
      [3, 'malformed_payload'],
      [5, 'missing_document_id'],
    ]);
    const { body } = await call<{ results: unknown }>('GET', '/indexes/a/documents');
    expect(body.results).toEqual([
      { id: 1, title: 'one' },
      { id: 6, title: 'six' },
    ]);
  });

  test('works for JSON arrays, CSV and partial updates', async () => {
    const array = await write('/indexes/b/documents?onDocumentError=skip', '[{"id":1,"n":1},3,null,{"id":"a b"}]', {
      'content-type': 'application/json',
    });
    expect((await errors(array.uid)).results.map(({ line, code }) => [line, code])).toEqual([
      [2, 'malformed_payload'],
      [3, 'malformed_payload'],
      [4, 'invalid_document_id'],
    ]);
    const csv = await write('/indexes/b/documents?onDocumentError=skip', 'id,n:number\n1,x\n2,5\n3\n', CSV, 'PUT');
    expect((await errors(csv.uid)).results.map(({ line }) => line)).toEqual([2, 4]);
    const { body } = await call<{ results: unknown }>('GET', '/indexes/b/documents');
    expect(body.results).toEqual([
      { id: 1, n: 1 },
      { id: '2', n: 5 },
    ]);
  });

  test('skips wrong points and vectors', async () => {
    await write(
      '/indexes/c/settings',
      { filterableAttributes: ['_geo'], embedders: { e: { source: 'userProvided', dimensions: 2 } } },
      {},
      'PATCH',
    );
    const { uid } = await write('/indexes/c/documents?onDocumentError=skip', [
      { id: 1, _geo: { lat: 1, lng: 1 }, _vectors: { e: [1, 2] } },
      { id: 2, _geo: 'here', _vectors: { e: [1, 2] } },
      { id: 3, _vectors: { e: [1, 2, 3] } },
      { id: 4, _vectors: { e: 'x' } },
    ]);
    expect((await errors(uid)).results.map(({ id, code }) => [id, code])).toEqual([
      ['2', 'invalid_document_geo_field'],
      ['3', 'invalid_vector_dimensions'],
      ['4', 'invalid_vectors_type'],
    ]);
  });

  test('lists the first hundred in the details and pages through all', async () => {
    const lines = Array.from({ length: 2_345 }, (_, at) => (at === 7 ? '{"id":7}' : `{"no":${at}}`)).join('\n');
    const { uid, details } = await write('/indexes/d/documents?primaryKey=id&onDocumentError=skip', lines, NDJSON);
    expect(details).toMatchObject({ indexedDocuments: 1, failedDocuments: 2_344 });
    expect(details!['documentErrors']).toHaveLength(100);
    const found: (number | null)[] = [];
    for (let offset = 0; offset < 2_344; offset += 777)
      found.push(...(await errors(uid, `?offset=${offset}&limit=777`)).results.map(({ line }) => line));
    expect(found).toEqual(Array.from({ length: 2_345 }, (_, at) => at + 1).filter((line) => line !== 8));
    expect(await errors(uid, '?offset=5000')).toEqual({ results: [], offset: 5_000, limit: 20, total: 2_344 });
  });

  test('a broken array is still refused, and without the parameter one fault fails all, as ever', async () => {
    const broken = await call('POST', '/indexes/a/documents?onDocumentError=skip', '[{"id":9}', {
      'content-type': 'application/json',
    });
    expect(broken).toMatchObject({ status: 400, body: { code: 'malformed_payload' } });
    for (const query of ['', '?onDocumentError=fail']) {
      expect(await call('POST', `/indexes/a/documents${query}`, LINES, NDJSON)).toMatchObject({ status: 400 });
      const { status, error, details } = await write(`/indexes/a/documents${query}`, [{ id: 1 }, { title: 'x' }]);
      expect([status, error?.code]).toEqual(['failed', 'missing_document_id']);
      expect(details).toEqual({ receivedDocuments: 2, indexedDocuments: 0 });
    }
  });

  test('edits by function skip the documents on which the function fails', async () => {
    await call('PATCH', '/experimental-features', { editDocumentsByFunction: true });
    await write('/indexes/f/documents', [
      { id: 1, n: 1 },
      { id: 2, n: 'x' },
    ]);
    const task = await write('/indexes/f/documents/edit?onDocumentError=skip', { function: 'doc.n = doc.n * 10 - 1' });
    expect(task.details).toMatchObject({ editedDocuments: 1, failedDocuments: 1 });
    expect((await errors(task.uid)).results).toMatchObject([{ id: '2', line: null }]);
  });

  test.each([
    ['POST', '/indexes/a/documents?onDocumentError=maybe', 'invalid_on_document_error'],
    ['POST', '/indexes/a/documents/edit?onDocumentError=', 'invalid_on_document_error'],
    ['GET', '/tasks/0/errors?limit=1001', 'invalid_task_errors_limit'],
    ['GET', '/tasks/0/errors?limit=-1', 'invalid_task_errors_limit'],
    ['GET', '/tasks/0/errors?offset=x', 'invalid_task_errors_offset'],
  ])('%s %s is refused with %s', async (method, path, code) => {
    expect(await call(method, path, method === 'POST' ? [] : undefined)).toMatchObject({ status: 400, body: { code } });
  });

  test('the errors of a task need the rights of the task', async () => {
    const { uid } = await write('/indexes/secret/documents?onDocumentError=skip', [{ id: 1 }, { x: 1 }]);
    const key = async (indexes: string[], actions = ['tasks.get']): Promise<string> => {
      const { body } = await call<{ key: string }>('POST', '/keys', { actions, indexes, expiresAt: null });
      return body.key;
    };
    const asked = async (bearer: string): Promise<number> =>
      (await call('GET', `/tasks/${uid}/errors`, undefined, { authorization: `Bearer ${bearer}` })).status;
    expect(await asked(await key(['secret']))).toBe(200);
    expect(await asked(await key(['other']))).toBe(404);
    expect(await asked(await key(['secret'], ['search']))).toBe(403);
    expect((await call('GET', '/tasks/99999/errors')).status).toBe(404);
  });

  test('modes are not mixed in a batch: a fault of one task changes nothing of another', async () => {
    await call(
      'POST',
      '/indexes/busy/documents',
      Array.from({ length: 20_000 }, (_, id) => ({ id, text: `w${id}` })),
    );
    const send = async (query: string, body: unknown): Promise<number> =>
      (await call<{ taskUid: number }>('POST', `/indexes/mix/documents?primaryKey=id${query}`, body)).body.taskUid;
    await write('/indexes/mix/settings', { filterableAttributes: ['_geo'] }, {}, 'PATCH');
    await call(
      'POST',
      '/indexes/busy/documents',
      Array.from({ length: 20_000 }, (_, id) => ({ id, text: `v${id}` })),
    );
    const uids = [
      await send('&onDocumentError=skip', [{ id: 1 }, { id: 2, _geo: 3 }]),
      await send('', [{ id: 3 }, { id: 4, _geo: 3 }]),
      await send('&onDocumentError=skip', [{ id: 5 }]),
    ];
    const all = await server.allTasksDone();
    expect(uids.map((uid) => all.find((task) => task.uid === uid)?.status)).toEqual([
      'succeeded',
      'failed',
      'succeeded',
    ]);
    const { body } = await call<{ results: { id: number }[] }>('GET', '/indexes/mix/documents');
    expect(body.results.map(({ id }) => id)).toEqual([1, 5]);
  });

  test.runIf(HAS_COPIES)('survives a restart and a dump, waiting as well as done, and goes with its task', async () => {
    const done = await write('/indexes/kept/documents?onDocumentError=skip', LINES, NDJSON);
    // the writer is busy, so that the dump has a task that waits, with faults in its payload
    const busy = Array.from({ length: 30_000 }, (_, id) => ({ id, text: `word${id} other${id * 7}` }));
    await call('POST', '/indexes/busy/documents', busy);
    const later = '/indexes/later/documents?onDocumentError=skip';
    const waiting = await call<{ taskUid: number }>('POST', later, LINES, NDJSON);
    await call('POST', '/dumps');
    const before = await errors(done.uid);
    expect(before.total).toBe(3);
    const { dumpUid } = await doneDump();
    await server.stop();
    server = await startTestServer(folder, OPTIONS);
    expect(await errors(done.uid)).toEqual(before);
    await server.stop();
    const imported = newDatabaseFolder();
    const dump = join(dumpFolder, `${dumpUid}.dump`);
    expect(readFileSync(dump).length).toBeGreaterThan(0);
    server = await startTestServer(imported, [...OPTIONS, '--import-dump', dump]);
    expect(await errors(done.uid)).toEqual(before);
    await settled(waiting.body.taskUid);
    expect(await errors(waiting.body.taskUid)).toMatchObject({ total: 3, results: before.results });
    await call('DELETE', `/tasks?uids=${done.uid}`);
    await expect
      .poll(async () => (await call('GET', `/tasks/${done.uid}/errors`)).status, { timeout: 60_000 })
      .toBe(404);
  });
});

async function settled(uid: number): Promise<void> {
  await expect
    .poll(async () => (await call<WireTask>('GET', `/tasks/${uid}`)).body.status, { timeout: 200_000 })
    .toBe('succeeded');
}
async function doneDump(): Promise<{ readonly dumpUid: string }> {
  for (;;) {
    const { body } = await call<{ results: WireTask[] }>('GET', '/tasks?types=dumpCreation&limit=1');
    const [task] = body.results;
    if (task?.status === 'succeeded') return task.details as { dumpUid: string };
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
