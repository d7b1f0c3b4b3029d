import { apiError } from '@fossick/base';
import { type Durability, type Store, type Table, u32Key, type WriteTransaction } from '@fossick/storage';
import { payloadOf, type TaskContent, type TaskSelection } from '../task/content.js';
import { unpackedBatch } from '../task/long-contents.js';
import type { Batch, Task } from '../task/task.js';
import type { TaskKind } from '../task/task-kind.js';
import { type Clock, systemClock } from './clock.js';
import { type TaskFilters, TaskFinder } from './filters.js';
import { ALL_BATCHES, ATTEMPT_KEY, errorKey, packr, tableNames } from './layout.js';
import type { LogReserve } from './log-reserve.js';
import { LogWrites, readCounter, unpackedTask } from './log-writes.js';
import type { EnqueueExtras, NewTask } from './new-task.js';
import type { ApplyOptions, TaskChanger } from './port.js';
import type { AttemptNote, LogOperation, PayloadSource, TaskLogRecord, TasksRecord } from './records.js';
import { RunningBatches } from './running-batches.js';
import type { UidSet } from './uid-set.js';

/** The most bytes of the log. */
export const LOG_BYTES_MAX = 20 * 2 ** 30;
/** Share of it above which nothing is registered: deleting tasks needs free space too. */
export const LOG_FULL_SHARE = 0.4;

export interface PageOptions {
  readonly limit: number;
  /** Uid of the first result, inclusive; the newest (oldest when reversed) when absent. */
  readonly from?: number;
  /** Ascending instead of descending uids. */
  readonly reverse?: boolean;
}
export interface Page<T> {
  readonly results: readonly T[];
  readonly total: number;
  readonly limit: number;
  readonly from: number | null;
  readonly next: number | null;
}
export interface TaskLogOptions {
  readonly clock?: Clock;
  /** The most bytes of the log; LOG_BYTES_MAX when absent. */
  readonly bytesMax?: number;
  /**
   * Tasks store only the name of their payload file, which is in this folder, wherever that was moved to; null leaves
   * names as they are.
   */
  readonly payloadFolder?: string | null;
  /** Kinds of tasks of extensions. */
  readonly kinds?: readonly TaskKind[];
  /** How operations get to the store, where the log is shared; they are applied at once when absent. */
  readonly changer?: TaskChanger;
  /** What the log gets when the disk is full. */
  readonly reserve?: LogReserve;
}

/** The durable list of past and future tasks. It has no state of its own: any number may be open on one store. */
export class TaskLog {
  private readonly store: Store;
  private readonly clock: Clock;
  private readonly bytesMax: number;
  private readonly payloadFolder: string | null;
  private readonly changer: TaskChanger | undefined;
  readonly reserve: LogReserve | undefined;
  /** Kinds of tasks of extensions. */
  readonly kinds: readonly TaskKind[];
  readonly finder: TaskFinder;
  /** Starts batches and puts their tasks back. */
  readonly batches: RunningBatches;
  private isSealed = false;

  constructor(store: Store, options: TaskLogOptions) {
    const { clock = systemClock, bytesMax, payloadFolder, kinds = [], changer, reserve } = options;
    this.store = store;
    this.clock = clock;
    this.bytesMax = bytesMax ?? LOG_BYTES_MAX;
    this.payloadFolder = payloadFolder ?? null;
    this.changer = changer;
    this.reserve = reserve;
    this.kinds = kinds;
    this.finder = new TaskFinder(store);
    this.batches = new RunningBatches(this, clock);
  }

  /**
   * Appends a task; durable when it returns. O(1): one transaction of about ten pages. Throws ApiError
   * no_space_left_on_device when the log is full, except for tasks that free space.
   */
  enqueue(content: TaskContent, extras: EnqueueExtras = {}): Task {
    return this.enqueueAll([{ content, extras }])[0]!;
  }

  /**
   * The same for several tasks, in the order given: all of them, or none if it throws. One transaction. With durability
   * `later` the scheduler sees the tasks when it returns, and they are durable once `flush` resolves.
   */
  enqueueAll(entries: readonly NewTask[], durability: Durability = 'now'): readonly Task[] {
    this.checkAccepts(entries);
    return this.apply([this.record(entries)], { durability })[0]!;
  }

