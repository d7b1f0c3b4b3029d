import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { afterEach, describe, expect, it } from 'vitest';
import { applyChanges } from './changes.js';
import { type BeforeCommit, type ChangeSet, openLmdbStore, openMemoryStore, type Store } from './index.js';

const folders: string[] = [];
const folder = (): string => {
  const path = mkdtempSync(join(tmpdir(), 'fossick-store.'));
  folders.push(path);
  return path;
};
afterEach(() => {
  for (const path of folders.splice(0)) rmSync(path, { recursive: true, force: true });
});
const bytes = (...values: number[]): Uint8Array => Uint8Array.from(values);
const keysOf = (store: Store, options = {}): number[][] => [...store.table('t').range(options)].map((e) => [...e.key]);
const fill = (store: Store, keys: readonly number[][]): void =>
  store.transaction((txn) => {
    for (const key of keys) txn.put('t', bytes(...key), bytes(key.length));
  });

interface Hooks {
  readonly beforeCommit?: BeforeCommit;
}
const kinds: readonly [string, (hooks?: Hooks) => Store][] = [
  ['memory', (hooks) => openMemoryStore(hooks)],
  ['lmdb', (hooks) => openLmdbStore({ folder: folder(), mapBytes: 2 ** 26, ...hooks })],
];

