import type * as fs from 'node:fs';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { flushFolder, flushNames, makeFolder } from './durable-names.js';

/** The folders that were flushed, by descriptor of the time; and what the next flushes do instead. */
const disk = vi.hoisted(() => ({
  opened: new Map<number, string>(),
  flushed: [] as string[],
  waiting: [] as (() => void)[],
  isHeld: false,
  code: undefined as string | undefined,
}));
vi.mock('node:fs', async (original) => {
  const real = await original<typeof fs>();
  const fault = (): Error | null => (disk.code === undefined ? null : Object.assign(new Error(), { code: disk.code }));
  return {
    ...real,
    openSync: (path: string, flags: string) => {
      const descriptor = real.openSync(path, flags);
      disk.opened.set(descriptor, path);
      return descriptor;
    },
    fsyncSync: (descriptor: number) => {
      disk.flushed.push(disk.opened.get(descriptor)!);
      const error = fault();
      if (error !== null) throw error;
    },
    fsync: (descriptor: number, done: (error: Error | null) => void) => {
      disk.flushed.push(disk.opened.get(descriptor)!);
      const end = (): void => done(fault());
      if (disk.isHeld) disk.waiting.push(end);
      else setImmediate(end);
    },
  };
});

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'fossick-names-'));
  Object.assign(disk, { flushed: [], waiting: [], isHeld: false, code: undefined });
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));
const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('callers that come while a flush runs share the next one, and do not end with the running one', async () => {
  disk.isHeld = true;
  const ended: number[] = [];
  const first = flushNames(folder).then(() => ended.push(0));
  const others = Array.from({ length: 50 }, (_, at) => flushNames(folder).then(() => ended.push(at + 1)));
  await nextTurn();
  expect(disk.flushed).toEqual([folder]);
  disk.waiting.shift()!();
  await first;
  await nextTurn();
  expect([ended, disk.flushed.length]).toEqual([[0], 2]);
  disk.waiting.shift()!();
  await Promise.all(others);
  expect([ended.length, disk.flushed.length]).toEqual([51, 2]);
  disk.isHeld = false;
  await flushNames(folder);
  expect(disk.flushed.length).toBe(3);
});

test('a flush that fails concerns those who share it, and not the next ones', async () => {
  disk.isHeld = true;
  const [first, second] = [flushNames(folder), flushNames(folder)];
  disk.code = 'EIO';
  disk.waiting.shift()!();
  await expect(first).rejects.toMatchObject({ code: 'EIO' });
  disk.code = undefined;
  await nextTurn();
  disk.waiting.shift()!();
  await second;
});

test('a new folder is made with the flush of each folder that got a name', () => {
  makeFolder(join(folder, 'a', 'b', 'c'));
  expect(disk.flushed).toEqual([join(folder, 'a', 'b'), join(folder, 'a'), folder]);
  makeFolder(join(folder, 'a', 'b', 'c'));
  expect(disk.flushed.length).toBe(3);
  makeFolder(join(folder, 'a', 'd'));
  expect(disk.flushed.slice(3)).toEqual([join(folder, 'a')]);
  expect(existsSync(join(folder, 'a', 'd'))).toBe(true);
});

test('a folder that cannot be made is an error at once, whatever the system calls it', () => {
  writeFileSync(join(folder, 'file'), '');
  for (const path of [join(folder, 'file'), join(folder, 'file', 'a'), join(folder, 'file', 'a', 'b')])
    expect(() => makeFolder(path), path).toThrow(/EEXIST|ENOTDIR/);
  // Node's own way through the parents never returns from these
  if (process.platform !== 'linux') return;
  for (const path of ['/proc/fossick', '/proc/self/fossick/a', '/proc/self/task/fossick/a/b'])
    expect(() => makeFolder(path), path).toThrow(/ENOENT|EACCES|EPERM|EROFS/);
});

test('a disk error is thrown, and a file system that flushes no folders is none', async () => {
  disk.code = 'EIO';
  expect(() => flushFolder(folder)).toThrow(expect.objectContaining({ code: 'EIO' }));
  await expect(flushNames(folder)).rejects.toMatchObject({ code: 'EIO' });
  disk.code = 'EINVAL';
  flushFolder(folder);
  await flushNames(folder);
  writeFileSync(join(folder, 'file'), '');
  expect(() => flushFolder(join(folder, 'none'))).toThrow(expect.objectContaining({ code: 'ENOENT' }));
});