  /** The record of new tasks, which are requested now. */
  record(entries: readonly NewTask[]): TasksRecord {
    return { kind: 'tasks', entries: entries.map((entry) => ({ enqueuedAt: this.clock.now(), ...entry })) };
  }

  /**
   * Throws ApiError when tasks cannot be registered: no_space_left_on_device when the log is full, except for tasks that
   * free space; invalid_state when it is sealed.
   */
  checkAccepts(entries: readonly NewTask[]): void {
    this.checkOpen();
    if (entries.every(({ content }) => freesSpace(content))) return;
    const freesDisk = entries.every(({ content }) => freesDiskSpace(content));
    if (!freesDisk && this.reserve?.restore() === false) throw apiError('no_space_left_on_device', 'disk');
    this.checkSpace();
  }

  /**
   * Applies records in one transaction, and returns the tasks that each registered. Two stores with equal rows have equal
   * rows afterwards: the numbers of tasks, and the times that depend on the task before, come from the rows. Throws
   * ApiError invalid_state when the log is sealed.
   */
  apply(records: readonly TaskLogRecord[], { durability = 'now', also }: ApplyOptions = {}): (readonly Task[])[] {
    this.checkOpen();
    return this.store.transaction((txn) => {
      const writes = new LogWrites(txn, this.finder, this.payloadFolder);
      const registered = records.map((record) => {
        if (record.kind === 'tasks') return record.entries.map((entry) => writes.addTask(entry));
        for (const operation of record.operations) writes.apply(operation);
        return [];
      });
      writes.flush();
      also?.(txn);
      return registered;
    }, durability);
  }

  /**
   * Changes tasks and batches, in one transaction: through the `changer` of the options where there is one. Only for the
   * single writer.
   */
  change(operations: readonly LogOperation[], durability: Durability = 'now'): void {
    this.checkOpen();
    if (this.changer === undefined) this.apply([{ kind: 'task-changes', operations }], { durability });
    else this.changer(operations, durability);
  }

  /** Resolves once every earlier write is durable. */
  flush(): Promise<void> {
    return this.store.flush();
  }

  /** The content of a cancelation or deletion of all tasks that match now. */
  selection(type: TaskSelection['type'], filters: TaskFilters, originalFilter: string): TaskSelection {
    return { type, taskUids: this.uids(filters), originalFilter };
  }

  get(uid: number): Task | undefined {
    const row = this.row(tableNames.tasks, uid);
    return row && unpackedTask(row, this.payloadFolder);
  }

  getBatch(uid: number): Batch | undefined {
    const row = this.row(tableNames.batches, uid);
    return row && unpackedBatch(packr.unpack(row) as Batch);
  }

  /** The stored pages of the errors of a task's skipped documents; none for most tasks. */
  errorPages(uid: number): readonly Uint8Array[] {
    return [...errorPagesIn(this.store.table(tableNames.errors), uid)];
  }

  /** Where to get the payload of a task that came with its record; undefined when it is only in its file. */
  payloadSource(uid: number): PayloadSource | undefined {
    if (this.get(uid)?.payloadInLog !== true) return undefined;
    const row = this.row(tableNames.payloads, uid);
    return row && (packr.unpack(row) as PayloadSource);
  }

  /**
   * Notes where other nodes get the payloads of unfinished tasks, by uid, which so far are only in their files. One
   * transaction.
   */
  notePayloads(sources: ReadonlyMap<number, PayloadSource>): void {
    const uids = [...sources.keys()];
    const operations: LogOperation[] = [{ kind: 'changeTasks', uids, change: { payloadInLog: true } }];
    const also = (txn: WriteTransaction): void => {
      for (const [uid, source] of sources) txn.put(tableNames.payloads, u32Key(uid), packr.pack(source));
    };
    this.apply([{ kind: 'task-changes', operations }], { also });
  }

  /** What was running or waiting at the last `noteAttempt`. */
  attempt(): AttemptNote | undefined {
    const row = this.store.table(tableNames.meta).get(ATTEMPT_KEY);
    return row && (packr.unpack(row) as AttemptNote);
  }

  /** Number of matching tasks. */
  count(filters: TaskFilters): number {
    return this.finder.find(filters).count();
  }

  /** Number of tasks ever registered, an upper bound for the number of tasks. One row read. */
  taskCountMax(): number {
    return readCounter(this.store.table(tableNames.meta), 'next-task');
  }

