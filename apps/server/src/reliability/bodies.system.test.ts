import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, test } from 'vitest';
import {
  newDatabaseFolder,
  removeFolder,
  type ServerProcess,
  startServerProcess,
} from '../e2e/server-process.test-support.js';
import { isBuilt } from './launch.test-support.js';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function start(): Promise<ServerProcess> {
  const folder = newDatabaseFolder();
  cleanups.push(() => removeFolder(folder));
  const server = await startServerProcess(folder);
  cleanups.push(() => server.kill());
  return server;
}

describe.skipIf(!isBuilt)('bodies of requests', () => {
  test('that decode to more than a read may bring are refused early, on all that only reads', async () => {
    const server = await start();
    await server.call('POST', '/indexes', { uid: 'a' });
    await server.allTasksDone();
    const body = gzipSync(`{"filter":[${'{},'.repeat(30_000_000)}{}]}`);
    expect(body.length).toBeLessThan(200_000);
    const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' };
    for (const path of [
      '/indexes/a/search',
      '/multi-search',
      '/indexes/a/documents/fetch',
      '/indexes/a/facet-search',
    ]) {
      const answer = await server.call<{ code: string }>('POST', path, body, headers);
      expect(answer, path).toMatchObject({ status: 413, body: { code: 'payload_too_large' } });
    }
  });

  test('that manage the instance may have 50,000 values', async () => {
    const server = await start();
    const names = (count: number) => Array.from({ length: count }, (_, at) => `a${at}`);
    const swaps = (count: number) => names(count).map((name) => ({ indexes: [name, `${name}b`] }));
    expect(await server.call('POST', '/swap-indexes', swaps(9_000))).toMatchObject({ status: 202 });
    for (const [path, body] of [
      ['/indexes', Object.fromEntries(names(60_000).map((name) => [name, 'x']))],
      ['/swap-indexes', swaps(30_000)],
    ] as const) {
      const answer = await server.call('POST', path, body);
      expect(answer, path).toMatchObject({ status: 413, body: { code: 'payload_too_large' } });
    }
  });
});
