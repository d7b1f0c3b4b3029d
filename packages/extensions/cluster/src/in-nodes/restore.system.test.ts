/** The command that makes the database of a single server out of a cluster, as it was at some moment. */
import { execFile } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { S3Double } from '@fossick/objects/s3/doubles/s3-double.test-support';
import { HAS_COPIES } from '@fossick/server/e2e/dumping-server.test-support';
import { BIN_FILE } from '@fossick/server/e2e/server-command.test-support';
import { type ServerProcess, startServerProcess } from '@fossick/server/e2e/server-process.test-support';
import { isBuilt } from '@fossick/server/reliability/launch.test-support';
import { afterEach, describe, expect, it } from 'vitest';
import { ClusterServers, LASTING_LEAD } from './cluster-servers.test-support.js';

const INDEX = 'films';
/** Larger than a payload that is part of the record of its task. */
const LARGE = 'x'.repeat(100_000);
let servers: ClusterServers;
let restored: ServerProcess | undefined;
afterEach(async () => {
  await restored?.kill();
  restored = undefined;
  await servers.end();
});

interface RestoreEnd {
  readonly code: number;
  readonly output: string;
}

/** Runs `fossick restore` into a folder of this name. */
function restore(
  name: string,
  at: string,
  from = pathToFileURL(servers.objectsFolder).href,
  environment: NodeJS.ProcessEnv = {},
  more: readonly string[] = [],
): Promise<RestoreEnd> {
  const line = [BIN_FILE, 'restore', '--from', from, '--at', at, '--db-path', servers.folderOf(name), ...more];
  return new Promise((resolve) => {
    const env = { ...process.env, ...environment };
    execFile(process.execPath, line, { env }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code), output: `${stdout}${stderr}` });
    });
  });
}

/** The ids of all documents of a server over the folder of this name, which has no cluster. */
async function idsIn(name: string): Promise<number[]> {
  restored = await startServerProcess(servers.folderOf(name));
  await restored.allTasksDone();
  const { body } = await restored.call<{ results: { id: number }[] }>('GET', `/indexes/${INDEX}/documents?limit=1000`);
  await restored.stop();
  restored = undefined;
  return body.results.map(({ id }) => id).sort((a, b) => a - b);
}