describe.each(kinds)('%s store', (_name, open) => {
  const sorted = [[0], [0, 0], [1, 255], [2], [127, 1], [128], [255], [255, 0]];

  it('tells the size of each table as of the last commit', async () => {
    const store = open();
    expect(store.tableSizes()).toEqual({});
    store.transaction((txn) => {
      for (let at = 0; at < 100; at += 1) txn.put('large', bytes(1, at), new Uint8Array(1000));
      txn.put('a small one', bytes(1), bytes(1));
    });
    const { large, 'a small one': small, ...others } = store.tableSizes();
    expect(Object.keys(others)).toEqual([]);
    expect(large).toBeGreaterThan(100_000);
    expect(large).toBeLessThan(200_000);
    expect(small).toBeGreaterThan(0);
    store.transaction((txn) => txn.clear('large'));
    expect(store.tableSizes()).toEqual({ 'a small one': small, large: 0 });
    await store.close();
  });

  it('returns new sizes after each commit, and earlier results stay unchanged', async () => {
    const store = open();
    const put = (at: number): void => store.transaction((txn) => txn.put('t', bytes(at), new Uint8Array(5000)));
    const told = Array.from({ length: 20 }, (_, at) => {
      put(at);
      return store.tableSizes();
    });
    expect(store.tableSizes()).toEqual(told.at(-1));
    const sizes = told.map(({ t }) => t!);
    expect(sizes).toEqual([...sizes].sort((left, right) => left - right));
    expect(new Set(sizes).size).toBeGreaterThan(8);
    await store.close();
  });

  it('counts commits, and nothing else', async () => {
    const store = open();
    const before = store.commitCount;
    fill(store, [[1]]);
    expect(store.commitCount).toBe(before + 1);
    expect(keysOf(store)).toEqual([[1]]);
    store.snapshot((snapshot) => snapshot.table('t').get(bytes(1)));
    expect(() =>
      store.transaction((txn) => {
        txn.put('t', bytes(2), bytes(2));
        throw new Error('rolled back');
      }),
    ).toThrow('rolled back');
    expect(store.commitCount).toBe(before + 1);
    await store.close();
  });

  it('orders keys as unsigned bytes and reads ranges both ways', async () => {
    const store = open();
    fill(store, [...sorted].reverse());
    expect(keysOf(store)).toEqual(sorted);
    expect(keysOf(store, { reverse: true })).toEqual([...sorted].reverse());
    expect(keysOf(store, { start: bytes(2), end: bytes(255) })).toEqual([[2], [127, 1], [128]]);
    expect(keysOf(store, { start: bytes(2), end: bytes(255), reverse: true })).toEqual([[128], [127, 1], [2]]);
    expect(keysOf(store, { end: bytes(3), reverse: true, limit: 2 })).toEqual([[2], [1, 255]]);
    expect(keysOf(store, { start: bytes(200), limit: 1 })).toEqual([[255]]);
    expect(keysOf(store, { start: bytes(9), end: bytes(3) })).toEqual([]);
    expect(store.table('t').count()).toBe(sorted.length);
    await store.close();
  });

  it('has nothing under an empty key, for any reader', async () => {
    const store = open();
    fill(store, [[1]]);
    const seen = store.transaction((txn) => {
      txn.delete('t', bytes());
      return [txn.get('t', bytes()), txn.get('none', bytes())];
    });
    expect([...seen, store.table('t').get(bytes()), store.table('t').has(bytes())]).toEqual([
      undefined,
      undefined,
      undefined,
      false,
    ]);
    expect(() => store.transaction((txn) => txn.put('t', bytes(), bytes(1)))).toThrow('an empty key');
    expect(keysOf(store)).toEqual([[1]]);
    await store.close();
  });

  it('lends values of every size for the time of a call', async () => {
    const store = open();
    const sizes = [1, 100, 4000, 70_000, 3];
    store.transaction((txn) => {
      for (const [key, size] of sizes.entries()) txn.put('t', bytes(key), new Uint8Array(size).fill(key + 1));
    });
    const table = store.table('t');
    sizes.forEach((size, key) => {
      const [length, sum] = table.read(bytes(key), (value) => [value.length, value.reduce((a, b) => a + b, 0)]) ?? [];
      expect([length, sum]).toEqual([size, size * (key + 1)]);
    });
    expect(table.read(bytes(9), (value) => value.length)).toBeUndefined();
    const kept = sizes.map((_, key) => table.get(bytes(key))!);
    expect(kept.map((value) => value.length)).toEqual(sizes);
    expect(kept.every((value, key) => value.every((byte) => byte === key + 1))).toBe(true);
    await store.close();
  });

  it('rolls back everything, tables created in the transaction too', async () => {
    const store = open();
    fill(store, [[1], [2]]);
    const failing = (): void =>
      store.transaction((txn) => {
        txn.put('t', bytes(1), bytes(9));
        txn.delete('t', bytes(2));
        txn.put('t', bytes(3), bytes(9));
        txn.put('new', bytes(1), bytes(9));
        expect(txn.get('t', bytes(1))).toEqual(bytes(9));
        throw new Error('no');
      });
    expect(failing).toThrow('no');
    expect(keysOf(store)).toEqual([[1], [2]]);
    expect(store.table('t').get(bytes(1))).toEqual(bytes(1));
    expect(store.table('new').has(bytes(1))).toBe(false);
    store.transaction((txn) => txn.put('new', bytes(7), bytes(7)));
    expect(store.table('new').get(bytes(7))).toEqual(bytes(7));
    await store.close();
  });

  it('deletes ranges and clears', async () => {
    const store = open();
    fill(store, sorted);
    const deleted = (limit?: number): number =>
      store.transaction((txn) => txn.deleteRange('t', bytes(1), bytes(128), limit));
    expect(deleted(1)).toBe(1);
    expect(keysOf(store)).toEqual([[0], [0, 0], [2], [127, 1], [128], [255], [255, 0]]);
    expect(deleted()).toBe(2);
    expect(deleted()).toBe(0);
    expect(keysOf(store)).toEqual([[0], [0, 0], [128], [255], [255, 0]]);
    const failing = (): void =>
      store.transaction((txn) => {
        txn.clear('t');
        expect(txn.get('t', bytes(0))).toBeUndefined();
        txn.put('t', bytes(1), bytes(1));
        throw new Error('no');
      });
    expect(failing).toThrow('no');
    expect(keysOf(store)).toEqual([[0], [0, 0], [128], [255], [255, 0]]);
    store.transaction((txn) => txn.clear('t'));
    expect(keysOf(store)).toEqual([]);
    expect(store.table('never written').count()).toBe(0);
    await store.close();
  });

  it('hands out values that later writes and reads leave alone', async () => {
    const store = open();
    const source = bytes(1, 2, 3);
    store.transaction((txn) => txn.put('t', bytes(1), source));
    source.fill(0);
    const big = new Uint8Array(100_000).fill(5);
    store.transaction((txn) => txn.put('t', bytes(2), big));
    const kept = store.table('t').get(bytes(1))!;
    const keptBig = store.table('t').get(bytes(2))!;
    store.transaction((txn) => txn.put('t', bytes(1), bytes(9, 9, 9)));
    store.transaction((txn) => txn.clear('t'));
    expect(kept).toEqual(bytes(1, 2, 3));
    expect(keptBig).toEqual(big);
    await store.close();
  });

  it('iterates a snapshot while it is written to', async () => {
    const store = open();
    fill(store, [[1], [2], [3]]);
    const seen: number[] = [];
    for (const { key } of store.table('t').range({})) {
      seen.push(key[0]!);
      fill(store, [[key[0]! + 10]]);
    }
    expect(seen).toEqual([1, 2, 3]);
    expect(store.table('t').count()).toBe(6);
    await store.close();
  });
});

