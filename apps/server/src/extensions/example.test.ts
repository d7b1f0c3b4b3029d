import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Extension } from '@fossick/runtime/extension';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { newDatabaseFolder, removeFolder, type TestServer } from '../e2e/server-process.test-support.js';
import { startServerWith } from '../e2e/test-server.test-support.js';

const README = fileURLToPath(new URL('../../../../packages/extensions/README.md', import.meta.url));
const MASTER_KEY = 'a master key for the example';
const ADMIN = { authorization: `Bearer ${MASTER_KEY}` };
const folder = newDatabaseFolder();
let example: Extension;
let server: TestServer;
const ask = <T>(method: string, path: string, body?: unknown, headers: Record<string, string> = ADMIN) =>
  server.call<T>(method, path, body, headers);

beforeAll(async () => {
  const code = /```js\n(.*?)```/s.exec(readFileSync(README, 'utf8'))![1]!;
  expect(code.split('\n').length).toBeLessThanOrEqual(41);
  example = (await import(/* @vite-ignore */ `data:text/javascript,${encodeURIComponent(code)}`)).counter;
  server = await startServerWith([example], folder, ['--master-key', MASTER_KEY, '--counter-from', '100']);
  for (const uid of ['films', 'books']) await ask('POST', '/indexes', { uid });
  await server.allTasksDone();
});
afterAll(async () => {
  await server.stop();
  removeFolder(folder);
});

it('counts the searches of each index, from its option on', async () => {
  await ask('POST', '/indexes/films/search', { q: 'a' });
  await ask('GET', '/indexes/films/search?q=b');
  const queries = ['films', 'books'].map((indexUid) => ({ indexUid, q: 'c' }));
  await ask('POST', '/multi-search', { queries });
  // another instance counts it
  await ask('POST', '/indexes/films/search', { q: 'd' }, { ...ADMIN, 'meili-proxy-search': 'true' });
  expect((await ask('GET', '/counts/films')).body).toEqual({ searches: 103 });
  expect((await ask('GET', '/counts/books')).body).toEqual({ searches: 101 });
  expect((await ask('GET', '/counts/none')).body).toEqual({ searches: 100 });
});

it('needs the action of its route, on the index of its path', async () => {
  const keyOf = async (actions: string[], indexes: string[]) => {
    const { body } = await ask<{ key: string }>('POST', '/keys', { actions, indexes, expiresAt: null });
    return { authorization: `Bearer ${body.key}` };
  };
  const status = async (headers: Record<string, string>) =>
    (await ask('GET', '/counts/films', undefined, headers)).status;
  expect(await status({})).toBe(401);
  expect(await status(await keyOf(['search'], ['*']))).toBe(403);
  expect(await status(await keyOf(['stats.get'], ['books']))).toBe(403);
  expect(await status(await keyOf(['stats.get'], ['fil*']))).toBe(200);
  expect((await ask('POST', '/counts/films', {})).status).toBe(405);
});

it('has its lines among the metrics', async () => {
  await ask('PATCH', '/experimental-features', { metrics: true });
  const text = await (await fetch(`${server.url}/metrics`, { headers: ADMIN })).text();
  expect(text).toMatch(/^counted_searches\{index="films"\} 103$/m);
});

it('is not there when it is left out, and says that its options have no effect', async () => {
  const other = newDatabaseFolder();
  const without = await startServerWith([example], other, ['--extensions', '', '--counter-from', '7']);
  expect((await without.call('GET', '/counts/films')).status).toBe(404);
  await without.stop();
  removeFolder(other);
});
