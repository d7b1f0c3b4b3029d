import { MemoryObjects } from '@fossick/objects';
import { FaultyObjects } from '@fossick/objects/faulty-objects.test-support';
import { randomOf, VirtualTime } from '@fossick/objects/virtual-time.test-support';
import { describe, expect, it } from 'vitest';
import type { DataRecord } from '../entries/records.js';
import {
  DamagedLogError,
  FencedError,
  OutcomeUnknownError,
  ReplicaEndedError,
  TrimmedError,
  WithdrawnError,
} from '../log-errors.js';
import { MemoryLog } from '../logs/memory-log.test-support.js';
import { ObjectLog } from '../logs/object-log.js';
import type { AppendOutcome, CommitLog, StoredEntry } from '../port.js';
import { type AcceptedEntry, LogState } from './log-state.js';
import { Replica, type ReplicaOptions } from './replica.js';
import { RECORD_BYTES_MAX } from './waiting-records.js';

const data = (opId: string, epoch: number | null = null, bytes = 1): DataRecord => {
  return { kind: 'data', opId, name: 'tasks', epoch, body: new Uint8Array(bytes) };
};

interface Nodes {
  readonly time: VirtualTime;
  readonly log: MemoryLog;
  readonly applied: Readonly<Record<string, AcceptedEntry[]>>;
  readonly failures: unknown[];
  node(id: string, options?: Partial<ReplicaOptions>): Replica;
}

function nodes(): Nodes {
  const time = new VirtualTime();
  const log = new MemoryLog();
  const applied: Record<string, AcceptedEntry[]> = {};
  const failures: unknown[] = [];
  const random = randomOf(1);
  return {
    time,
    log,
    applied,
    failures,
    node: (id, options) => {
      const entries: AcceptedEntry[] = [];
      applied[id] = entries;
      let entryCount = 0;
      const replica = new Replica({
        log,
        state: new LogState({ logName: 'main' }),
        clock: { nowMs: () => time.nowMs, after: (delayMs, work) => time.after(delayMs, work) },
        node: { id, address: '' },
        mayLead: false,
        random,
        newEntryId: () => `${id}/${entryCount++}`,
        apply: (entry) => void entries.push(entry),
        onFailure: (error) => void failures.push(error),
        ...options,
      });
      replica.start();
      return replica;
    },
  };
}

/** What became of promises after some simulated time; `pending` if nothing yet. */
async function outcomes(time: VirtualTime, promises: readonly Promise<unknown>[], ms = 60_000): Promise<unknown[]> {
  const results: unknown[] = promises.map(() => 'pending');
  for (const [at, promise] of promises.entries()) {
    const note = (result: unknown): void => {
      results[at] = result;
    };
    promise.then(note, note);
  }
  await time.run(time.nowMs + ms);
  return results;
}

