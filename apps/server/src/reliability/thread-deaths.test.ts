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
])(
  'a thread of extraction that ends %s is no wait of minutes',
  async (_when, faults) => {
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
  },
  120_000,
);
