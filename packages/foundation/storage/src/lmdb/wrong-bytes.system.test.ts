import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { TEST_SEED } from '@fossick/base/test-seed.test-support';
import fc from 'fast-check';
import { open as openLmdb } from 'lmdb';
import { afterEach, describe, expect, it } from 'vitest';
import { checkStore, openLmdbStore, type Store } from '../index.js';

const FIXTURE = fileURLToPath(new URL('wrong-bytes.fixture.mjs', import.meta.url));
const BUILT_FILE = fileURLToPath(new URL('../../dist/index.js', import.meta.url));
const isLong = process.env['FOSSICK_TEST_FAULTS'] === 'long';
const TABLES = ['ids', 'large', 'small'] as const;
const PAGE_BYTES = 4096;

const folders: string[] = [];
function newFolder(): string {
  const path = mkdtempSync(join(tmpdir(), 'fossick-bytes.'));
  folders.push(path);
  return path;
}
afterEach(() => {
  for (const path of folders.splice(0)) rmSync(path, { recursive: true, force: true });
});

/** One random change: which table, which key, how many bytes (none: it is deleted), what is in them. */
const change = fc.record({
  table: fc.constantFrom(...TABLES),
  key: fc.nat(700),
  bytes: fc.oneof(
    { weight: 3, arbitrary: fc.constant(undefined) },
    { weight: 9, arbitrary: fc.nat(900) },
    fc.nat(90_000),
  ),
  fill: fc.nat(255),
});
type Change = typeof change extends fc.Arbitrary<infer T> ? T : never;

function apply(store: Store, changes: readonly Change[]): void {
  store.transaction((txn) => {
    for (const { table, key, bytes, fill } of changes) {
      const rowKey =
        table === 'ids' ? Buffer.from(`id${key}${'x'.repeat(key % 90)}`) : Uint8Array.of(key >> 8, key & 255);
      if (bytes === undefined) txn.delete(table, rowKey);
      else
        txn.put(
          table,
          rowKey,
          Uint8Array.from({ length: bytes }, (_, at) => at * fill),
        );
    }
  });
}

describe('the walk through all pages', () => {
  it('finds nothing wrong with stores that were written, deleted from and opened again', async () => {
    const batches = fc.sample(fc.array(change, { minLength: 1, maxLength: 250 }), {
      numRuns: isLong ? 1_500 : 120,
      seed: 20_261_122,
    });
    const folder = newFolder();
    for (const [at, batch] of batches.entries()) {
      const store = openLmdbStore({ folder });
      apply(store, batch);
      await store.close();
      if (at % 3 === 0)
        expect(checkStore(folder, { untilMs: Number.POSITIVE_INFINITY }), `batch ${at}`).toEqual({
          isRepaired: false,
          isWhole: true,
          suspectedFor: 0,
        });
    }
  }, 300_000);

  it('gives up when time is up, and marks nothing', async () => {
    const folder = newFolder();
    const store = openLmdbStore({ folder });
    apply(store, [{ table: 'small', key: 1, bytes: 10, fill: 1 }]);
    await store.close();
    expect(checkStore(folder, { untilMs: 0 })).toEqual({ isRepaired: false, isWhole: false, suspectedFor: 0 });
    await openLmdbStore({ folder }).close();
  });

  it('marks a damaged store, and removes the mark when the file is intact again', async () => {
    const folder = newFolder();
    const store = openLmdbStore({ folder });
    store.transaction((txn) => txn.put('small', Uint8Array.of(1), Buffer.from('a value that can be found')));
    await store.close();
    const file = join(folder, 'data.mdb');
    const whole = readFileSync(file);
    const damaged = Buffer.from(whole);
    damaged[whole.indexOf('can be found')]! ^= 1;
    writeFileSync(file, damaged);
    const refusal = expect.objectContaining({ code: 'invalid_store_file' });
    expect(() => checkStore(folder, { untilMs: Number.POSITIVE_INFINITY })).toThrow(refusal);
    expect(() => openLmdbStore({ folder })).toThrow(refusal);
    writeFileSync(file, whole);
    checkStore(folder, { untilMs: Number.POSITIVE_INFINITY });
    const again = openLmdbStore({ folder });
    expect(Buffer.from(again.table('small').get(Uint8Array.of(1))!).toString()).toBe('a value that can be found');
    await again.close();
  });
});

