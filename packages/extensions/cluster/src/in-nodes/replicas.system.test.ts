/** Three real servers over a log in a folder: writes anywhere, reads everywhere, and what ends their processes. */

import { isBuilt } from '@fossick/server/reliability/launch.test-support';
import { chosenRounds } from '@fossick/server/reliability/rounds.test-support';
import { afterEach, describe, expect, it } from 'vitest';
import { ClusterServers, LASTING_LEAD, limitOf } from './cluster-servers.test-support.js';
import { Clients, expectSound, INDEX } from './history.test-support.js';

const ROUNDS = chosenRounds(1, 30);
const ROUNDS_MS = limitOf(ROUNDS);
const NAMES = ['a', 'b', 'c'] as const;
let servers: ClusterServers;
afterEach(() => servers.end());

describe.skipIf(!isBuilt)('three servers over a log in a folder', () => {
  it('accept writes anywhere, and a task that one shows as succeeded is found on all', async () => {
    servers = new ClusterServers({ environment: LASTING_LEAD });
    await servers.startAll(...NAMES);
    // a node counts from when the leader has heard of it
    await servers.inContact();
    for (const [at, name] of [...NAMES, ...NAMES].entries()) {
      const added = await servers
        .server(name)
        .call<{ taskUid: number }>('POST', `/indexes/${INDEX}/documents`, [{ id: at }]);
      expect(added).toMatchObject({ status: 202, body: { taskUid: at } });
      const other = servers.server(NAMES[(at + 1) % 3]!);
      for (let shown = ''; shown !== 'succeeded'; ) {
        const { status, body } = await other.call<{ status: string }>('GET', `/tasks/${at}`);
        expect(status).toBe(200);
        shown = body.status;
      }
      const counts = await Promise.all(
        NAMES.map((one) => servers.server(one).call<{ total: number }>('GET', `/indexes/${INDEX}/documents`)),
      );
      expect(counts.map(({ body }) => body.total)).toEqual([at + 1, at + 1, at + 1]);
    }
    await expectSound(servers, []);
  });

  it.each([
    ['kill -9', async (name: string) => servers.kill(name)],
    ['SIGTERM', async (name: string) => expect(await servers.stop(name)).toBe(0)],
  ] as const)(
    'another leads after %s of the leader, and nothing acknowledged is lost',
    async (_how, end) => {
      servers = new ClusterServers();
      await servers.startAll(...NAMES);
      const clients = new Clients(servers);
      clients.start(4, 50);
      for (let round = 0; round < ROUNDS; round += 1) {
        await clients.accepted(30);
        const before = await servers.leader();
        await end(before);
        const after = await servers.leader();
        expect(after).not.toBe(before);
        await clients.accepted(20);
        await servers.start(before);
      }
      await clients.stop();
      expect(clients.operations.filter(({ status }) => status === 202).length).toBeGreaterThan(20);
      await expectSound(servers, clients.operations);
    },
    ROUNDS_MS,
  );

  it(
    'a leader that was stopped for a while follows when it goes on',
    async () => {
      servers = new ClusterServers();
      await servers.startAll(...NAMES);
      const clients = new Clients(servers);
      clients.start(3, 50);
      for (let round = 0; round < ROUNDS; round += 1) {
        await clients.accepted(20);
        const name = await servers.leader();
        const paused = servers.server(name);
        servers.running.delete(name);
        process.kill(paused.pid, 'SIGSTOP');
        expect(await servers.leader()).not.toBe(name);
        await clients.accepted(20);
        process.kill(paused.pid, 'SIGCONT');
        servers.running.set(name, paused);
        await clients.accepted(10, name);
      }
      await clients.stop();
      await expectSound(servers, clients.operations);
    },
    ROUNDS_MS,
  );

  it('a node that joins late, and one that was away, have all that the others have', async () => {
    servers = new ClusterServers();
    await servers.startAll('a', 'b');
    const clients = new Clients(servers);
    clients.start(2, 20);
    await clients.accepted(30);
    await servers.start('c');
    await servers.kill('b');
    await clients.accepted(20);
    await servers.start('b');
    await clients.stop();
    await expectSound(servers, clients.operations);
  });
});
