import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { addition } from '@fossick/documents/addition.test-support';
import type { SettingsPatch } from '@fossick/settings';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openEngineReader } from '../open-reader.js';
import { openEngineWriter } from '../open-writer.js';
import type { EngineReader, EngineWriter } from '../port.js';
import type { WriteContext } from '../transaction/write-context.js';
import type { BatchOperation } from './operation.js';

const context: WriteContext = { isCanceled: () => false, onProgress: () => undefined, maxIndexingBytes: 64 << 20 };
const FAR_MS = Date.UTC(2099, 0, 1);
let folder: string;
let writer: EngineWriter;
let reader: EngineReader;
let fileCount = 0;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'fossick-expired-'));
  const options = { rootFolder: join(folder, 'data'), maxSearchBytes: 16 << 20 };
  writer = openEngineWriter(options);
  reader = openEngineReader(options);
  writer.createIndex('books', 'id');
  writer.createIndex('others', 'id');
  await change({ expiryAttribute: 'until' });
});
afterEach(async () => {
  await reader.close();
  await writer.close();
  rmSync(folder, { recursive: true, force: true });
});

const change = (patch: SettingsPatch): Promise<void> => writer.applySettings('books', [patch], context);
function put(documents: readonly object[], method: 'replace' | 'update' = 'replace'): BatchOperation {
  const payloadFile = join(folder, `${fileCount++}.ndjson`);
  writeFileSync(payloadFile, documents.map((each) => JSON.stringify(each)).join('\n'));
  return addition(payloadFile, { method });
}
const apply = (...operations: BatchOperation[]) => writer.applyDocuments('books', operations, context);
const count = (): number => reader.stats('books').numberOfDocuments;
const due = (nowMs: number): string[] => [...writer.expiriesDue(nowMs)].filter((uid) => uid !== null);

test('deletes what has expired by the given time, as the batch leaves it', async () => {
  await apply(
    put([
      { id: 1, until: FAR_MS - 1 },
      { id: 2, until: FAR_MS },
      { id: 3, until: FAR_MS + 1 },
      { id: 4, until: '2098-12-31T23:59:59Z' },
      { id: 5 },
      { id: 6, until: FAR_MS - 5 },
    ]),
  );
  // the document 6 is extended before the deletion runs, and 5 gets a time that has passed
  const outcomes = await apply(
    put([
      { id: 6, until: FAR_MS * 2 },
      { id: 5, until: FAR_MS - 9 },
    ]),
    { type: 'documentDeletion', target: { by: 'expiry', untilMs: FAR_MS } },
  );
  expect(outcomes[1]).toEqual({ deletedDocuments: 4 });
  expect(count()).toBe(2);
});

test('nothing is deleted without the setting', async () => {
  await apply(put([{ id: 1, until: 5 }]));
  await change({ expiryAttribute: null });
  expect(await apply({ type: 'documentDeletion', target: { by: 'expiry', untilMs: FAR_MS } })).toEqual([
    { deletedDocuments: 0 },
  ]);
});

test('says which indexes have expired documents, until they are deleted', async () => {
  await apply(put([{ id: 1, until: FAR_MS }, { id: 2, until: '2099-01-01T00:00:05Z' }, { id: 3 }]));
  expect(due(FAR_MS - 1)).toEqual([]);
  expect(due(FAR_MS)).toEqual(['books']);
  await apply({ type: 'documentDeletion', target: { by: 'expiry', untilMs: FAR_MS } });
  expect(due(FAR_MS + 4_999)).toEqual([]);
  expect(due(FAR_MS + 5_000)).toEqual(['books']);
  await apply(put([{ id: 2, until: FAR_MS + 9_000 }], 'update'));
  expect(due(FAR_MS + 8_999)).toEqual([]);
  await change({ expiryAttribute: null });
  expect(due(FAR_MS * 2)).toEqual([]);
});

test('statistics count expired documents until they are deleted, searches do not', async () => {
  await apply(put([{ id: 1, until: 5 }, { id: 2 }]));
  expect(count()).toBe(2);
  expect(reader.withView('books', (view) => view.documentCount)).toBe(1);
  expect(reader.withView('books', (view) => [view.docIdOf('1'), view.docIdOf('2')])).toEqual([undefined, 1]);
});
