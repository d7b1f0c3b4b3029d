import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DocId } from '@fossick/base';
import { encodeDocument, FieldNames } from '@fossick/documents';
import { addition } from '@fossick/documents/addition.test-support';
import { documentKey, readFieldNames, readManifest, replaceManifest, rowsOf, TABLES } from '@fossick/format';
import { openLmdbStore, type Store } from '@fossick/storage';
import { WORD_RULES } from '@fossick/tokenizer';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openEngineReader } from '../open-reader.js';
import { openEngineWriter } from '../open-writer.js';
import type { EngineReader, EngineWriter } from '../port.js';
import type { WriteContext } from '../transaction/write-context.js';

const context: WriteContext = { isCanceled: () => false, onProgress: () => undefined, maxIndexingBytes: 64 << 20 };

let folder: string;
let writer: EngineWriter;
let reader: EngineReader;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'fossick-words-'));
  open();
});
afterEach(async () => {
  await close();
  rmSync(folder, { recursive: true, force: true });
});

function open(): void {
  const options = { rootFolder: join(folder, 'data'), maxSearchBytes: 16 << 20, maxIndexingBytes: 64 << 20 };
  writer = openEngineWriter(options);
  reader = openEngineReader(options);
}
async function close(): Promise<void> {
  await reader.close();
  await writer.close();
}
async function inStore<T>(work: (store: Store) => T): Promise<T> {
  const [index] = readdirSync(join(folder, 'data', 'indexes'));
  const store = openLmdbStore({ folder: join(folder, 'data', 'indexes', index!) });
  const result = work(store);
  await store.close();
  return result;
}
async function add(from: number, to: number, title: string): Promise<void> {
  const payloadFile = join(folder, 'payload.ndjson');
  const lines = Array.from({ length: to - from }, (_, at) => JSON.stringify({ id: from + at, title }));
  writeFileSync(payloadFile, lines.join('\n'));
  await writer.applyDocuments('books', [addition(payloadFile, { primaryKey: 'id' })], context);
}
const rulesOf = (): Promise<number | undefined> => inStore((store) => readManifest(rowsOf(store)).wordRules);

/** An index whose documents have the title `now`, with the words of the titles that it was written with, by rules without a number. */
function makeOlder(store: Store): void {
  store.transaction((rows) => {
    const { wordRules: _, ...older } = readManifest(rows);
    const fields = new FieldNames(readFieldNames(rows));
    for (let docId = 0; docId < older.docIdBound; docId++)
      rows.put(TABLES.documents, documentKey(docId as DocId), encodeDocument({ id: docId, title: 'now' }, fields));
    replaceManifest(rows, older);
  });
}

function countOf(word: string): number {
  return reader.withView('books', (view) => {
    const { kernel } = view;
    const found = kernel.bitmaps.create(view.bitCount);
    for (const segment of view.segments) {
      const ordinal = kernel.dictionaries.find(segment.dictionary('fuzzy'), Buffer.from(word));
      if (ordinal !== -1) kernel.lists.orDocs(found, segment.postings('fuzzy', ordinal));
    }
    return kernel.bitmaps.count(found);
  });
}

it('an index of an older release is due, and all its documents are indexed again, once', async () => {
  await add(0, 100, 'before');
  await close();
  expect(await rulesOf()).toBe(WORD_RULES);
  await inStore(makeOlder);
  open();
  expect([countOf('before'), countOf('now')]).toEqual([100, 0]);
  expect([...writer.mergesDue()]).toEqual(['books']);
  expect(await writer.mergeOnce('books')).toBe(true);
  expect([countOf('before'), countOf('now')]).toEqual([0, 100]);
  while (await writer.mergeOnce('books'));
  expect([...writer.mergesDue()]).toEqual([null]);
  await close();
  expect(await rulesOf()).toBe(WORD_RULES);
  open();
});

it('documents that are added before stay of the older rules with the rest', async () => {
  await add(0, 100, 'before');
  await close();
  await inStore(makeOlder);
  open();
  await add(100, 110, 'added');
  await close();
  expect(await rulesOf()).toBeUndefined();
  open();
  expect([countOf('before'), countOf('added')]).toEqual([100, 10]);
  while (await writer.mergeOnce('books'));
  expect([countOf('before'), countOf('now'), countOf('added')]).toEqual([0, 100, 10]);
});

it('a change of settings that indexes everything does it, and so does an index that was emptied', async () => {
  await add(0, 10, 'before');
  await close();
  await inStore(makeOlder);
  open();
  await writer.applySettings('books', [{ stopWords: ['the'] }], context);
  expect([countOf('before'), countOf('now')]).toEqual([0, 10]);
  await close();
  expect(await rulesOf()).toBe(WORD_RULES);
  await inStore(makeOlder);
  open();
  await writer.applyDocuments('books', [{ type: 'documentDeletion', target: { by: 'all' } }], context);
  await add(0, 10, 'later');
  await close();
  expect(await rulesOf()).toBe(WORD_RULES);
  open();
});
