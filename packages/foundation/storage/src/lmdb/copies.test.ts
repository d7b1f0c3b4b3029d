import { createHash } from 'node:crypto';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { open as openLmdb } from 'lmdb';
import { afterEach, describe, expect, it } from 'vitest';
import { openLmdbStore, repairStore, type Store } from '../index.js';
import { inspectStoreFile, lacksFreeList } from './file/store-file.js';

const folders: string[] = [];
function newFolder(): string {
  const path = mkdtempSync(join(tmpdir(), 'fossick-copies.'));
  folders.push(path);
  return path;
}
afterEach(() => {
  for (const path of folders.splice(0)) rmSync(path, { recursive: true, force: true });
});
const key = (n: number): Uint8Array => Uint8Array.of(n >> 8, n & 255);
/** A digest of all rows: thousands of arrays are compared slowly. */
function rowsOf(store: Store, table: string): string {
  const hash = createHash('sha256');
  let count = 0;
  for (const { key: rowKey, value } of store.table(table).range({})) {
    hash.update(`${count++} ${rowKey.length} ${value.length} `).update(rowKey).update(value);
  }
  return `${count} rows ${hash.digest('hex')}`;
}

function fill(store: Store, round: number): void {
  store.transaction((txn) => {
    for (let i = 0; i < 1_000; i++) txn.put('small', key(i), new Uint8Array(50 + ((i * 37 + round) % 900)).fill(i));
    for (let i = 0; i < 6; i++) txn.put('large', key(i), new Uint8Array(20_000 * i + round).fill(i));
  });
  store.transaction((txn) => {
    for (let i = 0; i < 300; i++) txn.delete('small', key((i * 7 + round) % 1_000));
    txn.put('none', key(1), key(1));
    txn.delete('none', key(1));
  });
}

describe('copies of a store', () => {
  it('hold every row of every table, take writes, and have a list of free pages', async () => {
    const place = newFolder();
    let folder = join(place, '0');
    for (let generation = 1; generation <= 3; generation++) {
      const store = openLmdbStore({ folder });
      fill(store, generation);
      const [small, large] = [rowsOf(store, 'small'), rowsOf(store, 'large')];
      folder = join(place, String(generation));
      await store.copyTo(folder);
      await store.close();
      expect(lacksFreeList(inspectStoreFile(folder).head!)).toBe(false);
      const copy = openLmdbStore({ folder });
      expect(rowsOf(copy, 'small')).toEqual(small);
      expect(rowsOf(copy, 'large')).toEqual(large);
      copy.snapshot(({ tableNames }) => expect(tableNames).toEqual(['large', 'none', 'small']));
      await copy.close();
    }
  });

  it('are of one commit, whatever is written while they are made', async () => {
    const store = openLmdbStore({ folder: newFolder() });
    fill(store, 1);
    const before = rowsOf(store, 'small');
    const folder = join(newFolder(), 'copy');
    let isDone = false;
    const copying = store.copyTo(folder).finally(() => {
      isDone = true;
    });
    let writes = 0;
    for (; !isDone; writes++) {
      store.transaction((txn) => {
        txn.clear('small');
        txn.put(`new${writes % 3}`, key(writes % 60_000), key(1));
      });
      await new Promise((resolve) => setImmediate(resolve));
    }
    await copying;
    await store.close();
    expect(writes).toBeGreaterThan(2);
    const copy = openLmdbStore({ folder });
    expect(rowsOf(copy, 'small')).toEqual(before);
    expect(copy.table('new0').count()).toBe(0);
    await copy.close();
  });

  it('that an earlier release compacted are written again before anybody writes to them', async () => {
    const [folder, compacted] = [newFolder(), join(newFolder(), 'compacted')];
    const store = openLmdbStore({ folder });
    for (let round = 0; round < 2; round++) fill(store, round);
    const [small, large] = [rowsOf(store, 'small'), rowsOf(store, 'large')];
    await store.close();
    const old = openLmdb({ path: folder, noSubdir: false, maxDbs: 32, overlappingSync: false });
    mkdirSync(compacted);
    await old.backup(compacted, true);
    await old.close();
    expect(lacksFreeList(inspectStoreFile(compacted).head!)).toBe(true);
    expect(repairStore(compacted)).toBe(true);
    expect(repairStore(compacted)).toBe(false);
    const repaired = openLmdbStore({ folder: compacted });
    expect(rowsOf(repaired, 'small')).toEqual(small);
    expect(rowsOf(repaired, 'large')).toEqual(large);
    for (let round = 0; round < 2; round++) fill(repaired, round);
    await repaired.close();
  });
});

describe('a damaged file', () => {
  it('cut anywhere is refused, or lacks free pages only', async () => {
    const folder = newFolder();
    const store = openLmdbStore({ folder });
    for (let round = 0; round < 2; round++) fill(store, round);
    const [small, large] = [rowsOf(store, 'small'), rowsOf(store, 'large')];
    await store.close();
    const whole = join(folder, 'data.mdb');
    const { head } = inspectStoreFile(folder);
    const byteCount = readFileSync(whole).length;
    const cuts = fc.sample(fc.integer({ min: 1, max: byteCount - 1 }), { numRuns: 100, seed: 20_261_122 });
    let refused = 0;
    for (const cut of [...cuts, 1, 4096, 4097, 8191, 8192, byteCount - 4096]) {
      const place = newFolder();
      copyFileSync(whole, join(place, 'data.mdb'));
      truncateSync(join(place, 'data.mdb'), cut);
      if (inspectStoreFile(place).damage !== undefined) {
        refused++;
        expect(() => openLmdbStore({ folder: place })).toThrow(expect.objectContaining({ code: 'invalid_store_file' }));
        continue;
      }
      const cutStore = openLmdbStore({ folder: place });
      expect(rowsOf(cutStore, 'small')).toEqual(small);
      expect(rowsOf(cutStore, 'large')).toEqual(large);
      await cutStore.close();
    }
    expect(head!.lastPage).toBeGreaterThan(90);
    expect(refused).toBeGreaterThan(90);
  });

  it('that is none at all is refused', () => {
    for (const text of ['x', 'not a store '.repeat(2_000)]) {
      const folder = newFolder();
      writeFileSync(join(folder, 'data.mdb'), text);
      expect(() => openLmdbStore({ folder })).toThrow(expect.objectContaining({ code: 'invalid_store_file' }));
    }
  });
});
