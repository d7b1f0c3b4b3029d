/**
 * A folder of another program as `--db-path`: a start, and every command, refuse it in one line and write nothing into
 * it; a folder of Fossick, an empty one, and one with what file systems make are opened.
 */
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { ServerOptions } from '@fossick/instance';
import type { Invocation } from '@fossick/instance/invocation';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { HAS_COPIES } from '../e2e/dumping-server.test-support.js';
import { newDatabaseFolder, removeFolder } from '../e2e/server-process.test-support.js';
import { startTestServer } from '../e2e/test-server.test-support.js';
import { EXTENSIONS } from '../extensions/extension-list.js';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});
/** A database with one index. */
let own: string;
beforeAll(async () => {
  own = newDatabaseFolder();
  const server = await startTestServer(own);
  await server.call('POST', '/indexes/boats/documents', [{ id: 1, name: 'dinghy' }]);
  await server.allTasksDone();
  await server.stop();
});
afterAll(() => removeFolder(own));

/** The first two pages of a store of LMDB 0.9, whose pages have headers of 16 bytes. */
function lmdb09(): Buffer {
  const bytes = Buffer.alloc(16_384);
  for (const page of [0, 1]) {
    const head = page * 4096;
    bytes.writeBigUInt64LE(BigInt(page), head);
    bytes.writeUInt16LE(8, head + 10);
    bytes.writeUInt32LE(0xbeefc0de, head + 16);
    bytes.writeUInt32LE(1, head + 20);
  }
  return bytes;
}

type Files = Readonly<Record<string, string | Buffer>>;
/** Files of a database of the reference; parts of it are left out below. */
const REFERENCE: Files = {
  VERSION: '1.57.0',
  'instance-uid': '0c5d9d0e-8f8e-4f0e-9c55-1d0d7dd3a1a4',
  'auth/data.mdb': lmdb09(),
  'auth/lock.mdb': Buffer.alloc(8192),
  'tasks/data.mdb': lmdb09(),
  'tasks/lock.mdb': Buffer.alloc(8192),
  'indexes/4f0e9c55-1d0d-4dd3-a1a4-0c5d9d0e8f8e/data.mdb': lmdb09(),
  'update_files/.keep': '',
};
const without = (...names: readonly string[]): Files =>
  Object.fromEntries(Object.entries(REFERENCE).filter(([path]) => !names.some((name) => path.startsWith(name))));

const OF_REFERENCE: Readonly<Record<string, readonly [Files, string]>> = {
  whole: [REFERENCE, 'Meilisearch 1.57.0'],
  'of an earlier release': [{ ...REFERENCE, VERSION: '1.12.8\n' }, 'Meilisearch 1.12.8'],
  'of before 1.0': [{ ...REFERENCE, VERSION: '0.30.5' }, 'Meilisearch 0.30.5'],
  'of a release candidate': [{ ...REFERENCE, VERSION: 'v1.58.0-rc.1' }, 'Meilisearch v1.58.0-rc.1'],
  'without usage data': [without('instance-uid'), 'Meilisearch 1.57.0'],
  'without a version': [without('VERSION'), 'Meilisearch,'],
  'without indexes': [without('indexes', 'update_files', 'instance-uid'), 'Meilisearch 1.57.0'],
  'with a damaged auth': [{ ...REFERENCE, 'auth/data.mdb': 'gone' }, 'Meilisearch 1.57.0'],
  'that an earlier Fossick has marked': [
    { ...REFERENCE, LOCK: '4711\n', 'auth/DAMAGED': 'it is no file of LMDB\n' },
    'Meilisearch 1.57.0',
  ],
  'with other files': [{ ...REFERENCE, 'config.toml': 'env = "production"' }, 'Meilisearch 1.57.0'],
};

const FOREIGN: Readonly<Record<string, readonly [Files, readonly string[]]>> = {
  'a project': [{ 'package.json': '{}', 'src/index.js': '' }, ['package.json', 'src']],
  'a project with names like ours': [
    { 'tasks/build.js': '', 'indexes/main.json': '{}', VERSION: '1.57.0' },
    ['indexes', 'tasks'],
  ],
  'a data folder of PostgreSQL': [{ PG_VERSION: '17', 'base/1/112': '', 'postmaster.pid': '99' }, ['PG_VERSION']],
  'a RocksDB': [{ LOCK: '', CURRENT: 'MANIFEST-000001\n', 'MANIFEST-000001': '' }, ['CURRENT']],
  'another LMDB': [{ 'data.mdb': lmdb09(), 'lock.mdb': '' }, ['data.mdb', 'lock.mdb']],
  'a single text': [{ 'notes.txt': 'mine' }, ['notes.txt']],
  'a hidden file': [{ '.bashrc': '' }, ['.bashrc']],
  'an ID of another kind': [{ ID: 'x', 'photo.jpg': '' }, ['photo.jpg']],
  'a LOCK of another kind': [{ LOCK: 'held by editor', 'thesis.odt': '' }, ['thesis.odt']],
  'many files': [Object.fromEntries(Array.from({ length: 9 }, (_, at) => [`photo-${at}.jpg`, ''])), ['and 6 more']],
};

function folderWith(files: Files): string {
  const folder = mkdtempSync(join(tmpdir(), 'fossick-foreign-'));
  cleanups.push(() => rmSync(folder, { recursive: true }));
  put(folder, files);
  return folder;
}

function put(folder: string, files: Files): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
}

