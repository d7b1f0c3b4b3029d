import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type AppendOutcome, type Beat, NewerFormatError, type StoredEntry } from '@fossick/replication';
import { MemoryLog } from '@fossick/replication/logs/memory-log.test-support';
import { openLmdbStore } from '@fossick/storage';
import { encodeChanges } from '@fossick/storage/changes';
import { encodeTaskRecord, type NewTask } from '@fossick/tasks';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { ContactLog } from '../logs/contact-log.js';
import { type Place, putPlace } from '../records/place.js';
import { encodeValuesRecord, valuesRecord } from '../records/values-record.js';
import { NodeStores } from './node-stores.js';
import { clock, leading, TestCluster } from './nodes.test-support.js';

/** A log that a node does not reach for a while. */
class HeldLog extends ContactLog {
  isHeld = false;

  constructor(log: MemoryLog) {
    super(log, clock);
  }

  override async append(position: number, bytes: Uint8Array): Promise<AppendOutcome> {
    return this.isHeld ? 'unknown' : super.append(position, bytes);
  }

  override async read(from: number, bytesMax: number): Promise<readonly StoredEntry[]> {
    if (this.isHeld) throw new Error('the log does not answer');
    return super.read(from, bytesMax);
  }

  override async beat(beat: Beat): Promise<void> {
    if (!this.isHeld) await super.beat(beat);
  }
}

let cluster: TestCluster;
beforeEach(() => {
  cluster = new TestCluster();
});
afterEach(() => cluster.end());

const creation = (indexUid: string): NewTask => ({
  content: { type: 'indexCreation', indexUid, primaryKey: null },
  extras: {},
});
const row = (key: string, value: string) =>
  ({ kind: 'put', table: 'things', key: Buffer.from(key), value: Buffer.from(value) }) as const;
const uidsOf = (settled: readonly PromiseSettledResult<number>[]) =>
  settled.map((one) => (one.status === 'fulfilled' ? one.value : one.reason));

it('gives tasks of all nodes one numbering, and equal rows', async () => {
  const [a, b] = [cluster.start('a'), cluster.start('b')];
  const answers = await Promise.all([
    a.enqueue([creation('x'), creation('y')]),
    b.enqueue([creation('z')]),
    a.enqueue([creation('w')]),
  ]);
  expect(answers.flatMap(uidsOf).sort()).toEqual([0, 1, 2, 3]);
  await Promise.all([a.barrier(), b.barrier()]);
  expect(await cluster.tasks('a')).toHaveLength(4);
  expect(await cluster.tasks('a')).toEqual(await cluster.tasks('b'));
  expect(await cluster.rows('a', 'tasks')).toEqual(await cluster.rows('b', 'tasks'));
});

it('puts small payloads into the log, and large ones into objects', async () => {
  const a = cluster.start('a');
  const { payloadFolder } = cluster.folders('a');
  const addition = (name: string, payloadBytes: number): NewTask => {
    const payloadFile = join(payloadFolder, name);
    writeFileSync(payloadFile, '.'.repeat(payloadBytes));
    const additionOptions = {
      method: 'replace',
      primaryKey: null,
      allowIndexCreation: true,
      skipCreation: false,
    } as const;
    return {
      content: {
        type: 'documentAdditionOrUpdate',
        indexUid: 'x',
        ...additionOptions,
        payloadFile,
        payloadBytes,
        documentCount: 1,
      },
      extras: {},
    };
  };
  const answers = await a.enqueue([addition('small.ndjson', 100), addition('large.ndjson', 100_000)]);
  expect(uidsOf(answers)).toEqual([0, 1]);
  const keys: string[] = [];
  for await (const { key } of cluster.objects.list('payloads/')) keys.push(key);
  expect(keys).toEqual(['payloads/large.ndjson']);
});

