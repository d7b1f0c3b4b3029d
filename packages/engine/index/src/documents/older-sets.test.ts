import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SegmentId } from '@fossick/base';
import { addition } from '@fossick/documents/addition.test-support';
import { deletePart, encodeDocSet, PARTS, putChunks, readManifest, rowsOf, TABLES } from '@fossick/format';
import { openLmdbStore, type Store } from '@fossick/storage';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openEngineReader } from '../open-reader.js';
import { openEngineWriter } from '../open-writer.js';
import type { EngineReader, EngineWriter } from '../port.js';
import type { WriteContext } from '../transaction/write-context.js';
import { readDeleted, readDocs, readLive } from './document-sets.js';

const context: WriteContext = { isCanceled: () => false, onProgress: () => undefined, maxIndexingBytes: 64 << 20 };
const COUNT = 40_000;

let folder: string;
let writer: EngineWriter;
let reader: EngineReader;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'fossick-older-'));
  open();
});
afterEach(async () => {
  await close();
  rmSync(folder, { recursive: true, force: true });
});

function open(): void {
  const options = { rootFolder: join(folder, 'data'), maxSearchBytes: 16 << 20 };
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
const remove = (ids: readonly string[]) =>
  writer.applyDocuments('books', [{ type: 'documentDeletion', target: { by: 'ids', ids } }], context);

/** The sets as releases before wrote them: one value each. */
function makeOlder(store: Store): void {
  store.transaction((rows) => {
    const manifest = readManifest(rows);
    rows.put(TABLES.meta, Buffer.from('live'), encodeDocSet(readLive(rows, manifest)));
    deletePart(rows, 0 as SegmentId, PARTS.docPages);
    for (const { id } of manifest.segments) {
      putChunks(rows, id, PARTS.docs, encodeDocSet(readDocs(rows, id, manifest)));
      const deleted = readDeleted(rows, id, manifest);
      if (deleted.count > 0) putChunks(rows, id, PARTS.deleted, encodeDocSet(deleted));
      for (const part of [PARTS.docPages, PARTS.deletedPages]) deletePart(rows, id, part);
    }
    const { docForm: _, freeFrom: __, obsolete: ___, ...older } = manifest;
    rows.put(TABLES.meta, Buffer.from('manifest'), Buffer.from(JSON.stringify({ ...older, retired: [] })));
    for (const { key } of [...store.table(TABLES.meta).range({})])
      if (Buffer.from(key).toString('latin1').startsWith('changes')) rows.delete(TABLES.meta, key);
  });
}

/** Live documents, documents with a word, and what is where. */
function shown(): unknown {
  return reader.withView('books', (view) => {
    const { kernel } = view;
    const counts = ['first', 'second', 'third'].map((word) => {
      const found = kernel.bitmaps.create(view.bitCount);
      for (const segment of view.segments) {
        const ordinal = kernel.dictionaries.find(segment.dictionary('fuzzy'), Buffer.from(word));
        if (ordinal !== -1) kernel.lists.orDocs(found, segment.postings('fuzzy', ordinal));
      }
      return kernel.bitmaps.count(found);
    });
    const live = kernel.bitmaps.members(view.documents, 0, COUNT);
    return [
      view.documentCount,
      kernel.bitmaps.count(view.documents),
      ...counts,
      live.at(0),
      live.at(-1),
      live.at(20_000),
    ];
  });
}

it('an index of an older release is read as it is, and written in pages with its next commit', async () => {
  await add(0, COUNT, 'first');
  await add(100, 20_000, 'second');
  await remove(Array.from({ length: 300 }, (_, at) => String(at * 7)));
  const before = shown();
  await close();
  await inStore(makeOlder);
  open();
  expect(shown()).toEqual(before);
  await add(50, 60, 'third');
  await remove(['39999', '8']);
  // 56 comes back, under the least docid that is free
  expect(shown()).toEqual([COUNT - 301, COUNT - 301, 20_074, 19_615, 10, 0, COUNT - 2, 20_300]);
  await close();
  await inStore((store) => {
    const manifest = readManifest(rowsOf(store));
    expect(manifest.docForm).toBe('pages');
    expect(store.table(TABLES.meta).has(Buffer.from('live'))).toBe(false);
    const parts = [...store.table(TABLES.segments).range({})].map(({ key }) => key[4]);
    expect(parts.filter((part) => part === PARTS.docs || part === PARTS.deleted)).toEqual([]);
  });
  open();
  while (await writer.mergeOnce('books'));
  expect((shown() as number[]).slice(0, 2)).toEqual([COUNT - 301, COUNT - 301]);
});
