import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newDatabaseFolder, removeFolder, type TestServer } from '../e2e/server-process.test-support.js';
import { startTestServer } from '../e2e/test-server.test-support.js';

/** Characters whose low byte is that of a letter or digit which an id may have. */
const LIKE_A = ['\u0161', '\u0661', '\u4e61', '\uff61'];
const IMPOSSIBLE = [...LIKE_A, 'a\u0000', '\u0000', 'á', 'a/b', '../a', ' ', 'a'.repeat(512), 'a'.repeat(4_000), '💡'];

describe('ids that no document can have', () => {
  const folder = newDatabaseFolder();
  let server: TestServer;
  const documents = [{ id: 'a' }, { id: 'b' }, { id: 1 }];
  beforeAll(async () => {
    server = await startTestServer(folder);
    await server.call('POST', '/indexes/ids/documents?primaryKey=id', documents);
    await server.allTasksDone();
  });
  afterAll(async () => {
    await server.stop();
    removeFolder(folder);
  });

  it.each(IMPOSSIBLE.map((id) => [JSON.stringify(id).slice(0, 20), id] as const))('name none: %s', async (_, id) => {
    const path = `/indexes/ids/documents/${encodeURIComponent(id)}`;
    expect(await server.call('GET', path)).toMatchObject({ status: 404, body: { code: 'document_not_found' } });
    expect((await server.call('DELETE', path)).status).toBe(202);
    expect((await server.call('POST', '/indexes/ids/documents/delete-batch', [id, `${id}`])).status).toBe(202);
    expect(await server.call('POST', '/indexes/ids/documents/fetch', { ids: [id] })).toMatchObject({
      status: 400,
      body: { code: 'invalid_document_ids' },
    });
    const [batch, single] = await server.allTasksDone();
    for (const task of [batch, single])
      expect(task).toMatchObject({ type: 'documentDeletion', status: 'succeeded', details: { deletedDocuments: 0 } });
    expect((await server.call('GET', '/indexes/ids/documents')).body).toMatchObject({ results: documents });
  });

  it('of any length are looked for without a fault', async () => {
    const ids = ['b'.repeat(2_000), 'b'.repeat(500_000), '\u0162'.repeat(100_000)];
    expect((await server.call('POST', '/indexes/ids/documents/delete-batch', ids)).status).toBe(202);
    const [task] = await server.allTasksDone();
    expect(task).toMatchObject({ status: 'succeeded', error: null, details: { deletedDocuments: 0 } });
    expect((await server.call('GET', '/indexes/ids/documents')).body).toMatchObject({ results: documents });
  });
});
