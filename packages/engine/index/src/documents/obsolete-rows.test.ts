import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SegmentId } from '@fossick/base';
import { addition } from '@fossick/documents/addition.test-support';
import { PARTS, readManifest, replaceManifest, rowsOf, segmentKey, TABLES } from '@fossick/format';
import { openLmdbStore, type Store } from '@fossick/storage';
import { afterAll, expect, it } from 'vitest';
import { openEngineWriter } from '../open-writer.js';
import type { WriteContext } from '../transaction/write-context.js';

const context: WriteContext = { isCanceled: () => false, onProgress: () => undefined, maxIndexingBytes: 64 << 20 };
const SEGMENTS = 4;
/** More than go in one transaction, with the publication of a merge. */
const DROPPED_ID = 999 as SegmentId;
const DROPPED_ROWS = 9_000;

const folder = mkdtempSync(join(tmpdir(), 'fossick-obsolete-'));
const rootFolder = join(folder, 'data');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function inStore<T>(work: (store: Store) => T): Promise<T> {
  const [index] = readdirSync(join(rootFolder, 'indexes'));
  const store = openLmdbStore({ folder: join(rootFolder, 'indexes', index!) });
  try {
    return work(store);
  } finally {
    await store.close();
  }
}

it('rows of dropped segments are deleted before the next merge takes new pages', async () => {
  const before = openEngineWriter({ rootFolder, maxSearchBytes: 16 << 20 });
  const payloadFile = join(folder, 'payload.ndjson');
  for (let batch = 0; batch < SEGMENTS; batch++) {
    const books = Array.from({ length: 50 }, (_, at) => JSON.stringify({ id: batch * 50 + at, title: `word${at}` }));
    writeFileSync(payloadFile, books.join('\n'));
    await before.applyDocuments('books', [addition(payloadFile)], context);
  }
  await before.close();
  await inStore((store) =>
    store.transaction((rows) => {
      for (let chunk = 0; chunk < DROPPED_ROWS; chunk++)
        rows.put(TABLES.segments, segmentKey(DROPPED_ID, PARTS.fuzzyPostings, chunk), new Uint8Array(8));
      replaceManifest(rows, { ...readManifest(rows), obsolete: [DROPPED_ID] });
    }),
  );
  const writer = openEngineWriter({ rootFolder, maxSearchBytes: 16 << 20 });
  const rowCounts: number[] = [];
  for (let isMerged = false; !isMerged; ) {
    expect(await writer.mergeOnce('books')).toBe(true);
    await inStore((store) => {
      isMerged = readManifest(rowsOf(store)).segments.length < SEGMENTS;
      const range = { start: segmentKey(DROPPED_ID, 0, 0), end: segmentKey((DROPPED_ID + 1) as SegmentId, 0, 0) };
      rowCounts.push([...store.table(TABLES.segments).range(range)].length);
    });
  }
  while (await writer.mergeOnce('books'));
  await writer.close();
  expect(rowCounts.at(-2)).toBe(0);
  // in pieces, which hold no update for long
  expect(rowCounts.filter((count) => count > 0).length).toBeGreaterThan(1);
});
