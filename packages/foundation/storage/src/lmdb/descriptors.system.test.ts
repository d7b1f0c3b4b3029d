import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { openLmdbStore } from '../index.js';
import { SPARE_DESCRIPTORS } from './environment/free-descriptors.js';

const FIXTURE = fileURLToPath(new URL('few-descriptors.fixture.mjs', import.meta.url));
const BUILT_FILE = fileURLToPath(new URL('../../dist/index.js', import.meta.url));
const OWN_DESCRIPTORS = '/proc/self/fd';
/** More left than this are enough. */
const LEFT_MAX = SPARE_DESCRIPTORS + 8;

const folders: string[] = [];
function newFolder(): string {
  const path = mkdtempSync(join(tmpdir(), 'fossick-descriptors.'));
  folders.push(path);
  return path;
}
afterEach(() => {
  for (const path of folders.splice(0)) rmSync(path, { recursive: true, force: true });
});
const key = (n: number): Uint8Array => Uint8Array.of(n >> 8, n & 255);

describe.skipIf(!existsSync(OWN_DESCRIPTORS))('file descriptors of a store', () => {
  const openCount = (): number => readdirSync(OWN_DESCRIPTORS).length;

  it('are closed when close returns', async () => {
    const place = newFolder();
    await openLmdbStore({ folder: join(place, 'first') }).close();
    const before = openCount();
    for (let round = 0; round < 20; round++) {
      const store = openLmdbStore({ folder: join(place, `store${round}`) });
      expect(openCount()).toBe(before + 3);
      store.transaction((txn) => {
        for (let i = 0; i < 300; i++) txn.put(`table${i % 3}`, key(i), key(round));
      });
      for (const _ of store.table('table1').range({ limit: 5 })) break;
      expect(store.table('table2').count()).toBe(100);
      expect(store.snapshot(({ tableNames }) => tableNames.length)).toBe(3);
      if (round % 2 === 1) await store.copyTo(join(place, `copy${round}`));
      expect(store.isBusy).toBe(false);
      void store.close();
      expect(openCount()).toBe(before);
    }
  });

  it('are closed after a running flush', async () => {
    const folder = newFolder();
    await openLmdbStore({ folder }).close();
    const before = openCount();
    const store = openLmdbStore({ folder });
    store.transaction((txn) => txn.put('t', key(1), key(1)), 'later');
    const flushed = store.flush();
    expect(store.isBusy).toBe(true);
    await store.close();
    await flushed;
    expect(openCount()).toBe(before);
  });

  it('are kept while a range is being read, which is reported', async () => {
    const store = openLmdbStore({ folder: newFolder() });
    store.transaction((txn) => {
      for (let i = 0; i < 10; i++) txn.put('t', key(i), key(i));
    });
    const rows = store.table('t').range({})[Symbol.iterator]();
    rows.next();
    expect(store.isBusy).toBe(true);
    rows.return?.();
    expect(store.isBusy).toBe(false);
    await store.close();
  });

  it.skipIf(!existsSync(BUILT_FILE))('that are missing are an error, not the end of the process', () => {
    const words = ['-c', 'ulimit -n 96; exec "$@"', 'sh', process.execPath, FIXTURE, newFolder(), String(LEFT_MAX)];
    const { status, signal, stdout, stderr } = spawnSync('sh', words, { encoding: 'utf8' });
    expect({ status, signal, stderr }).toEqual({ status: 0, signal: null, stderr: '' });
    const outcomes = JSON.parse(stdout) as string[];
    expect(outcomes.slice(0, SPARE_DESCRIPTORS)).toEqual(Array(SPARE_DESCRIPTORS).fill('EMFILE'));
    expect(outcomes.at(-1)).toBe('opened');
    expect(new Set(outcomes)).toEqual(new Set(['EMFILE', 'opened']));
  });
});