describe.each(kinds)('before a commit, a %s store', (_name, open) => {
  const rowsOf = (store: Store): Record<string, number[][]> =>
    store.snapshot((snapshot) => {
      const rows = snapshot.tableNames.map((name) => {
        const found = [...snapshot.table(name).range({})].map(({ key, value }) => [...key, -1, ...value]);
        return [name, found] as const;
      });
      return Object.fromEntries(rows.filter(([, found]) => found.length > 0));
    });

  it('hands out what the transaction wrote, in order', async () => {
    const asked: [ChangeSet, string][] = [];
    const store = open({ beforeCommit: (changes, durability) => void asked.push([changes, durability]) });
    const [key, value] = [bytes(1), bytes(5, 6)];
    store.transaction((txn) => {
      txn.put('t', key, value);
      txn.put('u', bytes(2), bytes());
      // callers reuse their buffers
      key.fill(9);
      value.fill(9);
      txn.delete('t', bytes(7));
    });
    const removal = (limit?: number): number =>
      store.transaction((txn) => txn.deleteRange('t', bytes(), bytes(3), limit), 'later');
    expect([removal(1), removal()]).toEqual([1, 0]);
    store.transaction((txn) => txn.clear('u'));
    expect(asked).toEqual([
      [
        [
          { kind: 'put', table: 't', key: bytes(1), value: bytes(5, 6) },
          { kind: 'put', table: 'u', key: bytes(2), value: bytes() },
          { kind: 'delete', table: 't', key: bytes(7) },
        ],
        'now',
      ],
      [[{ kind: 'deleteRange', table: 't', start: bytes(), end: bytes(3), limit: 1 }], 'later'],
      [[{ kind: 'clear', table: 'u' }], 'now'],
    ]);
    await store.close();
  });

  it('does not ask about a transaction that wrote nothing or failed', async () => {
    let askedCount = 0;
    const store = open({
      beforeCommit: () => {
        askedCount += 1;
        return undefined;
      },
    });
    store.transaction((txn) => txn.get('t', bytes(1)));
    const failing = (): void =>
      store.transaction((txn) => {
        txn.put('t', bytes(1), bytes(1));
        throw new Error('no');
      });
    expect(failing).toThrow('no');
    expect(askedCount).toBe(0);
    await store.close();
  });

  it('is vetoed by an exception: nothing is written, and the next transaction is as any', async () => {
    let isRefused = false;
    const beforeCommit: BeforeCommit = (_changes, _durability, txn) => {
      txn.put('t', bytes(99), bytes(1));
      if (isRefused) throw new Error('refused');
      return undefined;
    };
    const store = open({ beforeCommit });
    const work = (): void =>
      store.transaction((txn) => {
        txn.put('t', bytes(1), bytes(2));
        txn.put('new', bytes(1), bytes(2));
        txn.clear('old');
      });
    store.transaction((txn) => txn.put('old', bytes(1), bytes(1)));
    const before = [rowsOf(store), store.commitCount];
    isRefused = true;
    expect(work).toThrow('refused');
    expect([rowsOf(store), store.commitCount]).toEqual(before);
    expect(store.isBusy).toBe(false);
    isRefused = false;
    work();
    expect(rowsOf(store)).toEqual({
      new: [[1, -1, 2]],
      t: [
        [1, -1, 2],
        [99, -1, 1],
      ],
    });
    await store.close();
  });

  it('commits what the asked one writes, which no change set contains', async () => {
    let position = 0;
    const sets: ChangeSet[] = [];
    const store = open({
      beforeCommit: (changes, _durability, txn) => {
        expect(txn.get('t', bytes(position))).toEqual(bytes(7));
        sets.push(changes);
        txn.put('position', bytes(1), bytes(position));
        return undefined;
      },
    });
    for (position = 1; position < 4; position++) store.transaction((txn) => txn.put('t', bytes(position), bytes(7)));
    expect(store.table('position').get(bytes(1))).toEqual(bytes(3));
    expect(sets.map((changes) => changes.map(({ table }) => table))).toEqual([['t'], ['t'], ['t']]);
    await store.close();
  });

  it('has the rows of a store that repeats its change sets', async () => {
    const targets = kinds.map(([, openTarget]) => openTarget());
    const store = open({
      beforeCommit: (changes) => {
        for (const target of targets) target.transaction((txn) => applyChanges(txn, changes));
        return undefined;
      },
    });
    let seed = 1;
    const random = (max: number): number => {
      seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
      return (seed >>> 8) % max;
    };
    const key = (): Uint8Array => bytes(...Array.from({ length: 1 + random(2) }, () => random(20)));
    for (let round = 0; round < 300; round++) {
      store.transaction((txn) => {
        for (let step = random(6); step >= 0; step--) {
          const table = `t${random(3)}`;
          const kind = random(120);
          if (kind < 90) txn.put(table, key(), new Uint8Array(random(2) === 0 ? random(9) : random(9_000)).fill(round));
          else if (kind < 110) txn.delete(table, key());
          else if (kind < 119) txn.deleteRange(table, key(), key(), random(2) === 0 ? undefined : random(4));
          else txn.clear(table);
        }
      });
    }
    const rows = rowsOf(store);
    expect(Object.values(rows).flat().length).toBeGreaterThan(50);
    for (const target of targets) {
      expect(rowsOf(target)).toEqual(rows);
      await target.close();
    }
    await store.close();
  });
});

