/** Three real servers whose links to the log and to one another fail, each for itself. */
import { describeWithPostgres } from '@fossick/replication/postgres/postgres-server.test-support';
import { freePort } from '@fossick/server/e2e/server-process.test-support';
import { isBuilt } from '@fossick/server/reliability/launch.test-support';
import { chosenRounds } from '@fossick/server/reliability/rounds.test-support';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { ClusterServers, limitOf } from './cluster-servers.test-support.js';
import { Clients, expectSound } from './history.test-support.js';
import { Link, type LinkState } from './link.test-support.js';

const ROUNDS = chosenRounds(1, 20);
const ROUNDS_MS = limitOf(ROUNDS);
/** A leader of a busy machine may lose its lead by chance, but not each time. */
const ELECTIONS_MAX = 5;
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
          await clients.accepted(20);
          const name = await servers.leader();
          const cutOff = servers.server(name);
          // the others are asked who leads
          servers.running.delete(name);
          log.get(name)!.become(state);
          expect(await servers.leader()).not.toBe(name);
          await servers.until(
            'that the node says that it has no contact',
            async () => (await cutOff.call('GET', '/health?fresh=2500ms')).status === 503,
          );
          await clients.accepted(20);
          log.get(name)!.become('open');
          servers.running.set(name, cutOff);
          await clients.accepted(5, name);
        }
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
      let [before, after] = [0, 1];
      clients.start(3, 100);
      for (let elections = 0; after !== before && elections < ELECTIONS_MAX; elections += 1) {
        const leader = await servers.leader();
        ({ epoch: before } = await servers.status(leader));
        for (const link of node.values()) link.become(state);
        const { callerCount } = node.get(leader)!;
        await servers.until('that the others have called in vain', async () => {
          const { nodes } = await servers.status(leader);
          // a leader without answers is heard, and hears
          const isMissed = state === 'deaf' || nodes.every(({ isInContact }) => !isInContact);
          return isMissed && node.get(leader)!.callerCount >= callerCount + NAMES.length - 1;
        });
        await clients.accepted(20);
        after = (await servers.status(await servers.leader())).epoch;
        if (after !== before) for (const link of node.values()) link.become('open');
      }
      expect(after).toBe(before);
      await clients.stop();
      await servers.atRest();
      for (const link of node.values()) link.become('open');
      await expectSound(servers, clients.operations);
    });
  });
});
