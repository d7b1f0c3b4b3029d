import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { FolderObjects } from './folder-objects.js';
import { MissingStoreError } from './port.js';

let root: string;
let folder: string;
let objects: FolderObjects;
beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), 'fossick-objects.'));
  folder = join(root, 'shared');
  objects = new FolderObjects(folder);
  await objects.put('cluster.json', Buffer.from('mine'));
  await objects.put('log/main/entries/1', Buffer.from('one'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const put = (key = 'log/main/entries/2') => objects.put(key, Buffer.from('two'), { ifAbsent: true });
const kept = () => join(root, 'kept');

it.each<[string, () => void]>([
  ['renamed', () => renameSync(folder, kept())],
  [
    'removed',
    () => {
      cpSync(folder, kept(), { recursive: true });
      rmSync(folder, { recursive: true });
    },
  ],
  [
    'one that is not mounted',
    () => {
      renameSync(folder, kept());
      mkdirSync(folder);
    },
  ],
  [
    'a file',
    () => {
      renameSync(folder, kept());
      writeFileSync(folder, '');
    },
  ],
])('a folder that is %s is not made anew, and goes on when it is back', async (_, lose) => {
  lose();
  const before = readdirSync(root);
  for (const key of ['log/main/entries/2', 'payloads/x', 'cluster.json'])
    await expect(put(key)).rejects.toThrow(MissingStoreError);
  await expect(objects.get('log/main/entries/1')).rejects.toThrow(MissingStoreError);
  expect(readdirSync(root)).toEqual(before);
  expect(existsSync(join(folder, 'log'))).toBe(false);
  rmSync(folder, { recursive: true, force: true });
  renameSync(kept(), folder);
  expect(await put()).toBe('put');
  expect(await put()).toBe('exists');
});

it('a put that fails when others may see its object does not say that nothing was put', async () => {
  mkdirSync(join(folder, 'taken/here'), { recursive: true });
  const failed = await objects.put('taken', Buffer.from('x')).catch((error: unknown) => error);
  expect(failed).toMatchObject({ code: expect.any(String) });
  expect(failed).not.toHaveProperty('isUnwritten');
});

it('a folder that was put back without what is unfinished is used as before', async () => {
  await objects.knowBy('cluster.json');
  const unfinished = join(folder, '.unfinished');
  rmSync(unfinished, { recursive: true });
  expect(await put()).toBe('put');
  expect(existsSync(unfinished)).toBe(true);
  rmSync(unfinished, { recursive: true });
  const again = new FolderObjects(folder);
  expect(await again.get('cluster.json')).not.toBe(null);
  expect(await again.get('log/main/entries/3')).toBe(null);
  expect(await again.put('log/main/entries/3', Buffer.from('three'))).toBe('put');
});

it.each<[string, () => void]>([
  ['with that of another one', () => writeFileSync(join(folder, 'cluster.json'), 'theirs')],
  ['without it', () => rmSync(join(folder, 'cluster.json'))],
])('a folder that is known by an object takes nothing %s, and is read on', async (_, change) => {
  await objects.knowBy('cluster.json');
  expect(await put()).toBe('put');
  change();
  await expect(put('log/main/entries/3')).rejects.toThrow();
  expect(await objects.get('log/main/entries/1')).not.toBe(null);
  expect(await objects.get('log/main/entries/3')).toBe(null);
  writeFileSync(join(folder, 'cluster.json'), 'mine');
  expect(await put('log/main/entries/3')).toBe('put');
});
