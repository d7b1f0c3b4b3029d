import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newDatabaseFolder, removeFolder, type TestServer } from '../e2e/server-process.test-support.js';
import { startTestServer } from '../e2e/test-server.test-support.js';

const KEY = 'a master key for what is configured';
const AUTH = { authorization: `Bearer ${KEY}` };
const many = <T>(count: number, item: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => item(i));
const long = (length: number): string => 'a'.repeat(length);
const address = 'http://192.0.2.1/';
const remotes = (count: number): object => Object.fromEntries(many(count, (i) => [`r${i}`, { url: address }]));

/** What nobody configures and every later request would carry: megabytes that are kept, shown and written again. */
const ROWS: readonly (readonly [method: string, path: string, code: string, body: object])[] = [
  ['PATCH', '/network', 'invalid_network_self', { self: long(513) }],
  ['PATCH', '/network', 'invalid_network_remotes', { remotes: remotes(1_001) }],
  ['PATCH', '/network', 'invalid_network_remotes', { remotes: { [long(513)]: { url: address } } }],
  ['PATCH', '/network', 'invalid_network_url', { remotes: { a: { url: address + long(8_192) } } }],
  [
    'PATCH',
    '/network',
    'invalid_network_search_api_key',
    { remotes: { a: { url: address, searchApiKey: long(8_193) } } },
  ],
  ['PATCH', '/network', 'invalid_network_shards', { shards: { a: { remotes: many(1_001, (i) => `r${i}`) } } }],
  ['POST', '/swap-indexes', 'invalid_swap_indexes', many(10_001, (i) => ({ indexes: [`a${i}`, `b${i}`] }))],
];

describe('what is configured', () => {
  const folder = newDatabaseFolder();
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer(folder, ['--master-key', KEY]);
    await server.call('PATCH', '/experimental-features', { network: true }, AUTH);
  });
  afterAll(async () => {
    await server.stop();
    removeFolder(folder);
  });

  it.each(ROWS)('has a bound: %s %s %s', async (method, path, code, body) => {
    expect(await server.call(method, path, body, AUTH)).toMatchObject({ status: 400, body: { code } });
  });

  it('may be as large as its bound, in parts too', async () => {
    const change = (count: number, from: number): object =>
      Object.fromEntries(many(count, (i) => [`r${from + i}`, { url: address }]));
    expect((await server.call('PATCH', '/network', { remotes: change(600, 0) }, AUTH)).status).toBe(200);
    expect((await server.call('PATCH', '/network', { remotes: change(400, 600) }, AUTH)).status).toBe(200);
    expect(await server.call('PATCH', '/network', { remotes: change(1, 1_000) }, AUTH)).toMatchObject({
      status: 400,
      body: { code: 'invalid_network_remotes' },
    });
  });
});