function contentsOf(folder: string): Record<string, string> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true });
  const path = (item: (typeof files)[number]) => join(item.parentPath, item.name);
  return Object.fromEntries(
    files.map((item) => [path(item), item.isFile() ? readFileSync(path(item), 'hex') : 'folder']),
  );
}

/** What the built files have of the commands that take a folder. */
interface Commands {
  readProductInvocation(argv: readonly string[], env: object): Invocation;
  checkDatabase(options: ServerOptions, report: object): Promise<number>;
  runExtensionCommand(invocation: Invocation): Promise<boolean>;
  restoreDatabase(invocation: Invocation): Promise<string>;
}
const BUILT_FILES = ['check', 'extension-command', 'restore'].map((name) => `commands/${name}`);
/** Commands of extensions that take a folder, with their other words. */
const OF_EXTENSIONS: Readonly<Record<string, readonly string[]>> = {
  dump: ['--dump-dir', tmpdir()],
  snapshot: ['--snapshot-dir', tmpdir()],
  import: [import.meta.filename],
};
const INSTALLED = EXTENSIONS.flatMap(({ commands = [] }) => commands.map(({ name }) => name));

async function commandsOn(folder: string): Promise<Record<string, () => Promise<unknown>>> {
  const load = (name: string) =>
    import(/* @vite-ignore */ new URL(`../../dist/${name}.js`, import.meta.url).href) as Promise<Partial<Commands>>;
  const commands = Object.assign(
    {},
    ...(await Promise.all([...BUILT_FILES, 'extensions/product-options'].map(load))),
  ) as Commands;
  const invoke = (name: string, words: readonly string[] = []): Invocation =>
    commands.readProductInvocation([name, '--db-path', folder, ...words], {});
  const report = { line: () => undefined, problem: () => undefined };
  return {
    start: () => startTestServer(folder),
    check: () => commands.checkDatabase(invoke('check').options, report),
    ...Object.fromEntries(
      Object.entries(OF_EXTENSIONS)
        .filter(([name]) => INSTALLED.includes(name))
        .map(([name, words]) => [name, () => commands.runExtensionCommand(invoke(name, words))]),
    ),
    // another extension may restore too, but not from this address alone
    ...(HAS_COPIES
      ? { restore: () => commands.restoreDatabase(invoke('restore', ['--from', 's3://nodes/main'])) }
      : {}),
  };
}

async function expectRefusals(folder: string, told: readonly string[]): Promise<void> {
  const before = contentsOf(folder);
  const messages = new Set<string>();
  for (const [name, run] of Object.entries(await commandsOn(folder))) {
    const error = await run().then(
      () => new Error(`${name} succeeded`),
      (reason: unknown) => reason as Error,
    );
    expect(error.name, `${name}: ${error.message}`).toBe('LaunchError');
    messages.add(error.message);
    expect(contentsOf(folder), name).toEqual(before);
  }
  // all of them say the same
  expect(messages.size).toBe(1);
  const [message] = messages;
  for (const text of [folder, 'nothing in it was changed', ...told]) expect(message).toContain(text);
  expect(message).not.toContain('\n');
}

describe('a folder of the reference', () => {
  test.each(Object.keys(OF_REFERENCE))('%s is named, with `fossick move`, and stays as it is', async (kind) => {
    const [files, named] = OF_REFERENCE[kind]!;
    await expectRefusals(folderWith(files), [named, '`fossick move --from']);
  });
});

describe('a folder of somebody else', () => {
  test.each(Object.keys(FOREIGN))('%s is refused and stays as it is', async (kind) => {
    const [files, told] = FOREIGN[kind]!;
    await expectRefusals(folderWith(files), told);
  });

  test('the folder around a database names the database', async () => {
    const folder = folderWith({ 'README.md': '' });
    cpSync(own, join(folder, 'data.fossick'), { recursive: true });
    await expectRefusals(folder, [`did you mean ${join(folder, 'data.fossick')}?`]);
  });
});

describe('a folder that may be used', () => {
  test.each<[string, Files]>([
    ['empty', {}],
    ['the root of a volume', { 'lost+found/.x': '', '.DS_Store': '' }],
    ['kept under version control', { '.gitignore': '*', '.gitkeep': '' }],
    ['with copies in it', { 'dumps/1.dump': '', 'snapshots/data.snapshot': '' }],
    ['with a lock alone', { LOCK: '' }],
    ['of a first start that was killed', { LOCK: '99999\nanother boot\n', 'auth/data.mdb': '' }],
  ])('%s becomes a database', async (_, files) => {
    const folder = folderWith(files);
    const server = await startTestServer(folder);
    expect((await server.call('GET', '/health')).status).toBe(200);
    await server.stop();
  });

  test.each<[string, Files, readonly string[]]>([
    ['with files of somebody else', { 'README.md': 'mine', 'photos/a.jpg': '' }, []],
    ['without its lock and id', {}, ['LOCK', 'ID']],
    ['of an earlier release, with other files', { 'backup.sh': '' }, ['LOCK', 'ID', 'summary.json']],
    ['with an `instance-uid`', { 'instance-uid': 'x' }, []],
  ])('a database %s is opened', async (_, files, lost) => {
    const folder = newDatabaseFolder();
    cleanups.push(() => removeFolder(folder));
    cpSync(own, folder, { recursive: true });
    put(folder, files);
    for (const name of lost) rmSync(join(folder, name), { force: true });
    const server = await startTestServer(folder);
    expect((await server.call('GET', '/indexes/boats/documents/1')).body).toEqual({ id: 1, name: 'dinghy' });
    await server.stop();
  });
});