describe.each([
  ['memory', () => [openMemoryStore()]],
  [
    'lmdb',
    () => {
      const path = folder();
      return [openLmdbStore({ folder: path }), openLmdbStore({ folder: path })];
    },
  ],
])('a snapshot of a %s store', (_name, open) => {
  it('is of one commit: values, ranges, tables', async () => {
    const [store, writer = store!] = open();
    fill(store!, [[1], [2]]);
    store!.snapshot((snapshot) => {
      const table = snapshot.table('t');
      expect(table.get(bytes(1))).toEqual(bytes(1));
      for (let round = 0; round < 20; round++)
        writer.transaction((txn) => {
          txn.put('t', bytes(1), new Uint8Array(round * 500).fill(9));
          txn.put('t', bytes(3), bytes(9));
          txn.delete('t', bytes(2));
          txn.put(`new${round}`, bytes(1), bytes(9));
        });
      expect(store!.table('t').get(bytes(2))).toBeUndefined();
      expect(table.get(bytes(1))).toEqual(bytes(1));
      expect(table.read(bytes(2), (value) => [...value])).toEqual([1]);
      expect(table.get(bytes(3))).toBeUndefined();
      expect([...table.range({})].map(({ key, value }) => [...key, ...value])).toEqual([
        [1, 1],
        [2, 1],
      ]);
      expect(snapshot.tableNames).toEqual(['t']);
      expect(snapshot.table('new1').get(bytes(1))).toBeUndefined();
      writer.transaction((txn) => txn.clear('t'));
      expect(table.get(bytes(2))).toEqual(bytes(1));
    });
    expect(keysOf(store!)).toEqual([]);
    for (const one of new Set([store!, writer])) await one.close();
  });

  it('reads the tables it names, made by others or not there', async () => {
    const [store, writer = store!] = open();
    const namesAsked = ['t', 'u', 'never'];
    store!.snapshot(({ tableNames }) => expect(tableNames).toEqual([]), namesAsked);
    fill(writer, [[1]]);
    store!.snapshot((snapshot) => {
      expect(snapshot.tableNames).toEqual(['t']);
      expect(snapshot.table('t').get(bytes(1))).toEqual(bytes(1));
      expect(snapshot.table('u').get(bytes(1))).toBeUndefined();
      expect([...snapshot.table('never').range({})]).toEqual([]);
      expect(snapshot.table('u').get(bytes())).toBeUndefined();
    }, namesAsked);
    for (const one of new Set([store!, writer])) await one.close();
  });
});

