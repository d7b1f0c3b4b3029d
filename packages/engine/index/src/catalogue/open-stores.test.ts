import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { TEST_SEED } from '@fossick/base/test-seed.test-support';
import { openLmdbStore } from '@fossick/storage';
import { afterEach, describe, expect, it } from 'vitest';
import { OpenStores, openStoresMax } from './open-stores.js';

const FIXTURE = new URL('open-stores.fixture.mjs', import.meta.url);
const BUILT_FILE = new URL('../../dist/catalogue/open-stores.js', import.meta.url);
const THREADS = 4;
const STORES = 10;
const STEPS = process.env.FOSSICK_TEST_FAULTS === 'long' ? 5_000 : 250;
const COUNTER = Uint8Array.of(1);

const folders: string[] = [];
function newFolder(): string {
  const path = mkdtempSync(join(tmpdir(), 'fossick-open-stores.'));
  folders.push(path);
  return path;
}
afterEach(() => {
  for (const path of folders.splice(0)) rmSync(path, { recursive: true, force: true });
});
interface Counted {
  readonly added: readonly number[];
  readonly closedCount: number;
}
function thread(workerData: object): Promise<Counted> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(FIXTURE, { workerData });
    let counted: Counted | undefined;
    worker.on('message', (message: Counted) => {
      counted = message;
    });
    worker.on('error', reject);
    worker.on('exit', () => (counted === undefined ? reject(new Error('a thread ended')) : resolve(counted)));
  });
}

describe('stores that are open', () => {
  const list = (place: string, options: { max: number; isInUse?: (folder: string) => boolean }) => {
    const closed: string[] = [];
    const stores = new OpenStores({
      pathOf: (folder) => join(place, folder),
      isInUse: () => false,
      onClose: (folder) => closed.push(folder),
      ...options,
    });
    return { stores, closed };
  };

  it('of an index that is removed while a reader opens it are missing, and are not created again', () => {
    const place = newFolder();
    mkdirSync(join(place, 'removed'));
    const opened = (remove: (path: string) => void) => {
      const stores = new OpenStores({
        pathOf: (folder) => join(place, folder),
        isInUse: () => false,
        onClose: () => undefined,
        mayCreate: false,
        // asked after the reader has looked for the file, before it is opened
        beforeCommit: (folder) => {
          remove(join(place, folder));
          return () => undefined;
        },
      });
      return () => stores.get('removed');
    };
    writeFileSync(join(place, 'removed', 'data.mdb'), '');
    const remove = (path: string): void => {
      renameSync(path, `${path}.removed`);
      rmSync(`${path}.removed`, { recursive: true });
    };
    expect(opened(remove)).toThrow(expect.objectContaining({ code: 'invalid_store_file' }));
    expect(existsSync(join(place, 'removed'))).toBe(false);
  });

  it('are the last used ones', async () => {
    const { stores, closed } = list(newFolder(), { max: 2 });
    const first = stores.get('a');
    stores.get('b');
    expect(stores.get('a')).toBe(first);
    stores.get('c');
    expect(closed).toEqual(['b']);
    stores.get('b');
    expect(closed).toEqual(['b', 'a']);
    expect(stores.get('a')).not.toBe(first);
    await stores.closeAll();
    expect(closed.sort()).toEqual(['a', 'a', 'b', 'b', 'c']);
  });

  it('include those that are being read or in use', async () => {
    const { stores, closed } = list(newFolder(), { max: 2, isInUse: (folder) => folder === 'b' });
    const read = stores.get('a');
    read.transaction((txn) => {
      for (let i = 1; i < 9; i++) txn.put('t', Uint8Array.of(i), Uint8Array.of(i));
    });
    const rows = read.table('t').range({})[Symbol.iterator]();
    rows.next();
    for (const folder of ['b', 'c', 'd']) stores.get(folder);
    expect(closed).toEqual(['c']);
    expect([...{ [Symbol.iterator]: () => rows }].map(({ key }) => key[0])).toEqual([2, 3, 4, 5, 6, 7, 8]);
    stores.get('e');
    expect(closed).toEqual(['c', 'a', 'd']);
    await stores.closeAll();
  });

  it('are as many as the limits of the process allow', () => {
    expect(openStoresMax()).toBeGreaterThanOrEqual(8);
    expect(openStoresMax()).toBeLessThanOrEqual(64);
  });

  it.skipIf(!existsSync(BUILT_FILE))(
    'are closed by one thread while others read and write the same files',
    async () => {
      const place = newFolder();
      mkdirSync(place, { recursive: true });
      const descriptors = (): number => (existsSync('/proc/self/fd') ? readdirSync('/proc/self/fd').length : 0);
      await openLmdbStore({ folder: join(place, 's0') }).close();
      const before = descriptors();
      const counted = await Promise.all(
        Array.from({ length: THREADS }, (_, at) =>
          thread({ place, seed: TEST_SEED + at * 7919, steps: STEPS, max: 3, storeCount: STORES }),
        ),
      );
      expect(Math.min(...counted.map(({ closedCount }) => closedCount))).toBe(STORES);
      for (let at = 0; at < STORES; at++) {
        const store = openLmdbStore({ folder: join(place, `s${at}`) });
        const bytes = store.table('count').get(COUNTER);
        const count = bytes === undefined ? 0 : Buffer.from(bytes).readUInt32BE();
        expect(count, `s${at}, seed ${TEST_SEED}`).toBe(counted.reduce((sum, { added }) => sum + added[at]!, 0));
        await store.close();
      }
      expect(descriptors()).toBeLessThanOrEqual(before);
    },
    300_000,
  );
});
