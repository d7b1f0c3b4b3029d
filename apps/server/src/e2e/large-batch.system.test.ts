import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  newDatabaseFolder,
  removeFolder,
  type ServerProcess,
  sampleLines,
  startServerProcess,
  type WireTask,
} from './server-process.test-support.js';

const NDJSON = { 'content-type': 'application/x-ndjson' };
const COPIES = 6;
interface Movie {
  readonly id: number;
  readonly title: string;
}
const movies = sampleLines().map((line) => JSON.parse(line) as Movie);
/** Several megabytes: more than is indexed in the writer thread alone. */
const copies = Array.from({ length: COPIES }, (_, copy) =>
  movies.map((movie) => ({ ...movie, id: movie.id + copy * 10_000_000, copy })),
).flat();
const payload = copies.map((movie) => JSON.stringify(movie)).join('\n');

describe('a batch of several megabytes', () => {
  let folder = '';
  let server: ServerProcess | undefined;
  beforeEach(() => {
    folder = newDatabaseFolder();
  });
  afterEach(async () => {
    await server?.kill();
    removeFolder(folder);
  });

  const statusesOf = (tasks: readonly WireTask[]): string[] => tasks.map(({ status }) => status);
  const untilItRuns = (): Promise<void> =>
    expect
      .poll(async () => (await server!.call<WireTask>('GET', '/tasks/0')).body.status, {
        timeout: 120_000,
        interval: 5,
      })
      .not.toBe('enqueued');
  const countOf = async (body: Record<string, unknown>): Promise<number> => {
    const answer = await server!.call<{ totalHits: number }>('POST', '/indexes/movies/search', { ...body, page: 1 });
    return answer.body.totalHits;
  };

  it('is found by words and facets, rewritten, and indexed again', async () => {
    expect(Buffer.byteLength(payload)).toBeGreaterThan(3 << 20);
    server = await startServerProcess(folder);
    await server.call('PATCH', '/indexes/movies/settings', {
      filterableAttributes: ['copy'],
      pagination: { maxTotalHits: 100_000 },
    });
    await server.call('POST', '/indexes/movies/documents', payload, NDJSON);
    const rewritten = copies.map((movie) => (movie.copy === 1 ? { ...movie, title: 'Umgeschrieben' } : movie));
    const lines = rewritten.map((movie) => JSON.stringify(movie)).join('\n');
    await server.call('POST', '/indexes/movies/documents', lines, NDJSON);
    expect(statusesOf(await server.allTasksDone())).toEqual(['succeeded', 'succeeded', 'succeeded']);
    expect(await countOf({})).toBe(copies.length);
    expect(await countOf({ filter: 'copy = 4' })).toBe(movies.length);
    expect(await countOf({ q: 'umgeschrieben' })).toBe(movies.length);
    expect(await countOf({ q: '"alice in wonderland"', filter: 'copy = 1', attributesToSearchOn: ['title'] })).toBe(0);
    const found = await countOf({ q: '"alice in wonderland"', filter: 'copy = 2' });
    expect(found).toBeGreaterThan(0);
    expect(await countOf({ q: '"alice in wonderland"', filter: 'copy = 3' })).toBe(found);

    await server.call('PATCH', '/indexes/movies/settings', { searchableAttributes: ['title'] });
    expect(statusesOf(await server.allTasksDone())[0]).toBe('succeeded');
    expect(await countOf({ q: 'umgeschrieben' })).toBe(movies.length);
    expect(await countOf({ q: 'rabbit', filter: 'copy = 1' })).toBe(0);
  });

  it('fails alone when its end is no document, and the next one is indexed', async () => {
    server = await startServerProcess(folder);
    await server.call('POST', '/indexes/movies/documents', `${payload}\n{"title":"no id"}`, NDJSON);
    await server.allTasksDone();
    await server.call('POST', '/indexes/movies/documents', payload, NDJSON);
    expect(statusesOf(await server.allTasksDone())).toEqual(['succeeded', 'failed']);
    expect((await server.call<{ total: number }>('GET', '/indexes/movies/documents?limit=1')).body.total).toBe(
      copies.length,
    );
  });

  it.each(['enqueued', 'processing'])('is done once after a kill while it is %s', async (status) => {
    server = await startServerProcess(folder);
    await server.call('POST', '/indexes/movies/documents', payload, NDJSON);
    if (status === 'processing') await untilItRuns();
    await server.kill();
    server = await startServerProcess(folder);
    expect(statusesOf(await server.allTasksDone())).toEqual(['succeeded']);
    const { body } = await server.call<{ hits: readonly Movie[] }>('POST', '/indexes/movies/search', {
      q: 'alice in wonderland',
      limit: COPIES,
    });
    expect(new Set(body.hits.map(({ title }) => title))).toEqual(new Set(['Alice in Wonderland']));
  });

  it('does not hold up the end of the process', async () => {
    server = await startServerProcess(folder);
    await server.call('POST', '/indexes/movies/documents', payload, NDJSON);
    await untilItRuns();
    expect(await server.stop()).toBe(0);
  });
});
