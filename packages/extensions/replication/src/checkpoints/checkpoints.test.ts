import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bytesOf, FolderObjects, MemoryObjects, type ObjectStore } from '@fossick/objects';
import { openLmdbStore, openMemoryStore, type Store } from '@fossick/storage';
import { afterEach, describe, expect, it } from 'vitest';
import { DamagedCheckpointError } from '../log-errors.js';
import {
  type Checkpoint,
  type CheckpointName,
  deleteCheckpoint,
  listCheckpoints,
  manifestKey,
  readCheckpoint,
} from './checkpoint.js';
import { restoreCheckpoint } from './restore-checkpoint.js';
import { type WriteCheckpointOptions, writeCheckpoint } from './write-checkpoint.js';

const PART_BYTES = 2 << 20;
const name: CheckpointName = { log: 'main', position: 120, store: 'films' };
const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});
function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'fossick-checkpoint.'));
  folders.push(folder);
  return folder;
}

const key = (number: number): Uint8Array => Buffer.from(String(number).padStart(6, '0'));
const pattern = Buffer.from(Array.from({ length: 251 }, (_, at) => (at * 7) & 0xff));
const bytesFor = (number: number, length: number): Uint8Array =>
  Buffer.alloc(length, pattern).fill(number, 0, length >> 1);

let filled: Store | undefined;
/** A store with rows of many sizes, a table without rows, and one row that is larger than a part. */
function filledStore(): Store {
  if (filled !== undefined) return filled;
  const store = openMemoryStore();
  store.transaction((txn) => {
    for (let number = 0; number < 4_000; number++) txn.put('documents', key(number), bytesFor(number, number % 4_001));
    txn.put('large', key(1), bytesFor(1, PART_BYTES + 5));
    txn.put('Größe 🙂', key(1), bytesFor(1, 0));
    txn.put('none', key(1), bytesFor(1, 1));
    txn.delete('none', key(1));
  });
  filled = store;
  return store;
}

function rowsOf(store: Store): string[][] {
  return store.snapshot((snapshot) =>
    snapshot.tableNames.map((table) => [
      table,
      ...[...snapshot.table(table).range({})].map(
        ({ key, value }) => `${Buffer.from(key).toString('hex')} ${Buffer.from(value).toString('hex')}`,
      ),
    ]),
  );
}

/** The same, with an own id of the writer. */
async function write(
  objects: ObjectStore,
  store: Store,
  options: Partial<WriteCheckpointOptions> = {},
): Promise<Checkpoint> {
  return await store.snapshot((snapshot) =>
    writeCheckpoint({ objects, name, writer: 'one', snapshot, partBytes: PART_BYTES, ...options }),
  );
}

async function keysOf(objects: ObjectStore): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of objects.list('')) keys.push(key);
  return keys;
}

async function change(objects: ObjectStore, key: string, edit: (bytes: Buffer) => Uint8Array): Promise<void> {
  const bytes = Buffer.from(await bytesOf((await objects.get(key))!, Number.POSITIVE_INFINITY));
  await objects.put(key, edit(bytes));
}

describe.each([
  ['memory', () => new MemoryObjects()],
  ['a folder', () => new FolderObjects(newFolder())],
])('a checkpoint in %s', (_name, open: () => ObjectStore) => {
  it('gives a new LMDB store the same rows', async () => {
    const objects = open();
    const store = filledStore();
    const written = await write(objects, store);
    expect(written.parts.length).toBeGreaterThan(3);
    expect(written.parts.reduce((sum, { rows }) => sum + rows, 0)).toBe(4_002);
    // a part ends with the piece that reaches its size
    for (const { bytes } of written.parts) expect(bytes).toBeLessThan(2 * PART_BYTES + (1 << 20));
    const checkpoint = await readCheckpoint(objects, name);
    expect(checkpoint).toEqual(written);
    const copy = openLmdbStore({ folder: join(newFolder(), 'store') });
    let bytes = 0;
    const onBytes = (more: number): void => {
      bytes += more;
    };
    await restoreCheckpoint({ objects, checkpoint: checkpoint!, into: copy, onBytes });
    expect(bytes).toBe(written.parts.reduce((sum, part) => sum + part.bytes, 0));
    expect(rowsOf(copy)).toEqual(rowsOf(store));
    await copy.close();
  });

  it('is listed by its position, and deleted with its parts', async () => {
    const objects = open();
    const store = filledStore();
    const at = (position: number, of = 'films'): CheckpointName => ({ ...name, position, store: of });
    for (const one of [at(9), at(120), at(1_000), at(50, 'instance')]) await write(objects, store, { name: one });
    const found = async (): Promise<string[]> => {
      const names: string[] = [];
      for await (const { position, store: of } of listCheckpoints(objects, 'main')) names.push(`${position} ${of}`);
      return names;
    };
    expect(await found()).toEqual(['9 films', '50 instance', '120 films', '1000 films']);
    await deleteCheckpoint(objects, at(120));
    expect(await found()).toEqual(['9 films', '50 instance', '1000 films']);
    expect((await keysOf(objects)).filter((one) => one.includes('/00000000000000000120/'))).toEqual([]);
  });

  it.each<[string, (bytes: Buffer) => Uint8Array]>([
    ['changed', (bytes) => bytes.fill(bytes[bytes.length - 9]! ^ 4, bytes.length - 9, bytes.length - 8)],
    ['changed in its first length', (bytes) => bytes.fill(255, 0, 4)],
    ['cut off', (bytes) => bytes.subarray(0, bytes.length - 1)],
    ['emptied', () => new Uint8Array(0)],
    ['continued', (bytes) => Buffer.concat([bytes, Uint8Array.of(0)])],
  ])('that was %s in a part is refused, and the part is named', async (_what, edit) => {
    const objects = open();
    const checkpoint = await write(objects, filledStore());
    const part = checkpoint.parts[2]!.key;
    await change(objects, part, edit);
    const error = await restoreCheckpoint({ objects, checkpoint, into: openMemoryStore() }).catch((thrown) => thrown);
    expect(error).toBeInstanceOf(DamagedCheckpointError);
    expect(error).toMatchObject({ key: part, message: expect.stringContaining(part) });
  });

  it('that lacks a part, or whose manifest was changed, is refused', async () => {
    const objects = open();
    const checkpoint = await write(objects, filledStore());
    const [first] = checkpoint.parts;
    await objects.delete(first!.key);
    await expect(restoreCheckpoint({ objects, checkpoint, into: openMemoryStore() })).rejects.toThrow(
      `the object ${first!.key} of a checkpoint is missing`,
    );
    await change(objects, manifestKey(name), (bytes) => Buffer.from(bytes.toString().replace('films', 'filmz')));
    await expect(readCheckpoint(objects, name)).rejects.toThrow(`${manifestKey(name)} of a checkpoint has another sum`);
  });

  it('is whole when two nodes write it at the same time', async () => {
    const objects = open();
    const store = filledStore();
    const both = await Promise.all(['one', 'two'].map((writer) => write(objects, store, { writer })));
    expect(both[0]).toEqual(both[1]);
    expect(await keysOf(objects)).toEqual([...both[0]!.parts.map((part) => part.key), manifestKey(name)].sort());
  });
});