describe('a replica', () => {
  it('appends all records that wait as one entry, in order, and answers when they are applied', async () => {
    const { time, node, applied } = nodes();
    const replica = node('a');
    const first = replica.append(data('first'));
    await new Promise(setImmediate);
    const rest = Array.from({ length: 500 }, (_, at) => replica.append(data(`op ${at}`)));
    const answers = await outcomes(time, [first, ...rest], 10);
    expect(applied['a']!.length).toBeLessThanOrEqual(3);
    const opIds = applied['a']!.flatMap(({ records }) =>
      records.map(({ record }) => (record.kind === 'data' ? record.opId : '')),
    );
    expect(opIds).toEqual(['first', ...rest.map((_, at) => `op ${at}`)]);
    const last = applied['a']!.at(-1)!;
    expect(answers.at(-1)).toEqual({
      position: last.position,
      recordIndex: last.records.length - 1,
      effect: { kind: 'applied' },
    });
    replica.stop();
  });

  it('answers a repeated operation with its first position', async () => {
    const { time, node } = nodes();
    const [a, b] = [node('a'), node('b')];
    const [first] = await outcomes(time, [a.append(data('op'))], 10);
    expect(first).toMatchObject({ position: 1, effect: { kind: 'applied' } });
    const [again] = await outcomes(time, [b.append(data('op'))], 10);
    expect(again).toMatchObject({ position: 2, effect: { kind: 'duplicate', firstPosition: 1 } });
    for (const one of [a, b]) one.stop();
  });

  it('has read everything at a barrier', async () => {
    const { time, node } = nodes();
    // nothing announces entries to the reader, and it does not poll in time
    const quiet = new MemoryLog();
    const log: CommitLog = Object.assign(quiet, { watch: () => ({ [Symbol.dispose]: () => undefined }) });
    const [writer, reader] = [node('a', { log }), node('b', { log, timing: { pollMs: 1e9 } })];
    await outcomes(time, [writer.append(data('x'))], 10);
    await outcomes(time, [writer.append(data('y'))], 10);
    expect(reader.position).toBe(0);
    expect(await outcomes(time, [reader.barrier()], 10)).toEqual([2]);
    expect(reader.position).toBe(2);
    for (const one of [writer, reader]) one.stop();
  });

  describe('of a log that was rewound', () => {
    /** A log that can lose its last entry, as a database does that fails over without them. */
    class RewoundLog extends MemoryLog {
      isAway = false;
      lost: number | undefined;

      override async append(position: number, bytes: Uint8Array): Promise<AppendOutcome> {
        if (this.isAway) throw new Error('away');
        return super.append(position, bytes);
      }

      override async read(from: number, bytesMax: number): Promise<readonly StoredEntry[]> {
        if (this.isAway) throw new Error('away');
        const entries = await super.read(from, bytesMax);
        return entries.filter(({ position }) => this.lost === undefined || position < this.lost);
      }
    }

    it('stops when the log answers again, and says where', async () => {
      const { time, node, failures } = nodes();
      const log = new RewoundLog();
      const replica = node('a', { log });
      await outcomes(time, [replica.append(data('x'))], 10);
      await outcomes(time, [replica.append(data('y'))], 10);
      log.isAway = true;
      const late = replica.append(data('z'));
      late.catch(() => undefined);
      await time.run(time.nowMs + 100);
      log.lost = 2;
      log.isAway = false;
      await time.run(time.nowMs + 2_000);
      expect(failures).toEqual([expect.any(DamagedLogError)]);
      expect(String(failures[0])).toContain('entry 2 of the log is damaged: it is gone, the log was rewound');
      await expect(late).rejects.toThrow(OutcomeUnknownError);
    });
  });

  it('refuses a record that is too large, and fills entries up to their limit', async () => {
    const { time, node, applied } = nodes();
    const replica = node('a');
    expect(() => replica.append(data('large', null, RECORD_BYTES_MAX))).toThrow(RangeError);
    const parts = Array.from({ length: 5 }, (_, at) => replica.append(data(`part ${at}`, null, 3 << 20)));
    await outcomes(time, parts, 10);
    expect(applied['a']!.map(({ records }) => records.length)).toEqual([2, 2, 1]);
    replica.stop();
  });

  it.each<AppendOutcome>(['unknown', 'taken'])('finds its own entry after the answer %s', async (answer) => {
    const { time, node, applied } = nodes();
    const log = new MemoryLog();
    const append = log.append.bind(log);
    let isDone = true;
    log.append = async (position, bytes) => {
      isDone = !isDone;
      // every second request is done, and neither is answered as it should be
      if (isDone) await append(position, bytes);
      return answer;
    };
    const replica = node('a', { log });
    const answers = await outcomes(time, [replica.append(data('x')), replica.append(data('y'))]);
    expect(answers).toMatchObject([{ position: 1 }, { position: 1 }]);
    expect(applied['a']).toHaveLength(1);
    replica.stop();
  });

  it('ends below the floor: what it had sent may be in the log, what had waited is not', async () => {
    const { time, node, failures } = nodes();
    const log = new MemoryLog();
    const replica = node('a', { log });
    let later: Promise<unknown>[] = [];
    log.append = async () => {
      later = [replica.append(data('y')), replica.barrier()];
      for (const one of later) one.catch(() => undefined);
      throw new TrimmedError(1, 2);
    };
    const sent = await outcomes(time, [replica.append(data('x'))], 100);
    const answers = [...sent, ...(await outcomes(time, later, 100))];
    const ended = expect.any(ReplicaEndedError);
    expect(answers).toEqual([expect.any(OutcomeUnknownError), ended, ended]);
    expect(failures).toEqual([expect.any(TrimmedError)]);
  });

  it('ends when it begins below the floor', async () => {
    const { time, node, log, failures } = nodes();
    const a = node('a');
    await outcomes(time, [a.append(data('x')), a.append(data('y'))], 10);
    a.stop();
    await log.trim(2);
    node('b');
    await time.run(time.nowMs + 10);
    expect(failures).toEqual([expect.any(TrimmedError)]);
  });

  it('ends when an entry cannot be applied, and applies nothing after it', async () => {
    const { time, node, failures } = nodes();
    const full = new Error('no space');
    const positions: number[] = [];
    const replica = node('a', {
      apply: async ({ position }) => {
        positions.push(position);
        await Promise.resolve();
        if (position === 2) throw full;
      },
    });
    const answers = [await outcomes(time, [replica.append(data('x'))], 10)];
    answers.push(await outcomes(time, [replica.append(data('y')), replica.append(data('z'))], 10));
    expect(answers).toEqual([
      [expect.objectContaining({ position: 1 })],
      [expect.any(OutcomeUnknownError), expect.any(OutcomeUnknownError)],
    ]);
    expect([positions, failures, replica.position]).toEqual([[1, 2], [full], 1]);
  });

  describe('whose log has no space', () => {
    /** A replica that takes back all records of `sent` when the log refuses them, over a store that is full or not. */
    function filling() {
      const { time, node, applied } = nodes();
      const objects = new MemoryObjects();
      const disk = { full: 1 };
      const faulty = new FaultyObjects({ objects, clock: time, random: randomOf(1), faults: () => disk });
      const log = new ObjectLog({ objects: faulty, name: 'main' });
      const sent: DataRecord[] = [];
      const onRefused = () => {
        for (const record of sent) replica.withdraw(record);
      };
      const replica = node('a', { log, onRefused });
      const send = (opId: string) => {
        const record = data(opId);
        sent.push(record);
        return replica.append(record);
      };
      const follower = node('b', { log: new ObjectLog({ objects, name: 'main' }) });
      const end = () => {
        for (const one of [replica, follower]) one.stop();
      };
      return { time, applied, disk, replica, send, end };
    }
    const opIds = (entries: readonly AcceptedEntry[]) =>
      entries.map(({ position, records }) => [
        position,
        ...records.map(({ record }) => (record.kind === 'data' ? record.opId : '')),
      ]);

    it('lets records be taken back at once, and keeps others until there is space', async () => {
      const { time, applied, disk, replica, send, end } = filling();
      const kept = replica.append(data('kept'));
      const refused = await outcomes(time, [send('x'), send('y'), kept], 1_000);
      expect(refused).toEqual([expect.any(WithdrawnError), expect.any(WithdrawnError), 'pending']);
      expect(await outcomes(time, [send('z')], 2_000)).toEqual([expect.any(WithdrawnError)]);
      disk.full = 0;
      expect(await outcomes(time, [kept, send('later')], 5_000)).toMatchObject([{ position: 1 }, {}]);
      const last = await outcomes(time, [send('last')], 5_000);
      expect(last).toMatchObject([{ effect: { kind: 'applied' } }]);
      const there = opIds(applied['a']!);
      expect(there.map(([position]) => position)).toEqual(there.map((_, at) => at + 1));
      expect(there.flatMap(([, ...ids]) => ids)).toEqual(['kept', 'later', 'last']);
      expect(opIds(applied['b']!)).toEqual(there);
      end();
    });

    it('keeps a record that an earlier attempt may have written', async () => {
      const { time, node } = nodes();
      const log = new MemoryLog();
      const append = log.append.bind(log);
      const answers: AppendOutcome[] = ['unknown', 'refused', 'refused'];
      log.append = async (position, bytes) => answers.shift() ?? append(position, bytes);
      const record = data('x');
      const withdrawn: boolean[] = [];
      const replica = node('a', { log, onRefused: () => void withdrawn.push(replica.withdraw(record)) });
      expect(await outcomes(time, [replica.append(record)])).toMatchObject([{ position: 1 }]);
      expect(withdrawn).toEqual([false, false]);
      replica.stop();
    });
  });

  it('waits while the log does not answer, and goes on', async () => {
    const { time, node } = nodes();
    const log = new MemoryLog();
    const { append, read } = { append: log.append.bind(log), read: log.read.bind(log) };
    const down = async (): Promise<never> => {
      throw new Error('connection refused');
    };
    log.append = down;
    log.read = down;
    const replica = node('a', { log });
    const [answer] = [replica.append(data('x'))];
    expect(await outcomes(time, [answer], 30_000)).toEqual(['pending']);
    Object.assign(log, { append, read });
    expect(await outcomes(time, [answer], 2_000)).toMatchObject([{ position: 1 }]);
    replica.stop();
  });
});

