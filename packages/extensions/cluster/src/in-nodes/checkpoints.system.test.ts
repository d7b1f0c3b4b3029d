/** Real servers that start from checkpoints, because the log before them is gone. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { isBuilt } from '@fossick/server/reliability/launch.test-support';
import { afterEach, describe, it } from 'vitest';
import { ClusterServers } from './cluster-servers.test-support.js';
import { Clients, expectSound } from './history.test-support.js';

let servers: ClusterServers;
afterEach(() => servers.end());

describe.skipIf(!isBuilt)('servers over a log that is trimmed', () => {
  it('a new node, and one that was away for long, have all that the others have', async () => {
    servers = new ClusterServers({ environment: { FOSSICK_TEST_CLUSTER_CHECKPOINT_ENTRIES: '30' } });
    await servers.startAll('a', 'b', 'away');
    const clients = new Clients(servers);
    clients.start(2, 20);
    await clients.accepted(10, 'away');
    await servers.kill('away');
    const entries = (): number[] =>
      readdirSync(join(servers.objectsFolder, 'log/main/entries'))
        .map(Number)
        .sort((a, b) => a - b);
    const seen = entries().at(-1)!;
    await servers.until('that the log is trimmed', () => entries()[0]! > seen + 5);
    await servers.start('new');
    await servers.start('away');
    await Promise.all(['new', 'away'].map((name) => clients.accepted(10, name)));
    await clients.stop();
    await expectSound(servers, clients.operations);
  });
});
