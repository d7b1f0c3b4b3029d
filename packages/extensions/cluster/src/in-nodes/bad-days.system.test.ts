/** Three real servers on bad days: clocks that are wrong, restarts in turn, and a task that ends its process. */

import { isBuilt } from '@fossick/server/reliability/launch.test-support';
import { isLongRun } from '@fossick/server/reliability/rounds.test-support';
import { afterEach, describe, expect, it } from 'vitest';
import { ClusterServers, type ClusterTask, limitOf } from './cluster-servers.test-support.js';
import { Clients, expectSound, INDEX } from './history.test-support.js';

const NAMES = ['a', 'b', 'c'] as const;
const DAY_MS = 86_400_000;
const CLOCK_FILE = new URL('./clock-jump.fixture.mjs', import.meta.url).href;
let servers: ClusterServers;
afterEach(() => servers.end());

describe.skipIf(!isBuilt)('three servers', () => {
  it('whose clocks differ by days agree, and the times of tasks never run backwards', async () => {
    servers = new ClusterServers();
    const start = (name: string, days: number) =>
      servers.start(name, [], {
        NODE_OPTIONS: `--import=${CLOCK_FILE}`,
        FOSSICK_TEST_CLOCK_MS: String(days * DAY_MS),
      });
    await Promise.all([start('a', 0), start('b', 1), start('c', -1)]);
    const clients = new Clients(servers);
    clients.start(3, 50);
    await clients.accepted(20);
    const leader = await servers.leader();
    await servers.kill(leader);
    expect(await servers.leader()).not.toBe(leader);
    // and its clock has jumped when it comes back
    await start(leader, leader === 'c' ? 1 : -1);
    await clients.accepted(10, leader);
    await clients.stop();
    await servers.atRest();
    const times = (await servers.tasks('a')).map((task) => (task as ClusterTask & { enqueuedAt: string }).enqueuedAt);
    expect(times.length).toBeGreaterThan(20);
    // by two days at least
    expect(Date.parse(times.at(-1)!) - Date.parse(times[0]!)).toBeGreaterThanOrEqual(0);
    expect([...times].sort()).toEqual(times);
    await expectSound(servers, clients.operations);
  });

  it('that are restarted in turn, the leader last, accept tasks all the time', async () => {
    servers = new ClusterServers();
    await servers.startAll(...NAMES);
    const clients = new Clients(servers);
    clients.start(4, 50);
    await clients.accepted(20);
    const leader = await servers.leader();
    for (const name of [...NAMES.filter((one) => one !== leader), leader]) {
      expect(await servers.stop(name)).toBe(0);
      await servers.start(name);
      await clients.accepted(5, name);
    }
    await clients.stop();
    const refused = clients.operations.filter(({ status }) => status !== 202 && status !== 0);
    expect(refused).toEqual([]);
    await expectSound(servers, clients.operations);
  });

  it(
    'try a task that ends their processes apart from all others, and give it up in the end',
    async () => {
      const poison = { FOSSICK_FAULTS: 'writer.death:poison=kill', FOSSICK_TEST_TRIAL_PAUSE_MS: '50' };
      servers = new ClusterServers();
      await Promise.all(NAMES.map((name) => servers.start(name, [], poison)));
      const add = (name: string, metadata: string, index: string) =>
        servers
          .server(name)
          .call<{ taskUid: number }>('POST', `/indexes/${index}/documents?customMetadata=${metadata}`, [{ id: 1 }]);
      await add('a', 'before', INDEX);
      await servers.atRest();
      const { taskUid } = (await add('a', 'poison', INDEX)).body;
      let deaths = 0;
      const revive = async (name: string): Promise<void> => {
        deaths += 1;
        await servers.kill(name);
        await servers.start(name, [], poison);
      };
      // tasks of one index keep their order; a request without an answer may have been accepted
      let sent = 0;
      let afterUid: number | undefined;
      while (afterUid === undefined) {
        for (const name of NAMES) {
          sent += 1;
          const answer = await add(name, 'after', 'other').catch(() => undefined);
          afterUid = answer?.body.taskUid;
          if (answer === undefined) await revive(name);
          if (afterUid !== undefined) break;
        }
      }
      /** Starts servers again that the task has ended, until a task has this status. */
      const reaches = async (uid: number, wanted: string): Promise<void> => {
        let status = '';
        await servers.until(`that task ${uid} is ${wanted}`, async () => {
          for (const name of NAMES) {
            const answer = await servers
              .server(name)
              .call<ClusterTask>('GET', `/tasks/${uid}`)
              .catch(() => undefined);
            if (answer?.status === 200) ({ status } = answer.body);
            if (answer === undefined) await revive(name);
          }
          return status === wanted;
        });
      };
      await reaches(afterUid, 'succeeded');
      expect(deaths).toBeGreaterThan(0);
      if (isLongRun) {
        await reaches(taskUid, 'failed');
        expect(deaths).toBeGreaterThanOrEqual(10);
      } else {
        // in time it would be given up; without what makes it deadly it succeeds
        for (const name of NAMES) {
          await servers.kill(name);
          await servers.start(name);
        }
      }
      await servers.atRest();
      for (const name of NAMES) {
        const tasks = await servers.tasks(name);
        const accepted = tasks.length - 2;
        expect(accepted).toBeLessThanOrEqual(sent);
        expect(tasks.map(({ customMetadata, status }) => [customMetadata, status])).toEqual([
          ['before', 'succeeded'],
          ['poison', isLongRun ? 'failed' : 'succeeded'],
          ...Array.from({ length: accepted }, () => ['after', 'succeeded']),
        ]);
        if (isLongRun)
          expect(tasks[1]!.error?.message).toContain('each time the process or thread that ran it ended unexpectedly');
      }
    },
    limitOf(isLongRun ? 10 : 1),
  );

  it('find a task in lists of every one as soon as one has told its number', async () => {
    servers = new ClusterServers();
    await servers.startAll('a', 'b');
    await servers.leader();
    for (let id = 0; id < 30; id += 1) {
      const { body } = await servers
        .server('a')
        .call<{ taskUid: number }>('POST', `/indexes/${INDEX}/documents`, [{ id }]);
      const list = await servers.read<{ total: number }>('b', `/tasks?uids=${body.taskUid}`);
      expect(list.body.total).toBe(1);
      const strong = await servers.read<{ total: number }>('b', '/tasks?limit=1', {
        'x-fossick-consistency': 'strong',
      });
      expect(strong.body.total).toBe(body.taskUid + 1);
    }
  });
});
