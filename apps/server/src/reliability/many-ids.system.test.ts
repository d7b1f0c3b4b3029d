/** Deletions of this many ids are in a file: it is kept as long as its task is open, wherever the task goes, and no longer. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { COPIES, copyFolders } from '../e2e/dumping-server.test-support.js';
import {
  newDatabaseFolder,
  removeFolder,
  type ServerProcess,
  startServerProcess,
  type WirePage,
  type WireTask,
} from '../e2e/server-process.test-support.js';
import { holdUpQueue } from './held-queue.test-support.js';
import { isBuilt } from './launch.test-support.js';

const DOCUMENT_COUNT = 3_000;
/** Every second document, then ids of none: more than 64 KiB. */
const IDS = Array.from({ length: 20_000 }, (_, i) => (i % 3 === 0 ? i * 2 : `${i * 2}`));
const LEFT_COUNT = DOCUMENT_COUNT / 2;
const NETWORK = ['--experimental-allowed-ip-networks', '127.0.0.0/8'];

describe.skipIf(!isBuilt)('a deletion of many ids', () => {
  const cleanups: (() => unknown)[] = [];
  afterEach(async () => {
    for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
  });

  function newFolder(): string {
    const folder = newDatabaseFolder();
    cleanups.push(() => removeFolder(folder));
    return folder;
  }
  async function start(folder: string, options: readonly string[] = []): Promise<ServerProcess> {
    const copies = copyFolders(folder);
    const server = await startServerProcess(join(folder, 'data.ms'), [...NETWORK, ...copies, ...options]);
    cleanups.push(() => server.kill());
    return server;
  }
  async function withDocuments(folder: string): Promise<ServerProcess> {
    const server = await start(folder);
    const documents = Array.from({ length: DOCUMENT_COUNT }, (_, id) => ({ id }));
    await server.call('POST', '/indexes/many/documents', documents);
    await server.allTasksDone();
    return server;
  }
  const send = (server: ServerProcess) =>
    server.call<{ taskUid: number }>('POST', '/indexes/many/documents/delete-batch', IDS);
  const countOf = async (server: ServerProcess): Promise<number> =>
    (await server.call<WirePage<unknown>>('GET', '/indexes/many/documents?limit=0')).body.total;
  const payloadsOf = (folder: string): readonly string[] => readdirSync(join(folder, 'data.ms', 'update_files'));
  /** Files are removed after their tasks are shown as done. */
  const expectNoPayloads = (folder: string): Promise<void> =>
    expect.poll(() => payloadsOf(folder), { timeout: 120_000 }).toEqual([]);
  const taskOf = async (server: ServerProcess): Promise<WireTask> =>
    (await server.call<WirePage<WireTask>>('GET', '/tasks?types=documentDeletion')).body.results[0]!;

  it('removes them, tells how many were given, and leaves no file', async () => {
    const folder = newFolder();
    const server = await withDocuments(folder);
    expect(await send(server)).toMatchObject({ status: 202 });
    await server.allTasksDone();
    const details = { providedIds: IDS.length, deletedDocuments: DOCUMENT_COUNT - LEFT_COUNT, originalFilter: null };
    expect(await taskOf(server)).toMatchObject({ status: 'succeeded', details, error: null });
    expect(await countOf(server)).toBe(LEFT_COUNT);
    await expectNoPayloads(folder);
    // a body of this size that is no list of ids
    const text = `"${'x'.repeat(100_000)}"`;
    const refused = await server.call('POST', '/indexes/many/documents/delete-batch', text, {
      'content-type': 'application/json',
    });
    expect(refused).toMatchObject({ status: 400, body: { code: 'bad_request' } });
    const broken = await server.call('POST', '/indexes/many/documents/delete-batch', `[${text}`, {
      'content-type': 'application/json',
    });
    expect(broken).toMatchObject({ status: 400, body: { code: 'malformed_payload' } });
    const misnamed = await server.call('POST', '/indexes/no%20name/documents/delete-batch', IDS);
    expect(misnamed).toMatchObject({ status: 400, body: { code: 'invalid_index_uid' } });
    await expectNoPayloads(folder);
  });

  it('counts ids in a batch with additions, as a short one does', async () => {
    const folder = newFolder();
    const server = await withDocuments(folder);
    const queue = await holdUpQueue(server);
    await server.call('POST', '/indexes/many/documents', [{ id: 'new' }]);
    await send(server);
    queue.release();
    await server.allTasksDone();
    expect(await taskOf(server)).toMatchObject({ status: 'succeeded', details: { deletedDocuments: IDS.length } });
    expect(await countOf(server)).toBe(LEFT_COUNT + 1);
    await expectNoPayloads(folder);
  });

  it('survives a kill while it waits', async () => {
    const folder = newFolder();
    const first = await withDocuments(folder);
    const queue = await holdUpQueue(first);
    expect(await send(first)).toMatchObject({ status: 202 });
    await first.kill();
    // the export goes on with the next start
    queue.release();
    const server = await start(folder);
    await server.allTasksDone();
    expect(await countOf(server)).toBe(LEFT_COUNT);
    await expectNoPayloads(folder);
  });

  it.each(COPIES.map((path) => path.slice(1, -1)))('goes along with a %s while it waits', async (kind) => {
    const folder = newFolder();
    const server = await withDocuments(folder);
    const queue = await holdUpQueue(server);
    expect(await send(server)).toMatchObject({ status: 202 });
    await server.call('POST', `/${kind}s`);
    queue.release();
    const tasks = await server.allTasksDone();
    expect(tasks.find(({ type }) => type === `${kind}Creation`)).toMatchObject({ status: 'succeeded' });
    const copies = join(folder, `${kind}s`);
    const other = newFolder();
    const again = await start(other, [`--import-${kind}`, join(copies, readdirSync(copies)[0]!)]);
    await again.allTasksDone();
    expect(await taskOf(again)).toMatchObject({
      status: 'succeeded',
      details: { providedIds: IDS.length, deletedDocuments: DOCUMENT_COUNT - LEFT_COUNT },
    });
    expect(await countOf(again)).toBe(LEFT_COUNT);
    expect(payloadsOf(other)).toEqual([]);
  });

  it('leaves no file when it is canceled', async () => {
    const folder = newFolder();
    const server = await withDocuments(folder);
    const queue = await holdUpQueue(server);
    await send(server);
    expect(payloadsOf(folder)).toHaveLength(1);
    await server.call('POST', '/tasks/cancel?types=documentDeletion');
    queue.release();
    await server.allTasksDone();
    const details = { providedIds: IDS.length, deletedDocuments: 0 };
    expect(await taskOf(server)).toMatchObject({ status: 'canceled', details });
    await expectNoPayloads(folder);
    expect(await countOf(server)).toBe(DOCUMENT_COUNT);
  });
});
