import { INSTANCE_STORE, IndexFollower } from '@fossick/index/following';
import type { DatabaseFolders } from '@fossick/instance';
import { type ChangeSet, openLmdbStore, type Snapshot, type Store } from '@fossick/storage';
import { decodeTaskRecord, openTaskLog, type Task, type TaskLog, type TaskLogRecord } from '@fossick/tasks';
import { hasReached, type Place, placeOf, putPlace } from '../records/place.js';
import { applyValues, decodeValuesRecord } from '../records/values-record.js';

/** A record of one of the stores `tasks` and `auth`. */
export interface StoreRecord {
  readonly name: string;
  readonly body: Uint8Array;
  readonly opId: string;
}

/** What records have done, regardless of who appended them. */
export interface RecordResults {
  /** The tasks that a record registered. */
  onTasks(opId: string, tasks: readonly Task[]): void;
  /** Whether a record of values had an effect, and its changes. */
  onValues(opId: string, isDone: boolean, changes: ChangeSet): void;
}

export interface NodeStoresOptions {
  readonly folders: DatabaseFolders;
  readonly summaryMarks?: SharedArrayBuffer;
  readonly results: RecordResults;
}

/**
 * The stores of a node that follow its log. Nobody else writes `tasks` and `auth`; indexes and their list are written by
 * the writer's thread while this node leads.
 */
export class NodeStores {
  readonly indexes: IndexFollower;
  readonly tasks: TaskLog;
  private readonly results: RecordResults;
  private readonly taskStore: Store;
  private readonly authStore: Store;

  constructor({ folders, summaryMarks, results }: NodeStoresOptions) {
    this.results = results;
    const marks = summaryMarks === undefined ? {} : { summaryMarks };
    this.indexes = new IndexFollower({ rootFolder: folders.dbPath, ...marks });
    this.taskStore = openLmdbStore({ folder: folders.taskFolder });
    this.authStore = openLmdbStore({ folder: folders.authFolder });
    this.tasks = openTaskLog(this.taskStore, { payloadFolder: folders.payloadFolder });
  }

  /** All records of one entry. One transaction. */
  applyTasks(records: readonly StoreRecord[], place: Place): void {
    if (hasReached(placeOf(this.taskStore), place)) return;
    const decoded = records.map(({ name, body }) => decodeTaskRecord(name as TaskLogRecord['kind'], body));
    const registered = this.tasks.apply(decoded, { durability: 'later', also: (txn) => putPlace(txn, place) });
    for (const [at, { opId }] of records.entries()) this.results.onTasks(opId, registered[at]!);
  }

  /** All records of one entry. One transaction. */
  applyValues(records: readonly StoreRecord[], place: Place): void {
    if (hasReached(placeOf(this.authStore), place)) return;
    const decoded = records.map(({ body }) => decodeValuesRecord(body));
    const done = applyValues(this.authStore, decoded, { durability: 'later', also: (txn) => putPlace(txn, place) });
    for (const [at, { opId }] of records.entries()) this.results.onValues(opId, done[at]!, decoded[at]!.changes);
  }

  /** Names of all stores. */
  names(): string[] {
    return ['tasks', 'auth', INSTANCE_STORE, ...this.indexes.allFolders()];
  }

  /** How much of the log a store contains. */
  placeOf(name: string): Place {
    return placeOf(this.storeOf(name));
  }

  /** Every store contains the log up to this place from now on: they become the beginning of a log. */
  beginAt(place: Place): void {
    for (const name of this.names()) this.storeOf(name)?.transaction((txn) => putPlace(txn, place));
  }

  /** Runs `work` over one commit of a store, however long it takes; undefined when there is no such store any more. */
  async read<T>(name: string, work: (snapshot: Snapshot) => Promise<T>): Promise<T | undefined> {
    if (name === 'tasks') return await this.taskStore.snapshot(work);
    return name === 'auth' ? await this.authStore.snapshot(work) : await this.indexes.read(name, work);
  }

  /** Resolves when every commit before the call survives a power cut. */
  async flush(): Promise<void> {
    await Promise.all([this.indexes.flush(), this.taskStore.flush(), this.authStore.flush()]);
  }

  private storeOf(name: string): Store | undefined {
    if (name === 'tasks') return this.taskStore;
    return name === 'auth' ? this.authStore : this.indexes.store(name);
  }

  async close(): Promise<void> {
    await this.indexes.close();
    await this.taskStore.close();
    await this.authStore.close();
  }
}