describe('an election', () => {
  const candidates = (node: Nodes['node']): Replica[] => ['a', 'b', 'c'].map((id) => node(id, { mayLead: true }));
  const leaders = (replicas: readonly Replica[]): Replica[] => replicas.filter(({ role }) => role.kind === 'leader');

  it('has one leader within a second of the start, and keeps it', async () => {
    const { time, node } = nodes();
    const replicas = candidates(node);
    await time.run(1_000);
    expect(leaders(replicas)).toHaveLength(1);
    const { epoch, leader } = replicas[0]!.role;
    await time.run(120_000);
    expect(replicas.map(({ role }) => [role.epoch, role.leader])).toEqual(replicas.map(() => [epoch, leader]));
    for (const replica of replicas) replica.stop();
  });

  it('replaces a leader that has ended within ten seconds, and one that resigns within one', async () => {
    const { time, node } = nodes();
    const replicas = candidates(node);
    await time.run(5_000);
    const [first] = leaders(replicas);
    first!.stop();
    const rest = replicas.filter((replica) => replica !== first);
    await time.run(time.nowMs + 11_000);
    const [second] = leaders(rest);
    expect(second?.role.epoch).toBe(first!.role.epoch + 1);
    await outcomes(time, [second!.resign()], 1_000);
    expect(leaders(rest)).toHaveLength(1);
    expect(leaders(rest)[0]).not.toBe(second);
    await outcomes(time, [leaders(rest)[0]!.resign()], 60_000);
    expect(leaders(rest)).toEqual([]);
    for (const replica of rest) replica.stop();
  });

  it('fences what an earlier leader writes', async () => {
    const { time, node, applied } = nodes();
    const a = node('a', { mayLead: true });
    await time.run(1_000);
    const { epoch } = a.role;
    expect(await outcomes(time, [a.append(data('x', epoch))], 10)).toMatchObject([{ effect: { kind: 'applied' } }]);
    await outcomes(time, [a.resign()], 10);
    const b = node('b', { mayLead: true });
    await time.run(time.nowMs + 2_000);
    expect(b.role).toMatchObject({ kind: 'leader', epoch: epoch + 1 });
    const late = [a.append(data('y', epoch)), a.append(data('z'))];
    expect(await outcomes(time, late, 10)).toEqual([
      expect.any(FencedError),
      expect.objectContaining({ effect: { kind: 'applied' } }),
    ]);
    expect(JSON.stringify(applied['b'])).not.toContain('"y"');
    for (const replica of [a, b]) replica.stop();
  });
});
