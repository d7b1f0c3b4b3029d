import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DocId, FieldId } from '@fossick/base';
import { addition } from '@fossick/documents/addition.test-support';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openEngineReader } from './open-reader.js';
import { openEngineWriter } from './open-writer.js';
import type { BatchOperation } from './operations/operation.js';
import type { EngineReader, EngineWriter } from './port.js';
import type { WriteContext } from './transaction/write-context.js';
import type { IndexView } from './view/index-view.js';

const context: WriteContext = { isCanceled: () => false, onProgress: () => undefined, maxIndexingBytes: 64 << 20 };
let folder: string;
let writer: EngineWriter;
let reader: EngineReader;
let fileCount = 0;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'fossick-engine-'));
  const options = { rootFolder: join(folder, 'data'), maxSearchBytes: 16 << 20 };
  writer = openEngineWriter(options);
  reader = openEngineReader(options);
});
afterEach(async () => {
  await reader.close();
  await writer.close();
  rmSync(folder, { recursive: true, force: true });
});

function add(
  documents: readonly (object | string)[],
  method: 'replace' | 'update' = 'replace',
  skipCreation = false,
): BatchOperation {
  const payloadFile = join(folder, `payload-${fileCount++}.ndjson`);
  writeFileSync(
    payloadFile,
    documents.map((each) => (typeof each === 'string' ? each : JSON.stringify(each))).join('\n'),
  );
  return addition(payloadFile, { method, skipCreation });
}

/** Docids of documents with a word, over all segments. */
function docsWith(view: IndexView, word: string, table: 'fuzzy' | 'exact' = 'fuzzy'): number[] {
  const { kernel } = view;
  const found = kernel.bitmaps.create(view.bitCount);
  for (const segment of view.segments) {
    const dictionary = segment.dictionary(table);
    const ordinal = dictionary === 0 ? -1 : kernel.dictionaries.find(dictionary, Buffer.from(word));
    if (ordinal !== -1) kernel.lists.orDocs(found, segment.postings(table, ordinal));
  }
  return [...kernel.bitmaps.members(found, 0, kernel.bitmaps.count(found))];
}
const find = (word: string, table: 'fuzzy' | 'exact' = 'fuzzy'): number[] =>
  reader.withView('books', (view) => docsWith(view, word, table));

test('an index whose first commit is refused leaves no store', async () => {
  const rootFolder = join(folder, 'refused');
  let refusesStores = false;
  const refusing = openEngineWriter({
    rootFolder,
    maxSearchBytes: 16 << 20,
    replication: {
      beforeCommit: (store) => () => {
        if (refusesStores && store !== 'instance') throw new Error('this node leads no longer');
      },
      committed: () => undefined,
      copied: () => undefined,
    },
  });
  refusing.createIndex('kept', null);
  refusesStores = true;
  expect(() => refusing.createIndex('books', null)).toThrow('leads no longer');
  expect(readdirSync(join(rootFolder, 'indexes'))).toHaveLength(1);
  refusesStores = false;
  refusing.createIndex('books', null);
  expect(readdirSync(join(rootFolder, 'indexes'))).toHaveLength(2);
  await refusing.close();
});

test('documents are stored, found by their words, replaced, merged and deleted', async () => {
  const [outcome] = await writer.applyDocuments(
    'books',
    [
      add([
        { id: 1, title: 'red fox' },
        { id: 2, title: 'Blue fox', n: 1 },
      ]),
    ],
    context,
  );
  expect(outcome).toEqual({ indexedDocuments: 2 });
  expect(find('fox')).toEqual([0, 1]);
  expect(find('blue')).toEqual([1]);
  await writer.applyDocuments(
    'books',
    [add([{ id: 2, title: 'green' }], 'update'), add([{ id: 3, title: 'fox' }])],
    context,
  );
  expect(find('fox')).toEqual([0, 2]);
  reader.withView('books', (view) => {
    expect(view.document(1 as DocId)).toEqual({ id: 2, title: 'green', n: 1 });
    expect(view.docIdOf('3')).toBe(2);
    expect(view.fieldNames).toEqual(['id', 'title', 'n']);
  });
  expect(
    await writer.applyDocuments(
      'books',
      [{ type: 'documentDeletion', target: { by: 'ids', ids: ['1', '9'] } }],
      context,
    ),
  ).toEqual([{ deletedDocuments: 1 }]);
  expect(find('fox')).toEqual([2]);
  await writer.applyDocuments('books', [add([{ id: 4, title: 'recycled' }])], context);
  expect(find('recycled')).toEqual([0]);
  expect(reader.stats('books')).toMatchObject({ numberOfDocuments: 3, fieldDistribution: { id: 3, n: 1, title: 3 } });
});

test('an operation with a bad document fails alone and leaves no trace', async () => {
  const outcomes = await writer.applyDocuments(
    'books',
    [
      add([{ id: 1, title: 'one' }]),
      add([{ id: 1, title: 'lost', extra: 1 }, { id: 7 }, { title: 'no id' }]),
      add([{ id: 2, title: 'two' }]),
    ],
    context,
  );
  expect(outcomes.map((outcome) => outcome.error?.code)).toEqual([undefined, 'missing_document_id', undefined]);
  expect(find('lost')).toEqual([]);
  expect(find('one')).toEqual([0]);
  expect(find('two')).toEqual([1]);
  reader.withView('books', (view) => expect(view.fieldNames).toEqual(['id', 'title']));
});

