import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Durability, Store } from '../store.js';
import { checkStore, openLmdbStore } from './open-store.js';

/** Rows enough that lmdb-js hands them to LMDB in several blocks of instructions, and values of several pages. */
const ROWS = 4_000;
const LONG_BYTES = 40_000;

let folder: string;
let isRefused: boolean;
let store: Store;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'fossick-veto.'));
  isRefused = false;
  store = openRefusing();
});
afterEach(async () => {
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});

function openRefusing(): Store {
  return openLmdbStore({
    folder,
    beforeCommit: () => {
      if (isRefused) throw new Error('refused');
      return undefined;
    },
  });
}
const key = (at: number): Uint8Array => Uint8Array.of(1, at >> 8, at);
function write(round: number, durability?: Durability, table = 't'): void {
  store.transaction((txn) => {
    for (let at = 0; at < ROWS; at++) txn.put(table, key(at), new Uint8Array(1 + (at % 90)).fill(round));
    for (let at = 0; at < 20; at++) txn.put('long', key(at), new Uint8Array(LONG_BYTES + at).fill(round));
    txn.deleteRange(table, key(100), key(200));
    txn.delete(table, key(7));
  }, durability);
}
function refuse(work: () => void): void {
  isRefused = true;
  expect(work).toThrow('refused');
  isRefused = false;
}
const rowsOf = (from: Store): string[] =>
  from.snapshot((snapshot) =>
    snapshot.tableNames.flatMap((name) =>
      [...snapshot.table(name).range({})].map(
        ({ key: k, value }) => `${name} ${k} ${value.length} ${value[0]} ${value.at(-1)}`,
      ),
    ),
  );

describe('a commit of LMDB that is vetoed', () => {
  it.each<Durability>(['now', 'later'])('writes no row of many, durability %s', async (durability) => {
    write(1);
    const [rows, count, sizes] = [rowsOf(store), store.commitCount, store.tableSizes()];
    refuse(() => write(2, durability));
    expect(rowsOf(store)).toEqual(rows);
    expect([store.commitCount, store.tableSizes()]).toEqual([count, sizes]);
    await store.close();
    expect(checkStore(folder, { untilMs: Number.POSITIVE_INFINITY })).toMatchObject({ isWhole: true });
    store = openRefusing();
    expect(rowsOf(store)).toEqual(rows);
  });

  it('gives back its pages: a hundred of them leave the file as it was', () => {
    write(1);
    write(2);
    const { diskBytes } = store.size();
    for (let round = 0; round < 100; round++) refuse(() => write(round, round % 2 === 0 ? 'now' : 'later'));
    expect(store.size().diskBytes).toBe(diskBytes);
    write(3);
    expect(store.size().diskBytes - diskBytes).toBeLessThan(4 << 20);
  });

  it('leaves no table that it created, and a later transaction can create it', () => {
    write(1);
    const tableNames = store.snapshot((snapshot) => snapshot.tableNames);
    for (let round = 0; round < 40; round++) refuse(() => write(round, 'now', `new ${round % 20}`));
    expect(store.snapshot((snapshot) => snapshot.tableNames)).toEqual(tableNames);
    expect(store.table('new 3').get(key(1))).toBeUndefined();
    write(5, 'now', 'new 3');
    expect(store.table('new 3').get(key(1))).toEqual(new Uint8Array(2).fill(5));
  });

  it('of the first rows of a store leaves it empty', () => {
    refuse(() => write(1));
    expect(rowsOf(store)).toEqual([]);
    write(2);
    expect(store.table('t').get(key(0))).toEqual(Uint8Array.of(2));
  });

  it('releases the lock of writers: another handle writes at once, and is not vetoed', async () => {
    write(1);
    const other = openLmdbStore({ folder });
    refuse(() => write(2));
    other.transaction((txn) => txn.put('t', key(0), Uint8Array.of(77)));
    expect(store.table('t').get(key(0))).toEqual(Uint8Array.of(77));
    refuse(() => write(3));
    expect(other.table('t').get(key(1))).toEqual(new Uint8Array(2).fill(1));
    await other.close();
  });

  it('does not take earlier commits of durability `later` with it', async () => {
    for (let round = 1; round < 6; round++) {
      write(round, 'later');
      refuse(() => write(100 + round, 'later'));
    }
    const flushed = store.flush();
    refuse(() => write(9));
    await flushed;
    const rows = rowsOf(store);
    await store.close();
    store = openRefusing();
    expect(rowsOf(store)).toEqual(rows);
    expect(store.table('t').get(key(0))).toEqual(Uint8Array.of(5));
  });

  it('leaves ranges and snapshots in progress alone', () => {
    write(1);
    store.snapshot((snapshot) => {
      const seen = [...store.table('t').range({ limit: 20 })].map(({ key: k }) => {
        refuse(() => write(2));
        return k[2];
      });
      expect(seen).toEqual(Array.from({ length: 21 }, (_, at) => at).filter((at) => at !== 7));
      expect(snapshot.table('long').get(key(3))).toEqual(new Uint8Array(LONG_BYTES + 3).fill(1));
    });
  });
});