describe.skipIf(!isBuilt)('a cluster is restored as it was', () => {
  it('at its end, at a position and at a time, with the tasks that waited then, also from checkpoints', async () => {
    servers = new ClusterServers({ environment: { ...LASTING_LEAD, FOSSICK_TEST_CLUSTER_CHECKPOINT_ENTRIES: '1000' } });
    const server = await servers.start('a');
    await servers.leader();
    const add = (id: number): Promise<unknown> =>
      server.call('POST', `/indexes/${INDEX}/documents`, [{ id, text: LARGE }]);
    await add(1);
    // nothing follows the end of the task, so the next record is that of the next task
    await servers.atRest();
    const { position } = await servers.status('a');
    await add(2);
    await server.allTasksDone();
    // records have the time at which they are written, which is later than the end of a task on a busy machine
    const justAfter = new Date().toISOString();
    await servers.until('that time has passed', () => Date.now() > Date.parse(justAfter));
    await server.call('DELETE', `/indexes/${INDEX}/documents`);
    await server.allTasksDone();
    await add(3);
    await server.allTasksDone();
    await servers.stop('a');

    expect((await restore('latest', 'latest')).code).toBe(0);
    expect(await idsIn('latest')).toEqual([3]);
    // a time before everything is refused, with the first one that is not; one after everything is the end
    const tooEarly = await restore('early', '2001-01-01');
    expect(tooEarly).toEqual({
      code: 1,
      output: expect.stringMatching(/^fossick: the cluster has nothing of that time: the earliest is \S+Z\n$/),
    });
    expect(existsSync(servers.folderOf('early'))).toBe(false);
    expect((await restore('early', /\S+Z/.exec(tooEarly.output)![0])).code).toBe(0);
    expect(await restore('future', '2199-01-01')).toMatchObject({
      code: 0,
      output: expect.stringMatching(/restored up to position \d+ of the log, its end/),
    });
    const byPosition = await restore('position', String(position));
    expect(byPosition).toMatchObject({ code: 0, output: expect.stringContaining(`up to position ${position} `) });
    expect(await idsIn('position')).toEqual([1]);
    expect((await restore('time', justAfter)).code).toBe(0);
    expect(await idsIn('time')).toEqual([1, 2]);

    // at the position at which a task was registered it waits, and its payload is there although it has ended since
    const waiting = await restore('waiting', String(position + 1));
    expect(waiting.code).toBe(0);
    expect(await idsIn('waiting')).toEqual([1, 2]);
    // a restored folder is none of a cluster, and one that exists is not replaced
    expect(existsSync(join(servers.folderOf('latest'), 'cluster'))).toBe(false);
    expect(await restore('latest', '1')).toMatchObject({
      code: 1,
      output: expect.stringContaining('there is a database in'),
    });
    expect(await idsIn('latest')).toEqual([3]);
  });

  it.runIf(HAS_COPIES)('from a dump in a bucket, which any node is asked for and the leader writes', async () => {
    const store = await new S3Double().start();
    try {
      servers = new ClusterServers({ environment: LASTING_LEAD });
      const keys = ['--s3-access-key', 'double', '--s3-secret-key', 'double-secret'];
      const bucket = ['--s3-bucket-url', store.endpoint, '--s3-bucket-name', 'films', '--s3-snapshot-prefix', 'backup'];
      const names = ['a', 'b'] as const;
      for (const name of names)
        await servers.start(name, [...bucket, ...keys, '--dump-dir', join(servers.folder, `dumps-${name}`)]);
      const leader = await servers.leader();
      const follower = servers.server(names.find((name) => name !== leader)!);
      await follower.call('POST', `/indexes/${INDEX}/documents`, [{ id: 7 }, { id: 8 }]);
      await follower.call('POST', '/dumps');
      const [dump] = await follower.allTasksDone();
      expect(dump).toMatchObject({ type: 'dumpCreation', status: 'succeeded', error: null });
      const name = `${String(dump!.details!['dumpUid'])}.dump`;
      expect([...store.objects.keys()]).toEqual([`backup/dumps/${name}`]);
      // the same bytes are in the folder of the node that wrote it
      expect(
        readFileSync(join(servers.folder, `dumps-${leader}`, name)).equals(store.objects.get(`backup/dumps/${name}`)!),
      ).toBe(true);
      const importing = ['--import-dump', store.url(`backup/dumps/${name}`), ...keys];
      restored = await startServerProcess(servers.folderOf('new'), importing);
      await restored.stop();
      expect(await idsIn('new')).toEqual([7, 8]);
    } finally {
      await store.stop();
    }
  });

  it('from the checkpoints of a log that is trimmed, and not to a moment before them', async () => {
    servers = new ClusterServers({ environment: { ...LASTING_LEAD, FOSSICK_TEST_CLUSTER_CHECKPOINT_ENTRIES: '20' } });
    const server = await servers.start('a');
    await servers.leader();
    const early = new Date().toISOString();
    const entries = join(servers.objectsFolder, 'log/main/entries');
    const ids: number[] = [];
    do {
      ids.push(ids.length);
      await server.call('POST', `/indexes/${INDEX}/documents`, [
        { id: ids.at(-1), text: ids.length === 1 ? LARGE : '' },
      ]);
      await server.allTasksDone();
    } while (existsSync(join(entries, '1'.padStart(20, '0'))));
    await servers.stop('a');
    expect((await restore('latest', 'latest')).code).toBe(0);
    expect(await idsIn('latest')).toEqual(ids);
    for (const at of ['1', early])
      expect(await restore('before', at)).toMatchObject({
        code: 1,
        output: expect.stringMatching(/^fossick: the log begins at .*: the earliest is position \d+, or \S+Z\n$/),
      });
    expect(existsSync(servers.folderOf('before'))).toBe(false);
    expect(await restore('after', '999999')).toMatchObject({
      code: 1,
      output: expect.stringContaining('the log ends at'),
    });
    for (const at of ['latest', '1', early])
      expect(await restore('before', at, pathToFileURL(`${servers.objectsFolder}-elsewhere`).href)).toMatchObject({
        code: 1,
        output: expect.stringMatching(/^fossick: no cluster is there: .*\n$/),
      });
    expect(existsSync(servers.folderOf('before'))).toBe(false);
    expect(await restore('bad', 'yesterday')).toMatchObject({
      code: 2,
      output: expect.stringContaining('neither latest'),
    });
  });

  it('says in one line what a store of objects refuses, and what of the log is damaged', async () => {
    servers = new ClusterServers({ environment: LASTING_LEAD });
    const server = await servers.start('a');
    await servers.leader();
    await server.call('POST', `/indexes/${INDEX}/documents`, [{ id: 1 }]);
    await server.allTasksDone();
    await servers.stop('a');
    const store = await new S3Double().start();
    const from = `s3://films/main?endpoint=${encodeURIComponent(store.endpoint)}`;
    const strange = { AWS_ACCESS_KEY_ID: 'strange', AWS_SECRET_ACCESS_KEY: 'strange', NODE_NO_WARNINGS: '1' };
    try {
      expect(await restore('refused', 'latest', from, strange)).toEqual({
        code: 1,
        output: expect.stringMatching(/^fossick: there are no credentials that the bucket films .* accepts .*\n$/),
      });
      // the options of the server for a bucket win over the environment: the store is read, and has no cluster
      const options = [
        '--s3-bucket-url',
        store.endpoint,
        '--s3-access-key',
        'double',
        '--s3-secret-key',
        'double-secret',
      ];
      expect(await restore('refused', 'latest', 's3://films/main', strange, options)).toEqual({
        code: 1,
        output: expect.stringMatching(/^fossick: no cluster is there: .*\n$/),
      });
    } finally {
      await store.stop();
    }
    const entry = join(servers.objectsFolder, 'log/main/entries', '2'.padStart(20, '0'));
    const bytes = readFileSync(entry);
    bytes[bytes.length - 1]! ^= 1;
    writeFileSync(entry, bytes);
    expect(await restore('refused', 'latest')).toEqual({
      code: 1,
      output: expect.stringMatching(/^fossick: entry \d+ of the log is damaged: .*\n$/),
    });
    expect(existsSync(servers.folderOf('refused'))).toBe(false);
  });
});
