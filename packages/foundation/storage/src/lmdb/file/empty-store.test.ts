import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { endianness, tmpdir } from 'node:os';
import { join } from 'node:path';
import { open } from 'lmdb';
import { afterEach, describe, expect, it } from 'vitest';
import { openLmdbStore } from '../../index.js';
import { emptyStore } from './reserved-space.js';

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});
function newFolder(): string {
  folders.push(mkdtempSync(join(tmpdir(), 'fossick-empty-')));
  return folders.at(-1)!;
}

describe.skipIf(endianness() !== 'LE')('the file of a new store', () => {
  it('has the bytes that LMDB gives it', async () => {
    const folder = newFolder();
    const options = { noSubdir: false, mapSize: 2 ** 32, remapChunks: false, overlappingSync: false };
    // opening it as read only writes nothing more, and fails because there is no table
    const root = open({ path: folder, ...options, maxDbs: 4 });
    await root.close();
    const bytes = readFileSync(join(folder, 'data.mdb')).subarray(0, emptyStore().length);
    // the first page is of commit 0 until the second commit; of the page size of the machine
    if (bytes.readUInt32LE(48) === 4_096) expect(bytes.subarray(0, 4_096)).toEqual(emptyStore().subarray(0, 4_096));
  });

  it('is whole when it appears, and replaces an empty one', async () => {
    const folder = newFolder();
    writeFileSync(join(folder, 'data.mdb'), '');
    const store = openLmdbStore({ folder });
    expect(readFileSync(join(folder, 'data.mdb'))).toEqual(emptyStore());
    store.transaction((txn) => txn.put('t', Uint8Array.of(1), Uint8Array.of(2)));
    await store.close();
    const again = openLmdbStore({ folder });
    expect(again.table('t').get(Uint8Array.of(1))).toEqual(Uint8Array.of(2));
    await again.close();
    expect(readdirSync(folder).sort()).toEqual(['data.mdb', 'lock.mdb']);
    expect(existsSync(join(folder, 'DAMAGED'))).toBe(false);
  });
});
