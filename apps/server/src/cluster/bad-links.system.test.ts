/** Three real servers whose links to the log and to one another fail, each for itself. */
import { describeWithPostgres } from '@fossick/replication/postgres/postgres-server.test-support';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { freePort, pause } from '../e2e/server-process.test-support.js';
import { isBuilt } from '../reliability/launch.test-support.js';
import { chosenRounds } from '../reliability/rounds.test-support.js';
import { ClusterServers } from './cluster-servers.test-support.js';
import { Clients, expectSound } from './history.test-support.js';
import { Link, type LinkState } from './link.test-support.js';

const ROUNDS = chosenRounds(1, 20);
/** The time limit of a test: a round takes some ten seconds, and more on a busy machine. */
const ROUNDS_MS = 60_000 + ROUNDS * 30_000;
const NAMES = ['a', 'b', 'c'] as const;

describe.skipIf(!isBuilt)('a cluster', () => {
  describeWithPostgres('of which links fail', (postgres) => {
    let servers: ClusterServers;
    const links: Link[] = [];
    beforeAll(() => postgres.create());
    afterAll(() => postgres.remove());
    afterEach(async () => {
      await servers.end();
      for (const link of links.splice(0)) await link.close();
      await postgres.query('drop table if exists fossick_log, fossick_head');
    });

    /** Starts all nodes; the links of each to the log and from the others to it, by its name. */
    async function startLinked(): Promise<{ readonly log: Map<string, Link>; readonly node: Map<string, Link> }> {
      servers = new ClusterServers();
      const [log, node] = [new Map<string, Link>(), new Map<string, Link>()];
      for (const name of NAMES) {
        const listening = await freePort();
        log.set(name, await Link.open(postgres.port));
        node.set(name, await Link.open(listening));
        links.push(log.get(name)!, node.get(name)!);
        const logUrl = postgres.url.replace(`:${postgres.port}/`, `:${log.get(name)!.port}/`);
        await servers.start(name, [
          ...['--cluster-log', logUrl, '--cluster-url', `http://127.0.0.1:${node.get(name)!.port}`],
          ...['--cluster-listen', `127.0.0.1:${listening}`],
        ]);
      }
      return { log, node };
    }

    it.each<[LinkState, string]>([
      ['cut', 'is cut'],
      ['stuck', 'hangs'],
      ['deaf', 'passes no answers'],
    ])(
      'whose link between leader and log %s: another leads, and it follows when the link is back',
      async (state) => {
        const { log } = await startLinked();
        const clients = new Clients(servers);
        clients.start(4, 50);
        for (let round = 0; round < ROUNDS; round += 1) {
          await pause(1_000);
          const name = await servers.leader();
          const cutOff = servers.server(name);
          // the others are asked who leads
          servers.running.delete(name);
          log.get(name)!.become(state);
          expect(await servers.leader()).not.toBe(name);
          await pause(1_000);
          log.get(name)!.become('open');
          servers.running.set(name, cutOff);
        }
        await pause(1_000);
        await clients.stop();
        expect(clients.operations.filter(({ status }) => status === 202).length).toBeGreaterThan(20);
        await expectSound(servers, clients.operations);
      },
      ROUNDS_MS,
    );

    it.each<LinkState>([
      'cut',
      'stuck',
      'deaf',
    ])('whose links to the leader are %s: it leads on, and the others find by themselves what is new', async (state) => {
      const { node } = await startLinked();
      const clients = new Clients(servers);
      await clients.send('before', 'a', servers.server('a'));
      await servers.atRest();
      const leader = await servers.leader();
      const { epoch } = await servers.status(leader);
      for (const link of node.values()) link.become(state);
      clients.start(3, 100);
      await pause(4_000);
      await clients.stop();
      await servers.atRest();
      expect((await servers.status(leader)).epoch).toBe(epoch);
      for (const link of node.values()) link.become('open');
      await expectSound(servers, clients.operations);
    });
  });
});
