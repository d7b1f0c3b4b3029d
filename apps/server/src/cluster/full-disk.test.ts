/** Three real servers, of which the leader has no space left on its disk for a while. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { pause } from '../e2e/server-process.test-support.js';
import { canFail, FaultyDisk, WRITES } from '../reliability/disk-shim.test-support.js';
import { isBuilt } from '../reliability/launch.test-support.js';
import { chosenRounds } from '../reliability/rounds.test-support.js';
import { ClusterServers } from './cluster-servers.test-support.js';
import { Clients, expectSound, INDEX } from './history.test-support.js';

const ROUNDS = chosenRounds(1, 15);
/** The time limit of a test: a round takes some ten seconds, and more on a busy machine. */
const ROUNDS_MS = 60_000 + ROUNDS * 40_000;
let servers: ClusterServers;
const workFolder = mkdtempSync(join(tmpdir(), 'fossick-disk-'));
afterEach(async () => {
  await servers.end();
  rmSync(workFolder, { recursive: true, force: true });
});

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
        await pause(1_000);
        disk.fail({ kinds: WRITES, error: 'ENOSPC', skip: round * 3, isLasting: true, isCut: false });
        const full = servers.server('a');
        servers.running.delete('a');
        // one of the others leads, also if this node has led before
        await servers.leader();
        await pause(2_000);
        expect((await full.call('POST', `/indexes/${INDEX}/search`, {})).status).toBe(200);
        disk.heal();
        servers.running.set('a', full);
        await pause(3_000);
      }
      await clients.stop();
      disk.close();
      expect(clients.operations.filter(({ status }) => status === 202).length).toBeGreaterThan(20);
      await expectSound(servers, clients.operations);
    },
    ROUNDS_MS,
  );
});
