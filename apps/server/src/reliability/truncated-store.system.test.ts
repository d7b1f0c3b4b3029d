import { existsSync, openSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, test } from 'vitest';
import {
  newDatabaseFolder,
  removeFolder,
  type ServerProcess,
  sampleLines,
  startServerProcess,
} from '../e2e/server-process.test-support.js';
import { rounds } from './rounds.test-support.js';

const BUILT_FILE = fileURLToPath(new URL('../../dist/main.js', import.meta.url));

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});
function newFolder(): string {
  const folder = newDatabaseFolder();
  cleanups.push(() => removeFolder(folder));
  return folder;
}

async function start(folder: string): Promise<ServerProcess> {
  const server = await startServerProcess(folder);
  cleanups.push(() => server.kill());
  return server;
}
/** The file of the index that holds a text of its own. */
function fileOf(folder: string, mark: string): string {
  const files = readdirSync(join(folder, 'indexes')).map((name) => join(folder, 'indexes', name, 'data.mdb'));
  return files.find((file) => readFileSync(file).includes(mark))!;
}
async function databaseOfTwo(): Promise<string> {
  const folder = newFolder();
  const server = await start(folder);
  await server.call('POST', '/indexes/whole/documents', [{ id: 1, title: 'wholesome' }]);
  await server.call(
    'POST',
    '/indexes/broken/documents',
    `${sampleLines().join('\n')}\n{"id":0,"title":"fragilesome"}`,
    {
      'content-type': 'application/x-ndjson',
    },
  );
  await server.allTasksDone();
  await server.stop();
  return folder;
}

const damages: readonly { readonly what: string; readonly damage: (file: string) => void }[] = [
  { what: 'cut in the middle', damage: (file) => truncateSync(file, Math.floor(statSync(file).size / 8192) * 4096) },
  { what: 'cut within its head', damage: (file) => truncateSync(file, 5_000) },
  {
    what: 'whose head was overwritten',
    damage: (file) => void writeSync(openSync(file, 'r+'), Buffer.alloc(4096), 0, 4096, 0),
  },
];

describe.skipIf(!existsSync(BUILT_FILE))('a file of a store', () => {
  test.each(damages.slice(0, rounds(1, 3)))('$what is told, refused, and leaves the others alone', async ({
    damage,
  }) => {
    const folder = await databaseOfTwo();
    damage(fileOf(folder, 'fragilesome'));
    const server = await start(folder);
    const lines = server.output().split('\n');
    expect(lines.filter((line) => line.includes('`broken`'))).toEqual([
      expect.stringMatching(/index `broken` cannot be opened, all others are served: .*data\.mdb is damaged/),
    ]);
    for (let round = 0; round < 2; round++) {
      const refused = await server.call('POST', '/indexes/broken/search', { q: 'x' });
      expect(refused).toMatchObject({ status: 500, body: { code: 'invalid_store_file' } });
      expect((await server.call('POST', '/indexes/whole/search', { q: 'wholesome' })).body).toMatchObject({
        hits: [{ id: 1 }],
      });
    }
    expect((await server.call('GET', '/indexes')).body).toMatchObject({ total: 2 });
    expect((await server.call('GET', '/stats')).body).toMatchObject({ indexes: { whole: { numberOfDocuments: 1 } } });
    await server.call('POST', '/indexes/broken/documents', [{ id: 2 }]);
    await server.call('POST', '/indexes/whole/documents', [{ id: 2, title: 'also' }]);
    const [whole, broken] = await server.allTasksDone();
    expect(broken).toMatchObject({ indexUid: 'broken', status: 'failed', error: { code: 'invalid_store_file' } });
    expect(whole).toMatchObject({ indexUid: 'whole', status: 'succeeded' });
    await server.call('DELETE', '/indexes/broken');
    await server.call('POST', '/indexes/broken/documents', [{ id: 3, title: 'new' }]);
    const [made, deleted] = await server.allTasksDone();
    expect([made!.status, deleted!.status]).toEqual(['succeeded', 'succeeded']);
    expect((await server.call('POST', '/indexes/broken/search', { q: 'new' })).body).toMatchObject({
      hits: [{ id: 3 }],
    });
  });

  test.each([
    ['empty', (file: string) => truncateSync(file, 0)],
    ['missing', (file: string) => rmSync(file)],
  ] as const)('of an index that is %s is told, and lists go on', async (_, damage) => {
    const folder = await databaseOfTwo();
    damage(fileOf(folder, 'fragilesome'));
    const server = await start(folder);
    expect(server.output()).toContain('index `broken` cannot be opened, all others are served');
    for (const path of ['/indexes', '/stats', '/tasks', '/indexes/whole/search'])
      expect([path, (await server.call('GET', path)).status]).toEqual([path, 200]);
    for (const path of ['/indexes/broken/search', '/indexes/broken/documents'])
      expect(await server.call('GET', path)).toMatchObject({ status: 500, body: { code: 'invalid_store_file' } });
    await server.call('POST', '/indexes/broken/documents', [{ id: 2 }]);
    await server.call('POST', '/indexes/whole/documents', [{ id: 2, title: 'also' }]);
    const [whole, broken] = await server.allTasksDone();
    expect([broken!.error?.code, whole!.status]).toEqual(['invalid_store_file', 'succeeded']);
  });

  test.each(
    ['tasks', 'auth', 'instance'].slice(0, rounds(1, 3)),
  )('that every request needs ends the start with a line: %s', async (name) => {
    const folder = await databaseOfTwo();
    // the keys that a start with a master key makes: without them the file of keys is empty, and whole when it is cut
    const options = ['--master-key', 'a key of more than sixteen bytes'];
    await (await startServerProcess(folder, options)).stop();
    truncateSync(join(folder, name, 'data.mdb'), 6_000);
    await expect(startServerProcess(folder, options)).rejects.toThrow(
      /code 1:[\s\S]*store .* cannot be opened: .*damaged/,
    );
  });
});
