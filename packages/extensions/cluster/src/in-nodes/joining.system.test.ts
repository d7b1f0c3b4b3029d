/** Real servers that come to a cluster with a folder that has a past. */
import { readdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { freePort, startServerProcess } from '@fossick/server/e2e/server-process.test-support';
import { isBuilt, launch } from '@fossick/server/reliability/launch.test-support';
import { afterEach, describe, expect, it } from 'vitest';
import { ClusterServers } from './cluster-servers.test-support.js';
import { Clients, expectSound, INDEX } from './history.test-support.js';

const DOCUMENTS = Array.from({ length: 300 }, (_, id) => ({ id, text: `film number ${id}` }));
let servers: ClusterServers;
afterEach(() => servers.end());

const total = async (name: string): Promise<number> =>
  (await servers.server(name).call<{ total: number }>('GET', `/indexes/${INDEX}/documents?limit=0`)).body.total;

/** Runs a single server over the folder of a node, fills an index, and ends it in the midst of a task. */
async function fillAlone(name: string): Promise<void> {
  const alone = await startServerProcess(servers.folderOf(name));
  await alone.call('POST', `/indexes/${INDEX}/documents`, DOCUMENTS);
  await alone.call('POST', '/indexes/other/documents', [{ id: 1 }]);
  await alone.allTasksDone();
  const more = DOCUMENTS.map(({ id, text }) => ({ id: id + 1_000, text: text.repeat(50) }));
  await alone.call('POST', `/indexes/${INDEX}/documents`, more);
  await alone.kill();
}

describe.skipIf(!isBuilt)('a server that comes to a cluster', () => {
  it('with a database of its own is the first node, and all others get the database', async () => {
    servers = new ClusterServers();
    await fillAlone('a');
    const a = await servers.start('a');
    await servers.startAll('b', 'c');
    await servers.atRest();
    for (const name of ['a', 'b', 'c']) {
      expect(await total(name)).toBe(600);
      const { body } = await servers
        .server(name)
        .call<{ hits: unknown[] }>('POST', '/indexes/films/search', { q: 'number 7' });
      expect(body.hits.length).toBeGreaterThan(0);
    }
    const tasks = await Promise.all(['a', 'b', 'c'].map((name) => servers.tasks(name)));
    expect(tasks[0]!.map(({ uid, status }) => [uid, status])).toEqual([0, 1, 2].map((uid) => [uid, 'succeeded']));
    for (const other of tasks) expect(other).toEqual(tasks[0]);
    await servers.stop('a');
    expect(a.output()).not.toMatch(/error/i);
    // as a server of its own it would change what the log does not know of
    const alone = await launch(servers.folderOf('a'));
    expect(await alone.ended).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('that of a node of a cluster'),
    });
    await servers.start('a');
    await servers.atRest();
    await Promise.all(['a', 'b', 'c'].map((name) => servers.kill(name)));
    const hashes = await Promise.all(['a', 'b', 'c'].map((name) => servers.storeHashes(name)));
    for (const other of hashes.slice(1)) expect(other).toEqual(hashes[0]);
  });

  it('with a database of its own is refused when the cluster has begun, and so is a node of another cluster', async () => {
    servers = new ClusterServers();
    await servers.start('a');
    await servers.server('a').call('POST', `/indexes/${INDEX}/documents`, DOCUMENTS);
    await servers.atRest();
    await fillAlone('b');
    await expect(servers.start('b')).rejects.toThrow(
      /the cluster has begun without the database in .*: only the first/,
    );
    const alone = await startServerProcess(servers.folderOf('b'));
    expect((await alone.call<{ total: number }>('GET', `/indexes/${INDEX}/documents?limit=0`)).body.total).toBe(300);
    await alone.kill();
    await servers.kill('a');
    renameSync(servers.objectsFolder, `${servers.objectsFolder}.first`);
    await servers.start('c');
    await servers.leader();
    await expect(servers.start('a')).rejects.toThrow(/belongs to the cluster \S+, and the store of objects to \S+:/);
  });

  it('is restored from checkpoints while it runs, when the log before them is gone', async () => {
    servers = new ClusterServers({
      more: ['--log-level', 'WARN'],
      environment: { FOSSICK_TEST_CLUSTER_CHECKPOINT_ENTRIES: '30' },
    });
    // it listens on the same port when it starts again
    const address = `127.0.0.1:${await freePort()}`;
    await Promise.all([servers.startAll('a', 'b'), servers.start('paused', ['--http-addr', address])]);
    const clients = new Clients(servers);
    await clients.send('first', 'a', servers.server('a'));
    await servers.atRest();
    const paused = servers.server('paused');
    servers.running.delete('paused');
    process.kill(paused.pid, 'SIGSTOP');
    clients.start(2, 20);
    const entries = (): number[] =>
      readdirSync(join(servers.objectsFolder, 'log/main/entries'))
        .map(Number)
        .sort((x, y) => x - y);
    const seen = entries().at(-1)!;
    await servers.until('that the log is trimmed', () => entries()[0]! > seen + 5);
    await clients.stop();
    process.kill(paused.pid, 'SIGCONT');
    await servers.until('that the node was restored', () =>
      /The folder at position \d+ was restored from the checkpoints at position \d+/.test(paused.output()),
    );
    expect(paused.output()).toMatch(/starts again from the newest checkpoints: position \d+ of the log was trimmed/);
    const health = () => paused.call('GET', '/health').catch(() => undefined);
    await servers.until('that the node is healthy', async () => (await health())?.status === 200);
    servers.running.set('paused', paused);
    await expectSound(servers, clients.operations);
  });
});
