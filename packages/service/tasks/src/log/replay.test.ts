import { BatchCanceled } from '@fossick/base';
import { openMemoryStore, type Store } from '@fossick/storage';
import { describe, expect, it } from 'vitest';
import { openAttemptNotes } from '../run/attempt-notes.js';
import { runScheduler } from '../run/run-scheduler.js';
import type { TaskExecutor } from '../run/scheduler-options.js';
import type { TaskOutcome } from '../task/task.js';
import { randomContent, randomOf, rowsOf } from './history.test-support.js';
import { openLocalGateway } from './local-gateway.js';
import type { TaskGateway } from './port.js';
import { decodeTaskRecord, encodeTaskRecord } from './record-codec.js';
import type { LogOperation, TaskLogRecord } from './records.js';
import { openTaskLog, type TaskLog } from './task-log.js';

const SEEDS = Array.from({ length: 30 }, (_, at) => at + 1);
const TURNS = 60;

interface Encoded {
  readonly kind: TaskLogRecord['kind'];
  readonly body: Uint8Array;
}

/** A clock that also goes back. */
function unsteadyClock(random: (max: number) => number): { now(): number } {
  let now = 1_790_000_000_000_000;
  return {
    now: () => {
      now += random(2_000_000) - 500_000;
      return now;
    },
  };
}

/** Some tasks fail, some end their batch, some are run until a cancelation names them. */
function randomExecutor(random: (max: number) => number): TaskExecutor {
  return {
    async execute({ tasks }, { isCanceled }) {
      if (isCanceled()) throw new BatchCanceled();
      if (random(10) === 0) throw new Error('a fault');
      return tasks.map((): TaskOutcome => {
        if (random(4) === 0) return { status: 'failed', error: { code: 'internal', message: 'it fails' } };
        return random(2) === 0 ? { status: 'succeeded' } : { status: 'succeeded', details: { deletedDocuments: 1 } };
      });
    },
  };
}

/** Runs the waiting tasks to their ends. */
async function drain(log: TaskLog, random: (max: number) => number, gateway: TaskGateway): Promise<void> {
  const isEmpty = (): boolean => log.count({ statuses: ['enqueued', 'processing'] }) === 0;
  if (isEmpty()) return;
  await new Promise<void>((resolve) => {
    const scheduler = runScheduler({
      log,
      gateway,
      executor: randomExecutor(random),
      findIndex: () => undefined,
      attempts: openAttemptNotes(log, `process ${random(1000)}`),
      trimLimits: { tasksMax: 40, removedMax: 10 },
      onCommit: () => {
        if (isEmpty()) void scheduler.stop().then(resolve);
      },
    });
  });
}

describe('the records of a random history', () => {
  it.each(SEEDS)('give another store the same rows (seed %i)', async (seed) => {
    const random = randomOf(seed);
    const store = openMemoryStore();
    const log = openTaskLog(store, { clock: unsteadyClock(random), payloadFolder: '/payloads' });
    const records: Encoded[] = [];
    const apply = log.apply.bind(log);
    log.apply = (given, options) => {
      for (const record of given) records.push({ kind: record.kind, body: encodeTaskRecord(record) });
      return apply(given, options);
    };
    const gateway = openLocalGateway(log, () => {});
    for (let turn = 0; turn < TURNS; turn += 1) {
      if (random(4) > 0) {
        const count = 1 + random(3);
        const extras = random(2) === 0 ? {} : { customMetadata: `${turn}` };
        await gateway.enqueue(Array.from({ length: count }, () => ({ content: randomContent(random, log), extras })));
        continue;
      }
      if (random(5) === 0) log.batches.start(log.uids({ statuses: ['enqueued'] }).slice(0, 2), 'a process that dies');
      await drain(log, random, gateway);
    }
    const copy = openMemoryStore();
    const follower = openTaskLog(copy, { payloadFolder: '/elsewhere' });
    // in transactions of other sizes than the first store's
    while (records.length > 0) {
      const some = records.splice(0, 1 + random(40));
      follower.apply(some.map(({ kind, body }) => decodeTaskRecord(kind, body)));
    }
    expect(rowsOf(copy)).toEqual(rowsOf(store));
    expect(log.taskCountMax()).toBeGreaterThan(TURNS / 2);
  });
});

