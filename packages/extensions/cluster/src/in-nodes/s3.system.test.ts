/** Three real servers over a store of S3: for log and objects, and for objects alone. */

import { describeWithVersitygw } from '@fossick/objects/s3/doubles/versitygw.test-support';
import { describeWithPostgres } from '@fossick/replication/postgres/postgres-server.test-support';
import type { WireError } from '@fossick/server/e2e/server-process.test-support';
import { isBuilt } from '@fossick/server/reliability/launch.test-support';
import { chosenRounds } from '@fossick/server/reliability/rounds.test-support';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { ClusterServers, limitOf } from './cluster-servers.test-support.js';
import { Clients, expectSearchesWithoutLog, INDEX, killLeaders } from './history.test-support.js';

const ROUNDS = chosenRounds(1, 30);
const ROUNDS_MS = limitOf(ROUNDS);
const NAMES = ['a', 'b', 'c'] as const;
const KEYS = { AWS_ACCESS_KEY_ID: 'versity', AWS_SECRET_ACCESS_KEY: 'versity-secret' };

describe.skipIf(!isBuilt)('a cluster', () => {
  describeWithVersitygw('over a store of S3', (s3) => {
    let servers: ClusterServers;
    let clusterCount = 0;
    const newPrefix = () => s3.url(`cluster-${++clusterCount}`);
    beforeAll(() => s3.create());
    afterAll(() => s3.remove());
    afterEach(() => servers.end());

    it('searches while the store is away, and says that it has no contact', async () => {
      servers = new ClusterServers({ objectsUrl: newPrefix(), environment: KEYS });
      await expectSearchesWithoutLog(servers, s3);
    });

    it(
      'loses nothing when its leader is killed, and when the store restarts',
      async () => {
        servers = new ClusterServers({ objectsUrl: newPrefix(), environment: KEYS });
        await servers.startAll(...NAMES);
        await killLeaders(servers, ROUNDS, async () => {
          await s3.stop();
          await servers.withoutContact(500);
          await s3.start();
        });
      },
      ROUNDS_MS,
    );

    describeWithPostgres('with a log in PostgreSQL', (postgres) => {
      beforeAll(() => postgres.create());
      afterAll(() => postgres.remove());
      afterEach(async () => {
        await servers.end();
        await postgres.query('drop table if exists fossick_log, fossick_head');
      });

      it(
        'loses nothing when its leader is killed, and when store and database restart',
        async () => {
          servers = new ClusterServers({ logUrl: postgres.url, objectsUrl: newPrefix(), environment: KEYS });
          await servers.startAll(...NAMES);
          await killLeaders(servers, ROUNDS, async () => {
            await s3.stop();
            await postgres.stop('immediate');
            await servers.withoutContact(500);
            await postgres.start();
            await s3.start();
          });
        },
        ROUNDS_MS,
      );

      it('runs small tasks while the store of objects is away, and large ones when it is back', async () => {
        servers = new ClusterServers({ logUrl: postgres.url, objectsUrl: newPrefix(), environment: KEYS });
        await servers.startAll('a', 'b');
        const clients = new Clients(servers);
        await clients.send('before', 'a', servers.server('a'));
        await servers.atRest();
        await s3.stop();
        for (const [at, name] of ['a', 'b', 'a'].entries())
          expect((await clients.send(`small-${at}`, name, servers.server(name))).status).toBe(202);
        await servers.atRest();
        const large = [{ id: 1, text: 'word '.repeat(40_000) }];
        const refused = await servers.server('a').call<WireError>('POST', `/indexes/${INDEX}/documents`, large);
        expect([refused.status, refused.body.code]).toEqual([503, 'cluster_log_unavailable']);
        await s3.start();
        expect((await servers.server('a').call('POST', `/indexes/${INDEX}/documents`, large)).status).toBe(202);
        await servers.atRest();
      });
    });
  });
});
