import { afterEach, describe, expect, it } from 'vitest';
import {
  newDatabaseFolder,
  removeFolder,
  type ServerProcess,
  startServerProcess,
  type WireError,
} from '../e2e/server-process.test-support.js';
import { isBuilt } from './launch.test-support.js';

let folder = '';
let server: ServerProcess | undefined;
afterEach(async () => {
  await server?.kill();
  removeFolder(folder);
});

interface Found extends WireError {
  readonly hits: readonly { readonly id: number }[];
}

async function startFilled(threads: readonly string[], faults: string): Promise<ServerProcess> {
  folder = newDatabaseFolder();
  server = await startServerProcess(folder, ['--max-search-memory', '256MiB', ...threads], { FOSSICK_FAULTS: faults });
  for (const uid of ['films', 'huge']) await server.call('POST', `/indexes/${uid}/documents`, [{ id: 1 }]);
  await server.allTasksDone();
  return server;
}

const WHERE = {
  'in the HTTP thread': ['--search-threads', '0'],
  'in a search thread': ['--search-threads', '1', '--search-threads-from', '0'],
};

describe.skipIf(!isBuilt).each(Object.entries(WHERE))('memory that a search lacks (%s)', (_, threads) => {
  const search = (uid: string, q = '') => server!.call<Found>('POST', `/indexes/${uid}/search`, { q });

  it('is reported as a 503 that says when to come back, and costs nobody else an answer', async () => {
    await startFilled(threads, 'search.kernel:huge=fail:ENOMEM@1+');
    expect((await search('films')).status).toBe(200);
    const refused = await search('huge');
    expect(refused).toMatchObject({ status: 503, body: { code: 'too_many_search_requests', type: 'system' } });
    expect(refused.body.message).toContain('256 MiB');
    const again = await fetch(`${server!.url}/indexes/huge/search?q=y`);
    expect([again.status, again.headers.get('retry-after')]).toEqual([503, '10']);
    expect((await search('films', 'x')).status).toBe(200);
    expect((await search('huge')).status).toBe(503);
    expect((await server!.call('GET', '/health')).status).toBe(200);
  });

  it('is made by forgetting what was kept, where that is enough', async () => {
    await startFilled(threads, 'search.kernel:huge=fail:ENOMEM@2');
    expect((await search('huge')).body.hits).toHaveLength(1);
    expect((await search('huge', 'x')).status).toBe(200);
    expect((await search('huge')).body.hits).toHaveLength(1);
  });
});

describe.skipIf(!isBuilt)('memory that a search lacks because of others', () => {
  const search = (uid: string, q: string) => server!.call<Found>('POST', `/indexes/${uid}/search`, { q });
  const THREADS = ['--search-threads', '2', '--search-threads-from', '0'];

  it('is that of all threads, one after the other, before anything is refused', async () => {
    // the first search of a thread is the one that nothing can be forgotten for
    await startFilled(THREADS, 'search.kernel:huge=fail:ENOMEM@1');
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, at) => search(at % 3 === 0 ? 'huge' : 'films', `x${at}`)),
    );
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    expect((await search('huge', 'again')).status).toBe(200);
  });

  it('is refused when all of it is not enough, and the others are answered', async () => {
    await startFilled(THREADS, 'search.kernel:huge=fail:ENOMEM@1+');
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, at) => search(at % 3 === 0 ? 'huge' : 'films', `x${at}`)),
    );
    expect(answers.map(({ status }) => status)).toEqual(answers.map((_, at) => (at % 3 === 0 ? 503 : 200)));
  });
});
