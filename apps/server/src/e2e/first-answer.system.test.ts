import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  newDatabaseFolder,
  removeFolder,
  type ServerProcess,
  sampleLines,
  startServerProcess,
} from './server-process.test-support.js';

const REQUESTS: readonly Readonly<Record<string, unknown>>[] = [
  { q: 'alice wonderland' },
  { q: 'alise wonderlnd' },
  { q: '', facets: ['genres', 'year'], limit: 5 },
  { q: 'the man', filter: 'genres = Drama AND year < 1915', sort: ['year:desc'], limit: 10 },
  { q: '"in wonderland"', attributesToHighlight: ['title'], showMatchesPosition: true, showRankingScore: true },
];

interface SearchAnswer {
  readonly hits: readonly Readonly<Record<string, unknown>>[];
  readonly processingTimeMs?: number;
  readonly requestUid?: string;
}

describe('a server started on an indexed folder', () => {
  const folder = newDatabaseFolder();
  let server: ServerProcess;
  let before: SearchAnswer[];

  beforeAll(async () => {
    server = await startServerProcess(folder);
    const settings = { filterableAttributes: ['genres', 'year'], sortableAttributes: ['year'] };
    await server.call('PATCH', '/indexes/movies/settings', settings);
    const headers = { 'content-type': 'application/x-ndjson' };
    await server.call('POST', '/indexes/movies/documents', sampleLines().join('\n'), headers);
    const tasks = await server.allTasksDone();
    expect(tasks.map((task) => task.status)).toEqual(['succeeded', 'succeeded']);
    before = await answers(server);
  });
  afterAll(async () => {
    await server.kill();
    removeFolder(folder);
  });

  it('finds what the requests ask for in the first place', () => {
    expect(before.map((answer) => answer.hits.length > 0)).toEqual(REQUESTS.map(() => true));
    expect(before[0]?.hits[0]).toMatchObject({ title: 'Alice in Wonderland' });
    expect(before[1]?.hits[0]).toMatchObject({ title: 'Alice in Wonderland' });
  });

  it('answers the same after a clean stop', async () => {
    expect(await server.stop()).toBe(0);
    server = await startServerProcess(folder);
    expect(await answers(server)).toEqual(before);
  });

  it('answers the same after a kill', async () => {
    await server.kill();
    server = await startServerProcess(folder);
    expect(await answers(server)).toEqual(before);
  });
});

/** The answers to REQUESTS in order, without what differs from one run to the next. */
async function answers(server: ServerProcess): Promise<SearchAnswer[]> {
  const all: SearchAnswer[] = [];
  for (const request of REQUESTS) {
    const answer = await server.call<SearchAnswer>('POST', '/indexes/movies/search', request);
    expect(answer.status).toBe(200);
    const { processingTimeMs, requestUid, ...rest } = answer.body;
    expect(processingTimeMs).toBeTypeOf('number');
    expect(requestUid).toBeTypeOf('string');
    all.push(rest);
  }
  return all;
}
