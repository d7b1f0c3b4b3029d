import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { addition } from '@fossick/documents/addition.test-support';
import { openEngineReader } from '@fossick/index';
import { openEngineWriter } from '@fossick/index/writer';
import { afterEach, expect, it } from 'vitest';
import {
  newDatabaseFolder,
  removeFolder,
  type ServerProcess,
  startServerProcess,
} from '../e2e/server-process.test-support.js';

/** Merges are taken up some seconds after a start; the rest is for busy machines. */
const WAIT_MS = 120_000;
const [BATCHES, BATCH_DOCUMENTS] = [4, 300];
const UIDS = ['broken-off', 'never-begun'];

let folder = '';
let server: ServerProcess | undefined;

afterEach(async () => {
  await server?.kill();
  removeFolder(folder);
});

/** Fills indexes as a process does that ends before it merges what it has written, or in the middle of a merge. */
async function fill(): Promise<void> {
  const maxIndexingBytes = 256 << 10;
  const writer = openEngineWriter({ rootFolder: folder, maxSearchBytes: 1 << 20, maxIndexingBytes });
  const context = { isCanceled: () => false, onProgress: () => undefined, maxIndexingBytes: 64 << 20 };
  const payloadFile = join(folder, 'payload.ndjson');
  for (const uid of UIDS)
    for (let batch = 0; batch < BATCHES; batch++) {
      const ids = Array.from({ length: BATCH_DOCUMENTS }, (_, at) => batch * BATCH_DOCUMENTS + at);
      writeFileSync(payloadFile, ids.map((id) => JSON.stringify({ id, text: `common word${id}` })).join('\n'));
      await writer.applyDocuments(uid, [addition(payloadFile, { primaryKey: 'id' })], context);
    }
  expect(await writer.mergeOnce(UIDS[0]!)).toBe(true);
  await writer.close();
  rmSync(payloadFile);
}

/** Segments of each index. */
async function segmentCounts(): Promise<number[]> {
  const reader = openEngineReader({ rootFolder: folder, maxSearchBytes: 1 << 20 });
  try {
    return UIDS.map((uid) => reader.withView(uid, ({ segments }) => segments.length));
  } finally {
    await reader.close();
  }
}

it.each([
  ['segments that a process did not get to merge are merged by the next one, though nobody writes', {}],
  ['a merge that failed is tried again, though nobody writes', { FOSSICK_FAULTS: 'merge.piece=fail:EIO' }],
])('%s', async (_, env) => {
  folder = newDatabaseFolder();
  server = await startServerProcess(folder);
  await server.stop();
  await fill();
  expect(await segmentCounts()).toEqual([BATCHES, BATCHES]);
  server = await startServerProcess(folder, [], env);
  await expect.poll(segmentCounts, { timeout: WAIT_MS, interval: 100 }).toEqual([1, 1]);
  for (const uid of UIDS) {
    const { body } = await server.call<{ hits: unknown[] }>('POST', `/indexes/${uid}/search`, {
      q: 'word777',
      limit: 1,
    });
    expect(body.hits).toMatchObject([{ id: 777 }]);
  }
  expect(server.output().includes('fault point merge.piece')).toBe('FOSSICK_FAULTS' in env);
});
