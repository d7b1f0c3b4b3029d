/** Three real servers, of which the leader has no space left on its disk for a while. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { WireError } from '@fossick/server/e2e/server-process.test-support';
import { canFail, FaultyDisk, HEADS, WRITES } from '@fossick/server/reliability/disk-shim.test-support';
import { isBuilt } from '@fossick/server/reliability/launch.test-support';
import { chosenRounds, isLongRun } from '@fossick/server/reliability/rounds.test-support';
import { fill, mountSmallDisk } from '@fossick/server/reliability/small-disk.test-support';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { ClusterServers, type ClusterTask, limitOf, type WireClusterStatus } from './cluster-servers.test-support.js';
import { Clients, expectSound, INDEX } from './history.test-support.js';

const ROUNDS = chosenRounds(1, 15);
const ROUNDS_MS = limitOf(ROUNDS);
let servers: ClusterServers;
const workFolder = mkdtempSync(join(tmpdir(), 'fossick-disk-'));
afterEach(() => servers.end());
afterAll(() => rmSync(workFolder, { recursive: true, force: true }));

describe.skipIf(!isBuilt || !canFail)('three servers', () => {
  it(
    'go on while the disk of one is full, also of the leader, and it has everything once there is space',
    async () => {
      servers = new ClusterServers();
      mkdirSync(servers.folderOf('a'), { recursive: true });
      const disk = new FaultyDisk(workFolder, servers.folderOf('a'));
      await servers.start('a', [], disk.env);
      expect(await servers.leader()).toBe('a');
      await servers.startAll('b', 'c');
      const clients = new Clients(servers);
      await clients.send('first', 'b', servers.server('b'));
      await servers.atRest();
      clients.start(3, 50);
      for (let round = 0; round < ROUNDS; round += 1) {
        await clients.accepted(20);
        disk.fail({ kinds: WRITES, error: 'ENOSPC', skip: round * 3, isLasting: true, isCut: false });
        const full = servers.server('a');
        servers.running.delete('a');
        // one of the others leads, also if this node has led before
        await servers.leader();
        const failure = async () => (await full.call<WireClusterStatus>('GET', '/_fossick/cluster')).body.failure;
        await servers.until('that the node says why it does not follow', async () => (await failure()) !== null);
        await clients.accepted(20);
        await servers.until('an answer to a search', async () => {
          const { status, body } = await full.call<WireError>('POST', `/indexes/${INDEX}/search`, {});
          // while a store is opened anew
          if (status === 503) expect(body.code).toBe('store_unavailable');
          else expect(status).toBe(200);
          return status === 200;
        });
        disk.heal();
        servers.running.set('a', full);
        await servers.until('that the node follows again', async () => (await failure()) === null);
        await clients.accepted(10, 'a');
      }
      await clients.stop();
      disk.close();
      expect(clients.operations.filter(({ status }) => status === 202).length).toBeGreaterThan(20);
      await expectSound(servers, clients.operations);
    },
    ROUNDS_MS,
  );

  it('run a task that the leader has no space for, and it fails only where no other node may lead', async () => {
    servers = new ClusterServers();
    mkdirSync(servers.folderOf('a'), { recursive: true });
    const disk = new FaultyDisk(workFolder, servers.folderOf('a'));
    await servers.start('a', [], disk.env);
    expect(await servers.leader()).toBe('a');
    /** The log and the tasks have space on the disk of the leader, but the payload that the task reads has none. */
    const addToFull = async (id: number, leader: string, padding = ''): Promise<ClusterTask> => {
      await servers.atRest();
      const folder = join(servers.folderOf('a'), 'update_files');
      disk.fail({ kinds: WRITES, error: 'ENOSPC', skip: 0, isLasting: true, isCut: false }, folder);
      const sent = await servers
        .server('b')
        .call<{ taskUid: number }>('POST', `/indexes/${INDEX}/documents`, [{ id, padding }]);
      await servers.atRest();
      const task = await servers.server('b').call<ClusterTask>('GET', `/tasks/${sent.body.taskUid}`);
      await servers.until(`that ${leader} leads`, async () => (await servers.leader()) === leader);
      disk.heal();
      return task.body;
    };
    await servers.start('b', ['--cluster-role', 'reader']);
    expect(await addToFull(1, 'a')).toMatchObject({ status: 'failed', error: { code: 'no_space_left_on_device' } });
    await servers.stop('b');
    await servers.start('b');
    expect(await addToFull(2, 'b')).toMatchObject({ status: 'succeeded', error: null });
    disk.close();
  });

  // the head of the task store is written when a task is registered, begins and ends: its writer waits for these
  it.each(
    isLongRun ? [0, 1, 2, 3] : [1],
  )('go on when the leader cannot write the head of its task store, after %d writes', async (skip) => {
    servers = new ClusterServers();
    mkdirSync(servers.folderOf('a'), { recursive: true });
    const disk = new FaultyDisk(workFolder, servers.folderOf('a'));
    await servers.start('a', [], disk.env);
    await servers.server('a').call('POST', `/indexes/${INDEX}/documents`, [{ id: 0 }]);
    await servers.server('a').allTasksDone();
    await servers.start('b');
    const clients = new Clients(servers);
    const tasks = join(servers.folderOf('a'), 'tasks');
    disk.fail({ kinds: HEADS, error: 'ENOSPC', skip, isLasting: true, isCut: false }, tasks);
    clients.start(1, 50);
    await servers.until('a write that fails', () => disk.counts.struck > 0);
    await clients.accepted(1, 'b');
    disk.heal();
    await clients.stop();
    await servers.atRest();
    disk.close();
  });

  it('run a task whose payload is an object that the leader has no space for', async () => {
    servers = new ClusterServers();
    mkdirSync(servers.folderOf('a'), { recursive: true });
    const disk = new FaultyDisk(workFolder, servers.folderOf('a'));
    await servers.start('a', [], disk.env);
    expect(await servers.leader()).toBe('a');
    await servers.start('b');
    await servers.atRest();
    const folder = join(servers.folderOf('a'), 'update_files');
    disk.fail({ kinds: WRITES, error: 'ENOSPC', skip: 0, isLasting: true, isCut: false }, folder);
    const document = { id: 1, padding: 'word '.repeat(20_000) };
    await servers.server('b').call('POST', `/indexes/${INDEX}/documents`, [document]);
    expect(await servers.server('b').allTasksDone()).toMatchObject([{ status: 'succeeded', error: null }]);
    await servers.until('that b leads', async () => (await servers.leader()) === 'b');
    disk.close();
  });
});

