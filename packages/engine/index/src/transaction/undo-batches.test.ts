import { mkdtempSync, readdirSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DocId } from '@fossick/base';
import { addition } from '@fossick/documents/addition.test-support';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openEngineReader } from '../open-reader.js';
import { openEngineWriter } from '../open-writer.js';
import type { BatchOperation } from '../operations/operation.js';
import type { EngineReader, EngineWriter } from '../port.js';
import type { WriteContext } from './write-context.js';

/** Three times what an operation may keep of the rows it replaces in memory. */
const [DOCUMENTS, TEXT] = [3_000, 'x'.repeat(4_000)];
const context: WriteContext = { isCanceled: () => false, onProgress: () => undefined, maxIndexingBytes: 64 << 20 };
let folder: string;
let writer: EngineWriter;
let reader: EngineReader;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'fossick-undo-'));
  const options = { rootFolder: join(folder, 'data'), maxSearchBytes: 16 << 20 };
  writer = openEngineWriter(options);
  reader = openEngineReader(options);
  writer.createIndex('books', 'id');
});
afterEach(async () => {
  await reader.close();
  await writer.close();
  rmSync(folder, { recursive: true, force: true });
});

let fileCount = 0;
function add(documents: readonly object[], method: 'replace' | 'update' = 'replace'): BatchOperation {
  const payloadFile = join(folder, `payload-${fileCount++}.ndjson`);
  writeFileSync(payloadFile, documents.map((each) => JSON.stringify(each)).join('\n'));
  return addition(payloadFile, { method });
}
const books = (from: number, to: number, more: object = {}): object[] =>
  Array.from({ length: to - from }, (_, at) => ({ id: from + at, text: `${from + at} ${TEXT}`, ...more }));

/** Every document by its id. */
function stored(): Map<unknown, object> {
  return reader.withView('books', (view) => {
    const found = new Map<unknown, object>();
    for (let docId = 0 as DocId; docId < 2 * DOCUMENTS + 10; docId++) {
      const document = view.document(docId);
      if (document !== undefined) found.set(document['id'], document);
    }
    return found;
  });
}

/** Files that this process has open and nobody can name any more. */
function namelessFiles(): string[] {
  const targets = readdirSync('/proc/self/fd').flatMap((descriptor) => {
    try {
      return [readlinkSync(`/proc/self/fd/${descriptor}`)];
    } catch {
      return [];
    }
  });
  return targets.filter((target) => target.startsWith(folder) && target.endsWith('(deleted)'));
}

test('an operation that replaced more than fits in memory and fails leaves the documents that were there', async () => {
  await writer.applyDocuments('books', [add(books(0, DOCUMENTS))], context);
  const before = stored();
  const outcomes = await writer.applyDocuments(
    'books',
    [
      add([{ id: 'first' }, { id: 5, text: 'five' }]),
      add([...books(0, DOCUMENTS + 50, { n: 1 }), ...books(0, 70, { n: 2 }), { id: 'new', k: 1 }, { text: 'no id' }]),
      add([{ id: 'last' }, { id: 6, n: 6 }], 'update'),
    ],
    context,
  );
  expect(outcomes.map(({ error }) => error?.code)).toEqual([undefined, 'missing_document_id', undefined]);
  const expected = new Map(before)
    .set('first', { id: 'first' })
    .set(5, { id: 5, text: 'five' })
    .set(6, { ...before.get(6), n: 6 })
    .set('last', { id: 'last' });
  expect(stored()).toEqual(expected);
  expect(reader.stats('books')).toMatchObject({
    numberOfDocuments: DOCUMENTS + 2,
    fieldDistribution: { id: DOCUMENTS + 2, n: 1, text: DOCUMENTS },
  });
  // docids that were given back are given out again
  await writer.applyDocuments('books', [add([{ id: 'next' }])], context);
  reader.withView('books', (view) => expect(view.docIdOf('next')).toBe(DOCUMENTS + 2));
  expect(namelessFiles()).toEqual([]);
});

test('a batch that is canceled in the middle of such an operation leaves no file open', async () => {
  await writer.applyDocuments('books', [add(books(0, DOCUMENTS))], context);
  let calls = 0;
  let wasOpen = false;
  const isCanceled = (): boolean => {
    calls += 1;
    wasOpen ||= namelessFiles().length > 0;
    return calls > 10;
  };
  const operations = [add([{ id: 'first' }]), add(books(0, DOCUMENTS, { n: 1 }))];
  await expect(writer.applyDocuments('books', operations, { ...context, isCanceled })).rejects.toThrow('canceled');
  expect(wasOpen).toBe(true);
  expect(namelessFiles()).toEqual([]);
  expect(stored().get(1)).not.toHaveProperty('n');
});
