import type * as fs from 'node:fs';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { IndexFollower } from '../following.js';
import { Catalogue } from './catalogue.js';
import { indexFolders, markUnnamed } from './index-folders.js';

/** Called before each call that changes or flushes names: a process may end there. */
const calls = vi.hoisted(() => ({ before: (): void => undefined }));
vi.mock('node:fs', async (original) => {
  const real = await original<typeof fs>();
  const watched = <A extends unknown[], R>(call: (...args: A) => R) => {
    return (...args: A): R => {
      calls.before();
      return call(...args);
    };
  };
  return {
    ...real,
    closeSync: watched(real.closeSync),
    fsyncSync: watched(real.fsyncSync),
    mkdirSync: watched(real.mkdirSync),
    openSync: watched(real.openSync),
    renameSync: watched(real.renameSync),
    rmSync: watched(real.rmSync),
  };
});

let root = '';
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'fossick-folders.'));
});
afterEach(() => {
  calls.before = () => undefined;
  rmSync(root, { recursive: true, force: true });
});

const ROW = { kind: 'put', table: 't', key: Buffer.of(1), value: Buffer.of(1) } as const;
const names = (): string[] => readdirSync(join(root, 'indexes')).sort();

describe('a process that ends while it makes the folder of an index', () => {
  it.each([
    ['a new index', (catalogue: Catalogue) => void catalogue.store(catalogue.newFolder())],
    [
      'the first commit of another node',
      async () => {
        const follower = new IndexFollower({ rootFolder: root });
        await follower.apply('9b', [ROW], () => undefined);
        await follower.close();
      },
    ],
    ['a checkpoint', () => markUnnamed(join(root, 'indexes', '9b'))],
    ['a folder whose making ended before', () => markUnnamed(join(root, 'indexes', 'ended'))],
    ['a first index, without a folder for indexes', () => markUnnamed(join(root, 'other', 'indexes', '9b'))],
  ] as const)('leaves nothing that a start keeps: %s', async (_, make) => {
    const catalogue = new Catalogue({ rootFolder: root });
    mkdirSync(join(root, 'indexes', 'ended.copying'));
    writeFileSync(join(root, 'indexes', 'ended.copying', 'data.mdb'), 'half');
    let looks = 0;
    calls.before = () => {
      looks++;
      for (const folder of [root, join(root, 'other')]) expect(indexFolders(folder).kept).toEqual([]);
    };
    await make(catalogue);
    expect(looks).toBeGreaterThan(3);
    calls.before = () => undefined;
    // a list that has had an index
    catalogue.change((rows) =>
      rows.put('films', { folder: 'films', primaryKey: null, createdAt: 'then', updatedAt: 'then' }),
    );
    catalogue.sweep();
    expect(names()).toEqual([]);
    await catalogue.close();
  });

  it('leaves what it left, where the list of indexes is a new one', async () => {
    const catalogue = new Catalogue({ rootFolder: root });
    markUnnamed(join(root, 'indexes', '9b'));
    mkdirSync(join(root, 'indexes', '7a.copying'));
    mkdirSync(join(root, 'indexes', 'of-somebody-else'));
    catalogue.sweep();
    expect(names()).toEqual(['7a.copying', '9b', 'of-somebody-else']);
    await catalogue.close();
  });

  it('leaves nothing in a node of a cluster, whose log says that no index is named yet', async () => {
    const ended = new Catalogue({ rootFolder: root });
    ended.newFolder();
    await ended.close();
    const follower = new IndexFollower({ rootFolder: root });
    mkdirSync(join(root, 'indexes', 'of-somebody-else'));
    follower.sweep();
    expect(names()).toEqual(['of-somebody-else']);
    await follower.close();
  });
});
