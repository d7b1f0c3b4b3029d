import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DocId } from '@fossick/base';
import { TEST_SEED } from '@fossick/base/test-seed.test-support';
import { addition } from '@fossick/documents/addition.test-support';
import { type DocumentError, errorsOfPage, markLine } from '@fossick/documents/document-errors';
import { EmbeddingError } from '@fossick/embedders';
import type { SettingsPatch } from '@fossick/settings';
import fc from 'fast-check';
import { afterEach, expect, test } from 'vitest';
import type { VectorMaker } from '../embedding/vector-maker.js';
import { openEngineReader } from '../open-reader.js';
import { openEngineWriter } from '../open-writer.js';
import type { EngineReader, EngineWriter } from '../port.js';
import type { WriteContext } from '../transaction/write-context.js';
import type { BatchOperation, OperationOutcome } from './operation.js';

const context: WriteContext = { isCanceled: () => false, onProgress: () => undefined, maxIndexingBytes: 64 << 20 };
const seed = TEST_SEED;
const roots: { folder: string; writer: EngineWriter; reader: EngineReader }[] = [];
let fileCount = 0;

interface Books {
  apply(...operations: BatchOperation[]): Promise<OperationOutcome[]>;
  payload(lines: readonly string[], more?: object): BatchOperation;
  settings(patch: SettingsPatch): Promise<void>;
  /** Every document by its id. */
  documents(): Map<string, object>;
}

function openBooks(vectorMaker?: VectorMaker, primaryKey: string | null = 'id'): Books {
  const folder = mkdtempSync(join(tmpdir(), 'fossick-faulty-'));
  const options = { rootFolder: join(folder, 'data'), maxSearchBytes: 16 << 20 };
  const writer = openEngineWriter(vectorMaker === undefined ? options : { ...options, vectorMaker });
  const reader = openEngineReader(options);
  roots.push({ folder, writer, reader });
  writer.createIndex('books', primaryKey);
  return {
    apply: (...operations) => writer.applyDocuments('books', operations, context),
    payload: (lines, more = {}) => {
      const payloadFile = join(folder, `payload-${fileCount++}.ndjson`);
      writeFileSync(payloadFile, lines.map((line) => `${line}\n`).join(''));
      const operation = addition(payloadFile);
      return { ...operation, onDocumentError: 'skip', ...more } as BatchOperation;
    },
    settings: (patch) => writer.applySettings('books', [patch], context),
    documents: () =>
      reader.withView('books', (view) => {
        const found = new Map<string, object>();
        for (let docId = 0 as DocId; docId < 2_000; docId++) {
          const document = view.document(docId);
          if (document !== undefined) found.set(String(document['id']), document);
        }
        return found;
      }),
  };
}
afterEach(async () => {
  for (const { folder, writer, reader } of roots.splice(0)) {
    await reader.close();
    await writer.close();
    rmSync(folder, { recursive: true, force: true });
  }
});
function errorsOf({ documentErrors }: OperationOutcome): DocumentError[] {
  return documentErrors!.pages.flatMap((page) => [...errorsOfPage(Buffer.from(page, 'base64'))]);
}
const GEO_AND_VECTORS: SettingsPatch = {
  filterableAttributes: ['_geo'],
  embedders: { e: { source: 'userProvided', dimensions: 2 } },
};

const vectors = fc.constantFrom([1, 2], [3, 4], [1], 'x', [['a']], null);
const document = fc.record(
  {
    id: fc.oneof({ weight: 6, arbitrary: fc.integer({ min: 0, max: 6 }) }, fc.constantFrom('a b', null, 1.5, [])),
    text: fc.constantFrom('one', 'two', 'three'),
    _geo: fc.constantFrom(null, { lat: 1, lng: 2 }, { lat: 'x', lng: 2 }, { lat: 1 }, 7),
    _vectors: fc.record({ e: vectors }),
  },
  { requiredKeys: ['_vectors'] },
);

