import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { newDatabaseFolder, removeFolder, type TestServer } from '../e2e/server-process.test-support.js';
import { startTestServer } from '../e2e/test-server.test-support.js';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});
async function start(folder: string): Promise<TestServer> {
  const server = await startTestServer(folder);
  cleanups.push(() => server.stop());
  return server;
}
function newFolder(): string {
  const folder = newDatabaseFolder();
  cleanups.push(() => removeFolder(folder));
  return folder;
}
const bytesIn = (folder: string): number =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).blocks * 512, 0);

describe('compaction', () => {
  test('of an index gives free pages back to the disk and changes no answer', async () => {
    const folder = newFolder();
    const server = await start(folder);
    const rows = (from: number) =>
      Array.from({ length: 2_000 }, (_, at) => ({ id: from + at, text: `word${at} ${'filler '.repeat(60)}` }));
    await server.call('POST', '/indexes/a/documents', rows(0));
    await server.call('POST', '/indexes/a/documents', rows(2_000));
    await server.allTasksDone();
    await server.call(
      'POST',
      '/indexes/a/documents/delete-batch',
      Array.from({ length: 3_500 }, (_, id) => String(id)),
    );
    await server.allTasksDone();
    const before = bytesIn(join(folder, 'indexes'));
    expect((await server.call('POST', '/indexes/a/compact')).status).toBe(202);
    await server.call('POST', '/indexes/none/compact');
    const [missing, task] = await server.allTasksDone();
    expect(missing).toMatchObject({ status: 'failed', error: { code: 'index_not_found' } });
    expect(task).toMatchObject({ type: 'indexCompaction', indexUid: 'a', status: 'succeeded' });
    expect(task!.details).toEqual({
      preCompactionSize: expect.stringMatching(/iB$/),
      postCompactionSize: expect.stringMatching(/iB$/),
    });
    expect(bytesIn(join(folder, 'indexes'))).toBeLessThan(before);
    expect(readdirSync(join(folder, 'indexes'))).toHaveLength(1);
    const found = await server.call<{ estimatedTotalHits: number }>('POST', '/indexes/a/search', { q: 'filler' });
    expect(found.body.estimatedTotalHits).toBe(500);
    await server.call('POST', '/indexes/a/documents', [{ id: 9_999, text: 'after' }]);
    await server.allTasksDone();
    expect((await server.call('POST', '/indexes/a/search', { q: 'after' })).body).toMatchObject({
      hits: [{ id: 9_999 }],
    });
  });

  test('of the task queue asks for a restart, and loses no task', async () => {
    const folder = newFolder();
    const server = await start(folder);
    expect((await server.call('POST', '/tasks/compact')).body).toMatchObject({ code: 'feature_not_enabled' });
    await server.call('PATCH', '/experimental-features', { taskQueueCompactionRoute: true });
    for (const uid of ['a', 'b', 'c']) await server.call('POST', '/indexes', { uid });
    await server.allTasksDone();
    const compacted = await server.call('POST', '/tasks/compact');
    expect(compacted).toMatchObject({ status: 200, body: { status: 'succeeded', preSize: expect.any(String) } });
    expect(await server.call('GET', '/health')).toMatchObject({ status: 500, body: { status: 'mustRestart' } });
    expect((await server.call('POST', '/indexes', { uid: 'd' })).body).toMatchObject({ code: 'invalid_state' });
    await server.stop();

    const again = await start(folder);
    expect(await again.call('GET', '/health')).toMatchObject({ status: 200 });
    await again.call('POST', '/indexes', { uid: 'd' });
    const tasks = await again.allTasksDone();
    expect(tasks.map(({ uid, status }) => [uid, status])).toEqual([3, 2, 1, 0].map((uid) => [uid, 'succeeded']));
  });
});