it('gives back the pages of a snapshot whose thread was ended', async () => {
  const path = folder();
  const store = openLmdbStore({ folder: path });
  const write = (round: number): void =>
    store.transaction((txn) => txn.put('t', bytes(1), new Uint8Array(1 << 20).fill(round)));
  write(7);
  const packageFile = new URL('../dist/index.js', import.meta.url).href;
  const worker = new Worker(new URL('./lmdb/holding-thread.fixture.mjs', import.meta.url), {
    workerData: { path, packageFile },
  });
  expect(await new Promise((resolve) => worker.once('message', resolve))).toBe(7);
  const start = store.size().diskBytes;
  for (let round = 0; round < 10; round++) write(round);
  const held = store.size().diskBytes;
  expect(held - start).toBeGreaterThan(9 << 20);
  await worker.terminate();
  for (let round = 0; round < 30; round++) write(round);
  expect(store.size().diskBytes - held).toBeLessThan(4 << 20);
  await store.close();
});

describe('lmdb store on disk', () => {
  it('keeps what was committed and copies itself', async () => {
    const path = folder();
    const first = openLmdbStore({ folder: path, mapBytes: 2 ** 26 });
    fill(first, [[1], [2]]);
    expect(first.size().diskBytes).toBeGreaterThan(0);
    expect(first.size().usedBytes).toBeGreaterThan(0);
    const target = join(folder(), 'copy.of.it');
    await first.copyTo(target);
    await first.close();
    for (const place of [path, target]) {
      const again = openLmdbStore({ folder: place, mapBytes: 2 ** 26 });
      expect(keysOf(again)).toEqual([[1], [2]]);
      await again.close();
    }
  });

  it('shows a commit of another thread within the same turn of the event loop', async () => {
    const path = folder();
    const store = openLmdbStore({ folder: path, mapBytes: 2 ** 26 });
    fill(store, [[1]]);
    const flag = new Int32Array(new SharedArrayBuffer(8));
    const worker = new Worker(new URL('./lmdb/store-thread.fixture.mjs', import.meta.url), {
      workerData: { path, flag },
    });
    await new Promise((resolve) => worker.once('message', resolve));
    expect(store.table('t').has(bytes(2))).toBe(false);
    Atomics.store(flag, 0, 1);
    Atomics.notify(flag, 0);
    Atomics.wait(flag, 1, 0, 20_000);
    expect(store.table('other').get(bytes(2))).toEqual(bytes(2));
    await worker.terminate();
    await store.close();
  });
});

it('what a commit leaves for later is seen at once, and is there when the folder is opened again', async () => {
  const path = folder();
  const [writer, reader] = [openLmdbStore({ folder: path }), openLmdbStore({ folder: path })];
  fill(writer, [[1]]);
  writer.transaction((txn) => txn.put('t', bytes(2), bytes(1)), 'later');
  expect(keysOf(reader)).toEqual([[1], [2]]);
  const failing = (): void => {
    writer.transaction((txn) => {
      txn.put('t', bytes(3), bytes(1));
      throw new Error('no');
    }, 'later');
  };
  expect(failing).toThrow('no');
  await writer.close();
  await reader.close();
  const again = openLmdbStore({ folder: path });
  expect(keysOf(again)).toEqual([[1], [2]]);
  await again.close();
});

it('concurrent flushes share a wait that began after their commits', async () => {
  const store = openLmdbStore({ folder: folder() });
  const ended: number[] = [];
  const flushes = Array.from({ length: 20 }, async (_, at) => {
    store.transaction((txn) => txn.put('t', bytes(at), bytes(1)), 'later');
    await store.flush();
    ended.push(at);
  });
  await Promise.all(flushes);
  expect(ended).toEqual(Array.from({ length: 20 }, (_, at) => at));
  // closing waits for what the disk is at
  const last = store.flush();
  await store.close();
  await last;
});
