/**
 * A database of which a file or folder was lost, emptied, cut or exchanged: a start refuses it and changes nothing, and
 * says the same as `fossick check`; when the file is back, everything is there.
 */
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { HAS_COPIES } from '../e2e/dumping-server.test-support.js';
import { newDatabaseFolder, removeFolder, type TestServer } from '../e2e/server-process.test-support.js';
import { startTestServer } from '../e2e/test-server.test-support.js';
import { holdUpQueue } from './held-queue.test-support.js';
import { contentsOf, FILE_LOSSES, problemsOf, refusalOf } from './lost-files.test-support.js';

const KEY = 'a key of more than sixteen bytes';
const OPTIONS = ['--master-key', KEY];
const AUTHORIZED = { authorization: `Bearer ${KEY}` };

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});
/** A database with everything, of a clean stop; another one that was only started; and what the first one answers. */
let whole: string;
let fresh: string;
let answers: unknown;
beforeAll(async () => {
  whole = newDatabaseFolder();
  fresh = newDatabaseFolder();
  await (await startTestServer(fresh, OPTIONS)).stop();
  const server = await startTestServer(whole, OPTIONS);
  const send = (method: string, path: string, body: unknown) => server.call(method, path, body, AUTHORIZED);
  for (const uid of ['films', 'books']) {
    const documents = Array.from({ length: 40 }, (_, id) => ({
      id,
      title: `${uid} lighthouse ${id}`,
      year: 1900 + id,
    }));
    await send('POST', `/indexes/${uid}/documents`, documents);
    await send('PATCH', `/indexes/${uid}/settings`, { filterableAttributes: ['year'] });
  }
  await send('POST', '/keys', { name: 'mine', actions: ['search'], indexes: ['films'], expiresAt: null });
  await send('PATCH', '/experimental-features', { chatCompletions: true });
  await send('POST', '/webhooks', { url: 'http://127.0.0.1:9/hook' });
  await server.allTasksDone();
  answers = await answersOf(server);
  await server.stop();
});
afterAll(() => {
  for (const folder of [whole, fresh]) removeFolder(folder);
});

const OTHERS = /^(processingTimeMs|requestUid|.*[dD]atabaseSize|.*DbSize)$/;
async function answersOf(server: TestServer): Promise<unknown> {
  const paths = ['/keys', '/tasks', '/indexes', '/stats', '/experimental-features', '/webhooks'];
  paths.push('/indexes/films/documents?limit=100', '/indexes/books/settings', '/indexes/books/search?q=lighthouse');
  return Promise.all(
    paths.map(async (path) => {
      const { status, body } = await server.call<object>('GET', path, undefined, AUTHORIZED);
      // times and sizes of files are none of its contents
      return [path, status, JSON.stringify(body, (name, value) => (OTHERS.test(name) ? 0 : value))];
    }),
  );
}

function copyOf(database: string): string {
  const folder = newDatabaseFolder();
  cleanups.push(() => removeFolder(folder));
  cpSync(database, folder, { recursive: true });
  return folder;
}

/** What may happen to a store, given its folder; `store` is its name in a database. */
const LOSSES: Readonly<Record<string, (folder: string, store: string) => void>> = {
  ...FILE_LOSSES,
  'gone with its folder': (folder) => rmSync(folder, { recursive: true }),
  'a folder that is a link to nothing': (folder) => {
    rmSync(folder, { recursive: true });
    symlinkSync('elsewhere', folder);
  },
  'an empty LMDB': (folder) => cpSync(join(emptyLmdb(), 'data.mdb'), join(folder, 'data.mdb')),
  'that of a new database': (folder, store) => cpSync(join(fresh, store, 'data.mdb'), join(folder, 'data.mdb')),
};

/** A folder with a store that was made and never written to. */
function emptyLmdb(): string {
  const folder = newDatabaseFolder();
  cleanups.push(() => removeFolder(folder));
  const bytes = Buffer.alloc(8192);
  for (const page of [0, 1]) {
    const [head, at] = [page * 4096, page * 4096 + 24];
    bytes.writeBigUInt64LE(BigInt(page), head);
    bytes.writeUInt16LE(8, head + 18);
    bytes.writeUInt32LE(0xbeefc0de, at);
    bytes.writeUInt32LE(2, at + 4);
    bytes.writeBigUInt64LE(4n * 2n ** 30n, at + 16);
    bytes.writeUInt32LE(4096, at + 24);
    bytes.writeUInt16LE(8, at + 28);
    for (const tree of [at + 24, at + 72]) bytes.writeBigUInt64LE(2n ** 64n - 1n, tree + 40);
    bytes.writeBigUInt64LE(1n, at + 120);
  }
  writeFileSync(join(folder, 'data.mdb'), bytes);
  return folder;
}