it('applies a commit of the leader on every other node, and leaves its own to its writer', async () => {
  const [a, b] = [cluster.start('a'), cluster.start('b')];
  const leader = await leading(a, b);
  const [own, other] = leader === a ? (['a', 'b'] as const) : (['b', 'a'] as const);
  const bridge = leader.openBridge(leader.role.epoch);
  // longer than what entries contain
  const changes = encodeChanges([row('k', 'v'.repeat(5_000))]);
  const place = (await bridge.answer({ kind: 'commit', store: 'folder-1', changes })) as Place;
  await Promise.all([a.barrier(), b.barrier()]);
  expect(await cluster.rows(other, 'indexes/folder-1')).toHaveLength(2);
  const folder = join(cluster.folders(own).dbPath, 'indexes/folder-1');
  mkdirSync(folder, { recursive: true });
  const store = openLmdbStore({ folder });
  store.transaction((txn) => {
    txn.put('things', Buffer.from('k'), Buffer.from('v'.repeat(5_000)));
    putPlace(txn, place);
  });
  await store.close();
  await bridge.answer({ kind: 'committed' });
  expect(await cluster.rows(own, 'indexes/folder-1')).toEqual(await cluster.rows(other, 'indexes/folder-1'));
});

it.each(['failed', 'ended'])('does a commit that is in the log and whose writer has %s', async (how) => {
  const a = cluster.start('a');
  await leading(a);
  const bridge = a.openBridge(a.role.epoch);
  await bridge.answer({ kind: 'commit', store: 'folder-1', changes: encodeChanges([row('k', 'v')]) });
  if (how === 'failed') await bridge.answer({ kind: 'failed' });
  else await bridge.ended();
  expect(await cluster.rows('a', 'indexes/folder-1')).toHaveLength(2);
});

it('a commit that its node has not done before it died is done after its next start', async () => {
  const a = cluster.start('a');
  await leading(a);
  const bridge = a.openBridge(a.role.epoch);
  await a.enqueue([creation('x')]);
  await bridge.answer({ kind: 'commit', store: 'folder-1', changes: encodeChanges([row('k', 'v')]) });
  const [task] = await cluster.tasks('a');
  const finished = { ...task!, status: 'succeeded', finishedAt: 5, startedAt: 4, batchUid: 0 } as const;
  const record = encodeTaskRecord({ kind: 'task-changes', operations: [{ kind: 'putTask', task: finished }] });
  await bridge.answer({ kind: 'change', record, isEnd: true });
  // a death: nothing is closed in order, so the state in the folder is that of before the commit
  a.kill();
  const again = cluster.start('a');
  await again.barrier();
  expect(await cluster.rows('a', 'indexes/folder-1')).toHaveLength(2);
  expect((await cluster.tasks('a')).map(({ status }) => status)).toEqual(['succeeded']);
});

it('refuses the commits of a leader that was replaced', async () => {
  const a = cluster.start('a');
  await leading(a);
  const bridge = a.openBridge(a.role.epoch);
  const b = cluster.start('b');
  await a.resign();
  await leading(b);
  await a.barrier();
  const commit = bridge.answer({ kind: 'commit', store: 'folder-1', changes: encodeChanges([row('k', 'v')]) });
  await expect(commit).rejects.toThrow('came too late');
});

it('ends the waits of its writer when another node leads, before it applies what that one has done', async () => {
  const log = new HeldLog(cluster.log);
  const a = cluster.start('a', { log });
  await leading(a);
  const folder = join(cluster.folders('a').dbPath, 'indexes/folder-1');
  const wasApplied: boolean[] = [];
  const bridge = a.openBridge(a.role.epoch, () => wasApplied.push(existsSync(folder)));
  // the record waits, because nothing of this node gets into the log any more
  log.isHeld = true;
  const commit = bridge.answer({ kind: 'commit', store: 'folder-1', changes: encodeChanges([row('k', 'mine')]) });
  commit.catch(() => undefined);
  const b = cluster.start('b');
  await leading(b);
  const other = b.openBridge(b.role.epoch);
  await other.answer({ kind: 'commit', store: 'folder-1', changes: encodeChanges([row('k', 'theirs')]) });
  await other.answer({ kind: 'failed' });
  log.isHeld = false;
  await expect(commit).rejects.toThrow('came too late');
  await a.barrier();
  // the writer may hold the lock of the store that the commit needs
  expect(wasApplied).toEqual([false]);
  expect(await cluster.rows('a', 'indexes/folder-1')).toEqual(await cluster.rows('b', 'indexes/folder-1'));
});

