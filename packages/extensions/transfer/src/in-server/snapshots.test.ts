import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { newDatabaseFolder, removeFolder, type TestServer } from '@fossick/server/e2e/server-process.test-support';
import { startTestServer } from '@fossick/server/e2e/test-server.test-support';
import { afterEach, describe, expect, test } from 'vitest';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

function newFolder(): string {
  const folder = newDatabaseFolder();
  cleanups.push(() => removeFolder(folder));
  return folder;
}
async function start(folder: string, options: readonly string[] = []): Promise<TestServer> {
  const snapshots = ['--snapshot-dir', join(folder, 'snapshots')];
  const server = await startTestServer(join(folder, 'data.ms'), [...snapshots, ...options]);
  cleanups.push(() => server.stop());
  return server;
}

describe('snapshots', () => {
  test('a snapshot is the instance again, without its own task', async () => {
    const [from, to] = [newFolder(), newFolder()];
    const server = await start(from);
    const films = [
      { id: 1, title: 'Lighthouse' },
      { id: 2, title: 'Lantern' },
    ];
    await server.call('POST', '/indexes/films/documents', films);
    await server.allTasksDone();
    await server.call('POST', '/snapshots');
    const [taken] = await server.allTasksDone();
    expect(taken).toMatchObject({ type: 'snapshotCreation', status: 'succeeded', error: null });
    expect(taken!.details).toBeNull();
    const file = join(from, 'snapshots', 'data.ms.snapshot');
    expect(statSync(file).mode & 0o222).toBe(0);
    // the one before is replaced although it is read-only
    await server.call('POST', '/snapshots');
    expect((await server.allTasksDone())[0]).toMatchObject({ status: 'succeeded' });
    await server.stop();

    const copy = await start(to, ['--import-snapshot', file]);
    const documents = await copy.call<{ results: object[] }>('GET', '/indexes/films/documents');
    expect(documents.body.results).toEqual(films);
    const found = await copy.call<{ hits: object[] }>('POST', '/indexes/films/search', { q: 'lighthuose' });
    expect(found.body.hits).toEqual([films[0]]);
    const tasks = await copy.call<{ results: { uid: number; type: string }[] }>(
      'GET',
      '/tasks?statuses=enqueued,processing',
    );
    expect(tasks.body.results).toEqual([]);
    await copy.call('POST', '/indexes/films/documents', [{ id: 3, title: 'Third' }]);
    expect((await copy.allTasksDone())[0]).toMatchObject({ status: 'succeeded' });
    await copy.stop();

    await expect(start(to, ['--import-snapshot', file])).rejects.toThrow('there is a database');
    await start(to, ['--import-snapshot', file, '--ignore-snapshot-if-db-exists']);
  });

  test('scheduled snapshots come by themselves', async () => {
    const folder = newFolder();
    const server = await start(folder, ['--schedule-snapshot', '1']);
    const file = join(folder, 'snapshots', 'data.ms.snapshot');
    await expect.poll(() => existsSync(file), { timeout: 30_000, interval: 10 }).toBe(true);
    await server.stop();
  });
});
