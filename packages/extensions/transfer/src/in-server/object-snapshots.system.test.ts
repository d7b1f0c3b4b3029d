import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { S3Double } from '@fossick/objects/s3/doubles/s3-double.test-support';
import { describeWithVersitygw } from '@fossick/objects/s3/doubles/versitygw.test-support';
import { BIN_FILE } from '@fossick/server/e2e/server-command.test-support';
import {
  newDatabaseFolder,
  removeFolder,
  type ServerProcess,
  startServerProcess,
  type WireTask,
} from '@fossick/server/e2e/server-process.test-support';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';

const isBuilt = process.env.FOSSICK_TEST_BUILT === '1';
const run = promisify(execFile);
/** Of parts: the least that a store takes. */
const PART_BYTES = 5 << 20;

interface Store {
  readonly endpoint: string;
  readonly credentials: { readonly from: string; readonly accessKey?: string; readonly secretKey?: string };
}

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});
function newFolder(): string {
  const folder = newDatabaseFolder();
  cleanups.push(() => removeFolder(folder));
  return folder;
}

/** The options of a deployment of the reference engine. */
function optionsOf({ endpoint, credentials }: Store, more: readonly string[] = []): string[] {
  return [
    ...['--s3-bucket-url', endpoint, '--s3-bucket-region', 'us-east-1', '--s3-bucket-name', 'films'],
    ...['--s3-snapshot-prefix', 'copies/main', '--s3-access-key', credentials.accessKey ?? ''],
    ...['--s3-secret-key', credentials.secretKey ?? '', '--experimental-s3-multipart-part-size', '5 MiB'],
    ...more,
  ];
}

async function start(folder: string, options: readonly string[]): Promise<ServerProcess> {
  const folders = ['--snapshot-dir', join(folder, 'snapshots'), '--dump-dir', join(folder, 'dumps')];
  const server = await startServerProcess(join(folder, 'data.ms'), [...folders, ...options]);
  cleanups.push(() => server.kill());
  return server;
}

/** Films with texts that no compression makes small, so that a snapshot has several parts. */
function largeFilms(count: number): object[] {
  let state = 1;
  const word = (): string => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state.toString(36);
  };
  return Array.from({ length: count }, (_, id) => ({
    id,
    title: `Film ${id}`,
    text: Array.from({ length: 60 }, word).join(' '),
  }));
}

async function snapshotOf(server: ServerProcess): Promise<WireTask> {
  await server.call('POST', '/snapshots');
  const task = (await server.allTasksDone()).find(({ type }) => type === 'snapshotCreation');
  return task!;
}

async function dumpOf(server: ServerProcess): Promise<WireTask> {
  await server.call('POST', '/dumps');
  const task = (await server.allTasksDone()).find(({ type }) => type === 'dumpCreation');
  return task!;
}

async function filmsIn(server: ServerProcess): Promise<number> {
  const found = await server.call<{ total: number }>('GET', '/indexes/films/documents?limit=0');
  return found.body.total;
}

async function fossick(folder: string, words: readonly string[]): Promise<string> {
  const { stdout } = await run(process.execPath, [BIN_FILE, ...words, '--db-path', folder], { timeout: 60_000 });
  return stdout.trim();
}

/** A snapshot and a dump are written to the store and come back in each way; returns the folder of the server. */
async function roundTrip(store: Store, url: (key: string) => string): Promise<string> {
  const folder = newFolder();
  const server = await start(folder, optionsOf(store));
  await server.call('POST', '/indexes/films/documents', largeFilms(6_000));
  await server.allTasksDone();
  expect(await snapshotOf(server)).toMatchObject({ status: 'succeeded', error: null });
  // a second one replaces it
  expect(await snapshotOf(server)).toMatchObject({ status: 'succeeded', error: null });
  const dump = await dumpOf(server);
  expect(dump).toMatchObject({ status: 'succeeded', error: null });
  await server.stop();
  const dumpUid = String(dump.details!.dumpUid);
  expect(existsSync(join(folder, 'snapshots', 'data.ms.snapshot'))).toBe(false);
  expect(readdirSync(join(folder, 'snapshots'))).toEqual([]);

  const address = url('copies/main/data.ms.snapshot');
  const keys = ['--s3-access-key', store.credentials.accessKey!, '--s3-secret-key', store.credentials.secretKey!];
  const imported = await start(newFolder(), ['--import-snapshot', address, ...keys]);
  expect(await filmsIn(imported)).toBe(6_000);
  await imported.stop();

  const dumpAddress = url(`copies/main/dumps/${dumpUid}.dump`);
  const fromDump = await start(newFolder(), ['--import-dump', dumpAddress, ...keys]);
  expect(await filmsIn(fromDump)).toBe(6_000);
  await fromDump.stop();

  // the only snapshot there, and the only dump below it
  for (const from of [url('copies/main'), url('copies/main/dumps')]) {
    const restored = join(newFolder(), 'data.ms');
    expect(await fossick(restored, ['restore', '--from', from, ...keys])).toBe(restored);
    expect(await fossick(restored, ['check'])).toContain('no problems');
  }

  const data = join(folder, 'data.ms');
  expect(readdirSync(join(folder, 'dumps'))).toEqual([`${dumpUid}.dump`]);
  expect(await fossick(data, ['snapshot', '--snapshot-dir', join(folder, 'snapshots'), ...optionsOf(store)])).toBe(
    's3://films/copies/main/data.ms.snapshot',
  );
  return folder;
}