it('stops at an entry of a newer release, says what to do, and goes on there after an upgrade', async () => {
  const a = cluster.start('a');
  await a.enqueue([creation('x')]);
  const failures: unknown[] = [];
  const old = cluster.start('old', { mayLead: false, onFailure: (error) => failures.push(error) });
  await old.barrier();
  const { position } = old;
  const { log } = cluster;
  // the first byte of an entry is its format
  const read = vi.spyOn(log, 'read').mockImplementation(async (from, bytesMax) =>
    (await MemoryLog.prototype.read.call(log, from, bytesMax)).map((entry) => {
      const bytes = Uint8Array.from(entry.bytes);
      if (entry.position > position) bytes[0] = 2;
      return { ...entry, bytes };
    }),
  );
  await a.enqueue([creation('y')]);
  await vi.waitFor(() => expect(failures).toHaveLength(1));
  expect(String(failures[0])).toMatch(
    `entry ${position + 1} of the log has format 2, and this release knows 1: upgrade this node`,
  );
  expect(old.position).toBe(position);
  await expect(old.enqueue([creation('z')])).resolves.toMatchObject([
    { status: 'rejected', reason: { code: 'cluster_log_unavailable' } },
  ]);
  expect((await cluster.tasks('old')).length).toBe(1);
  await cluster.stop(old);
  read.mockRestore();
  const upgraded = cluster.start('old', { mayLead: false });
  await upgraded.barrier();
  expect(await cluster.rows('old', 'tasks')).toEqual(await cluster.rows('a', 'tasks'));
});

/** The ten seconds that a request may wait for its record are never over. */
const endless: typeof clock = {
  ...clock,
  after: (delayMs, work) => (delayMs < 10_000 ? clock.after(delayMs, work) : { [Symbol.dispose]: () => undefined }),
};

it('refuses requests while the log takes nothing, keeps what the writer has for it, and goes on', async () => {
  const [a, b] = [cluster.start('a', { clock: endless }), cluster.start('b', { mayLead: false })];
  await leading(a);
  const bridge = a.openBridge(a.role.epoch);
  const append = vi.spyOn(cluster.log, 'append').mockResolvedValue('refused');
  const changes = encodeChanges([row('k', 'v')]);
  const commit = bridge.answer({ kind: 'commit', store: 'folder-1', changes });
  for (const node of [a, b, a]) {
    const [one] = await node.enqueue([creation('x')]);
    const reason = { code: 'cluster_log_unavailable', message: expect.stringContaining('takes no writes') };
    expect(one).toMatchObject({ status: 'rejected', reason });
  }
  append.mockRestore();
  await commit;
  await bridge.answer({ kind: 'failed' });
  expect(uidsOf(await a.enqueue([creation('y')]))).toEqual([0]);
  expect(uidsOf(await b.enqueue([creation('z')]))).toEqual([1]);
  await Promise.all([a.barrier(), b.barrier()]);
  for (const store of ['tasks', 'indexes/folder-1'])
    expect(await cluster.rows('b', store)).toEqual(await cluster.rows('a', store));
});