/** Within which an addition ends on a full disk, in milliseconds. */
const ENDED_MS = 10_000;

describe.skipIf(!isBuilt)('a node alone', () => {
  it('fails an addition within seconds on a full disk, whatever room is left, and goes on when there is room', async ({
    skip,
  }) => {
    servers = new ClusterServers();
    const folder = servers.folderOf('a');
    mkdirSync(folder, { recursive: true });
    const unmount = mountSmallDisk(folder);
    if (unmount === undefined) return skip('no file system can be mounted here');
    try {
      const server = await servers.start('a');
      const add = (count: number, from: number) =>
        server.call<WireError & { taskUid: number }>(
          'POST',
          `/indexes/${INDEX}/documents`,
          Array.from({ length: count }, (_, at) => ({ id: from + at, title: `lighthouse ${(from + at) % 7}` })),
        );
      await add(10, 0);
      await server.allTasksDone();
      let failed = 0;
      for (const [round, leftKiB] of [0, 8, 16, 24, 28, 32, 36, 40, 44, 48, 56, 64, 96, 160].entries()) {
        fill(folder, leftKiB);
        for (const count of [1, 50]) {
          const startMs = performance.now();
          const sent = await add(count, 100 + round * 100);
          await server.allTasksDone();
          expect(performance.now() - startMs, `${leftKiB} KiB: ${JSON.stringify(sent)}`).toBeLessThan(ENDED_MS);
          if (sent.status !== 202) failed += 1;
          else {
            const { body } = await server.call<ClusterTask>('GET', `/tasks/${sent.body.taskUid}`);
            if (body.status === 'failed') {
              expect(body.error?.code).toBe('no_space_left_on_device');
              failed += 1;
            }
          }
          expect((await server.call('POST', `/indexes/${INDEX}/search`, { q: 'lighthouse' })).status).toBe(200);
        }
        rmSync(join(folder, 'filler'));
        await servers.until('a write', async () => (await add(1, 90)).status === 202);
        expect((await server.allTasksDone())[0], `${leftKiB} KiB`).toMatchObject({ status: 'succeeded' });
      }
      expect(failed).toBeGreaterThan(0);
    } finally {
      await servers.kill('a');
      unmount();
    }
  }, 600_000);
});
