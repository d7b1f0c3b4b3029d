/** Three real servers whose database fails over to its standby. */
import { describeWithPostgres, type PostgresServer } from '@fossick/replication/postgres/postgres-server.test-support';
import type { WireError } from '@fossick/server/e2e/server-process.test-support';
import { isBuilt } from '@fossick/server/reliability/launch.test-support';
import { afterEach, describe, expect, it } from 'vitest';
import { ClusterServers } from './cluster-servers.test-support.js';
import { Clients, expectSound, INDEX } from './history.test-support.js';
import { Link } from './link.test-support.js';

const NAMES = ['a', 'b', 'c'] as const;

describe.skipIf(!isBuilt)('a cluster', () => {
  describeWithPostgres('over a database with a standby', (primary) => {
    let servers: ClusterServers;
    let standby: PostgresServer;
    let link: Link;
    afterEach(async () => {
      await servers.end();
      await link.close();
      await standby.remove();
      await primary.remove();
    });

    /** Nodes reach the database by an address that a failover moves. */
    async function startOver(): Promise<Clients> {
      await primary.create();
      standby = await primary.standby();
      link = await Link.open(primary.port);
      servers = new ClusterServers({ logUrl: primary.url.replace(`:${primary.port}/`, `:${link.port}/`) });
      return new Clients(servers);
    }

    async function failOver(): Promise<void> {
      await standby.promote();
      link.target = standby.port;
      link.become('open');
    }

    it('that commits wait for loses nothing when that one takes over', async () => {
      const clients = await startOver();
      await primary.waitForStandby();
      await servers.startAll(...NAMES);
      clients.start(4, 50);
      await clients.accepted(40);
      await primary.stop('immediate');
      await failOver();
      await Promise.all(NAMES.map((name) => clients.accepted(10, name)));
      await clients.stop();
      expect(clients.operations.filter(({ status }) => status === 202).length).toBeGreaterThan(20);
      await expectSound(servers, clients.operations);
    });

    it('that has missed entries stops accepting writes when that one takes over, and says where', async () => {
      const clients = await startOver();
      await servers.startAll(...NAMES);
      await clients.send('before', 'a', servers.server('a'));
      await servers.atRest();
      await standby.stop('fast');
      await clients.send('missed', 'b', servers.server('b'));
      await servers.atRest();
      await primary.stop('immediate');
      await standby.start();
      await failOver();
      for (const name of NAMES) {
        const server = servers.server(name);
        const path = `/indexes/${INDEX}/documents`;
        await servers.until('that the node finds the damage', async () => {
          const refused = await server.call<WireError>('POST', path, [{ id: 99 }]);
          expect(refused.status).not.toBe(202);
          return refused.body.code === 'cluster_log_damaged';
        });
        expect(server.output()).toMatch(
          /no longer: entry \d+ of the log is damaged: the log ends at \d+, it was rewound/,
        );
        expect((await server.call('POST', `/indexes/${INDEX}/search`, {})).status).toBe(200);
      }
    });
  });
});
