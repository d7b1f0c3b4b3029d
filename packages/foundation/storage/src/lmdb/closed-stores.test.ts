import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { collectGarbage } from '@fossick/base';
import { expect, it } from 'vitest';
import { openLmdbStore } from '../index.js';

/** What a handle of lmdb-js holds to send writes through. */
const HANDLE_BYTES = 65_536;
const ROUNDS = 60;

it('what a closed store held is collected', async () => {
  const place = mkdtempSync(join(tmpdir(), 'fossick-closed-'));
  try {
    const use = async (name: string): Promise<void> => {
      const store = openLmdbStore({ folder: join(place, name) });
      store.transaction((rows) => rows.put('table', Uint8Array.of(1), Uint8Array.of(2)));
      expect(store.snapshot(({ tableNames }) => tableNames)).toEqual(['table']);
      await store.close();
    };
    await use('first');
    collectGarbage();
    const before = process.memoryUsage().arrayBuffers;
    for (let round = 0; round < ROUNDS; round++) await use(`store${round}`);
    let heldBytes = Number.POSITIVE_INFINITY;
    for (let look = 0; look < 20 && heldBytes > (ROUNDS * HANDLE_BYTES) / 4; look++) {
      collectGarbage();
      await new Promise((resolve) => setTimeout(resolve, 20));
      heldBytes = process.memoryUsage().arrayBuffers - before;
    }
    expect(heldBytes).toBeLessThan((ROUNDS * HANDLE_BYTES) / 4);
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
});
