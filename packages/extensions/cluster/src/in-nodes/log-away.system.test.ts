/** What three servers answer while their log is away, and after it was damaged. */
import { existsSync, mkdirSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { WireError } from '@fossick/server/e2e/server-process.test-support';
import { canFail, FaultyDisk, WRITES } from '@fossick/server/reliability/disk-shim.test-support';
import { isBuilt } from '@fossick/server/reliability/launch.test-support';
import { afterEach, describe, expect, it } from 'vitest';
import { ClusterServers } from './cluster-servers.test-support.js';
import { Clients, expectSound, INDEX } from './history.test-support.js';

let servers: ClusterServers;
afterEach(() => servers.end());

const add = (name: string, id: number) =>
  servers.server(name).call<WireError & { taskUid: number }>('POST', `/indexes/${INDEX}/documents`, [{ id }]);
const hits = (name: string) =>
  servers.server(name).call<{ hits: readonly unknown[] }>('POST', `/indexes/${INDEX}/search`, {});

describe.skipIf(!isBuilt)('three servers', () => {
  it('refuse writes while the log is away, search all the time, and go on when it is back', async () => {
    servers = new ClusterServers();
    await servers.startAll('a', 'b', 'c');
    const clients = new Clients(servers);
    for (let at = 0; at < 3; at += 1) await clients.send(`before-${at}`, 'a', servers.server('a'));
    await servers.atRest();
    const found = (await hits('b')).body.hits.length;
    // a file where the folder of the log was: no request to it can succeed
    const away = `${servers.objectsFolder}.away`;
    renameSync(servers.objectsFolder, away);
    writeFileSync(servers.objectsFolder, '');
    const refused = await Promise.all(['a', 'b', 'c'].map((name) => add(name, 1_000)));
    for (const { status, body } of refused) expect([status, body.code]).toEqual([503, 'cluster_log_unavailable']);
    for (const name of ['a', 'b', 'c']) expect((await hits(name)).body.hits).toHaveLength(found);
    const late = await servers
      .server('a')
      .call<WireError>('GET', '/stats', undefined, { 'x-fossick-consistency': 'strong' });
    expect([late.status, late.body.code]).toEqual([503, 'cluster_log_unavailable']);
    expect((await servers.server('a').call('GET', '/health')).status).toBe(200);
    renameSync(servers.objectsFolder, `${servers.objectsFolder}.file`);
    renameSync(away, servers.objectsFolder);
    await servers.until('a write', async () => {
      return (await clients.send(`after-${performance.now()}`, 'c', servers.server('c'))).status === 202;
    });
    await servers.atRest();
    expect((await servers.server('a').call('GET', '/health?fresh=10s')).status).toBe(200);
  });

  it.skipIf(!canFail)('refuse writes at once while the shared folder has no space, and go on when it has', async () => {
    servers = new ClusterServers();
    mkdirSync(servers.objectsFolder);
    const disk = new FaultyDisk(servers.folder, servers.objectsFolder);
    for (const name of ['a', 'b']) await servers.start(name, [], disk.env);
    await servers.leader();
    expect((await add('a', 1)).status).toBe(202);
    await servers.atRest();
    disk.fail({ kinds: WRITES, error: 'ENOSPC', skip: 0, isLasting: true, isCut: false });
    for (const [at, name] of ['a', 'b', 'a', 'b'].entries()) {
      const { status, body } = await add(name, 10 + at);
      // after ten seconds it would say that the log does not answer
      const said = expect.stringContaining('takes no writes');
      expect([status, body.code, body.message]).toEqual([503, 'cluster_log_unavailable', said]);
      expect((await hits(name)).body.hits).toHaveLength(1);
    }
    disk.heal();
    for (const [at, name] of ['b', 'a'].entries())
      await servers.until('a write', async () => (await add(name, 20 + at)).status === 202);
    await servers.atRest();
    for (const name of ['a', 'b']) {
      const { body } = await servers.read<{ results: readonly { id: number }[] }>(name, `/indexes/${INDEX}/documents`);
      expect(body.results.map(({ id }) => id).sort((one, other) => one - other)).toEqual([1, 20, 21]);
    }
    disk.close();
  });

  it('answer what a request asks of positions', async () => {
    servers = new ClusterServers();
    await servers.startAll('a', 'b');
    await add('a', 1);
    await servers.atRest();
    const { position: before } = await servers.status('b');
    const answer = await fetch(`${servers.server('b').url}/indexes`);
    const position = Number(answer.headers.get('x-fossick-position'));
    expect(position).toBeGreaterThanOrEqual(before);
    expect(position).toBeLessThanOrEqual((await servers.status('b')).position);
    const ask = async (headers: Record<string, string>) => {
      const { status, body } = await servers
        .server('b')
        .call<Partial<WireError>>('GET', '/indexes', undefined, headers);
      return [status, body.code];
    };
    expect(await ask({ 'x-fossick-min-position': String(position) })).toEqual([200, undefined]);
    expect(await ask({ 'x-fossick-min-position': String(position + 1_000) })).toEqual([503, 'replica_behind']);
    expect(await ask({ 'x-fossick-min-position': 'soon' })).toEqual([400, 'bad_request']);
    expect(await ask({ 'x-fossick-consistency': 'strong' })).toEqual([200, undefined]);
    expect((await servers.server('b').call('GET', '/health?fresh=soon')).status).toBe(400);
  });

  it('let a client that sends the greatest position it has seen read what it has written', async () => {
    servers = new ClusterServers();
    await servers.startAll('a', 'b');
    const seen = async (name: string, method: string, path: string, position = 0, body?: object): Promise<number> => {
      const headers = { 'x-fossick-min-position': String(position), 'content-type': 'application/json' };
      const sent = body === undefined ? {} : { body: JSON.stringify(body) };
      const answer = await fetch(`${servers.server(name).url}${path}`, { method, headers, ...sent });
      expect([method, path, answer.ok]).toEqual([method, path, true]);
      return Number(answer.headers.get('x-fossick-position'));
    };
    for (let round = 0; round < 5; round += 1) {
      const [writer, reader] = round % 2 === 0 ? (['a', 'b'] as const) : (['b', 'a'] as const);
      const added = await seen(writer, 'POST', `/indexes/${INDEX}/documents`, 0, [{ id: round }]);
      const listed = await servers.read<{ results: readonly { uid: number }[] }>(reader, '/tasks?limit=1', {
        'x-fossick-min-position': String(added),
      });
      expect(listed.body.results[0]?.uid).toBe(2 * round);
      // lists of tasks, and values of the instance, need no header
      const next = await servers
        .server(writer)
        .call<{ taskUid: number }>('POST', '/indexes', { uid: `made-${round}`, primaryKey: 'id' });
      const all = await servers.read<{ results: readonly { uid: number }[] }>(reader, '/tasks?limit=1');
      expect(all.body.results[0]?.uid).toBe(next.body.taskUid);
      await seen(writer, 'PATCH', '/experimental-features', 0, { metrics: round % 2 === 0 });
      const features = await servers.read<{ metrics: boolean }>(reader, '/experimental-features');
      expect(features.body.metrics).toBe(round % 2 === 0);
    }
  });

  it('stop accepting writes when the log is not the one that they followed, and say where', async () => {
    servers = new ClusterServers();
    await servers.startAll('a', 'b');
    const clients = new Clients(servers);
    await clients.send('x', 'a', servers.server('a'));
    await servers.atRest();
    await servers.kill('b');
    await servers.kill('a');
    // the last two entries are gone, as after a restore of an older state
    const entries = join(servers.objectsFolder, 'log/main/entries');
    expect(existsSync(entries)).toBe(true);
    const names = readdirSync(entries).sort();
    for (const name of names.slice(-2)) renameSync(join(entries, name), join(servers.folder, name));
    await servers.start('c');
    await servers.leader();
    await add('c', 7);
    await servers.atRest();
    // entries that it has not seen are where it has applied others
    await add('c', 8);
    await add('c', 9);
    await servers.atRest();
    const a = await servers.start('a');
    await servers.until('that the node finds the damage', async () => {
      const { status, body } = await add('a', 10);
      if (body.code !== 'cluster_log_damaged') {
        expect(status).toBe(503);
        return false;
      }
      expect([status, body.message]).toEqual([500, expect.stringMatching(/entry \d+ of the log is damaged/)]);
      return true;
    });
    expect(a.output()).toMatch(/follows the log of the cluster no longer: entry \d+ of the log is damaged/);
    expect((await hits('a')).status).toBe(200);
  });
});

describe.skipIf(!isBuilt)('one node of its own', () => {
  it('is sound after a restart', async () => {
    servers = new ClusterServers();
    await servers.start('a');
    const clients = new Clients(servers);
    clients.start(2, 10);
    await clients.accepted(30);
    await servers.kill('a');
    await servers.start('a');
    await clients.accepted(10);
    await clients.stop();
    await expectSound(servers, clients.operations);
  });
});
