import { execFileSync } from 'node:child_process';
import { lstatSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
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
function refusalOf(folder: string, extensions: readonly string[] = []): string {
  try {
    claimFolder(folder, extensions).abandon();
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

const LINKED = ['LOCK', 'VERSION', 'ID', 'indexes', 'update_files'];
test.skipIf(process.platform === 'win32').each(
  LINKED.flatMap((name) => [
    [name, 'nothing', 'gone'],
    [name, 'itself', name.split('/').at(-1)!],
  ]),
)('a link in the place of %s that leads to %s refuses the start, and stays', (name, _what, target) => {
  const folder = database();
  rmSync(join(folder, name), { recursive: true });
  symlinkSync(target, join(folder, name));
  expect(refusalOf(folder)).toMatch(
    new RegExp(`^LaunchError: db/${name} is a link that leads nowhere: bring back what it leads to, or (put|remove) `),
  );
  expect(lstatSync(join(folder, name)).isSymbolicLink()).toBe(true);
});

const STORES = FILES.filter((name) => name.includes('/'));
test.skipIf(process.platform === 'win32').each(
  STORES.flatMap((name) => [
    [name, 'nothing', 'gone'],
    [name, 'itself', name.split('/').at(-1)!],
  ]),
)('a link in the place of %s that leads to %s is told where stores are checked', (name, _what, target) => {
  const folder = database();
  rmSync(join(folder, name), { recursive: true });
  symlinkSync(target, join(folder, name));
  expect(refusalOf(folder)).toBe('');
});

test.skipIf(process.platform === 'win32')('a folder that is a link to nothing refuses the start', () => {
  const folder = join(database(), 'linked');
  symlinkSync('gone', folder);
  expect(refusalOf(folder)).toMatch(/^LaunchError: db is a link that leads nowhere: .* name another folder/);
});

test('a folder in the place of LOCK refuses the start, and says what to do', () => {
  const folder = database();
  rmSync(join(folder, 'LOCK'));
  mkdirSync(join(folder, 'LOCK'));
  expect(refusalOf(folder)).toBe(
    'LaunchError: db/LOCK is a folder, not a file: remove it, then the next start makes a new one',
  );
});

/** The same with an id, by which it is known as a database of this program whatever else is in it. */
function markedDatabase(): string {
  const folder = database();
  writeFileSync(join(folder, 'ID'), '00000000-0000-4000-8000-000000000000');
  return folder;
}

/** Folders of extensions: that of a node is looked at by every server, the others by one that serves the extension. */
const ADDED: readonly (readonly [name: string, served: readonly string[], advice: string])[] = [
  ['cluster', [], 'start this node with an empty folder'],
  ['cluster', ['cluster'], 'start this node with an empty folder'],
  ['lanterns', ['lanterns'], 'put it back, or remove what is there, and the extension lanterns begins anew'],
];
test.skipIf(process.platform === 'win32').each(ADDED)(
  'the folder %s of extensions (served: %j) refuses the start when it is none',
  (name, served, advice) => {
    const folder = markedDatabase();
    const path = join(folder, name);
    for (const target of ['gone', name]) {
      symlinkSync(target, path);
      expect(refusalOf(folder, served)).toContain(`LaunchError: db/${name} is a link that leads nowhere: bring back`);
      expect(refusalOf(folder, served)).toContain(advice);
      rmSync(path);
    }
    writeFileSync(path, '');
    expect(refusalOf(folder, served)).toContain(
      `LaunchError: db/${name} cannot be used, it is not a folder: ${advice}`,
    );
    rmSync(path);
    mkdirSync(path);
    expect(refusalOf(folder, served)).toBe('');
  },
);

test.skipIf(process.platform === 'win32')('a file of an extension must be one, unless it is left out', () => {
  const folder = markedDatabase();
  mkdirSync(join(folder, 'lanterns'));
  const file = join(folder, 'lanterns', 'lit');
  symlinkSync('gone', file);
  expect(refusalOf(folder, ['lanterns'])).toMatch(/^LaunchError: db\/lanterns\/lit is a link that leads nowhere: /);
  expect(refusalOf(folder, [])).toBe('');
  rmSync(file);
  execFileSync('mkfifo', [file]);
  expect(refusalOf(folder, ['lanterns'])).toMatch(
    /^LaunchError: db\/lanterns\/lit is a pipe or a device, not a file: /,
  );
});
