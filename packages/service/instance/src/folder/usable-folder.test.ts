import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { claimFolder } from './folder-claim.js';

const FILES = ['LOCK', 'VERSION', 'ID', 'auth/data.mdb', 'tasks/data.mdb', 'instance/data.mdb', 'indexes/x/data.mdb'];
const FOLDERS = ['auth', 'tasks', 'instance', 'indexes', 'indexes/x', 'update_files'];

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});
/** A folder with files where a database has some. */
function database(): string {
  const folder = mkdtempSync(join(tmpdir(), 'fossick-usable-'));
  folders.push(folder);
  for (const name of FOLDERS) mkdirSync(join(folder, name));
  for (const name of FILES) if (name !== 'LOCK') writeFileSync(join(folder, name), 'x');
  writeFileSync(join(folder, 'LOCK'), '');
  return folder;
}
/** What a start says, without the folder's own name. */
function refusalOf(folder: string): string {
  try {
    claimFolder(folder).abandon();
    return '';
  } catch (error) {
    return `${(error as Error).name}: ${(error as Error).message}`.replaceAll(folder, 'db');
  }
}

test.skipIf(process.platform === 'win32').each(FILES)('a pipe in the place of %s refuses the start at once', (name) => {
  const folder = database();
  rmSync(join(folder, name));
  execFileSync('mkfifo', [join(folder, name)]);
  const before = readdirSync(folder);
  expect(refusalOf(folder)).toMatch(
    new RegExp(`^LaunchError: db/${name} is a pipe or a device, not a file: (put|remove) it`),
  );
  expect(readdirSync(folder)).toEqual(before);
});

test.each(['indexes', 'update_files'])('a file in the place of %s refuses the start', (name) => {
  const folder = database();
  rmSync(join(folder, name), { recursive: true });
  writeFileSync(join(folder, name), 'x');
  expect(refusalOf(folder)).toMatch(new RegExp(`^LaunchError: db/${name} cannot be used, it is not a folder: put`));
});

test('a file in the place of the folder, or above it, refuses the start', () => {
  const file = join(database(), 'VERSION');
  expect(refusalOf(file)).toBe(
    'LaunchError: db cannot be used, it is not a folder: name another folder with --db-path',
  );
  const below = join(file, 'data');
  expect(refusalOf(below)).toBe(
    'LaunchError: db cannot be used, a part of the path is not a folder: name another folder with --db-path',
  );
});
