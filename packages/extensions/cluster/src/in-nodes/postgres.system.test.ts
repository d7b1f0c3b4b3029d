/** Three real servers over a log in PostgreSQL. */
import { describeWithPostgres } from '@fossick/replication/postgres/postgres-server.test-support';
import { isBuilt } from '@fossick/server/reliability/launch.test-support';
import { chosenRounds } from '@fossick/server/reliability/rounds.test-support';
import { afterAll, afterEach, beforeAll, describe, it } from 'vitest';
import { ClusterServers, limitOf } from './cluster-servers.test-support.js';
import { expectSearchesWithoutLog, killLeaders } from './history.test-support.js';

const ROUNDS = chosenRounds(1, 30);
const ROUNDS_MS = limitOf(ROUNDS);
const NAMES = ['a', 'b', 'c'] as const;

describe.skipIf(!isBuilt)('a cluster', () => {
  describeWithPostgres('over a log in PostgreSQL', (postgres) => {
    let servers: ClusterServers;
    beforeAll(() => postgres.create());
    afterAll(() => postgres.remove());
    afterEach(async () => {
      await servers.end();
      await postgres.query('drop table if exists fossick_log, fossick_head');
    });

    it('searches while the database is away, and says that it has no contact', async () => {
      servers = new ClusterServers({ logUrl: postgres.url });
      await expectSearchesWithoutLog(servers, { stop: () => postgres.stop('fast'), start: () => postgres.start() });
    });

    it(
      'loses nothing when its leader is killed, and when the database restarts',
      async () => {
        servers = new ClusterServers({ logUrl: postgres.url });
        await servers.startAll(...NAMES);
        await killLeaders(servers, ROUNDS, async () => {
          await postgres.stop('immediate');
          await servers.withoutContact(500);
          await postgres.start();
        });
      },
      ROUNDS_MS,
    );
  });
});
