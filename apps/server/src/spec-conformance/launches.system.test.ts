import { writeFileSync } from 'node:fs';
import { afterEach, beforeEach, expect } from 'vitest';
import { startServerProcess } from '../e2e/server-process.test-support.js';
import { type Loose, MASTER_KEY, part, Walked } from './walk.test-support.js';

/** What only shows when a server is started again, or another one next to it. */
const walk = new Walked();
beforeEach(() => walk.start(), 60_000);
afterEach(() => walk.stop());

type Key = { readonly name: string; readonly uid: string; readonly key: string };
const keysOf = async (masterKey: string, one = walk): Promise<readonly Key[]> =>
  (await one.call('GET', '/keys', undefined, masterKey)).body.results;

const rules = part('API key rules');
rules('default API keys cannot be reused between instances: their uids are made at the first launch', async () => {
  const other = new Walked();
  await other.start();
  try {
    const [here, there] = [await keysOf(MASTER_KEY), await keysOf(MASTER_KEY, other)];
    expect(here.map(({ name }) => name)).toEqual(there.map(({ name }) => name));
    for (const name of ['uid', 'key'] as const)
      expect(here.filter((key) => there.some((each) => each[name] === key[name]))).toEqual([]);
    expect((await other.call('GET', '/indexes', undefined, here[0]!.key)).status).toBe(403);
  } finally {
    await other.stop();
  }
});

const fields = part('API key');
fields('when the master key changes, every key value changes; uids stay', async () => {
  const before = await keysOf(MASTER_KEY);
  await walk.server.stop();
  const changed = 'another-master-key-of-16-bytes-or-more';
  walk.server = await startServerProcess(`${walk.folder}/data`, ['--master-key', changed]);
  const after = await keysOf(changed);
  expect(after.map(({ uid }) => uid)).toEqual(before.map(({ uid }) => uid));
  expect(after.filter(({ key }) => before.some((old) => old.key === key))).toEqual([]);
});

const types = part('Task');
types('type is databaseUpgrade when the database of an older version is opened', async () => {
  await walk.done('POST', '/indexes/books/documents', [{ id: 1 }]);
  await walk.server.stop();
  writeFileSync(`${walk.folder}/data/VERSION`, '1.40.0');
  await walk.start(['--upgrade-db']);
  const [newest] = (await walk.call('GET', '/tasks?types=databaseUpgrade')).body.results as Loose[];
  expect(await walk.task(newest!.uid)).toMatchObject({ type: 'databaseUpgrade', status: 'succeeded', indexUid: null });
});
types('type is documentEdition when documents are edited by a function', async () => {
  await walk.call('PATCH', '/experimental-features', { editDocumentsByFunction: true });
  await walk.done('POST', '/indexes/books/documents', [{ id: 1, title: 'sea' }]);
  const task = await walk.done('POST', '/indexes/books/documents/edit', {
    function: 'doc.title = doc.title.to_upper()',
  });
  expect(task).toMatchObject({ type: 'documentEdition', status: 'succeeded' });
  expect((await walk.call('GET', '/indexes/books/documents/1')).body.title).toBe('SEA');
});
