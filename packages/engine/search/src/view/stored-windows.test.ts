import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deletePart, PARTS, readManifest, segmentKey, TABLES } from '@fossick/format';
import { openLmdbStore } from '@fossick/storage';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { answers, createIndex, documentsOf, write } from './windowed-index.test-support.js';

const DOCUMENT_COUNT = 9_500;
const BATCH = 4_750;

const folder = mkdtempSync(join(tmpdir(), 'fossick-windows-'));
const rootFolder = join(folder, 'data');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Two segments of windows, merged into one, then some documents replaced and deleted. */
async function writeIndex(): Promise<void> {
  const all = documentsOf(DOCUMENT_COUNT);
  await createIndex(rootFolder);
  await write(rootFolder, [all.slice(0, BATCH), all.slice(BATCH)], true);
  await write(rootFolder, [
    all.filter((_, at) => at % 97 === 0).map((document) => ({ ...document, title: 'replaced film' })),
  ]);
}

beforeAll(writeIndex, 60_000);

test('answers are the same with the windows that were written and without them', async () => {
  const withWindows = answers(rootFolder);
  const [name] = readdirSync(join(rootFolder, 'indexes'));
  const store = openLmdbStore({ folder: join(rootFolder, 'indexes', name!) });
  const removed = store.transaction((rows) => {
    const { segments } = readManifest(rows);
    return segments.filter(({ id }) => {
      const hadSome = rows.get(TABLES.segments, segmentKey(id, PARTS.windows, 0)) !== undefined;
      deletePart(rows, id, PARTS.windowRecords);
      deletePart(rows, id, PARTS.windows);
      return hadSome;
    }).length;
  });
  await store.close();
  expect(removed).toBeGreaterThan(0);
  expect(answers(rootFolder)).toEqual(withWindows);
}, 60_000);