test('stores what would be stored if each document came in a task of its own', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(document, { maxLength: 12 }),
      fc.constantFrom('replace' as const, 'update' as const),
      async (given, method) => {
        const lines = given.map((each) => JSON.stringify(each));
        const [together, alone] = [openBooks(), openBooks()];
        for (const books of [together, alone]) await books.settings(GEO_AND_VECTORS);
        const [outcome] = await together.apply(together.payload(lines, { method }));
        const wanted: { line: number; code: string }[] = [];
        for (const [at, line] of lines.entries()) {
          const [one] = await alone.apply(alone.payload([line], { method, onDocumentError: undefined }));
          if (one?.error !== undefined) wanted.push({ line: at + 1, code: one.error.code });
        }
        expect(errorsOf(outcome!).map(({ line, code }) => ({ line, code }))).toEqual(wanted);
        expect(outcome!.documentErrors!.count).toBe(wanted.length);
        expect(together.documents()).toEqual(alone.documents());
      },
    ),
    { numRuns: 25, seed },
  );
}, 120_000);

test('says of each document its id, its line and the reason, in their order, and takes over those refused before', async () => {
  const books = openBooks();
  const [outcome] = await books.apply(
    books.payload([
      '{"id":1}',
      markLine({ kind: 'refused', place: 2, code: 'malformed_payload', message: 'bad' }),
      '{"id":"a b"}',
      markLine({ kind: 'place', place: 9 }),
      '{"title":"x"}',
      '{"id":3}',
      markLine({ kind: 'more', count: 4 }),
    ]),
  );
  expect(errorsOf(outcome!)).toEqual([
    { id: null, line: 2, code: 'malformed_payload', reason: 'bad' },
    { id: null, line: 3, code: 'invalid_document_id', reason: expect.stringContaining('a b') },
    { id: null, line: 9, code: 'missing_document_id', reason: expect.stringContaining('title') },
  ]);
  expect(outcome).toMatchObject({ indexedDocuments: 2, documentErrors: { count: 7 } });
  expect([...books.documents().keys()]).toEqual(['1', '3']);
});

test('a faulty document keeps its earlier version whole, and an operation that is done again has the same outcome', async () => {
  const books = openBooks();
  await books.settings(GEO_AND_VECTORS);
  await books.apply(books.payload(['{"id":1,"text":"old","_vectors":{"e":[1,2]}}']));
  const operation = {
    ...books.payload(['{"id":1,"text":"new","_geo":5}', '{"id":2,"_vectors":{"e":[1,2]}}'], { method: 'update' }),
    idempotencyKey: 'x',
  };
  const first = await books.apply(operation);
  expect(await books.apply(operation)).toEqual(first);
  expect(books.documents().get('1')).toMatchObject({ text: 'old' });
  expect(errorsOf(first[0]!)).toMatchObject([{ id: '1', line: 1, code: 'invalid_document_geo_field' }]);
});

test('operations of one batch have the outcomes of operations alone', async () => {
  const payloads = [
    ['{"id":1}', '{"x":1}'],
    ['{"no":1}', 'nonsense'],
    ['{"id":"!"}', '{"id":2}'],
  ];
  const [together, apart] = [openBooks(undefined, null), openBooks(undefined, null)];
  const outcomes = await together.apply(...payloads.map((lines) => together.payload(lines)));
  const wanted = [];
  for (const lines of payloads) wanted.push(...(await apart.apply(apart.payload(lines))));
  expect(outcomes).toEqual(wanted);
  expect(together.documents()).toEqual(apart.documents());
});

test('without a primary key that any document gives the operation fails, with one the others are skipped', async () => {
  const books = openBooks(undefined, null);
  const [none] = await books.apply(books.payload(['{"title":"a"}', '{"name":"b"}']));
  expect(none?.error?.code).toBe('index_primary_key_no_candidate_found');
  const [some] = await books.apply(books.payload(['{"title":"a"}', '{"aId":1,"bId":2}', '{"id":"x y"}', '{"id":3}']));
  expect(errorsOf(some!).map(({ line, code }) => [line, code])).toEqual([
    [1, 'index_primary_key_no_candidate_found'],
    [2, 'index_primary_key_multiple_candidates_found'],
    [3, 'invalid_document_id'],
  ]);
});

