import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { emptyManifest, replaceManifest } from '@fossick/format';
import { openLmdbStore, type Store } from '@fossick/storage';
import { afterEach, describe, expect, it } from 'vitest';
import { IndexSummaries } from './index-summaries.js';
import { newSummaryMarks, SummaryMarks } from './summary-marks.js';

const WHEN = '2026-01-01T00:00:00Z';
const folders: string[] = [];
const stores: Store[] = [];
afterEach(async () => {
  for (const store of stores.splice(0)) await store.close();
  for (const path of folders.splice(0)) rmSync(path, { recursive: true, force: true });
});

/** The store of an index with these numbers of documents, one commit after the other. */
function storeWith(...counts: readonly number[]): { readonly path: string; readonly store: Store } {
  const path = mkdtempSync(join(tmpdir(), 'fossick-summaries-'));
  const store = openLmdbStore({ folder: path });
  folders.push(path);
  stores.push(store);
  for (const documentCount of counts) addCommit(store, documentCount);
  return { path, store };
}
function addCommit(store: Store, documentCount: number): void {
  store.transaction((txn) => replaceManifest(txn, { ...emptyManifest('id', WHEN), documentCount }));
}

describe('figures of an index', () => {
  const entry = { folder: 'wines', updatedAt: WHEN } as never;
  const open = (path: string, storeOf: () => Store) => {
    const marks = new SummaryMarks(newSummaryMarks());
    const options = { pathOf: () => path, storeOf, marks, isDue: undefined };
    const readers = new IndexSummaries(options);
    return { marks, count: () => readers.of(entry).stats.numberOfDocuments, writers: new IndexSummaries(options) };
  };

  for (const isWritten of [true, false])
    it(`are not kept that were read between a commit and its notice, ${isWritten ? 'with' : 'without'} a summary`, () => {
      const { path, store } = storeWith(0, 3);
      // the reader still has the snapshot of the commit before
      let seen = storeWith(0).store;
      const { marks, count, writers } = open(path, () => seen);
      expect(count()).toBe(0);
      seen = store;
      if (isWritten) writers.outdate('wines');
      else marks.move('wines');
      expect(count()).toBe(3);
      writers.write();
      expect(count()).toBe(3);
    });

  it('are not read again while no commit was noticed', () => {
    const { path, store } = storeWith(2);
    let reads = 0;
    const { count, marks } = open(path, () => {
      reads++;
      return store;
    });
    expect([count(), count(), reads]).toEqual([2, 2, 1]);
    addCommit(store, 5);
    expect(count()).toBe(2);
    marks.move('wines');
    expect([count(), count(), reads]).toEqual([5, 5, 2]);
  });
});