test('the primary key is inferred, or the operation fails with its code', async () => {
  const [none] = await writer.applyDocuments('books', [add([{ title: 'x' }])], context);
  expect(none?.error?.code).toBe('index_primary_key_no_candidate_found');
  const [many] = await writer.applyDocuments('books', [add([{ id: 1, bookId: 2 }])], context);
  expect(many?.error?.code).toBe('index_primary_key_multiple_candidates_found');
  const [wide] = await writer.applyDocuments('books', [add(['{"uid":9007199254740993,"t":"wide"}'])], context);
  expect(wide).toEqual({ indexedDocuments: 1 });
  expect(reader.index('books')?.primaryKey).toBe('uid');
  reader.withView('books', (view) => expect(view.document(0 as DocId)).toEqual({ uid: 9007199254740993n, t: 'wide' }));
  const operation: BatchOperation = { ...add([{ uid: 3 }]), primaryKey: 't' } as BatchOperation;
  const [other] = await writer.applyDocuments('books', [operation], context);
  expect(other?.error?.code).toBe('index_primary_key_already_exists');
});

test('deletion by filter sees the operations before it', async () => {
  await writer.applySettings('books', [{ filterableAttributes: ['year'] }], context);
  await writer.applyDocuments(
    'books',
    [
      add([
        { id: 1, year: 1999 },
        { id: 2, year: 2001 },
      ]),
    ],
    context,
  );
  const outcomes = await writer.applyDocuments(
    'books',
    [{ type: 'documentDeletion', target: { by: 'filter', filter: 'year > 2000' } }],
    context,
  );
  expect(outcomes).toEqual([{ deletedDocuments: 1 }]);
  expect(reader.stats('books').numberOfDocuments).toBe(1);
  const [bad] = await writer.applyDocuments(
    'books',
    [{ type: 'documentDeletion', target: { by: 'filter', filter: 'title = a' } }],
    context,
  );
  expect(bad?.error?.code).toBe('invalid_document_filter');
});

test('settings re-index stored documents', async () => {
  await writer.applyDocuments('books', [add([{ id: 1, title: 'the cat 42', body: 'dog' }])], context);
  expect(find('dog')).toEqual([0]);
  await writer.applySettings(
    'books',
    [{ searchableAttributes: ['title'], stopWords: ['the'] }, { typoTolerance: { disableOnNumbers: true } }],
    context,
  );
  expect(find('dog')).toEqual([]);
  expect(find('the')).toEqual([]);
  expect(find('42')).toEqual([]);
  expect(find('42', 'exact')).toEqual([0]);
  reader.withView('books', (view) => {
    const docs = view.kernel.bitmaps.create(view.bitCount);
    for (const segment of view.segments) segment.orWordCount(docs, view.fieldNames.indexOf('title') as FieldId, 2);
    expect(view.kernel.bitmaps.count(docs)).toBe(1);
    expect(view.settings.typoTolerance.minWordSizeForTypos).toEqual({ oneTypo: 5, twoTypos: 9 });
  });
});

test('merges keep every live document and drop the deleted ones', async () => {
  await writer.applySettings('books', [{ sortableAttributes: ['n'] }], context);
  for (let id = 0; id < 6; id++) {
    await writer.applyDocuments('books', [add([{ id, n: id, title: `common word${id}` }])], context);
  }
  await writer.applyDocuments('books', [{ type: 'documentDeletion', target: { by: 'ids', ids: ['2'] } }], context);
  while (await writer.mergeOnce('books'));
  reader.withView('books', (view) => {
    expect(view.segments.length).toBeLessThan(5);
    expect(docsWith(view, 'common')).toEqual([0, 1, 3, 4, 5]);
    expect(docsWith(view, 'word4')).toEqual([4]);
    expect(docsWith(view, 'word2')).toEqual([]);
  });
});

test('a canceled batch commits nothing', async () => {
  const canceled = { ...context, isCanceled: () => true };
  await writer.createIndex('books', null);
  await expect(writer.applyDocuments('books', [add([{ id: 1, title: 'x' }])], canceled)).rejects.toThrow('canceled');
  expect(reader.stats('books').numberOfDocuments).toBe(0);
});

test('indexes are created, renamed, swapped and deleted', async () => {
  writer.createIndex('a', 'id');
  writer.createIndex('b', null);
  expect(() => writer.createIndex('a', null)).toThrow(expect.objectContaining({ code: 'index_already_exists' }));
  writer.swapIndexes([{ left: 'a', right: 'b', rename: false }]);
  expect(reader.index('b')?.primaryKey).toBe('id');
  writer.updateIndex('b', { newUid: 'c' });
  expect(reader.indexes().map((index) => index.uid)).toEqual(['a', 'c']);
  expect(await writer.deleteIndex('c')).toBe(0);
  expect(() => reader.settings('c')).toThrow(expect.objectContaining({ code: 'index_not_found' }));
});

test('an edit that is alone and fails commits nothing, and so keeps nothing to go back to', async () => {
  await writer.applyDocuments(
    'books',
    [add(Array.from({ length: 50 }, (_, id) => ({ id, title: `word${id}` })))],
    context,
  );
  const shown = (): unknown =>
    reader.withView('books', (view) => [view.version, view.document(3 as DocId), docsWith(view, 'word7')]);
  const before = shown();
  const edit = (source: string): BatchOperation => ({
    type: 'documentEdition',
    function: source,
    filter: null,
    context: null,
  });
  const failing = edit('doc.title = "other"; if doc.id == 40 { doc.id = 1; }');
  const [alone] = await writer.applyDocuments('books', [failing], context);
  expect(alone).toMatchObject({ editedDocuments: 0, error: { code: 'edit_documents_by_function_error' } });
  expect(shown()).toEqual(before);
  const others = await writer.applyDocuments('books', [failing, add([{ id: 60, title: 'new' }])], context);
  expect(others).toMatchObject([{ editedDocuments: 0 }, { indexedDocuments: 1 }]);
  expect([find('other'), find('word3').length, find('new').length]).toEqual([[], 1, 1]);
});