describe('writing a checkpoint', () => {
  it('leaves nothing when it is ended or the store fails', async () => {
    const objects = new MemoryObjects();
    let left = 3;
    const onBytes = (): void => {
      if (--left === 0) throw new Error('the node stops');
    };
    await expect(write(objects, filledStore(), { onBytes })).rejects.toThrow('the node stops');
    expect(await keysOf(objects)).toEqual([]);
    const full: ObjectStore = {
      put: async (key, body, options) => {
        if (key.endsWith('2')) throw new Error('no space');
        return objects.put(key, body, options);
      },
      get: (key) => objects.get(key),
      list: (prefix) => objects.list(prefix),
      delete: (key) => objects.delete(key),
    };
    await expect(write(full, filledStore())).rejects.toThrow('no space');
    expect(await keysOf(objects)).toEqual([]);
  });

  it('counts as done when the manifest was created and its answer was lost', async () => {
    const objects = new MemoryObjects();
    const lossy: ObjectStore = {
      put: async (key, body, options) => {
        const outcome = await objects.put(key, body, options);
        if (key === manifestKey(name)) throw new Error('no answer');
        return outcome;
      },
      get: (key) => objects.get(key),
      list: (prefix) => objects.list(prefix),
      delete: (key) => objects.delete(key),
    };
    const checkpoint = await write(lossy, filledStore());
    expect(await readCheckpoint(objects, name)).toEqual(checkpoint);
    const copy = openMemoryStore();
    await restoreCheckpoint({ objects, checkpoint, into: copy });
    expect(rowsOf(copy)).toEqual(rowsOf(filledStore()));
  });

  it.each([
    { name: { ...name, log: 'a/b' } },
    { name: { ...name, store: '' } },
    { writer: 'manifest' },
    { writer: '../x' },
  ])('refuses names that are no part of a key: %j', async (options) => {
    const objects = new MemoryObjects();
    await expect(write(objects, openMemoryStore(), options)).rejects.toThrow(RangeError);
  });
});

describe('restoring a checkpoint', () => {
  it('reads several parts at a time, and no more than it may', async () => {
    const objects = new MemoryObjects();
    const checkpoint = await write(objects, filledStore());
    let open = 0;
    let most = 0;
    const counting: ObjectStore = {
      put: () => Promise.reject(new Error('nothing is put')),
      list: (prefix) => objects.list(prefix),
      delete: (key) => objects.delete(key),
      get: async (key) => {
        const body = (await objects.get(key))!;
        return (async function* () {
          open += 1;
          most = Math.max(most, open);
          for await (const chunk of body) {
            // in small chunks, so that lengths and rows are cut anywhere
            for (let at = 0; at < chunk.length; at += 70_001) yield chunk.subarray(at, at + 70_001);
          }
          open -= 1;
        })();
      },
    };
    const copy = openMemoryStore();
    await restoreCheckpoint({ objects: counting, checkpoint, into: copy, parallel: 2 });
    expect(most).toBe(2);
    expect(rowsOf(copy)).toEqual(rowsOf(filledStore()));
  });

  it('refuses a store that has tables', async () => {
    const objects = new MemoryObjects();
    const checkpoint = await write(objects, filledStore());
    await expect(restoreCheckpoint({ objects, checkpoint, into: filledStore() })).rejects.toThrow('has tables already');
  });
});
