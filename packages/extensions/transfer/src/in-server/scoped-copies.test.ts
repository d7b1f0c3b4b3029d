import { join } from 'node:path';
import { newDatabaseFolder, removeFolder, type TestServer } from '@fossick/server/e2e/server-process.test-support';
import { startTestServer } from '@fossick/server/e2e/test-server.test-support';
import { afterEach, describe, expect, test } from 'vitest';

const MASTER_KEY = 'master-key-of-the-scoped-copies';
const bearer = (key: string) => ({ authorization: `Bearer ${key}` });

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function start(): Promise<TestServer> {
  const folder = newDatabaseFolder();
  cleanups.push(() => removeFolder(folder));
  const copies = ['--dump-dir', join(folder, 'dumps'), '--snapshot-dir', join(folder, 'snapshots')];
  const server = await startTestServer(join(folder, 'data.ms'), ['--master-key', MASTER_KEY, ...copies]);
  cleanups.push(() => server.stop());
  return server;
}

describe('a key of single indexes', () => {
  test('makes dumps and snapshots where it lists their actions, and only there', async () => {
    const server = await start();
    const keyOf = async (...actions: string[]) => {
      const body = { actions, indexes: ['films'], expiresAt: null };
      return server.call<{ key: string; code?: string }>('POST', '/keys', body, bearer(MASTER_KEY));
    };
    const statuses = async (key: string) => [
      (await server.call('POST', '/dumps', undefined, bearer(key))).status,
      (await server.call('POST', '/snapshots', undefined, bearer(key))).status,
    ];
    const expected: readonly (readonly [string, readonly number[]])[] = [
      ['dumps.create', [202, 403]],
      ['snapshots.create', [403, 202]],
      ['dumps.*', [202, 403]],
      ['*', [403, 403]],
    ];
    for (const [action, wanted] of expected) {
      const created = await keyOf(action);
      expect(created.status, action).toBe(201);
      expect(await statuses(created.body.key), action).toEqual(wanted);
    }
    expect((await keyOf('metrics.get')).body.code).toBe('index_scoped_api_key_with_global_action');
    const tasks = await server.allTasksDone();
    expect(tasks.map(({ type, status }) => [type, status])).toEqual([
      ['dumpCreation', 'succeeded'],
      ['snapshotCreation', 'succeeded'],
      ['dumpCreation', 'succeeded'],
    ]);
  });
});
