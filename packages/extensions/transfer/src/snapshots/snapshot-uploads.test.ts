import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type DatabaseFolders, foldersOf } from '@fossick/instance';
import { S3Double } from '@fossick/objects/s3/doubles/s3-double.test-support';
import { openLmdbStore } from '@fossick/storage';
import type { ExecuteContext } from '@fossick/tasks';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { S3Options } from '../options.js';
import { writeSnapshot } from './write-snapshot.js';

const STORES = 4;
/** Of each store. */
const ROW_BYTES = 7 << 20;
const PART_BYTES = 5 << 20;
const CONTEXT: ExecuteContext = {
  isCanceled: () => false,
  watchCanceled: () => () => undefined,
  onProgress: () => undefined,
  addStats: () => undefined,
};

let root: string;
let folders: DatabaseFolders;
let double: S3Double;
let s3: S3Options;
beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), 'fossick-uploads.'));
  folders = foldersOf(join(root, 'films & more'));
  mkdirSync(folders.payloadFolder, { recursive: true });
  await fill(folders.taskFolder, 10);
  for (let store = 0; store < STORES; store++) await fill(join(folders.dbPath, 'indexes', `${store}`), ROW_BYTES);
  double = await new S3Double().start();
  s3 = {
    bucket: 'films',
    prefix: 'copies',
    region: 'us-east-1',
    endpoint: double.endpoint,
    credentials: { from: 'keys', accessKey: 'double', secretKey: 'double-secret' },
    inFlightParts: 2,
    partBytes: PART_BYTES,
    compressionLevel: 0,
  };
});
afterEach(async () => {
  await double.stop();
  rmSync(root, { recursive: true, force: true });
});

async function fill(folder: string, bytes: number): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const store = openLmdbStore({ folder });
  const row = Buffer.from(Array.from({ length: 4_096 }, (_, at) => (at * 31) & 0xff));
  store.transaction((txn) => {
    for (let at = 0; at * row.length < bytes; at++) txn.put('rows', Buffer.from(`${at}`.padStart(8, '0')), row);
  });
  await store.close();
}

function bytesIn(folder: string): number {
  return readdirSync(folder, { withFileTypes: true, recursive: true }).reduce((sum, item) => {
    const size = statSync(join(item.parentPath, item.name), { throwIfNoEntry: false })?.size ?? 0;
    return sum + (item.isFile() ? size : 0);
  }, 0);
}

describe('a snapshot that is uploaded', () => {
  it('takes the disk space of one store at a time, and is sent in parts', async () => {
    const snapshotFolder = join(root, 'snapshots');
    const largest = statSync(join(folders.dbPath, 'indexes', '0', 'data.mdb')).size;
    let most = 0;
    double.faults.of = () => {
      most = Math.max(most, bytesIn(snapshotFolder));
      return undefined;
    };
    const address = await writeSnapshot({ ...folders, snapshotFolder }, CONTEXT, s3);
    expect(address).toBe('s3://films/copies/films___more.snapshot');
    const snapshot = double.objects.get('copies/films___more.snapshot')!;
    expect(snapshot.length).toBeGreaterThan(STORES * ROW_BYTES);
    expect(most).toBeGreaterThan(0);
    // a copy of a store, the next one that is begun, and small files
    expect(most).toBeLessThan(2 * largest);
    expect(Math.max(...double.requests.map(({ bytes }) => bytes))).toBe(PART_BYTES);
    expect(readdirSync(snapshotFolder)).toEqual([]);
  });

  it('is smaller when it is compressed', async () => {
    await writeSnapshot({ ...folders, snapshotFolder: root }, CONTEXT, { ...s3, compressionLevel: 6 });
    expect(double.objects.get('copies/films___more.snapshot')!.length).toBeLessThan(ROW_BYTES);
  });

  it.each<[Partial<S3Options>, string, string]>([
    [{ prefix: 'a b' }, 'invalid_s3_snapshot_parameters', 'has a prefix of names'],
    [{ bucket: 'elsewhere' }, 'invalid_s3_snapshot_request', 'there is no such bucket: the bucket elsewhere'],
    [
      { credentials: { from: 'keys', accessKey: 'hunter1', secretKey: 'hunter2' } },
      'invalid_s3_snapshot_request',
      'there are no credentials that the bucket films',
    ],
    [{ endpoint: 'http://127.0.0.1:1' }, 's3_snapshot_server_error', 'does not answer (ECONNREFUSED)'],
  ])('with %j fails with %s', async (options, code, said) => {
    const error = await writeSnapshot({ ...folders, snapshotFolder: root }, CONTEXT, { ...s3, ...options }).catch(
      (thrown: unknown) => thrown,
    );
    expect(error).toMatchObject({ code, message: expect.stringContaining(said) });
    expect(String((error as Error).stack)).not.toMatch(/hunter/);
    expect(readdirSync(root).filter((name) => name.startsWith('.'))).toEqual([]);
    expect(double.uploads.size).toBe(0);
  });
});
