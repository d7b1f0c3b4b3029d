/**
 * Many clients at once, who do not wait for one another: indexes are made and deleted, exchanged, compacted and searched, tasks are canceled
 * and deleted while more come. Nothing is a fault, nothing is lost, no file is left.
 */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  newDatabaseFolder,
  pause,
  removeFolder,
  type ServerProcess,
  startServerProcess,
  type WireError,
  type WirePage,
  type WireTask,
} from '../e2e/server-process.test-support.js';
import { isBuilt } from './launch.test-support.js';
import { rounds } from './rounds.test-support.js';

const many = <T>(count: number, item: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => item(i));

describe.skipIf(!isBuilt)('a storm of', () => {
  const folder = newDatabaseFolder();
  let server: ServerProcess;
  beforeAll(async () => {
    server = await startServerProcess(folder, ['--search-threads', '1']);
  });
  afterAll(async () => {
    await server.kill();
    removeFolder(folder);
  });
  const indexFolders = (): readonly string[] => readdirSync(join(folder, 'indexes'));
  const tasksOf = async (query: string): Promise<readonly WireTask[]> =>
    (await server.call<WirePage<WireTask>>('GET', `/tasks?limit=10000&${query}`)).body.results;

  it('creations and deletions leaves no index and no file', async () => {
    const count = rounds(60, 500);
    const made = many(count, (i) => server.call('POST', '/indexes', { uid: `made-${i}`, primaryKey: 'id' }));
    const deleted = many(count, (i) => server.call('DELETE', `/indexes/made-${i}`));
    for (const { status } of await Promise.all([...made, ...deleted])) expect(status).toBe(202);
    await server.allTasksDone();
    // a deletion may have come before its creation
    for (const { status, error } of await tasksOf('types=indexCreation,indexDeletion'))
      expect(['', 'index_not_found'], status).toContain(error?.code ?? '');
    await Promise.all(many(count, (i) => server.call('DELETE', `/indexes/made-${i}`)));
    await server.allTasksDone();
    expect((await server.call<WirePage<unknown>>('GET', '/indexes')).body.total).toBe(0);
    await expect.poll(indexFolders, { timeout: 120_000 }).toEqual([]);
  });

  it('swaps, deletions and compactions shows each search one index as it is', async () => {
    for (const of of ['left', 'right'])
      await server.call(
        'POST',
        `/indexes/${of}/documents`,
        many(500, (id) => ({ id, of, text: `word ${id}` })),
      );
    await server.allTasksDone();
    const outcomes = new Set<string>();
    let isOver = false;
    const search = async (uid: string): Promise<void> => {
      while (!isOver) {
        type Found = Partial<WireError> & { readonly hits: readonly { readonly of: string }[] };
        const { status, body } = await server.call<Found>('POST', `/indexes/${uid}/search`, { q: 'word', limit: 100 });
        outcomes.add(`${status} ${body.code ?? ''}`);
        if (status === 200 && new Set(body.hits.map(({ of }) => of)).size > 1) outcomes.add('mixed');
        await pause(1);
      }
    };
    const searches = ['left', 'right', 'left', 'right'].map(search);
    for (let round = 0; round < rounds(6, 40); round++) {
      const documents = many(200, (id) => ({ id, of: `right ${round}`, text: `word ${id}` }));
      await Promise.all([
        server.call('POST', '/swap-indexes', [{ indexes: ['left', 'right'] }]),
        server.call('POST', '/indexes/right/compact'),
        server.call('DELETE', '/indexes/right'),
      ]);
      await server.call('POST', '/indexes/right/documents', documents);
      if (round % 3 === 2) await server.allTasksDone();
    }
    const tasks = await server.allTasksDone();
    isOver = true;
    await Promise.all(searches);
    expect([...outcomes].filter((one) => !['200 ', '404 index_not_found'].includes(one))).toEqual([]);
    const codes = new Set(tasks.map(({ error }) => error?.code ?? ''));
    expect([...codes].filter((code) => !['', 'index_not_found'].includes(code))).toEqual([]);
  });

  it('cancelations keeps what is done and nothing else', async () => {
    const [count, size] = [rounds(40, 300), 100];
    const sent: Promise<{ readonly status: number }>[] = [];
    for (let i = 0; i < count; i++) {
      const documents = many(size, (at) => ({ id: i * size + at, storm: i }));
      sent.push(server.call('POST', '/indexes/storm/documents', documents));
      if (i % 3 === 0) sent.push(server.call('POST', '/tasks/cancel?indexUids=storm&statuses=enqueued,processing'));
      if (i % 7 === 0) sent.push(server.call('DELETE', '/tasks?indexUids=left,right&statuses=canceled,succeeded'));
      // some tasks run before others come
      if (i % 5 === 0) await sent.at(-1);
    }
    for (const { status } of await Promise.all(sent)) expect([200, 202]).toContain(status);
    await server.allTasksDone();
    const additions = await tasksOf('indexUids=storm&types=documentAdditionOrUpdate');
    expect(additions).toHaveLength(count);
    const done = additions.filter(({ status }) => status === 'succeeded');
    expect(additions.filter(({ status }) => status !== 'succeeded' && status !== 'canceled')).toEqual([]);
    const held = await server.call<WirePage<unknown>>('GET', '/indexes/storm/documents?limit=0');
    expect(held.status === 404 ? 0 : held.body.total).toBe(done.length * size);
    // files of payloads go after the ends of their tasks
    await expect.poll(() => readdirSync(join(folder, 'update_files')), { timeout: 120_000 }).toEqual([]);
  });
});
