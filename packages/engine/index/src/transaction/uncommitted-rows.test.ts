import { cpSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { addition } from '@fossick/documents/addition.test-support';
import { TABLES } from '@fossick/format';
import { openLmdbStore } from '@fossick/storage';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openEngineReader } from '../open-reader.js';
import { openEngineWriter } from '../open-writer.js';
import type { BatchOperation } from '../operations/operation.js';
import type { EngineReader, EngineWriter } from '../port.js';
import type { WriteContext } from './write-context.js';

/** So little memory that rows are committed early, every 4 KiB. */
const maxIndexingBytes = 32 << 10;
const DOCUMENTS = 2_000;

let folder: string;
let closers: (() => Promise<void>)[];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'fossick-staged-'));
  closers = [];
});
afterEach(async () => {
  for (const close of closers) await close();
  rmSync(folder, { recursive: true, force: true });
});

function openAt(name: string): { readonly writer: EngineWriter; readonly reader: EngineReader } {
  const options = { rootFolder: join(folder, name), maxSearchBytes: 16 << 20 };
  const writer = openEngineWriter(options);
  const reader = openEngineReader(options);
  closers.push(
    () => reader.close(),
    () => writer.close(),
  );
  return { writer, reader };
}
function payload(from: number, to: number, extra: readonly string[] = []): BatchOperation {
  const payloadFile = join(folder, `${from}-${to}.ndjson`);
  const lines = Array.from({ length: to - from }, (_, at) =>
    JSON.stringify({ id: from + at, word: `word${from + at}` }),
  );
  writeFileSync(payloadFile, [...lines, ...extra].join('\n'));
  return addition(payloadFile);
}
/** A context that calls `at` once, when this many documents are stored. */
function contextAt(storedCount: number, at: () => void): WriteContext {
  let isCalled = false;
  const onProgress = (step: string, done: number): void => {
    if (isCalled || step !== 'document' || done < storedCount) return;
    isCalled = true;
    at();
  };
  return { isCanceled: () => false, onProgress, maxIndexingBytes };
}
const plain = contextAt(Number.POSITIVE_INFINITY, () => undefined);

/** Rows of every document in the store, seen or not. */
async function storedRows(name: string): Promise<number> {
  const [index] = readdirSync(join(folder, name, 'indexes'));
  const store = openLmdbStore({ folder: join(folder, name, 'indexes', index!) });
  const count = store.table(TABLES.documents).count();
  await store.close();
  return count;
}
/** What a kill at this moment would leave; the lock, which is held right now, dies with a process. */
function copyFiles(): void {
  const isData = (file: string): boolean => !file.endsWith('lock.mdb');
  cpSync(join(folder, 'data'), join(folder, 'left'), { recursive: true, filter: isData });
}
const seen = (reader: EngineReader): number => reader.stats('books').numberOfDocuments;
const idOf = (reader: EngineReader, id: string): number | undefined =>
  reader.withView('books', (view) => view.docIdOf(id));

describe('a batch that is committed in pieces', () => {
  it('shows nothing before its end and everything after it', async () => {
    const { writer, reader } = openAt('data');
    writer.createIndex('books', null);
    // opening a store takes the writer's lock for a moment, so not while this thread holds it
    expect([seen(reader), idOf(reader, '3')]).toEqual([0, undefined]);
    const during: unknown[] = [];
    const context = contextAt(1_500, () => during.push(seen(reader), idOf(reader, '3')));
    await writer.applyDocuments('books', [payload(0, DOCUMENTS)], context);
    expect(during).toEqual([0, undefined]);
    expect(seen(reader)).toBe(DOCUMENTS);
    const ids = reader.withView('books', (view) =>
      ['0', '777', '1999'].map((id) => view.document(view.docIdOf(id)!)?.id),
    );
    expect(ids).toEqual([0, 777, 1_999]);
  });

  it('leaves no row when it fails half-way, and the next one is whole', async () => {
    const { writer, reader } = openAt('data');
    await writer.applyDocuments('books', [payload(0, 10)], plain);
    const failing = contextAt(1_500, () => {
      throw new Error('a fault of ours');
    });
    await expect(writer.applyDocuments('books', [payload(10, DOCUMENTS)], failing)).rejects.toThrow('a fault of ours');
    expect(await storedRows('data')).toBe(10);
    const [refused] = await writer.applyDocuments('books', [payload(10, DOCUMENTS, ['{"id":"not valid!"}'])], plain);
    expect(refused?.error?.code).toBe('invalid_document_id');
    expect(await storedRows('data')).toBe(10);
    await writer.applyDocuments('books', [payload(5, 30)], plain);
    expect(seen(reader)).toBe(30);
    expect(await storedRows('data')).toBe(30);
  });

  it('is removed after the process died during it', async () => {
    const { writer } = openAt('data');
    await writer.applyDocuments('books', [payload(0, 10)], plain);
    const context = contextAt(1_500, () => copyFiles());
    await writer.applyDocuments('books', [payload(10, DOCUMENTS)], context);
    expect(await storedRows('left')).toBeGreaterThan(500);
    const left = openAt('left');
    expect(seen(left.reader)).toBe(10);
    expect(idOf(left.reader, '20')).toBeUndefined();
    await left.writer.applyDocuments('books', [payload(15, 20)], plain);
    expect(seen(left.reader)).toBe(15);
    expect(await storedRows('left')).toBe(15);
  });

  it('waits with everything once it changes what others see', async () => {
    const { writer } = openAt('data');
    await writer.applyDocuments('books', [payload(0, 10)], plain);
    const update: BatchOperation = { type: 'documentDeletion', target: { by: 'ids', ids: ['1'] } };
    const context = contextAt(1_500, () => copyFiles());
    await writer.applyDocuments('books', [update, payload(10, DOCUMENTS)], context);
    expect(await storedRows('left')).toBe(10);
    expect(await storedRows('data')).toBe(DOCUMENTS - 1);
  });
});
