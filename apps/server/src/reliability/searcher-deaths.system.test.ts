import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import {
  newDatabaseFolder,
  removeFolder,
  type ServerProcess,
  startServerProcess,
  type WireError,
} from '../e2e/server-process.test-support.js';
import { isBuilt } from './launch.test-support.js';
import { rounds } from './rounds.test-support.js';

const threads = (count: number): string[] => ['--search-threads', `${count}`, '--search-threads-from', '0'];

let folder = '';
let server: ServerProcess | undefined;
afterEach(async () => {
  await server?.kill();
  removeFolder(folder);
});

interface Found extends WireError {
  readonly hits: readonly { readonly id: number }[];
}

async function startFilled(
  faults: string,
  env: Readonly<Record<string, string>> = {},
  threadCount = 1,
): Promise<ServerProcess> {
  folder = newDatabaseFolder();
  server = await startServerProcess(folder, threads(threadCount), { FOSSICK_FAULTS: faults, ...env });
  for (const uid of ['films', 'poison']) await server.call('POST', `/indexes/${uid}/documents`, [{ id: 1 }]);
  await server.allTasksDone();
  return server;
}
const search = (running: ServerProcess, uid: string) => running.call<Found>('POST', `/indexes/${uid}/search`, {});

describe.skipIf(!isBuilt)('a search thread that ends by itself', () => {
  it('costs no search its answer: another thread runs it again', async () => {
    // every thread ends at its second search
    const running = await startFilled('searcher.death=thread@2');
    const answers = await Promise.all(Array.from({ length: 8 }, () => search(running, 'films')));
    expect(answers.map(({ status, body }) => [status, body.hits?.length])).toEqual(answers.map(() => [200, 1]));
  });

  it('in the middle of a search costs no answer, and what it has shared with the other thread stays right', async () => {
    // every thread ends within its 25th view, which is in use then
    const running = await startFilled('search.kernel=thread@25', {}, 2);
    const documents = Array.from({ length: 600 }, (_, id) => ({ id, text: `w${id % 10} v${id % 7} some words` }));
    await running.call('POST', '/indexes/films/documents', documents);
    await running.allTasksDone();
    const answered = async (word: number): Promise<readonly number[]> => {
      const { status, body } = await running.call<Found>('POST', '/indexes/films/search', {
        q: `w${word}`,
        limit: 100,
      });
      // a search that met the end of both threads is refused, and may be sent again
      return status === 200 ? body.hits.map(({ id }) => id) : answered(word);
    };
    const words = Array.from({ length: rounds(400, 1_000) }, (_, at) => (at * 7) % 10);
    let next = 0;
    const client = async (): Promise<void> => {
      for (let at = next++; at < words.length; at = next++) {
        const word = words[at]!;
        expect(await answered(word)).toEqual(Array.from({ length: 60 }, (_, nth) => nth * 10 + word));
      }
    };
    await Promise.all(Array.from({ length: 8 }, client));
    expect(running.output().split('fault point search.kernel').length).toBeGreaterThan(10);
  });

  it.each([
    1, 2,
  ])('ends a search that ends every one of %i threads with an error that says so; others are answered', async (count) => {
    const running = await startFilled('searcher.death:poison=thread@1+', {}, count);
    const [before, poison, after] = await Promise.all(['films', 'poison', 'films'].map((uid) => search(running, uid)));
    expect([before!.status, after!.status]).toEqual([200, 200]);
    expect(poison).toMatchObject({ status: 500, body: { code: 'internal', type: 'internal' } });
    expect(poison!.body.message).toContain('tried 2 times');
    expect((await search(running, 'films')).status).toBe(200);
  });

  it('is ended when its search does not come back: that one fails and says so, others are answered', async () => {
    // the others' searches come back within it also where starting a thread takes seconds
    const running = await startFilled('searcher.death:poison=hang@1+', { FOSSICK_TEST_SEARCH_JOB_MS: '8000' });
    const [before, poison, after] = await Promise.all(['films', 'poison', 'films'].map((uid) => search(running, uid)));
    expect([before!.status, after!.status]).toEqual([200, 200]);
    expect(poison).toMatchObject({ status: 500, body: { code: 'internal', type: 'internal' } });
    expect(poison!.body.message).toContain('longer than 8 seconds');
    expect((await search(running, 'films')).status).toBe(200);
    await vi.waitUntil(() => running.output().includes('read nothing for'), { timeout: 120_000 });
  });

  it('ends by itself at its next read, so that the process never meets its end in a call of the store', async () => {
    const running = await startFilled('', { FOSSICK_TEST_SEARCH_JOB_MS: '1500' });
    const documents = Array.from({ length: 2_000 }, (_, id) => ({ id, text: `some words of ${id} `.repeat(20) }));
    await running.call('POST', '/indexes/films/documents', documents);
    await running.allTasksDone();
    const isAnswered = async (): Promise<boolean> => (await search(running, 'films')).status === 200;
    await vi.waitUntil(isAnswered, { timeout: 120_000 });
    const queries = Array.from({ length: 900 }, (_, at) => ({ indexUid: 'films', q: `words ${at % 50} some` }));
    const body = { federation: { limit: 1_000 }, queries };
    const answer = await running.call<WireError>('POST', '/multi-search', body);
    expect([answer.status, answer.body.message]).toEqual([500, expect.stringContaining('longer than 1.5 seconds')]);
    // the only thread is replaced when it has ended
    await vi.waitUntil(isAnswered, { timeout: 120_000 });
    expect(running.output()).toContain('is ended');
    expect(running.output()).not.toContain('is terminated');
  });

  it.each([
    ['ends', 'thread', 0],
    ['hangs', 'hang', 1],
  ])('that helps the HTTP thread and %s costs only the search that it runs, not the next that it has received', async (_name, fault, lostCount) => {
    folder = newDatabaseFolder();
    server = await startServerProcess(folder, ['--search-threads', '2', '--kept-answers-memory', '0'], {
      FOSSICK_FAULTS: `searcher.death=${fault}@20`,
      FOSSICK_FAULTS_ONCE: join(folder, 'struck'),
      FOSSICK_TEST_SEARCH_HELPERS: '1',
      FOSSICK_TEST_SEARCH_JOB_MS: '5000',
    });
    const running = server;
    await running.call('POST', '/indexes/films/documents', [{ id: 1 }]);
    await running.allTasksDone();
    const statuses: number[] = [];
    const isStruck = (): boolean => running.output().includes('fault point');
    const client = async (): Promise<void> => {
      // some more after it was struck: by then the thread has long had its next search
      for (let more = 20; more > 0; more -= isStruck() ? 1 : 0) {
        const { status, body } = await search(running, 'films');
        if (status !== 200) expect(body.message).toContain('longer than 5 seconds');
        else expect(body.hits.map(({ id }) => id)).toEqual([1]);
        statuses.push(status);
      }
    };
    await Promise.all(Array.from({ length: 8 }, client));
    expect(statuses.filter((status) => status !== 200)).toHaveLength(lostCount);
    expect((await search(running, 'films')).status).toBe(200);
  });

  it('answers a fault of a search without its stack and paths, which are in the log', async () => {
    const running = await startFilled('searcher.death:poison=fail:EBADF@1+');
    const { status, body } = await search(running, 'poison');
    expect([status, body.code, body.type]).toEqual([500, 'internal', 'internal']);
    expect(body.message).toMatch(/^Internal error: /);
    expect(body.message).not.toMatch(/\n|\bat |file:|\//);
    expect((await search(running, 'films')).status).toBe(200);
    await vi.waitUntil(() => running.output().includes('searcher.js'), { timeout: 120_000 });
  });
});