  /** Number of the next batch. One row read. */
  nextBatchUid(): number {
    return readCounter(this.store.table(tableNames.meta), 'next-batch');
  }

  /** Uids of matching tasks, ascending. */
  uids(filters: TaskFilters): number[] {
    return [...this.finder.find(filters).uids()];
  }

  list(filters: TaskFilters, page: PageOptions): Page<Task> {
    return this.page(this.finder.find(filters), page, (uid) => this.get(uid));
  }

  /** The same, but only uids: tasks may be large, so a caller that shows many reads them one by one. */
  listUids(filters: TaskFilters, page: PageOptions): Page<number> {
    return this.page(this.finder.find(filters), page, (uid) => uid);
  }

  /** Batches with at least one matching task; `uids` of the filters are task uids. */
  listBatches(filters: TaskFilters, page: PageOptions): Page<Batch> {
    return this.page(this.batchesWith(filters), page, (uid) => this.getBatch(uid));
  }

  /** The same, but only uids. */
  listBatchUids(filters: TaskFilters, page: PageOptions): Page<number> {
    return this.page(this.batchesWith(filters), page, (uid) => uid);
  }

  /** Tasks of one type or status, ascending; read lazily. */
  *tasks(filters: TaskFilters): Generator<Task> {
    for (const uid of this.finder.find(filters).uids()) {
      const task = this.get(uid);
      if (task !== undefined) yield task;
    }
  }

  /** Payload files of unfinished tasks; any other payload file was left by a crash. */
  livePayloadFiles(): Set<string> {
    const files = new Set<string>();
    for (const task of this.tasks({ statuses: ['enqueued', 'processing'] })) {
      const payload = payloadOf(task.content);
      if (payload !== undefined) files.add(payload.payloadFile);
    }
    return files;
  }

  /** From now on every write through this log throws ApiError invalid_state. */
  seal(): void {
    this.isSealed = true;
  }

  private checkOpen(): void {
    if (this.isSealed) throw apiError('invalid_state');
  }

  private checkSpace(): void {
    const { usedBytes } = this.store.size();
    if (usedBytes <= this.bytesMax * LOG_FULL_SHARE) return;
    throw apiError('no_space_left_on_device', 'queue', usedBytes);
  }

  private batchesWith(filters: TaskFilters): UidSet {
    const all = this.finder.set(ALL_BATCHES);
    const isUnfiltered = Object.values(filters).every((value) => value === undefined);
    return isUnfiltered ? all : this.finder.batchUidsOf(this.finder.find(filters)).intersect(all);
  }

  private row(table: string, uid: number): Uint8Array | undefined {
    if (!Number.isInteger(uid) || uid < 0 || uid > 0xffff_ffff) return undefined;
    return this.store.table(table).get(u32Key(uid));
  }

  private page<T>(found: UidSet, options: PageOptions, load: (uid: number) => T | undefined): Page<T> {
    const isAscending = options.reverse === true;
    const { limit, from } = options;
    const results: T[] = [];
    let first: number | null = null;
    let next: number | null = null;
    for (const uid of found.uids(!isAscending, from)) {
      if (results.length === limit) {
        next = uid;
        break;
      }
      const item = load(uid);
      if (item === undefined) continue; // another thread deleted it since the set was read
      first ??= uid;
      results.push(item);
    }
    return { results, total: found.count(), limit, from: first, next };
  }
}

function* errorPagesIn(errors: Pick<Table, 'get'>, uid: number): Generator<Uint8Array> {
  for (let page = 0; ; page += 1) {
    const bytes = errors.get(errorKey(uid, page));
    if (bytes === undefined) return;
    yield bytes;
  }
}

/** Whether a task is accepted and tried on a full disk. */
export function freesDiskSpace(content: TaskContent): boolean {
  const { type } = content;
  return freesSpace(content) || type === 'indexDeletion' || type === 'documentDeletion' || type === 'indexCompaction';
}

function freesSpace(content: TaskContent): boolean {
  const isSelection = content.type === 'taskCancelation' || content.type === 'taskDeletion';
  return isSelection && content.taskUids.length > 0;
}

/** Opens the log of a store. Cheap: everything is read on demand. */
export function openTaskLog(store: Store, options: TaskLogOptions = {}): TaskLog {
  return new TaskLog(store, options);
}
