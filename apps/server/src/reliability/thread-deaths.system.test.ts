import { afterEach, expect, it } from 'vitest';
import {
  newDatabaseFolder,
  removeFolder,
  type ServerProcess,
  sampleLines,
  startServerProcess,
} from '../e2e/server-process.test-support.js';

const NDJSON = { 'content-type': 'application/x-ndjson' };
/** Several megabytes: documents of a batch that large are indexed by a second thread. */
const lines = Array.from({ length: 4 }, (_, copy) =>
  sampleLines().map((line) => {
    const movie = JSON.parse(line) as { readonly id: number };
    return JSON.stringify({ ...movie, id: movie.id + copy * 10_000_000 });
  }),
).flat();

let folder = '';
let server: ServerProcess | undefined;

afterEach(async () => {
  await server?.kill();
  removeFolder(folder);
});

it.each([
  ['before it has said anything', 'extraction.start=thread'],
  ['at its first document', 'extraction.death=thread'],
  ['at its 3,000th document', 'extraction.death=thread@3000'],
])('a thread of extraction that ends %s is no wait of minutes', async (_when, faults) => {
  folder = newDatabaseFolder();
  // each thread counts by itself: the second batch, with fewer documents, gets to its end
  const options = ['--max-indexing-threads', '4'];
  server = await startServerProcess(folder, options, { FOSSICK_FAULTS: faults });
  await server.call('POST', '/indexes/films/documents', lines.join('\n'), NDJSON);
  await server.call('POST', '/indexes/others/documents', [{ id: 1 }]);
  const [small, large] = await server.allTasksDone();
  expect(small).toMatchObject({ status: 'succeeded', error: null });
  expect(large).toMatchObject({ status: 'failed', error: { code: 'internal' } });
  expect(large!.error!.message).toContain('ended before its time');
});

it('a thread of merges that ends in the middle of one costs nothing but the merge, which begins anew', async () => {
  folder = newDatabaseFolder();
  // little memory for indexing: small segments, which are merged in threads of their own; each ends at its 20th step
  const options = ['--max-indexing-threads', '4', '--max-indexing-memory', '1048576'];
  server = await startServerProcess(folder, options, { FOSSICK_FAULTS: 'merge.death=thread@20' });
  await server.call('POST', '/indexes/films/documents', lines.join('\n'), NDJSON);
  await server.allTasksDone();
  await server.call('POST', '/indexes/films/documents', [{ id: 1, title: 'after it' }]);
  const [last] = await server.allTasksDone();
  expect(last).toMatchObject({ status: 'succeeded', error: null });
  const { body } = await server.call<{ hits: unknown[] }>('POST', '/indexes/films/search', { q: 'after it', limit: 1 });
  expect(body.hits).toMatchObject([{ id: 1 }]);
  const stats = await server.call<{ numberOfDocuments: number }>('GET', '/indexes/films/stats');
  expect(stats.body.numberOfDocuments).toBe(new Set(lines.map((line) => JSON.parse(line).id)).size + 1);
});