describe.skipIf(!isBuilt)('snapshots and dumps in an object store', () => {
  let double: S3Double;
  beforeEach(async () => {
    double = await new S3Double().start();
    cleanups.push(() => double.stop());
  });

  it('are uploaded in parts, imported, restored', async () => {
    const folder = await roundTrip(double, (key) => double.url(key));
    const dumpFolder = join(folder, 'dumps');
    const dumped = await fossick(join(folder, 'data.ms'), ['dump', '--dump-dir', dumpFolder, ...optionsOf(double)]);
    expect(double.objects.get(`copies/main/dumps/${basename(dumped)}`)?.equals(readFileSync(dumped))).toBe(true);
    expect(double.count('upload')).toBeGreaterThan(3);
    expect(Math.max(...double.requests.map(({ bytes }) => bytes))).toBe(PART_BYTES);
    // the dump of the server, and that of the command
    expect([...double.objects.keys()].map((key) => key.replace(/\/[\d-]+\.dump$/, '/UID.dump')).sort()).toEqual([
      'copies/main/data.ms.snapshot',
      'copies/main/dumps/UID.dump',
      'copies/main/dumps/UID.dump',
    ]);
    expect(double.uploads.size).toBe(0);
  });

  it('that cannot be uploaded fail by a code that says why, and the queue goes on', async () => {
    const folder = newFolder();
    const server = await start(folder, optionsOf(double));
    const wrong = await start(
      newFolder(),
      optionsOf({
        ...double,
        endpoint: double.endpoint,
        credentials: { from: 'keys', accessKey: 'wrong', secretKey: 'hunter2' },
      }),
    );
    const refused = await snapshotOf(wrong);
    expect(refused).toMatchObject({
      status: 'failed',
      error: { code: 'invalid_s3_snapshot_request', type: 'internal' },
    });
    expect(refused.error!.message).toContain('there are no credentials that the bucket films');
    expect(refused.error!.message).not.toMatch(/hunter2|wrong/);
    expect(wrong.output()).not.toContain('hunter2');

    double.faults.of = () => ({ kind: 'refused', status: 503, code: 'SlowDown' });
    expect(await snapshotOf(server)).toMatchObject({ status: 'failed', error: { code: 's3_snapshot_server_error' } });
    double.faults.of = ({ operation }) =>
      operation === 'uploads' || operation === 'put'
        ? undefined
        : { kind: 'refused', status: 403, code: 'AccessDenied' };
    await server.call('POST', '/indexes/films/documents', largeFilms(6_000));
    // a snapshot that is asked for before the addition has begun is made first, and is small
    await server.allTasksDone();
    expect(await snapshotOf(server)).toMatchObject({
      status: 'failed',
      error: { code: 'invalid_s3_snapshot_request' },
    });
    double.faults.of = () => ({ kind: 'refused', status: 403, code: 'AccessDenied' });
    expect(await dumpOf(server)).toMatchObject({ status: 'failed', error: { code: 'invalid_s3_dump_request' } });
    expect([double.objects.size, double.uploads.size]).toEqual([0, 0]);
    expect(readdirSync(join(folder, 'dumps'))).toEqual([]);
    double.faults.of = () => undefined;
    await server.call('POST', '/indexes/films/documents', [{ id: 7_000, title: 'Later' }]);
    expect((await server.allTasksDone())[0]).toMatchObject({ status: 'succeeded' });
    expect(await snapshotOf(server)).toMatchObject({ status: 'succeeded' });
    await server.stop();
  });

  it('that are killed in the middle leave the one before, and no upload once they were repeated', async () => {
    const folder = newFolder();
    const server = await start(folder, optionsOf(double));
    await server.call('POST', '/indexes/films/documents', largeFilms(6_000));
    await server.allTasksDone();
    expect(await snapshotOf(server)).toMatchObject({ status: 'succeeded' });
    const before = double.objects.get('copies/main/data.ms.snapshot');
    const uploaded = double.count('upload');
    // the last parts do not get through
    double.faults.of = ({ operation }) =>
      operation === 'upload' && double.count('upload') > uploaded + 1 ? { kind: 'late', lateMs: 60_000 } : undefined;
    await server.call('POST', '/snapshots');
    while (double.count('upload') < uploaded + 2) await pause(10);
    await server.kill();
    expect(double.uploads.size).toBe(1);
    expect(double.objects.get('copies/main/data.ms.snapshot')).toBe(before);

    double.faults.of = () => undefined;
    const again = await start(folder, optionsOf(double));
    const tasks = await again.allTasksDone();
    expect(tasks[0]).toMatchObject({ type: 'snapshotCreation', status: 'succeeded' });
    expect(double.uploads.size).toBe(0);
    expect(double.objects.get('copies/main/data.ms.snapshot')).not.toBe(before);
    expect(readdirSync(join(folder, 'snapshots'))).toEqual([]);
    await again.stop();
  });

  it('that are canceled, or whose server stops, end their upload', async () => {
    const folder = newFolder();
    const server = await start(folder, optionsOf(double));
    await server.call('POST', '/indexes/films/documents', largeFilms(6_000));
    await server.allTasksDone();
    double.faults.of = ({ operation }) => (operation === 'upload' ? { kind: 'slow', ms: 1_000 } : undefined);
    const { body } = await server.call<{ taskUid: number }>('POST', '/snapshots');
    while (double.count('upload') < 1) await pause(10);
    await server.call('POST', `/tasks/cancel?uids=${body.taskUid}`);
    const tasks = await server.allTasksDone();
    expect(tasks.find(({ type }) => type === 'snapshotCreation')).toMatchObject({ status: 'canceled' });
    expect([double.uploads.size, double.objects.size]).toEqual([0, 0]);
    const uploaded = double.count('upload');
    await server.call('POST', '/snapshots');
    while (double.count('upload') < uploaded + 1) await pause(10);
    expect(await server.stop()).toBe(0);
    expect([double.uploads.size, double.objects.size]).toEqual([0, 0]);
    // it waits for the next start
    double.faults.of = () => undefined;
    const again = await start(folder, optionsOf(double));
    expect((await again.allTasksDone())[0]).toMatchObject({ type: 'snapshotCreation', status: 'succeeded' });
    await again.stop();
  });

  it('come back by an address that may lack a file, and not by a wrong one', async () => {
    const import_ = (key: string, more: readonly string[] = []): Promise<ServerProcess> =>
      start(newFolder(), ['--import-snapshot', double.url(key), ...optionsOf(double), ...more]);
    await expect(import_('none.snapshot')).rejects.toThrow(/does not exist; use --ignore-missing-snapshot/);
    await (await import_('none.snapshot', ['--ignore-missing-snapshot'])).stop();
    for (const name of ['a', 'b']) double.objects.set(`more/${name}.snapshot`, Buffer.from('x'));
    await expect(import_('more')).rejects.toThrow('there are 2 of them: more/a.snapshot, more/b.snapshot; name one');
    await expect(import_('more/a.snapshot')).rejects.toThrow('cannot be imported');
    double.faults.of = () => ({ kind: 'refused', status: 403, code: 'AccessDenied' });
    await expect(import_('more/a.snapshot')).rejects.toThrow('do not have the right');
  });

  it('are not begun with options that contradict each other', async () => {
    for (const [options, said] of [
      [['--s3-bucket-url', double.endpoint], '--s3-bucket-url needs --s3-bucket-name'],
      [['--s3-bucket-name', 'films', '--s3-access-key', 'a'], '--s3-access-key and --s3-secret-key go together'],
      [optionsOf(double, ['--s3-snapshot-prefix', 'a b']), 'has a prefix of names'],
      [optionsOf(double, ['--experimental-s3-multipart-part-size', '1 MiB']), 'is not between 5 MiB and 5 GiB'],
      [optionsOf(double, ['--experimental-s3-compression-level', '10']), 'is more than 9'],
    ] as const) {
      await expect(start(newFolder(), options)).rejects.toThrow(said);
    }
  });
});

describeWithVersitygw('snapshots and dumps in versitygw', (server) => {
  beforeAll(() => server.create());
  afterAll(() => server.remove());

  it.skipIf(!isBuilt)('are uploaded, imported, restored; a store that is away fails the task', async () => {
    const store: Store = { endpoint: server.endpoint, credentials: server.credentials };
    await roundTrip(store, (key) => server.url(key));
    const folder = newFolder();
    const fossick = await start(folder, optionsOf(store));
    await server.stop();
    expect(await snapshotOf(fossick)).toMatchObject({ status: 'failed', error: { code: 's3_snapshot_server_error' } });
    expect(await dumpOf(fossick)).toMatchObject({ status: 'failed', error: { code: 's3_dump_server_error' } });
    await server.start();
    expect(await snapshotOf(fossick)).toMatchObject({ status: 'succeeded' });
    await fossick.stop();
  });
});
