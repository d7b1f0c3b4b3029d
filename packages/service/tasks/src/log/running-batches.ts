import type { Durability } from '@fossick/storage';
import { summarize } from '../task/details.js';
import type { Batch, Task, TaskDeaths } from '../task/task.js';
import type { TaskKind } from '../task/task-kind.js';
import type { Clock } from './clock.js';
import type { TaskFilters } from './filters.js';
import type { LogOperation } from './records.js';

/** A batch, and its tasks as they are while it runs. */
export interface RunningBatch {
  readonly batch: Batch;
  readonly tasks: readonly Task[];
}

/** The part of the log that this needs. */
interface BatchLog {
  readonly kinds: readonly TaskKind[];
  get(uid: number): Task | undefined;
  uids(filters: TaskFilters): number[];
  nextBatchUid(): number;
  change(operations: readonly LogOperation[], durability?: Durability): void;
}

/**
 * Starts the batches of a log and puts the tasks of interrupted ones back. It has no state of its own. Only for the
 * single writer, because only it numbers batches.
 */
export class RunningBatches {
  private readonly log: BatchLog;
  private readonly clock: Clock;

  constructor(log: BatchLog, clock: Clock) {
    this.log = log;
    this.clock = clock;
  }

  /** These tasks as processing, and their batch; nothing is written. */
  begin(waiting: readonly Task[], strategy: string): RunningBatch {
    const batchUid = this.log.nextBatchUid();
    const startedAt = this.clock.now();
    const tasks = waiting.map((task): Task => ({ ...task, status: 'processing', batchUid, startedAt }));
    return {
      batch: { uid: batchUid, ...summarize(tasks, this.log.kinds), startedAt, finishedAt: null, strategy },
      tasks,
    };
  }

  /**
   * Writes the result of `begin` in one transaction. A power cut may undo it: then the tasks wait again, as after any
   * end of the process.
   */
  markStarted({ batch, tasks }: RunningBatch): void {
    const change = { status: 'processing', batchUid: batch.uid, startedAt: batch.startedAt } as const;
    this.log.change(
      [
        { kind: 'changeTasks', uids: tasks.map(({ uid }) => uid), change },
        { kind: 'putBatch', batch },
      ],
      'later',
    );
  }

  /** `begin` and `markStarted` together. */
  start(uids: readonly number[], strategy: string): RunningBatch {
    const started = this.begin(
      uids.map((uid) => this.log.get(uid)!),
      strategy,
    );
    this.markStarted(started);
    return started;
  }

  /**
   * Puts tasks that a dead process left in `processing` back to `enqueued` and drops their batch. `changed`: unfinished
   * tasks with new deaths. Returns the number of changed tasks; one transaction. Only before the writer starts. A batch
   * that the engine had committed runs again: its operations are idempotent.
   */
  recover(changed: ReadonlyMap<number, TaskDeaths> = new Map()): number {
    const uids = [...new Set([...this.log.uids({ statuses: ['processing'] }), ...changed.keys()])];
    if (uids.length > 0) this.requeue(uids, changed);
    return uids.length;
  }

  /** Puts these tasks back, with their new deaths (of some of them), and drops their batch, in one transaction. */
  requeue(uids: readonly number[], changed: ReadonlyMap<number, TaskDeaths> = new Map()): void {
    const batches = new Set<number>();
    for (const uid of uids) {
      const batchUid = this.log.get(uid)?.batchUid ?? null;
      if (batchUid !== null) batches.add(batchUid);
    }
    const change = { status: 'enqueued', batchUid: null, startedAt: null } as const;
    const unchanged = uids.filter((uid) => !changed.has(uid));
    const dying = [...changed].map(
      ([uid, deaths]): LogOperation => ({ kind: 'changeTasks', uids: [uid], change: { ...change, deaths } }),
    );
    this.log.change([
      { kind: 'deleteBatches', uids: [...batches] },
      { kind: 'changeTasks', uids: unchanged, change },
      ...dying,
    ]);
  }
}
