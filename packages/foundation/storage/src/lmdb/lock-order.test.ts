import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { expect, it } from 'vitest';
import { openLmdbStore } from '../index.js';

const BUILT_FILE = fileURLToPath(new URL('../../dist/index.js', import.meta.url));

/** Half of what a thread that waits for the lock on openings waits for a thread that is gone. */
const TOO_LONG_MS = 5_000;

it.skipIf(!existsSync(BUILT_FILE))(
  'a reader that opens a table within a range and a writer that makes one do not wait for each other',
  async () => {
    const path = mkdtempSync(join(tmpdir(), 'fossick-order-'));
    const key = Uint8Array.of(1);
    const store = openLmdbStore({ folder: path });
    store.transaction((txn) => txn.put('t', key, key));
    const flag = new Int32Array(new SharedArrayBuffer(8));
    const worker = new Worker(new URL('./table-maker.fixture.mjs', import.meta.url), {
      workerData: { path, packageFile: BUILT_FILE, flag },
    });
    const message = (): Promise<unknown> =>
      new Promise((resolve, reject) => {
        worker.once('message', resolve);
        worker.once('error', reject);
      });
    expect(await message()).toBe('writing');
    const waited = message();
    for (const entry of store.table('t').range({})) {
      expect(entry.key).toEqual(key);
      Atomics.store(flag, 0, 1);
      Atomics.notify(flag, 0);
      expect(store.table('late').get(key)).toEqual(Uint8Array.of(2));
    }
    expect(await waited).toBeLessThan(TOO_LONG_MS);
    expect(store.table('later').get(key)).toEqual(key);
    await new Promise((resolve) => worker.once('exit', resolve));
    await store.close();
    rmSync(path, { recursive: true });
  },
  60_000,
);
