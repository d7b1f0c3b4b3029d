import { existsSync, mkdirSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { LaunchError } from '@fossick/instance';
import { MemoryObjects } from '@fossick/objects';
import { ObjectLog, TrimmedError } from '@fossick/replication';
import { openLmdbStore } from '@fossick/storage';
import { encodeChanges } from '@fossick/storage/changes';
import { type NewTask, openTaskLog } from '@fossick/tasks';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { ClusterNode } from '../node/cluster-node.js';
import { leading, TestCluster } from '../node/nodes.test-support.js';
import { PayloadObjects } from '../objects/payload-objects.js';
import { CheckpointNeededError } from '../records/base-record.js';
import { putPlace } from '../records/place.js';
import { listSets } from './checkpoint-set.js';
import { prepareFolder } from './restore-set.js';
import { trimLog } from './trim-log.js';
import { writeCheckpointSet } from './write-set.js';

let cluster: TestCluster;
beforeEach(() => {
  cluster = new TestCluster();
});
afterEach(() => cluster.end());

const LOG = 'main';
const creation = (indexUid: string): NewTask => ({
  content: { type: 'indexCreation', indexUid, primaryKey: null },
  extras: {},
});
const changes = (value: string) =>
  encodeChanges([{ kind: 'put', table: 'things', key: Buffer.from('k'), value: Buffer.from(value) }]);
const notes: string[] = [];
const joiningOptions = (name: string, clusterId = 'cluster-1') => ({
  ...{ log: cluster.log, objects: cluster.objects, logName: LOG, folders: cluster.folders(name) },
  clusterId,
  onNote: (message: string) => void notes.push(message),
});
const joining = (name: string, clusterId?: string) => prepareFolder(joiningOptions(name, clusterId));

/** Checkpoints of all stores of a node, written at this time. */
const written = (node: ClusterNode, nowMs: number) =>
  node.readStores((stores, state) =>
    writeCheckpointSet({ objects: cluster.objects, logName: LOG, stores, state, nowMs }),
  );

/** A node with tasks and a store, whose writer leaves its commits to the node. */
async function busyNode(name: string) {
  const node = cluster.start(name);
  await leading(node);
  const bridge = node.openBridge(node.role.epoch);
  const commit = async (store: string, value: string): Promise<void> => {
    await bridge.answer({ kind: 'commit', store, changes: changes(value) });
    await bridge.answer({ kind: 'failed' });
  };
  await node.enqueue([creation('x'), creation('y')]);
  await commit('folder-1', 'one');
  await commit('folder-2', 'two');
  return { node, commit };
}

it('a new node starts from the last checkpoints, and one that is too late is restored', async () => {
  const { node, commit } = await busyNode('a');
  const late = cluster.start('late', { mayLead: false });
  await late.barrier();
  await cluster.stop(late);
  const first = await written(node, 1_000);
  await commit('folder-1', 'changed');
  await node.enqueue([creation('z')]);
  const second = await written(node, 2_000);
  // what has not changed is not written again
  const positions = (store: string) =>
    [first, second].map((set) => set!.stores.find((one) => one.store === store)!.position);
  expect(positions('folder-2')).toEqual([first!.state.position, first!.state.position]);
  expect(positions('folder-1')).toEqual([first!.state.position, second!.state.position]);
  await node.enqueue([creation('w')]);
  const floor = await trimLog({ log: cluster.log, objects: cluster.objects, logName: LOG, keepSinceMs: 2_000 });
  expect(floor).toBe(second!.state.position + 1);
  expect(await listSets(cluster.objects, LOG)).toEqual([second!.state.position]);
  await expect(cluster.log.read(1, 1)).rejects.toThrow(TrimmedError);
  for (const name of ['new', 'late']) {
    await joining(name);
    const other = cluster.start(name, { mayLead: false });
    expect(other.position).toBe(second!.state.position);
    await other.barrier();
    for (const store of ['tasks', 'auth', 'indexes/folder-1', 'indexes/folder-2'])
      expect(await cluster.rows(name, store)).toEqual(await cluster.rows('a', store));
  }
});

it('everything that may be asked for again is kept', async () => {
  const { node, commit } = await busyNode('a');
  const sets = [];
  for (const nowMs of [1_000, 2_000, 3_000]) {
    await commit('folder-1', `at ${nowMs}`);
    sets.push((await written(node, nowMs))!.state.position);
  }
  const trim = (keepSinceMs: number) =>
    trimLog({ log: cluster.log, objects: cluster.objects, logName: LOG, keepSinceMs });
  expect(await trim(500)).toBe(1);
  expect(await listSets(cluster.objects, LOG)).toEqual(sets);
  expect(await trim(2_500)).toBe(sets[1]! + 1);
  expect(await listSets(cluster.objects, LOG)).toEqual(sets.slice(1));
});

it('a payload that no task needs any more stays as long as the log can be read from before', async () => {
  const payloads = new PayloadObjects(cluster.objects);
  for (const name of ['early', 'late']) await cluster.objects.put(`payloads/${name}`, Buffer.from(name));
  await payloads.release(LOG, 5, ['payloads/early']);
  await payloads.release(LOG, 9, ['payloads/late', 'payloads/gone']);
  const left = async (): Promise<string[]> => {
    const keys: string[] = [];
    for await (const { key } of cluster.objects.list('payloads/')) keys.push(key);
    for await (const { key } of cluster.objects.list('payloads-released/')) keys.push(key.slice(0, -37));
    return keys;
  };
  await payloads.sweep(LOG, 9);
  expect(await left()).toEqual(['payloads/late', 'payloads-released/main/00000000000000000009']);
  await payloads.sweep(LOG, 10);
  expect(await left()).toEqual([]);
});

it('no checkpoint is written while a commit is on its way', async () => {
  const node = cluster.start('a');
  await leading(node);
  const bridge = node.openBridge(node.role.epoch);
  await bridge.answer({ kind: 'commit', store: 'folder-1', changes: changes('one') });
  expect(await written(node, 1_000)).toBeNull();
  await bridge.answer({ kind: 'failed' });
  expect(await written(node, 1_000)).not.toBeNull();
});

/** The database of a single server: a finished task, one with a payload, and an index. */
async function singleServer(name: string): Promise<void> {
  const { dbPath, taskFolder, authFolder, payloadFolder } = cluster.folders(name);
  mkdirSync(payloadFolder, { recursive: true });
  const taskStore = openLmdbStore({ folder: taskFolder });
  const tasks = openTaskLog(taskStore, { payloadFolder });
  const payloadFile = join(payloadFolder, 'payload-1');
  await writeFile(payloadFile, 'film');
  tasks.enqueueAll([creation('x'), addition(payloadFile)]);
  await taskStore.close();
  await openLmdbStore({ folder: authFolder }).close();
  const list = openLmdbStore({ folder: join(dbPath, 'instance') });
  list.transaction((txn) => txn.put('indexes', Buffer.from('x'), Buffer.from(JSON.stringify({ folder: 'folder-1' }))));
  await list.close();
  const index = openLmdbStore({ folder: join(dbPath, 'indexes/folder-1') });
  index.transaction((txn) => {
    txn.put('things', Buffer.from('k'), Buffer.from('of before'));
    // of a cluster that the folder has left
    putPlace(txn, { position: 500, count: 1 });
  });
  await index.close();
}

const addition = (payloadFile: string): NewTask => ({
  content: {
    ...{ type: 'documentAdditionOrUpdate', indexUid: 'x', primaryKey: null, method: 'replace', documentCount: 1 },
    ...{ payloadFile, payloadBytes: 4, allowIndexCreation: true, skipCreation: false },
  },
  extras: {},
});

it('the database of a single server becomes the beginning of a cluster', async () => {
  await singleServer('a');
  await joining('a');
  expect(notes.at(-1)).toMatch(/is the beginning of the cluster cluster-1$/);
  const a = cluster.start('a');
  await leading(a);
  await a.enqueue([creation('z')]);
  await joining('b');
  expect(notes.at(-1)).toMatch(/^A folder was restored from the checkpoints at position 1/);
  const b = cluster.start('b', { mayLead: false });
  await b.barrier();
  expect((await cluster.tasks('b')).map(({ uid, content }) => [uid, content.type])).toEqual([
    [0, 'indexCreation'],
    [1, 'documentAdditionOrUpdate'],
    [2, 'indexCreation'],
  ]);
  for (const store of ['tasks', 'auth', 'indexes/folder-1'])
    expect(await cluster.rows('b', store)).toEqual(await cluster.rows('a', store));
  expect(await cluster.payload('b', 1)).toEqual({ kind: 'inline', bytes: new TextEncoder().encode('film') });
  // a second database comes too late, and stays as it was
  await singleServer('late');
  await expect(joining('late')).rejects.toThrow('the cluster has begun without the database in');
  expect(existsSync(join(cluster.folders('late').dbPath, 'cluster'))).toBe(false);
});

it('a node that has begun with an empty folder follows a log that begins with a database', async () => {
  await singleServer('a');
  const failures: unknown[] = [];
  const early = cluster.start('early', { mayLead: false, onFailure: (error) => failures.push(error) });
  await joining('a');
  await vi.waitFor(() => expect(failures).toEqual([expect.any(CheckpointNeededError)]));
  await cluster.stop(early);
  await joining('early');
  expect(await cluster.rows('early', 'indexes/folder-1')).toEqual(await cluster.rows('a', 'indexes/folder-1'));
});

it.each([
  ['before the log has begun', 'append'],
  ['when the log has begun, and the set of checkpoints is not there', 'set'],
] as const)('bringing a database that ends %s is completed by the next start', async (_when, place) => {
  await singleServer('a');
  const { objects } = cluster;
  const put = vi.spyOn(objects, 'put').mockImplementation(async function (this: MemoryObjects, key, ...rest) {
    if (key.startsWith(place === 'set' ? 'checkpoint-sets/' : 'checkpoints/main/00000000000000000001/auth'))
      throw new Error('the store is away');
    return MemoryObjects.prototype.put.call(objects, key, ...rest);
  });
  await expect(joining('a')).rejects.toThrow('the store is away');
  put.mockRestore();
  await joining('a');
  await joining('b');
  expect(await cluster.rows('b', 'indexes/folder-1')).toEqual(await cluster.rows('a', 'indexes/folder-1'));
});

it('a new node needs every entry after the last checkpoints, and one that comes back is restored from later ones', async () => {
  const log = new ObjectLog({ objects: cluster.objects, name: LOG });
  const a = cluster.start('a', { log });
  await leading(a);
  await a.enqueue([creation('x')]);
  const early = cluster.start('early', { log, mayLead: false });
  await early.barrier();
  const [, behind] = [await cluster.stop(early), early.position];
  for (const uid of ['y', 'z', 'w']) await a.enqueue([creation(uid)]);
  const removed = `log/${LOG}/entries/${String(behind + 1).padStart(20, '0')}`;
  await cluster.objects.delete(removed);
  const join = (name: string) => {
    const fresh = new ObjectLog({ objects: cluster.objects, name: LOG });
    return prepareFolder({ ...joiningOptions(name), log: fresh });
  };
  await expect(join('b')).rejects.toThrow(`entry ${behind + 1} of the log is damaged: it is missing`);
  await expect(join('b')).rejects.toThrow(LaunchError);
  expect(existsSync(cluster.folders('b').dbPath)).toBe(false);
  // one with a part of the database serves that, and says that it follows no longer
  await join('early');
  const failures: unknown[] = [];
  const again = cluster.start('early', {
    log: new ObjectLog({ objects: cluster.objects, name: LOG }),
    mayLead: false,
    onFailure: (error) => failures.push(error),
  });
  await vi.waitFor(() => expect(failures).toEqual([expect.objectContaining({ position: behind + 1 })]));
  await cluster.stop(again);
  const set = await written(a, 1_000);
  for (const name of ['b', 'early']) {
    await join(name);
    expect(notes.at(-1)).toContain(`was restored from the checkpoints at position ${set!.state.position}`);
    expect(await cluster.rows(name, 'tasks')).toEqual(await cluster.rows('a', 'tasks'));
  }
});

it('a folder of another cluster is refused, and stays as it was', async () => {
  await joining('a');
  const a = cluster.start('a');
  a.claim('cluster-1');
  await leading(a);
  await cluster.stop(a);
  await expect(joining('a', 'cluster-2')).rejects.toThrow(
    /belongs to the cluster cluster-1, and the store of objects to cluster-2/,
  );
  await joining('a', 'cluster-1');
});