describe('sums of rows', () => {
  it('tell a value that changed under an open store, wherever it is read', async () => {
    const folder = newFolder();
    const store = openLmdbStore({ folder });
    const [short, long] = [Buffer.from('a short value'), Buffer.alloc(70_000, 'a long value ')];
    store.transaction((txn) => {
      txn.put('small', Uint8Array.of(1), short);
      txn.put('large', Uint8Array.of(1), long);
      txn.put('large', Uint8Array.of(2), Buffer.alloc(0));
    });
    const rows: [string, Uint8Array][] = [
      ['small', short],
      ['large', long],
    ];
    for (const [table, value] of rows) expect(Buffer.from(store.table(table).get(Uint8Array.of(1))!)).toEqual(value);
    expect(store.table('large').get(Uint8Array.of(2))).toEqual(new Uint8Array(0));
    const file = join(folder, 'data.mdb');
    const bytes = readFileSync(file);
    for (const [, value] of rows) bytes[bytes.indexOf(value.subarray(0, 13)) + 9]! ^= 64;
    writeFileSync(file, bytes, { flag: 'r+' });
    const refusal = expect.objectContaining({ code: 'invalid_store_file' });
    for (const [table] of rows) {
      const key = Uint8Array.of(1);
      expect(() => store.table(table).get(key)).toThrow(refusal);
      expect(() => store.table(table).read(key, (value) => value.length)).toThrow(refusal);
      expect(() => [...store.table(table).range({})]).toThrow(refusal);
      expect(() => store.transaction((txn) => txn.get(table, key))).toThrow(refusal);
      expect(() => store.snapshot((snapshot) => snapshot.table(table).get(key))).toThrow(refusal);
    }
    await expect(store.copyTo(join(newFolder(), 'copy'))).rejects.toThrow(refusal);
    store.transaction((txn) => txn.put('small', Uint8Array.of(1), short));
    expect(Buffer.from(store.table('small').get(Uint8Array.of(1))!)).toEqual(short);
    await store.close();
  });

  it('are not required in stores of earlier releases, which get them when they are copied', async () => {
    const [folder, copied] = [newFolder(), join(newFolder(), 'copy')];
    const old = openLmdb<Uint8Array, Uint8Array>({ path: folder, noSubdir: false, maxDbs: 32, overlappingSync: false });
    const form = { keyEncoding: 'binary', encoding: 'binary', cache: false } as const;
    const key = Buffer.from([1]);
    for (let round = 1; round <= 2; round++)
      old.transactionSync(() =>
        old.openDB<Uint8Array, Uint8Array>('t', form).putSync(key, Buffer.from(`old ${round}`)),
      );
    await old.close();
    expect(checkStore(folder, { untilMs: Number.POSITIVE_INFINITY }).isWhole).toBe(true);
    const store = openLmdbStore({ folder });
    expect(Buffer.from(store.table('t').get(key)!).toString()).toBe('old 2');
    store.transaction((txn) => txn.put('t', Buffer.from([2]), Buffer.from('new')));
    expect(Buffer.from(store.table('t').get(Buffer.from([2]))!).toString()).toBe('new');
    await store.copyTo(copied);
    await store.close();
    const bytes = readFileSync(join(copied, 'data.mdb'));
    bytes[bytes.lastIndexOf('old 2')]! ^= 1;
    writeFileSync(join(copied, 'data.mdb'), bytes);
    const copy = openLmdbStore({ folder: copied });
    expect(Buffer.from(copy.table('t').get(Buffer.from([2]))!).toString()).toBe('new');
    expect(() => copy.table('t').get(key)).toThrow(expect.objectContaining({ code: 'invalid_store_file' }));
    await copy.close();
  });
});

describe.skipIf(!existsSync(BUILT_FILE))('a wrong byte anywhere in the file of a store', () => {
  /** What a process says that looks at the store, reads and writes it; undefined when it ended without a word. */
  const tryStore = (folder: string): { before?: string; after?: string; code?: string } | undefined => {
    const { stdout } = spawnSync(process.execPath, [FIXTURE, BUILT_FILE, folder, TABLES.join(',')]);
    return stdout.length === 0 ? undefined : JSON.parse(String(stdout));
  };

  it('is found before the file is mapped, or changes nothing that is read', async () => {
    const folder = newFolder();
    const store = openLmdbStore({ folder });
    for (const batch of fc.sample(fc.array(change, { minLength: 40, maxLength: 60 }), { numRuns: 8, seed: TEST_SEED }))
      apply(store, batch);
    await store.close();
    const whole = readFileSync(join(folder, 'data.mdb'));
    const rows = tryStore(folder);
    expect(rows).toEqual({ before: rows!.after, after: rows!.after });
    const place = fc.oneof(
      fc
        .nat(2 * 180)
        .map((at) => (at < 180 ? at : PAGE_BYTES + at - 180)), // the two heads
      fc
        .tuple(fc.nat(whole.length / PAGE_BYTES - 1), fc.nat(70))
        .map(([page, at]) => page * PAGE_BYTES + at), // heads of pages
      fc.nat(whole.length - 1),
    );
    const flips = fc.sample(fc.tuple(place, fc.nat(254)), { numRuns: isLong ? 800 : 36, seed: TEST_SEED });
    let found = 0;
    for (const [at, by] of flips) {
      const damaged = join(newFolder(), 'damaged');
      mkdirSync(damaged);
      const bytes = Buffer.from(whole);
      bytes[at]! ^= by + 1;
      writeFileSync(join(damaged, 'data.mdb'), bytes);
      const came = tryStore(damaged);
      rmSync(damaged, { recursive: true });
      const where = `byte ${at}, xor ${by + 1}`;
      expect(came, `${where} ended the process`).toBeDefined();
      if (came!.code === undefined) expect(came, where).toEqual(rows);
      else expect(came, where).toMatchObject({ code: 'invalid_store_file' });
      if (came!.code !== undefined) found += 1;
    }
    expect(found).toBeGreaterThan(flips.length / 10);
    process.stdout.write(`wrong bytes: ${flips.length} tried, ${found} found, the others were read by nobody\n`);
  }, 900_000);
});