describe.each(['instance', 'auth', 'tasks'])('the store %s', (store) => {
  test.each(Object.keys(LOSSES))('%s refuses the start, and is all there when it is back', async (how) => {
    const folder = copyOf(whole);
    LOSSES[how]!(join(folder, store), store);
    const before = contentsOf(folder);
    const refusal = await refusalOf(folder, OPTIONS);
    expect(refusal).toContain(join(folder, store));
    expect(refusal).not.toContain('\n');
    expect(await refusalOf(folder, OPTIONS)).toBe(refusal);
    expect(contentsOf(folder)).toEqual(before);
    const problems = await problemsOf(folder);
    expect(problems.join('\n')).toContain(join(folder, store));
    expect(contentsOf(folder)).toEqual(before);
    // put back as an operator does
    rmSync(join(folder, store), { recursive: true, force: true });
    cpSync(join(whole, store), join(folder, store), { recursive: true });
    expect(contentsOf(folder)).toEqual(contentsOf(whole));
    // the same bytes give the same answers: one start shows them
    if (how !== 'removed') return;
    const server = await startTestServer(folder, OPTIONS);
    expect(await answersOf(server)).toEqual(answers);
    await server.stop();
  });

  // no id: what an earlier release wrote
  test.each([
    'removed',
    'emptied',
    'gone with its folder',
    'cut to its half',
  ])('%s refuses the start of a database of an earlier release', async (how) => {
    const folder = copyOf(whole);
    rmSync(join(folder, 'ID'));
    LOSSES[how]!(join(folder, store), store);
    const before = contentsOf(folder);
    expect(await refusalOf(folder, OPTIONS)).toContain(join(folder, store));
    expect(contentsOf(folder)).toEqual(before);
  });
});

test.each(Object.keys(LOSSES))('the store of an index %s is told, and all others are served', async (how) => {
  const folder = copyOf(whole);
  const size = (name: string): number => statSync(join(folder, 'indexes', name, 'data.mdb')).size;
  const [name] = readdirSync(join(folder, 'indexes')).sort((a, b) => size(a) - size(b));
  LOSSES[how]!(join(folder, 'indexes', name!), 'instance');
  const [problem] = await problemsOf(folder);
  expect(problem).toMatch(/index `(films|books)`/);
  const lost = /`(\w+)`/.exec(problem!)![1]!;
  const server = await startTestServer(folder, OPTIONS);
  const found = await server.call('POST', `/indexes/${lost}/search`, { q: 'lighthouse' }, AUTHORIZED);
  expect(found).toMatchObject({ status: 500, body: { code: 'invalid_store_file' } });
  const other = lost === 'films' ? 'books' : 'films';
  const served = await server.call('POST', `/indexes/${other}/search`, { q: 'lighthouse' }, AUTHORIZED);
  expect(served).toMatchObject({ status: 200, body: { hits: { length: 20 } } });
  expect((await server.call('GET', '/indexes', undefined, AUTHORIZED)).body).toMatchObject({ total: 2 });
  await server.stop();
  rmSync(join(folder, 'indexes', name!), { recursive: true, force: true });
  cpSync(join(whole, 'indexes', name!), join(folder, 'indexes', name!), { recursive: true });
  const again = await startTestServer(folder, OPTIONS);
  expect(await answersOf(again)).toEqual(answers);
  await again.stop();
});

test('all of the database but its VERSION refuses the start', async () => {
  const folder = copyOf(whole);
  for (const name of readdirSync(folder)) if (name !== 'VERSION') rmSync(join(folder, name), { recursive: true });
  expect(await refusalOf(folder, OPTIONS)).toMatch(/auth.* is missing, although .*VERSION/);
  expect(readdirSync(folder)).toEqual(['VERSION']);
});

test.each([
  ['removed', (file: string) => rmSync(file)],
  ['emptied', (file: string) => truncateSync(file, 0)],
] as const)('the list of indexes %s together with VERSION refuses the start', async (_, lose) => {
  const folder = copyOf(whole);
  rmSync(join(folder, 'VERSION'));
  lose(join(folder, 'instance', 'data.mdb'));
  const before = contentsOf(folder);
  expect(await refusalOf(folder, OPTIONS)).toMatch(/instance.data\.mdb is (missing|empty), although there are indexes/);
  expect(contentsOf(folder)).toEqual(before);
});