test('all documents faulty is a success without documents', async () => {
  const books = openBooks();
  const [outcome] = await books.apply(books.payload(['{"x":1}', '{"x":2}']));
  expect(outcome).toMatchObject({ indexedDocuments: 0, documentErrors: { count: 2 } });
  expect(outcome?.error).toBeUndefined();
});

test('fields of a document with too many do not stay', async () => {
  const books = openBooks();
  const many = Object.fromEntries(Array.from({ length: 65_600 }, (_, at) => [`f${at}`, 1]));
  const [outcome] = await books.apply(books.payload([JSON.stringify({ id: 1, ...many }), '{"id":2,"title":"x"}']));
  expect(errorsOf(outcome!)).toMatchObject([{ id: '1', code: 'max_fields_limit_exceeded' }]);
  expect([...books.documents().keys()]).toEqual(['2']);
});

test('an edit leaves out the documents on which its function fails', async () => {
  const books = openBooks();
  await books.apply(books.payload(['{"id":1,"n":2}', '{"id":2,"n":"x"}', '{"id":3,"n":4}', '{"id":4,"n":9}']));
  const source = 'if doc.n == 9 { doc.id = 99 } else { doc.n = doc.n - 1 }';
  const edit = { type: 'documentEdition' as const, function: source, filter: null, context: null };
  const [failed] = await books.apply(edit);
  expect(failed?.error?.code).toBe('edit_documents_by_function_error');
  const [outcome] = await books.apply({ ...edit, onDocumentError: 'skip' });
  expect(outcome).toMatchObject({ editedDocuments: 2, documentErrors: { count: 2 } });
  expect(errorsOf(outcome!).map(({ id, line }) => [id, line])).toEqual([
    ['2', null],
    ['4', null],
  ]);
  expect([...books.documents().values()].map((each) => (each as { n: unknown }).n)).toEqual([1, 'x', 3, 9]);
});

/** Refuses inputs with the word `bad` as providers do: the whole request. */
class RefusingMaker implements VectorMaker {
  requests = 0;
  private readonly status: number;

  constructor(status: number) {
    this.status = status;
  }

  dimensions(): number {
    return 2;
  }

  begin(_embedder: unknown, inputs: Parameters<VectorMaker['begin']>[1]): ReturnType<VectorMaker['begin']> {
    const take = (): Float32Array[] => {
      this.requests += 1;
      const isBad = inputs.some((input) => input.kind === 'text' && input.text.includes('bad'));
      if (isBad) throw new EmbeddingError('refused', 'no', { status: this.status, inputIndex: 0 });
      return inputs.map(() => Float32Array.of(1, 2));
    };
    return { take, drop: () => undefined };
  }
}
const EMBEDDER: SettingsPatch = {
  embedders: {
    e: {
      source: 'ollama',
      url: 'http://192.0.2.1/api/embed',
      model: 'm',
      dimensions: 2,
      documentTemplate: '{{doc.text}}',
    } as never,
  },
};

test('a provider that refuses inputs fails their documents, found by halves', async () => {
  const maker = new RefusingMaker(400);
  const books = openBooks(maker);
  await books.settings(EMBEDDER);
  const lines = Array.from({ length: 1_500 }, (_, id) => JSON.stringify({ id, text: id % 700 === 3 ? 'bad' : 'good' }));
  const [outcome] = await books.apply(books.payload(lines));
  expect(errorsOf(outcome!).map(({ id, line, code }) => [id, line, code])).toEqual(
    [3, 703, 1_403].map((id) => [String(id), id + 1, 'vector_embedding_error']),
  );
  expect(books.documents().size).toBe(1_497);
  expect(maker.requests).toBeLessThan(80);
});

test('a provider that refuses the client fails the operation', async () => {
  for (const status of [401, 429, 500]) {
    const books = openBooks(new RefusingMaker(status));
    await books.settings(EMBEDDER);
    const operation = books.payload(['{"id":1,"text":"bad"}', '{"id":2,"text":"good"}']);
    expect(await books.apply(operation)).toMatchObject([
      { indexedDocuments: 0, error: { code: 'vector_embedding_error' } },
    ]);
    expect(books.documents().size).toBe(0);
  }
});
