import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { openEngineReader } from '@fossick/index';
import { afterEach, expect, test } from 'vitest';
import {
  newDatabaseFolder,
  removeFolder,
  type ServerProcess,
  startServerProcess,
} from '../e2e/server-process.test-support.js';

const BATCH = 24_000;
const BATCHES = 3;
const END_WITHIN_MS = 120_000;

const folder = newDatabaseFolder();
let server: ServerProcess | undefined;
afterEach(async () => {
  await server?.kill();
  removeFolder(folder);
});

async function segmentCount(): Promise<number> {
  const reader = openEngineReader({ rootFolder: folder, maxSearchBytes: 64 << 20 });
  try {
    return reader.withView('large', (view) => view.segments.length);
  } finally {
    await reader.close();
  }
}

test('a merge that a kill broke off is begun again with the start, and leaves one segment', async () => {
  server = await startServerProcess(folder, [], { FOSSICK_FAULTS: 'merge.death=kill@3' });
  for (let batch = 0; batch < BATCHES; batch++) {
    const lines = Array.from({ length: BATCH }, (_, at) =>
      JSON.stringify({ id: batch * BATCH + at, text: `word${at % 977} of${batch} many${at % 13}` }),
    );
    await server.call('POST', '/indexes/large/documents', lines.join('\n'), {
      'content-type': 'application/x-ndjson',
    });
    // one batch each
    await server.allTasksDone().catch(() => undefined);
  }
  // the process ends in the middle of the merge that follows
  const isServed = () =>
    server!.call('GET', '/health').then(
      () => true,
      () => false,
    );
  await expect.poll(isServed, { timeout: END_WITHIN_MS }).toBe(false);
  await server.kill();
  expect(readdirSync(join(folder, 'indexes')).length).toBe(1);
  expect(await segmentCount()).toBe(BATCHES);

  server = await startServerProcess(folder);
  await expect.poll(segmentCount, { timeout: END_WITHIN_MS, interval: 100 }).toBe(1);
  const found = await server.call<{ totalHits: number }>('POST', '/indexes/large/search', { q: 'of1', page: 1 });
  expect(found.body.totalHits).toBe(1_000);
  const first = await server.call<{ hits: { id: number }[] }>('POST', '/indexes/large/search', { q: 'word976 of2' });
  expect(first.body.hits[0]?.id).toBe(2 * BATCH + 976);
  expect((await server.call<{ numberOfDocuments: number }>('GET', '/indexes/large/stats')).body.numberOfDocuments).toBe(
    BATCH * BATCHES,
  );
});