const ADVICE = /put the file back from a copy/;
test.each([
  ['ID', 'is empty', ['ID has another id', ADVICE], (file: string) => truncateSync(file, 0)],
  ['ID', 'is half', ['ID has another id', ADVICE], (file: string) => truncateSync(file, 18)],
  ['ID', 'is of another database', ['ID has another id', ADVICE], (file: string) => cpSync(join(fresh, 'ID'), file)],
  ['ID', 'is a folder', [/ID cannot be read \(EISDIR\)/, ADVICE], asFolder],
  ['VERSION', 'is empty', [/VERSION holds ``/, ADVICE], (file: string) => truncateSync(file, 0)],
  ['VERSION', 'is half', [/VERSION holds `1\.5`/, ADVICE], (file: string) => truncateSync(file, 3)],
  ['VERSION', 'is a folder', [/VERSION cannot be read \(EISDIR\)/, ADVICE], asFolder],
  ['auth', 'is a file', [/auth.data\.mdb is missing/, ADVICE], asFile],
  ['instance', 'is a file', [/instance.data\.mdb is missing/, ADVICE], asFile],
] as const)('%s %s: the start and `check` name it and say what to do', async (name, _, says, lose) => {
  const folder = copyOf(whole);
  lose(join(folder, name));
  const before = contentsOf(folder);
  const found = [await refusalOf(folder, OPTIONS), (await problemsOf(folder).catch(({ message }) => [message])).join()];
  for (const text of found) for (const part of says) expect(text).toMatch(part);
  expect(contentsOf(folder)).toEqual(before);
});
function asFolder(file: string): void {
  rmSync(file);
  mkdirSync(file);
}
function asFile(folder: string): void {
  rmSync(folder, { recursive: true });
  writeFileSync(folder, 'x');
}

test('a folder in place of the file of running tasks refuses the start', async () => {
  const folder = copyOf(whole);
  asFolder(join(folder, 'tasks', 'attempt'));
  expect(await refusalOf(folder, OPTIONS)).toMatch(/attempt cannot be opened \(EISDIR\): remove it/);
});

test('a file in place of the folder of an index is told, and all others are served', async () => {
  const folder = copyOf(whole);
  asFile(join(folder, 'indexes', readdirSync(join(folder, 'indexes'))[0]!));
  expect(await problemsOf(folder)).toEqual([expect.stringMatching(/its file is empty or missing/)]);
  const server = await startTestServer(folder, OPTIONS);
  const answered = await Promise.all(
    ['films', 'books'].map((uid) => server.call('GET', `/indexes/${uid}/search`, undefined, AUTHORIZED)),
  );
  expect(answered.map(({ status }) => status).sort()).toEqual([200, 500]);
  await server.stop();
});

test('`check` of a database without VERSION says that it is missing', async () => {
  const folder = copyOf(whole);
  rmSync(join(folder, 'VERSION'));
  await expect(problemsOf(folder)).rejects.toThrow(/VERSION is missing/);
});

test('whoever removes VERSION goes on without a store, and is told', async () => {
  const folder = copyOf(whole);
  for (const name of ['VERSION', 'auth']) rmSync(join(folder, name), { recursive: true });
  const server = await startTestServer(folder, OPTIONS);
  const found = await server.call('GET', '/indexes/films/search?q=lighthouse', undefined, AUTHORIZED);
  expect(found).toMatchObject({ status: 200, body: { hits: { length: 20 } } });
  await server.stop();
  // it is one database again
  expect(await problemsOf(folder)).toEqual([]);
  rmSync(join(folder, 'auth'), { recursive: true });
  expect(await refusalOf(folder, OPTIONS)).toContain('auth');
});

test('a lost VERSION alone loses nothing', async () => {
  const folder = copyOf(whole);
  rmSync(join(folder, 'VERSION'));
  const server = await startTestServer(folder, OPTIONS);
  expect(await answersOf(server)).toEqual(answers);
  await server.stop();
  expect(existsSync(join(folder, 'VERSION'))).toBe(true);
});

