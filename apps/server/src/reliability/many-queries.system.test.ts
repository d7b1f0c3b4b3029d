import { afterEach, describe, expect, it } from 'vitest';
import {
  newDatabaseFolder,
  removeFolder,
  type ServerProcess,
  sampleLines,
  startServerProcess,
} from '../e2e/server-process.test-support.js';
import { isBuilt } from './launch.test-support.js';

/** Queries of one federated search: seconds of one thread. */
const QUERIES = 900;
/** Searches one after the other that have to be answered meanwhile. */
const BESIDE = 5;
/** Several: the thread for other requests is there before the last begins, however busy the machine is. */
const FEDERATIONS = 2;

let folder = '';
let server: ServerProcess | undefined;
afterEach(async () => {
  await server?.kill();
  removeFolder(folder);
});

const words = [...new Set(sampleLines().flatMap((line) => (JSON.parse(line) as { title: string }).title.split(/\W+/)))]
  .filter((word) => word.length > 3)
  .slice(0, 2 * QUERIES);

describe.skipIf(!isBuilt)('during federated searches of hundreds of queries', () => {
  it.each([
    ['one thread', '1'],
    ['two threads', '2'],
  ])('searches of %s go on', async (_name, threads) => {
    folder = newDatabaseFolder();
    server = await startServerProcess(folder, ['--search-threads', threads, '--search-threads-from', '1']);
    const { call } = server;
    await call('POST', '/indexes/films/documents', sampleLines().join('\n'), {
      'content-type': 'application/x-ndjson',
    });
    await server.allTasksDone();
    let ended = 0;
    const started = Array.from({ length: FEDERATIONS }, async (_, at) => {
      const queries = Array.from({ length: QUERIES }, (_, i) => ({
        indexUid: 'films',
        // no answer to one is an answer to another
        q: `${words[(i + at * QUERIES) % words.length]} ${words[(i * 7 + 1) % words.length]}`,
      }));
      const { status, body } = await call<{ hits: readonly unknown[] }>('POST', '/multi-search', {
        federation: {},
        queries,
      });
      ended += 1;
      return { status, count: body.hits.length };
    });
    const all = Promise.all(started);
    all.catch(() => undefined);
    let besideCount = 0;
    while (ended < FEDERATIONS) {
      const { status } = await call('POST', '/indexes/films/search', { q: `${words[besideCount]} film` });
      expect(status).toBe(200);
      if (ended < FEDERATIONS) besideCount += 1;
    }
    expect(besideCount).toBeGreaterThan(BESIDE);
    expect(await all).toEqual(started.map(() => ({ status: 200, count: 20 })));
  });
});
