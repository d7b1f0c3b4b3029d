import { emptyManifest, type RowSink, writeState } from '@fossick/format';
import { createKernel } from '@fossick/kernel';
import { DEFAULT_SETTINGS } from '@fossick/settings';
import { openMemoryStore, type Store } from '@fossick/storage';
import { createTokenizer } from '@fossick/tokenizer';
import { expect, it } from 'vitest';
import { SegmentBuilder } from '../segment/segment-builder.js';
import { IndexTransaction } from './index-transaction.js';

const kernel = createKernel();
const inverter = kernel.lists.createInverter();
const tokenizer = createTokenizer({});
const context = { isCanceled: () => false, onProgress: () => undefined, maxIndexingBytes: 1 << 30 };

/** Bytes of rows that a commit reads and writes. */
interface Cost {
  reads: number;
  writes: number;
}

function commit(store: Store, documents: readonly { readonly id: string }[], deleted: readonly string[] = []): Cost {
  const cost: Cost = { reads: 0, writes: 0 };
  store.transaction((rows) => {
    const counted: RowSink = {
      ...rows,
      get: (table, key) => {
        const value = rows.get(table, key);
        cost.reads += key.length + (value?.length ?? 0);
        return value;
      },
      put: (table, key, value) => {
        cost.writes += key.length + value.length;
        rows.put(table, key, value);
      },
    };
    const transaction = new IndexTransaction(counted, {
      context,
      segmentWriterOf: (settings, fields) => new SegmentBuilder({ kernel, inverter, tokenizer, settings, fields }),
    });
    for (const document of documents)
      transaction.store(transaction.prepare(document.id, { ...document }, { merge: false, skipCreation: false })!);
    for (const id of deleted) transaction.deleteDocument(id);
    for (const _ of transaction.flush(true));
    transaction.writeState(0);
  });
  return cost;
}

function filled(count: number): Store {
  const store = openMemoryStore();
  const settings = DEFAULT_SETTINGS;
  store.transaction((rows) => writeState(rows, { manifest: emptyManifest('id', ''), settings, fieldNames: ['id'] }));
  // ids in ascending order: the store moves all rows after a new one
  const ids = Array.from({ length: count }, (_, at) => String(at).padStart(8, '0'));
  for (let from = 0; from < count; from += 20_000)
    commit(
      store,
      ids.slice(from, from + 20_000).map((id) => ({ id })),
    );
  return store;
}

it('a small commit reads and writes as many bytes in a large index as in a small one', () => {
  const [small, large] = [filled(20_000), filled(120_000)];
  const changes: [{ id: string; title?: string }[], string[]][] = [
    [[{ id: '00000005', title: 'replaced' }], []],
    [[{ id: 'fresh' }], []],
    [[], ['00019999']],
    [[{ id: '00000007', title: 'replaced' }, { id: 'new' }], ['00000003']],
  ];
  for (const [documents, deleted] of changes) {
    const [less, more] = [small, large].map((store) => commit(store, documents, deleted)) as [Cost, Cost];
    // a page of documents in each of five segments more, and their lines in the manifest
    expect(more.reads).toBeLessThan(less.reads + 16_384);
    expect(more.writes).toBeLessThan(less.writes + 4_096);
    expect(more.writes).toBeLessThan(16_384);
  }
}, 60_000);
