import { afterEach, describe, expect, test } from 'vitest';
import {
  newDatabaseFolder,
  removeFolder,
  type ServerProcess,
  startServerProcess,
} from '../e2e/server-process.test-support.js';
import { isBuilt } from './launch.test-support.js';

/** Together more than the 256 MiB that an answer may have. What an answer of fewer bytes comes to is in search/src/wire/answer-bytes.test.ts. */
const [DOCUMENTS, DOCUMENT_BYTES] = [135, 2_100_000];
const AT_ONCE = 27;

let folder = '';
let server: ServerProcess | undefined;
afterEach(async () => {
  await server?.kill();
  removeFolder(folder);
});

describe.skipIf(!isBuilt)('an answer of more bytes than any may have', () => {
  test('is refused by every search, and the server goes on', async () => {
    folder = newDatabaseFolder();
    server = await startServerProcess(folder);
    await server.call('PATCH', '/experimental-features', { network: true });
    await server.call('PATCH', '/indexes/long/settings', {
      searchableAttributes: ['id'],
      pagination: { maxTotalHits: 1_000 },
    });
    for (let from = 0; from < DOCUMENTS; from += AT_ONCE) {
      const documents = Array.from({ length: AT_ONCE }, (_, i) => ({ id: from + i, blob: 'b'.repeat(DOCUMENT_BYTES) }));
      await server.call('POST', '/indexes/long/documents', documents);
    }
    expect((await server.allTasksDone()).filter(({ status }) => status !== 'succeeded')).toEqual([]);
    const query = { indexUid: 'long', limit: 1_000 };
    const requests: readonly (readonly [string, object])[] = [
      ['/indexes/long/search', { limit: 1_000 }],
      ['/indexes/long/search', { limit: 1_000, showRankingScore: true }],
      ['/indexes/long/search', { limit: 1_000, useNetwork: true }],
      ['/multi-search', { queries: [query] }],
      ['/multi-search', { federation: { limit: 1_000 }, queries: [{ indexUid: 'long' }] }],
      ['/indexes/long/documents/fetch', { limit: 1_000 }],
    ];
    for (const [path, body] of requests) {
      const code = path.endsWith('fetch') ? 'invalid_document_limit' : 'invalid_search_limit';
      expect(await server.call('POST', path, body), JSON.stringify(body)).toMatchObject({
        status: 400,
        body: { code },
      });
      expect(await server.call('GET', '/health')).toMatchObject({ status: 200 });
    }
    const few = await server.call<{ hits: object[] }>('POST', '/indexes/long/search', {
      limit: 20,
      showRankingScore: true,
    });
    expect([few.status, few.body.hits.length]).toEqual([200, 20]);
  });
});
