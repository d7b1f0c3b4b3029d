import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  CHUNK_BYTES,
  deletePart,
  getChunks,
  LIST_ROW_BYTES,
  listsLocation,
  PARTS,
  putPart,
  readManifest,
  replaceManifest,
  rowsOf,
  type SegmentInfo,
  segmentKey,
  TABLES,
} from '@fossick/format';
import { verifyIndex } from '@fossick/index';
import { checkStore, openLmdbStore, type Store } from '@fossick/storage';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { answers, createIndex, documentsOf, write } from './windowed-index.test-support.js';

/** Segments of one tier, each with windows; a merge is due when there are four. */
const BATCH = 4_200;
const all = documentsOf(4 * BATCH);
const batches = Array.from({ length: 4 }, (_, at) => all.slice(at * BATCH, (at + 1) * BATCH));
const replaced = all.filter((_, at) => at % 97 === 0).map((document) => ({ ...document, title: 'replaced film' }));

const folder = mkdtempSync(join(tmpdir(), 'fossick-former-rows-'));
const [former, current, copied] = ['former', 'current', 'copied'].map((name) => join(folder, name)) as [
  string,
  string,
  string,
];
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const storeFolder = (root: string): string => join(root, 'indexes', readdirSync(join(root, 'indexes'))[0]!);

async function inStore<T>(root: string, work: (store: Store) => T): Promise<T> {
  const store = openLmdbStore({ folder: storeFolder(root) });
  try {
    return work(store);
  } finally {
    await store.close();
  }
}

/** Lists and windows of all segments in the rows of the previous release, whose manifests do not tell how long these are. */
function makeFormer(store: Store): number {
  return store.transaction((rows) => {
    const manifest = readManifest(rows);
    let rowCount = 0;
    const segments = manifest.segments.map(({ rowBytes, ...info }): SegmentInfo => {
      for (const part of [PARTS.fuzzyPostings, PARTS.exactPostings, PARTS.windows]) {
        const bytes = getChunks(rows, info.id, part, 0, rowBytes);
        deletePart(rows, info.id, part);
        if (bytes !== undefined) putPart(rows, listsLocation(info, part), bytes);
        rowCount += Math.ceil((bytes?.length ?? 0) / CHUNK_BYTES);
      }
      return info;
    });
    replaceManifest(rows, { ...manifest, segments });
    return rowCount;
  });
}

/** Bytes in rows of each segment, as its manifest says, and as the first row of its lists has them. */
const rowLengths = (store: Store): readonly (readonly [told: number | undefined, found: number | undefined])[] =>
  readManifest(rowsOf(store)).segments.map(({ id, rowBytes }) => [
    rowBytes,
    store.table(TABLES.segments).get(segmentKey(id, PARTS.fuzzyPostings, 0))?.length,
  ]);

/** What is wrong with an index, by a look at each page and one at what its parts say of one another. */
async function problemsOf(root: string): Promise<readonly string[]> {
  checkStore(storeFolder(root), { untilMs: Number.POSITIVE_INFINITY });
  return inStore(root, (store) => verifyIndex(store).problems);
}

beforeAll(async () => {
  await createIndex(former);
  await write(former, batches.slice(0, 3));
  cpSync(former, current, { recursive: true });
  expect(await inStore(former, makeFormer)).toBeGreaterThan(12);
}, 60_000);

test('segments with the rows of the previous release are searched, checked and copied', async () => {
  const expected = answers(current);
  expect(await inStore(former, rowLengths)).toContainEqual([undefined, CHUNK_BYTES]);
  expect(await inStore(current, rowLengths)).toContainEqual([LIST_ROW_BYTES, LIST_ROW_BYTES]);
  expect(await problemsOf(former)).toEqual([]);
  expect(answers(former)).toEqual(expected);
  // with too little memory for tables as a whole, lists are read one by one
  expect(answers(former, 16 << 20)).toEqual(expected);
  cpSync(former, copied, { recursive: true });
  const target = storeFolder(copied);
  rmSync(target, { recursive: true });
  const store = openLmdbStore({ folder: storeFolder(former) });
  await store.copyTo(target);
  await store.close();
  expect(await problemsOf(copied)).toEqual([]);
  expect(answers(copied)).toEqual(expected);
}, 60_000);

test('such segments are merged with those of today into rows of today', async () => {
  for (const root of [former, current]) await write(root, [replaced, batches[3]!]);
  const mixed = await inStore(former, rowLengths);
  expect(mixed).toContainEqual([undefined, CHUNK_BYTES]);
  expect(mixed).toContainEqual([LIST_ROW_BYTES, LIST_ROW_BYTES]);
  expect(await problemsOf(former)).toEqual([]);
  expect(answers(former)).toEqual(answers(current));
  for (const root of [former, current]) await write(root, [], true);
  expect(await inStore(former, rowLengths)).not.toContainEqual([undefined, CHUNK_BYTES]);
  expect(await problemsOf(former)).toEqual([]);
  expect(answers(former)).toEqual(answers(current));
}, 60_000);
