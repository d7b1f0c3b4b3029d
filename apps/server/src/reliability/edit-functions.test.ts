import { afterEach, describe, expect, test } from 'vitest';
import { newDatabaseFolder, removeFolder, type TestServer, type WireTask } from '../e2e/server-process.test-support.js';
import { startTestServer } from '../e2e/test-server.test-support.js';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/** A server with this many documents, each of one long text. */
async function startWith(documentCount: number): Promise<TestServer> {
  const folder = newDatabaseFolder();
  cleanups.push(() => removeFolder(folder));
  const server = await startTestServer(folder);
  cleanups.push(() => server.stop());
  await server.call('PATCH', '/experimental-features', { editDocumentsByFunction: true });
  const documents = Array.from({ length: documentCount }, (_, id) => ({ id, digits: '7'.repeat(1_000) }));
  await server.call('POST', '/indexes/a/documents', documents);
  await server.allTasksDone();
  return server;
}
const taskOf = async (server: TestServer, uid: number): Promise<WireTask> =>
  (await server.call<WireTask>('GET', `/tasks/${uid}`)).body;

describe('an edit function', () => {
  test('that takes long is shown as processing, and ends when it is canceled', async () => {
    const server = await startWith(2_000);
    // most of a document's budget, so that all of them would take minutes
    const { body } = await server.call<{ taskUid: number }>('POST', '/indexes/a/documents/edit', {
      function: 'for i in 0..150000 { doc.x = i; }',
    });
    await expect.poll(async () => (await taskOf(server, body.taskUid)).status, { timeout: 200_000 }).toBe('processing');
    await server.call('POST', `/tasks/cancel?uids=${body.taskUid}`);
    await expect.poll(async () => (await taskOf(server, body.taskUid)).status, { timeout: 200_000 }).toBe('canceled');
    const { body: page } = await server.call<{ results: object[] }>('GET', '/indexes/a/documents?limit=1');
    expect(page.results[0]).not.toHaveProperty('x');
  });

  test('that asks for too much fails with its code, and the queue goes on', async () => {
    const server = await startWith(3);
    const hostile = [
      'let s = doc.digits; for i in 0..10 { s += s; } loop { s.parse_int(); }',
      'loop { let s = "x"; s.pad(16000000, "ab"); }',
      'let s = doc.digits; for i in 0..14 { s += s; } loop { s[5]; }',
    ];
    for (const source of hostile) await server.call('POST', '/indexes/a/documents/edit', { function: source });
    await server.call('POST', '/indexes/a/documents', [{ id: 99 }]);
    const [last, ...edits] = (await server.allTasksDone()).slice(0, hostile.length + 1);
    expect(last).toMatchObject({ status: 'succeeded' });
    for (const edit of edits)
      expect(edit).toMatchObject({ status: 'failed', error: { code: 'edit_documents_by_function_error' } });
  });
});