it.each([
  'ENOSPC',
  'EDQUOT',
  'EIO',
])('does not keep a request waiting whose task the disk does not take: %s', async (code) => {
  const a = cluster.start('a', { clock: endless });
  await leading(a);
  const apply = vi.spyOn(NodeStores.prototype, 'applyTasks').mockImplementation(() => {
    throw Object.assign(new Error('the disk'), { code });
  });
  const refusals = await Promise.all([a.enqueue([creation('x')]), a.enqueue([creation('y')])]);
  for (const [one] of refusals)
    expect(one).toMatchObject({ status: 'rejected', reason: { code: 'cluster_log_unavailable' } });
  apply.mockRestore();
  await vi.waitFor(async () => expect(uidsOf(await a.enqueue([creation('z')]))).toEqual([expect.any(Number)]), 10_000);
});

it('asks for another node to run a task that this one has no space for, and not where there is none', async () => {
  let hasOthers = false;
  const a = cluster.start('a', { hasOthers: () => hasOthers });
  await leading(a);
  const bridge = a.openBridge(a.role.epoch);
  const yields = () => bridge.answer({ kind: 'yield', uids: [1], reason: 'no space' });
  expect(await yields()).toBe(false);
  hasOthers = true;
  const asked = yields();
  await a.resign().catch(() => undefined);
  await cluster.stop(a);
  expect(await asked).toBe(true);
});

it('a node that joins late has the same rows', async () => {
  const a = cluster.start('a');
  await a.enqueue([creation('x'), creation('y')]);
  const changes = [{ kind: 'put', table: 'values', key: Buffer.from('n'), value: Buffer.from('1') }] as const;
  expect(await a.commitValues(encodeValuesRecord(valuesRecord(changes, [])))).toBe(true);
  const condition = { kind: 'row', table: 'values', key: Buffer.from('n'), value: null } as const;
  expect(await a.commitValues(encodeValuesRecord(valuesRecord(changes, [condition])))).toBe(false);
  const c = cluster.start('c');
  await c.barrier();
  expect(c.position).toBe(a.position);
  for (const store of ['tasks', 'auth']) expect(await cluster.rows('c', store)).toEqual(await cluster.rows('a', store));
});

it('a node that starts again continues where it was', async () => {
  const a = cluster.start('a');
  await a.enqueue([creation('x')]);
  await a.barrier();
  const { position } = a;
  await cluster.stop(a);
  const again = cluster.start('a', { mayLead: false });
  expect(again.position).toBe(position);
  expect(uidsOf(await again.enqueue([creation('y')]))).toEqual([1]);
});

it('ends before a format that it cannot read, and goes on from there with a later release', async () => {
  const failures: unknown[] = [];
  const leader = cluster.start('a', { lastFormat: 2 });
  const behind = cluster.start('b', { mayLead: false, onFailure: (error) => failures.push(error) });
  await leading(leader);
  await leader.enqueue([creation('x')]);
  await behind.barrier();
  await leader.raiseFormat(2);
  await leader.enqueue([creation('y')]);
  await vi.waitFor(() => expect(failures).toHaveLength(1));
  expect(failures[0]).toBeInstanceOf(NewerFormatError);
  const refused = await behind.enqueue([creation('z')]);
  expect(refused[0]).toMatchObject({ status: 'rejected', reason: { code: 'cluster_log_unavailable' } });
  await cluster.stop(behind);
  expect((await cluster.tasks('b')).map(({ uid }) => uid)).toEqual([0]);
  // both start again: the format is that of the log, whatever a node could write
  await cluster.stop(leader);
  const [a, b] = [cluster.start('a', { lastFormat: 3 }), cluster.start('b', { lastFormat: 2 })];
  await Promise.all([a.barrier(), b.barrier()]);
  expect(uidsOf(await b.enqueue([creation('z')]))).toEqual([2]);
  const formats = (await cluster.log.read(1, 1 << 20)).map(({ bytes }) => bytes[0]);
  expect([formats[0], formats.at(-1)]).toEqual([1, 2]);
  await a.barrier();
  expect(await cluster.tasks('a')).toEqual(await cluster.tasks('b'));
});
