/** A follower whose own disk is full for a while: the others go on, it answers with what it has, and catches up by itself. */
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { WireError } from '@fossick/server/e2e/server-process.test-support';
import { isBuilt } from '@fossick/server/reliability/launch.test-support';
import { isLongRun } from '@fossick/server/reliability/rounds.test-support';
import { fill, mountSmallDisk } from '@fossick/server/reliability/small-disk.test-support';
import { afterEach, describe, expect, it } from 'vitest';
import { ClusterServers, limitOf } from './cluster-servers.test-support.js';
import { INDEX } from './history.test-support.js';

/** Room that is left on the disk of the follower, in KiB: for nothing, a store, some commits. */
const ROOMS = isLongRun ? [0, 4, 16, 40, 96, 256] : [0, 40];
const servers = new ClusterServers();
const unmounts: (() => void)[] = [];
afterEach(async () => {
  for (const name of [...servers.running.keys()]) await servers.kill(name);
  for (const unmount of unmounts.splice(0)) unmount();
  await servers.end();
});

const documents = (count: number, from: number, version: number): object[] =>
  Array.from({ length: count }, (_, at) => ({
    id: from + at,
    title: `lighthouse ${version}`,
    text: 'sea '.repeat(50),
  }));

/** Documents of an index on a node, by id; undefined where the node does not have the index. */
async function contentsOf(name: string, uid: string): Promise<string | undefined> {
  const answer = await servers.read<{ results?: unknown[] }>(name, `/indexes/${uid}/documents?limit=10000`);
  return answer.status === 404 ? undefined : JSON.stringify(answer.body.results);
}

describe.skipIf(!isBuilt)('a follower with a full disk', () => {
  it(
    'answers with what it has, says why it does not follow, and catches up when there is room',
    async ({ skip }) => {
      const folder = servers.folderOf('b');
      mkdirSync(folder, { recursive: true });
      const unmount = mountSmallDisk(folder);
      if (unmount === undefined) return skip('no file system can be mounted here');
      unmounts.push(unmount);
      await servers.start('a');
      await servers.start('b');
      const leader = servers.server('a');
      const sent = async (method: string, path: string, body?: unknown): Promise<void> => {
        const { status } = await leader.call(method, path, body);
        expect([200, 202]).toContain(status);
      };
      await sent('POST', `/indexes/${INDEX}/documents`, documents(100, 0, 0));
      await leader.allTasksDone();
      await servers.atRest();
      for (const [round, leftKiB] of ROOMS.entries()) {
        fill(folder, leftKiB);
        const follower = servers.server('b');
        let version = 0;
        const isFailing = async () => (await servers.status('b')).failure !== null;
        await servers.until('that the follower says why it does not follow', async () => {
          version += 1;
          await sent('POST', `/indexes/${INDEX}/documents`, documents(100, 0, version + round * 1000));
          await sent('POST', `/indexes/made${round}x${version}/documents`, documents(300, 0, version));
          if (version % 2 === 0) await sent('DELETE', `/indexes/made${round}x${version - 1}`);
          await leader.allTasksDone();
          return isFailing();
        });
        await sent('PATCH', `/indexes/${INDEX}/settings`, {
          filterableAttributes: ['title'],
          synonyms: { sea: [`s${round}`] },
        });
        await leader.allTasksDone();
        // an answer of one commit
        const { status, body } = await follower.call<{ hits: { title: string }[] }>(
          'POST',
          `/indexes/${INDEX}/search`,
          {
            q: 'lighthouse',
            limit: 1000,
          },
        );
        expect(status).toBe(200);
        expect(body.hits.length).toBe(100);
        expect(new Set(body.hits.map(({ title }) => title)).size).toBe(1);
        const written = await follower.call<WireError>('POST', `/indexes/${INDEX}/documents`, [{ id: 1 }]);
        // the payload has no space, or the node takes no write at all
        if (written.status === 422) expect(written.body.code).toBe('no_space_left_on_device');
        else expect([written.status, written.body.code]).toEqual([503, 'cluster_log_unavailable']);
        const isHealthy = async () => (await follower.call('GET', '/health?fresh=1s')).status === 200;
        await servers.until('that the follower is not healthy', async () => !(await isHealthy()));
        expect((await servers.status('a')).role).toBe('leader');
        if (round % 2 === 1) {
          await servers.kill('b');
          await servers.startAgain('b');
          await servers.until('that the follower says so again', isFailing);
        }
        rmSync(join(folder, 'filler'));
        await servers.until('that the follower follows again', async () => !(await isFailing()));
        await servers.atRest();
        const { body: list } = await leader.call<{ results: { uid: string }[] }>('GET', '/indexes?limit=1000');
        for (const { uid } of list.results) expect(await contentsOf('b', uid), uid).toBe(await contentsOf('a', uid));
        for (const { uid } of list.results) if (uid !== INDEX) await sent('DELETE', `/indexes/${uid}`);
        await leader.allTasksDone();
        await servers.atRest();
      }
      expect((await servers.status('a')).epoch).toBe(1);
    },
    limitOf(ROOMS.length),
  );
});