/** A record in the order that all share, and who made it. */
interface SharedEntry extends Encoded {
  readonly id: string;
}

/** A node of a shared order of records: it appends, or reads what another one has appended, and applies them in that order. */
class Node {
  readonly store: Store = openMemoryStore();
  readonly log: TaskLog;
  private readonly shared: SharedEntry[];
  private readonly name: string;
  private position = 0;
  private entryCount = 0;
  /** Resolvers of this node's entries, by id. */
  private readonly answers = new Map<string, (uids: readonly number[]) => void>();
  private running: Promise<void> = Promise.resolve();

  constructor(shared: SharedEntry[], name: string, random: (max: number) => number) {
    this.shared = shared;
    this.name = name;
    this.log = openTaskLog(this.store, { clock: unsteadyClock(random), payloadFolder: `/payloads of ${name}` });
  }

  /** Resolves with the uids of its tasks once the record is applied. */
  commit(record: TaskLogRecord): Promise<readonly number[]> {
    const id = `${this.name}/${this.entryCount++}`;
    const answer = new Promise<readonly number[]>((resolve) => this.answers.set(id, resolve));
    this.running = this.running.then(() => this.append(id, record));
    return answer;
  }

  async catchUp(): Promise<void> {
    await this.running;
    await this.read();
  }

  private async append(id: string, record: TaskLogRecord): Promise<void> {
    const entry = { id, kind: record.kind, body: encodeTaskRecord(record) };
    // an entry of the other node may come first
    await null;
    this.shared.push(entry);
    await this.read();
  }

  private async read(): Promise<void> {
    await null;
    for (const { id, kind, body } of this.shared.slice(this.position)) {
      const position = this.position + 1;
      const also = (txn: { put(table: string, key: Uint8Array, value: Uint8Array): void }): void =>
        txn.put('position', Uint8Array.of(1), Uint8Array.of(position >> 8, position & 255));
      const tasks = this.log.apply([decodeTaskRecord(kind, body)], { durability: 'later', also });
      this.position = position;
      this.answers.get(id)?.(tasks.flat().map(({ uid }) => uid));
    }
  }
}

/** A change that a node may make by what its own rows say, which may be late. */
function randomChange(random: (max: number) => number, log: TaskLog): readonly LogOperation[] {
  const some = log.uids({}).filter(() => random(4) === 0);
  switch (random(5)) {
    case 0:
      return [{ kind: 'deleteTasks', uids: some }];
    case 1:
      return [{ kind: 'renameHistory', names: [['a', 'b']], before: random(20) }];
    case 2:
      return [{ kind: 'changeTasks', uids: some, change: { status: 'enqueued', batchUid: null } }];
    case 3: {
      const { batch, tasks } = log.batches.begin(
        some.map((uid) => log.get(uid)!),
        'a',
      );
      const change = { status: 'succeeded', batchUid: batch.uid, startedAt: 1, finishedAt: 2 } as const;
      return [
        { kind: 'changeTasks', uids: tasks.map(({ uid }) => uid), change },
        { kind: 'putBatch', batch },
      ];
    }
    default:
      return [{ kind: 'noteAttempt', attempt: { id: 1, process: 'p', running: some, waiting: [], isTrial: false } }];
  }
}

describe('two nodes that share a log', () => {
  it.each(SEEDS)('have equal rows after concurrent tasks and changes of both (seed %i)', async (seed) => {
    const random = randomOf(seed);
    const shared: SharedEntry[] = [];
    const nodes = [new Node(shared, 'left', random), new Node(shared, 'right', random)];
    const answers: Promise<readonly number[]>[] = [];
    for (let turn = 0; turn < TURNS; turn += 1) {
      const node = nodes[random(2)]!;
      if (random(3) > 0) {
        const content = randomContent(random, node.log);
        answers.push(node.commit(node.log.record([{ content, extras: {} }])));
      } else answers.push(node.commit({ kind: 'task-changes', operations: randomChange(random, node.log) }));
      if (random(3) === 0) await Promise.all(answers);
    }
    const uids = (await Promise.all(answers)).flat();
    for (const node of nodes) await node.catchUp();
    expect(rowsOf(nodes[0]!.store)).toEqual(rowsOf(nodes[1]!.store));
    // dense, and each given once
    expect([...uids].sort((left, right) => left - right)).toEqual(uids.map((_, at) => at));
  });
});
