import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  newDatabaseFolder,
  removeFolder,
  type TestServer,
  type WirePage,
  type WireTask,
} from '../../e2e/server-process.test-support.js';
import { startTestServer } from '../../e2e/test-server.test-support.js';

const MASTER_KEY = 'a master key for the tests';
const MASTER = { authorization: `Bearer ${MASTER_KEY}` };

interface WireBatch {
  readonly uid: number;
}

describe('listings of tasks and batches', () => {
  let folder = '';
  let server: TestServer | undefined;
  let scoped: Record<string, string>;

  const send = (method: string, path: string, body?: unknown) => server!.call<unknown>(method, path, body, MASTER);

  beforeAll(async () => {
    folder = newDatabaseFolder();
    server = await startTestServer(folder, ['--master-key', MASTER_KEY]);
    for (const uid of ['mine', 'other', 'third']) await send('POST', '/indexes', { uid });
    for (let id = 0; id < 3; id++) await send('POST', '/indexes/mine/documents', [{ id }]);
    for (let id = 0; id < 30; id++) await send('POST', '/indexes/other/documents', [{ id }]);
    await send('POST', '/swap-indexes', [{ indexes: ['mine', 'other'] }]);
    await send('POST', '/swap-indexes', [{ indexes: ['mine', 'other'] }]);
    await send('DELETE', '/tasks?uids=1000');
    await send('POST', '/tasks/cancel?statuses=canceled');
    await server!.allTasksDone();
    const key = { actions: ['tasks.*'], indexes: ['mine'], expiresAt: null };
    const answer = await server!.call<{ key: string }>('POST', '/keys', key, MASTER);
    scoped = { authorization: `Bearer ${answer.body.key}` };
  });
  afterAll(async () => {
    await server?.stop();
    removeFolder(folder);
  });

  const totals = async <T>(path: string, headers: Record<string, string>): Promise<readonly [number, number]> => {
    const { body } = await server!.call<WirePage<T>>('GET', path, undefined, headers);
    return [body.total, body.results.length];
  };

  it('count no task that the key may not see', async () => {
    expect(await totals<WireTask>('/tasks?limit=1000', scoped)).toEqual([4, 4]);
    expect(await totals<WireTask>('/tasks?limit=1000&indexUids=mine,other', scoped)).toEqual([4, 4]);
    expect(await totals<WireTask>('/tasks?limit=1000', MASTER)).toEqual([40, 40]);
  });

  it('count no task that the filter does not match', async () => {
    expect(await totals<WireTask>('/tasks?limit=1000&indexUids=mine', MASTER)).toEqual([4, 4]);
    expect(await totals<WireTask>('/tasks?limit=1000&indexUids=mine&types=indexSwap', MASTER)).toEqual([0, 0]);
    expect(await totals<WireTask>('/tasks?limit=1000&types=indexSwap', MASTER)).toEqual([2, 2]);
    expect(await totals<WireTask>('/tasks?limit=1000&statuses=failed', MASTER)).toEqual([0, 0]);
  });

  it('count a page as the whole, for batches too', async () => {
    const [total, shown] = await totals<WireTask>('/tasks?limit=2', scoped);
    expect([total, shown]).toEqual([4, 2]);
    const seen = await server!.call<WirePage<WireBatch>>('GET', '/batches?limit=1000', undefined, scoped);
    expect(seen.body.total).toBe(seen.body.results.length);
    const tasks = await server!.call<WirePage<WireTask & { batchUid: number }>>('GET', '/tasks', undefined, scoped);
    const own = new Set(tasks.body.results.map(({ batchUid }) => batchUid));
    expect(new Set(seen.body.results.map(({ uid }) => uid))).toEqual(own);
    const all = await server!.call<WirePage<WireBatch>>('GET', '/batches?limit=1000', undefined, MASTER);
    expect(all.body.total).toBe(all.body.results.length);
    expect(all.body.total).toBeGreaterThan(own.size);
  });
});