test('an older copy of the list of indexes removes no index that it does not name', async () => {
  const folder = copyOf(whole);
  const earlier = join(folder, 'instance', 'data.mdb');
  const server = await startTestServer(folder, OPTIONS);
  await server.call('POST', '/indexes/later/documents', [{ id: 1 }], AUTHORIZED);
  await server.allTasksDone();
  await server.stop();
  const names = readdirSync(join(folder, 'indexes')).sort();
  expect(names).toHaveLength(3);
  cpSync(join(whole, 'instance', 'data.mdb'), earlier);
  const again = await startTestServer(folder, OPTIONS);
  expect((await again.call('GET', '/indexes', undefined, AUTHORIZED)).body).toMatchObject({ total: 2 });
  await again.call('POST', '/indexes/another/documents', [{ id: 1 }], AUTHORIZED);
  await again.allTasksDone();
  await again.stop();
  expect(readdirSync(join(folder, 'indexes'))).toEqual(expect.arrayContaining(names));
});

test.each([
  ['an empty folder', (path: string) => mkdirSync(path)],
  ['a store', (path: string) => cpSync(join(whole, 'auth'), path, { recursive: true })],
  ['a file', (path: string) => writeFileSync(path, 'mine')],
] as const)('below `indexes`, %s of somebody else is kept', async (_, put) => {
  for (const database of [whole, fresh]) {
    const folder = copyOf(database);
    mkdirSync(join(folder, 'indexes'), { recursive: true });
    put(join(folder, 'indexes', 'of-somebody-else'));
    for (let start = 0; start < 2; start++) {
      const server = await startTestServer(folder, OPTIONS);
      await server.call('POST', '/indexes/more/documents', [{ id: start }], AUTHORIZED);
      await server.allTasksDone();
      await server.stop();
    }
    expect(readdirSync(join(folder, 'indexes'))).toContain('of-somebody-else');
  }
});

test('the folder of waiting documents is not made anew while tasks wait for them', async () => {
  const folder = copyOf(fresh);
  const copy = newDatabaseFolder();
  cleanups.push(() => removeFolder(copy));
  const server = await startTestServer(folder, [...OPTIONS, '--experimental-allowed-ip-networks', '127.0.0.0/8']);
  const authorized = {
    ...server,
    call: <T>(method: string, path: string, body?: unknown) => server.call<T>(method, path, body, AUTHORIZED),
  };
  const queue = await holdUpQueue(authorized);
  await authorized.call('POST', '/indexes/films/documents', [{ id: 1 }]);
  cpSync(folder, copy, { recursive: true });
  queue.release();
  await server.allTasksDone();
  await server.stop();
  rmSync(join(copy, 'update_files'), { recursive: true });
  const before = contentsOf(copy);
  expect(await refusalOf(copy, OPTIONS)).toMatch(/update_files is missing, and the documents of 1 waiting tasks/);
  expect(contentsOf(copy)).toEqual(before);
  // knowingly: the task fails and says why, all others are done
  mkdirSync(join(copy, 'update_files'));
  const again = await startTestServer(copy, OPTIONS);
  const [task] = await again.allTasksDone();
  expect(task).toMatchObject({ indexUid: 'films', status: 'failed' });
  await again.stop();
  // without a task that waits, the folder is made
  rmSync(join(copy, 'update_files'), { recursive: true });
  await (await startTestServer(copy, OPTIONS)).stop();
});

test.runIf(HAS_COPIES)('a snapshot and a dump make databases whose stores are known', async () => {
  const folder = copyOf(whole);
  const to = newDatabaseFolder();
  cleanups.push(() => removeFolder(to));
  const server = await startTestServer(folder, [...OPTIONS, '--dump-dir', to, '--snapshot-dir', to]);
  await server.call('POST', '/snapshots', undefined, AUTHORIZED);
  await server.call('POST', '/dumps', undefined, AUTHORIZED);
  await server.allTasksDone();
  await server.stop();
  for (const [at, file] of readdirSync(to).entries()) {
    const target = join(to, `restored-${at}`);
    const option = file.endsWith('.dump') ? '--import-dump' : '--import-snapshot';
    await (await startTestServer(target, [...OPTIONS, option, join(to, file)])).stop();
    expect(await problemsOf(target)).toEqual([]);
    for (const store of ['instance', 'auth', 'tasks']) {
      cpSync(join(fresh, store, 'data.mdb'), join(target, store, 'data.mdb'));
      expect(await refusalOf(target, OPTIONS)).toContain('is not the file of this database');
      rmSync(join(target, store), { recursive: true });
      expect(await refusalOf(target, OPTIONS)).toContain('is missing');
      cpSync(join(fresh, store), join(target, store), { recursive: true });
    }
  }
});
