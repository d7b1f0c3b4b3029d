import { mkdirSync } from 'node:fs';
import { TrimmedError } from '@fossick/replication';
import { openLmdbStore } from '@fossick/storage';
import { encodeChanges } from '@fossick/storage/changes';
import type { NewTask } from '@fossick/tasks';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { ClusterNode } from '../node/cluster-node.js';
import { leading, TestCluster } from '../node/nodes.test-support.js';
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
const joining = (name: string) =>
  prepareFolder({ log: cluster.log, objects: cluster.objects, logName: LOG, folders: cluster.folders(name) });

/** Checkpoints of all stores of a node, written at this time. */
const written = (node: ClusterNode, nowMs: number) =>
  node.readStores((stores, state) =>
    writeCheckpointSet({ objects: cluster.objects, logName: LOG, stores, state, nowMs }),
  );

/** A node with tasks and a store, whose writer leaves its commits to the node. */
async function busyNode(name: string) {
  const node = cluster.start(name);
  await leading(node);
  const desk = node.openDesk(node.role.epoch);
  const commit = async (store: string, value: string): Promise<void> => {
    await desk.answer({ kind: 'commit', store, changes: changes(value) });
    await desk.answer({ kind: 'failed' });
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

it('no checkpoint is written while a commit is on its way', async () => {
  const node = cluster.start('a');
  await leading(node);
  const desk = node.openDesk(node.role.epoch);
  await desk.answer({ kind: 'commit', store: 'folder-1', changes: changes('one') });
  expect(await written(node, 1_000)).toBeNull();
  await desk.answer({ kind: 'failed' });
  expect(await written(node, 1_000)).not.toBeNull();
});

it('a database that is none of a node is refused', async () => {
  const { dbPath, taskFolder } = cluster.folders('foreign');
  mkdirSync(dbPath, { recursive: true });
  await openLmdbStore({ folder: taskFolder }).close();
  await expect(joining('foreign')).rejects.toThrow('was not made by a node of a cluster');
  await joining('fresh');
  const fresh = cluster.start('fresh');
  await leading(fresh);
  await cluster.stop(fresh);
  await joining('fresh');
});
