import { afterEach, describe, expect, it } from 'vitest';
import {
  newDatabaseFolder,
  removeFolder,
  type ServerProcess,
  sampleLines,
  startServerProcess,
  type WirePage,
  type WireTask,
} from './server-process.test-support.js';

const TASK_COUNT = 8;
const NDJSON = { 'content-type': 'application/x-ndjson' };
const lines = sampleLines();

interface Movie {
  readonly id: number;
  readonly title: string;
}

describe('a server killed while it indexes', () => {
  let folder = '';
  let server: ServerProcess | undefined;

  afterEach(async () => {
    await server?.kill();
    removeFolder(folder);
  });

  it.each([
    0, 1, 3, 6,
  ])('finishes every accepted task after a kill when at least %d of them are done', async (doneCount) => {
    folder = newDatabaseFolder();
    server = await startServerProcess(folder);
    const accepted = await addSample(server);
    await untilDone(server, doneCount);
    await server.kill();

    server = await startServerProcess(folder);
    const tasks = await server.allTasksDone();
    expect(tasks.map((task) => task.uid).toReversed()).toEqual(accepted);
    expect(tasks.map((task) => [task.status, task.error])).toEqual(tasks.map(() => ['succeeded', null]));
    await expectWholeSample(server);

    // what came back has to take further work and survive another start
    const extra = [{ id: 900_000_001, title: 'Zweiundvierzig' }];
    expect((await server.call('POST', '/indexes/movies/documents', extra)).status).toBe(202);
    await server.allTasksDone();
    expect((await search(server, 'zweiundvierzig')).map((hit) => hit.id)).toEqual([900_000_001]);
  });

  it('survives kills during the catching-up itself', async () => {
    folder = newDatabaseFolder();
    server = await startServerProcess(folder);
    const accepted = await addSample(server);
    for (const doneCount of [0, 1, 2]) {
      await untilDone(server, doneCount);
      await server.kill();
      server = await startServerProcess(folder);
    }
    const tasks = await server.allTasksDone();
    expect(tasks).toHaveLength(accepted.length);
    expect(tasks.filter((task) => task.status !== 'succeeded')).toEqual([]);
    await expectWholeSample(server);
  });
});

/** Waits until so many tasks have ended, of which a batch may end several at once. */
async function untilDone(server: ServerProcess, count: number): Promise<void> {
  const doneCount = async (): Promise<number> =>
    (await server.call<WirePage<WireTask>>('GET', '/tasks?statuses=succeeded&limit=1')).body.total;
  if (count > 0) await expect.poll(doneCount, { timeout: 120_000, interval: 1 }).toBeGreaterThanOrEqual(count);
}

/** Sends the sample in TASK_COUNT requests; resolves with the uids of the accepted tasks. */
async function addSample(server: ServerProcess): Promise<number[]> {
  const uids: number[] = [];
  const size = Math.ceil(lines.length / TASK_COUNT);
  for (let start = 0; start < lines.length; start += size) {
    const payload = lines.slice(start, start + size).join('\n');
    const answer = await server.call<{ taskUid: number }>('POST', '/indexes/movies/documents', payload, NDJSON);
    expect(answer.status).toBe(202);
    uids.push(answer.body.taskUid);
  }
  return uids;
}

async function expectWholeSample(server: ServerProcess): Promise<void> {
  const page = await server.call<WirePage<Movie>>('GET', `/indexes/movies/documents?limit=${lines.length * 2}`);
  expect(page.body.total).toBe(lines.length);
  const byId = (a: Movie, b: Movie) => a.id - b.id;
  const expected = lines.map((line) => JSON.parse(line) as Movie);
  expect([...page.body.results].sort(byId)).toEqual(expected.sort(byId));

  const stats = await server.call<{ numberOfDocuments: number; isIndexing: boolean }>('GET', '/indexes/movies/stats');
  expect(stats.body).toMatchObject({ numberOfDocuments: lines.length, isIndexing: false });

  const hits = await search(server, 'alice in wonderland');
  expect(hits[0]?.title).toBe('Alice in Wonderland');
  const everything = await search(server, '', lines.length * 2);
  expect(new Set(everything.map((hit) => hit.id)).size).toBe(everything.length);

  const rest = await server.call<WirePage<WireTask>>('GET', '/tasks?statuses=failed,canceled');
  expect(rest.body.results).toEqual([]);
}

async function search(server: ServerProcess, q: string, limit = 20): Promise<readonly Movie[]> {
  const answer = await server.call<{ hits: readonly Movie[] }>('POST', '/indexes/movies/search', { q, limit });
  expect(answer.status).toBe(200);
  return answer.body.hits;
}
