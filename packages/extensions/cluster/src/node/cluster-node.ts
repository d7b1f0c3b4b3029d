import { randomUUID } from 'node:crypto';
import { type ApiError, apiError } from '@fossick/base';
import type { DatabaseFolders } from '@fossick/instance';
import type { ObjectStore } from '@fossick/objects';
import {
  type Appended,
  type CommitLog,
  DamagedLogError,
  type DataRecord,
  LogState,
  type MonotonicClock,
  type NodeInfo,
  Replica,
  type ReplicaTiming,
  type Role,
  type SavedLogState,
  WithdrawnError,
} from '@fossick/replication';
import type { ChangeSet } from '@fossick/storage';
import { type NewTask, openLogReserve } from '@fossick/tasks';
import { ContactLog } from '../logs/contact-log.js';
import { LogWatch } from '../logs/log-watch.js';
import { PayloadObjects } from '../objects/payload-objects.js';
import { LargeBodies, LostBodyError } from '../records/large-bodies.js';
import { type AppliedEntry, Applier } from './applier.js';
import { FullDisk } from './full-disk.js';
import { NodeStores } from './node-stores.js';
import { PositionWaits } from './position-waits.js';
import { RecordOutcomes } from './record-outcomes.js';
import { SavedLog } from './saved-log.js';
import { TaskRecords } from './task-records.js';
import { type OpenCommit, WriterBridge } from './writer-bridge.js';

/** How long a request waits for the log, in milliseconds. */
const APPEND_WAIT_MS = 10_000;
/** Between two flushes of all stores, in milliseconds: entries of this time are read again after a power cut. */
const FLUSH_MS = 5_000;

export interface ClusterNodeOptions {
  readonly folders: DatabaseFolders;
  /** Of the node's own state; it becomes a store. */
  readonly stateFolder: string;
  readonly summaryMarks?: SharedArrayBuffer;
  readonly log: CommitLog;
  readonly logName: string;
  readonly objects: ObjectStore;
  /** Longer bodies of records go into objects. */
  readonly inlineBytesMax: number;
  readonly node: NodeInfo;
  /** The last format of the log that this node reads and writes; that of the release when absent. */
  readonly lastFormat?: number;
  readonly mayLead: boolean;
  readonly timing?: Partial<ReplicaTiming>;
  readonly clock: MonotonicClock;
  /** Whether another node may run tasks that this one has no space for; true when absent. */
  readonly hasOthers?: () => boolean;
  /** Resolves when the nodes in contact have applied the log up to a position; at once when absent. */
  readonly visible?: (position: number) => Promise<void>;
  /** Called after each applied entry, in order. */
  readonly onApplied?: (entry: AppliedEntry) => void;
  /** Called with each change of values that was applied. */
  readonly onValues?: (changes: ChangeSet) => void;
  readonly onRole?: (role: Role) => void;
  /** The node follows the log no longer. */
  readonly onFailure?: (error: unknown) => void;
  /** Whether the store of objects is that of the cluster, asked while this node leads; always when absent. */
  readonly isOurs?: () => Promise<boolean>;
  /** The log of this leader lacks what it had, with the reason, or has it again, with null. */
  readonly onLost?: (reason: string | null) => void;
  /** The disk takes nothing, with the reason, or everything again, with null. */
  readonly onDisk?: (reason: string | null) => void;
  /** An error that stops nothing. */
  readonly onFault?: (error: unknown) => void;
}

/** Why a request ends before its record is in the log. */
type GiveUpReason = 'away' | 'full' | 'refused';

/** A node of a cluster without its HTTP: its stores follow the log, and its writer leads when the log says so. */
export class ClusterNode {
  private readonly options: ClusterNodeOptions;
  readonly contact: ContactLog;
  private readonly bodies: LargeBodies;
  private readonly payloads: PayloadObjects;
  private readonly outcomes: RecordOutcomes;
  private readonly stores: NodeStores;
  private readonly saved: SavedLog;
  private readonly state: LogState;
  private readonly applier: Applier;
  private readonly disk: FullDisk;
  private readonly replica: Replica;
  private readonly taskRecords: TaskRecords;
  private bridge: WriterBridge | undefined;
  /** Each ends the wait of a request for its record. */
  private readonly giveUps = new Set<(reason: GiveUpReason) => void>();
  /** The state after the last applied entry. */
  private applied: Omit<SavedLogState, 'operations'>;
  private readonly waits: PositionWaits;
  private flushTimer: Disposable | undefined;
  private flushed: number;
  private failure: unknown;
  private isClosing = false;
  /** The work of `readStores`. */
  private reading: Promise<unknown> = Promise.resolve();

  constructor(options: ClusterNodeOptions) {
    const { log, logName, objects, clock, inlineBytesMax, folders, summaryMarks, node, mayLead, timing } = options;
    this.options = options;
    this.outcomes = new RecordOutcomes((changes) => options.onValues?.(changes));
    const watch = new LogWatch({
      log,
      position: () => this.position,
      isLeading: () => this.role.kind === 'leader',
      isOurs: async () => (await options.isOurs?.()) ?? true,
      onChange: (reason) => options.onLost?.(reason),
    });
    this.contact = new ContactLog(log, clock, watch);
    this.waits = new PositionWaits(clock);
    this.bodies = new LargeBodies({ objects, logName, inlineBytesMax });
    this.payloads = new PayloadObjects(objects);
    // the first one: a folder without it is none of a node
    this.saved = new SavedLog(options.stateFolder);
    const marks = summaryMarks === undefined ? {} : { summaryMarks };
    this.stores = new NodeStores({ folders, results: this.outcomes, ...marks });
    this.state = new LogState({ logName, saved: this.saved.read(), lastFormat: options.lastFormat });
    this.applied = stateOf(this.state);
    this.flushed = this.state.position;
    const { stores, bodies } = this;
    this.applier = new Applier({
      stores,
      bodies,
      bridge: () => this.bridge,
      isEnding: () => this.isClosing,
      pause: (delayMs) => new Promise((resolve) => void clock.after(delayMs, resolve)),
    });
    const reserve = openLogReserve(folders.taskFolder);
    reserve.restore();
    this.disk = new FullDisk({
      clock,
      reserve,
      onStuck: () => this.giveUp('full'),
      isEnding: () => this.isClosing,
      onChange: (reason) => {
        this.contact.isMute = reason !== null;
        options.onDisk?.(reason);
      },
      probe: () => this.persist(),
    });
    this.taskRecords = new TaskRecords(stores.tasks, this.payloads);
    this.replica = new Replica({
      log: this.contact,
      state: this.state,
      clock,
      node,
      apply: (entry) => this.apply(entry),
      onRole: (role) => {
        watch.end();
        options.onRole?.(role);
      },
      onRefused: () => this.giveUp('refused'),
      onFailure: (error) => this.fail(error),
      mayLead,
      ...(timing === undefined ? {} : { timing }),
      newEntryId: randomUUID,
      random: Math.random,
    });
  }

  /** The last applied position. */
  get position(): number {
    return this.applied.position;
  }

  get role(): Role {
    return this.replica.role;
  }

  start(): void {
    this.replica.start();
    this.flushLater();
  }

  /** The uids of new tasks, numbered in this order. Reasons of refusals: see TaskGateway. */
  async enqueue(entries: readonly NewTask[]): Promise<PromiseSettledResult<number>[]> {
    const settled: PromiseSettledResult<number>[] = [];
    const appends = (await this.taskRecords.make(entries)).map(async (made) => {
      if ('refusals' in made) return made.refusals.map((reason) => ({ status: 'rejected', reason }) as const);
      const { count, body } = made;
      try {
        const uids = await this.appendFor('tasks', body, () => this.outcomes.tasks);
        return uids.map((value) => ({ status: 'fulfilled', value }) as const);
      } catch (reason) {
        return Array.from({ length: count }, () => ({ status: 'rejected', reason }) as const);
      }
    });
    for (const results of await Promise.all(appends)) settled.push(...results);
    return settled;
  }

  /** Appends an encoded record of values, of any node or of an epoch; whether it had an effect. */
  commitValues(body: Uint8Array, epoch: number | null = null): Promise<boolean> {
    return this.appendFor('values', body, () => this.outcomes.values, epoch);
  }

  /** Resolves with the position once everything is applied that was in the log at the time of the call. */
  async barrier(): Promise<number> {
    if (this.failure !== undefined) throw this.failure;
    return this.replica.barrier();
  }

  /** Whether the position is applied within a time. */
  async reaches(position: number, withinMs: number): Promise<boolean> {
    if (this.position >= position) return true;
    this.contact.hint();
    return this.waits.within(position, withinMs);
  }

  /** A bridge for the writer of an epoch that this node leads. `onFence`: ends its waits when the epoch has ended. */
  openBridge(epoch: number, onFence: () => void = () => undefined): WriterBridge {
    const node = {
      append: (record: DataRecord) => this.append(record),
      yieldsWork: async (uids: readonly number[], reason: string) =>
        this.options.hasOthers?.() !== false && this.disk.yieldsWork(uids, reason),
      redo: (commit: OpenCommit) => this.disk.outlived(() => this.applier.redo(commit)),
      onSettled: () => void this.disk.outlived(async () => this.persist()).catch(this.options.onFault),
      visible: async (position: number) => this.options.visible?.(position),
      fetch: (key: string, file: string) => this.payloads.fetch(key, file),
      enqueue: (entries: readonly NewTask[]) => this.enqueue(entries),
      commitValues: (body: Uint8Array, own: number) => this.commitValues(body, own),
      drop: (keys: readonly string[]) => this.payloads.release(this.options.logName, this.position, keys),
    };
    // a new writer is started when the one before has ended
    this.bridge = new WriterBridge(node, epoch, onFence, this.bridge?.ended());
    return this.bridge;
  }

  /** From now on the folder of this node belongs to the cluster. */
  claim(clusterId: string): void {
    this.saved.claim(clusterId);
  }

  /** Bytes of entries and of their bodies that have come by since the start. */
  get loggedBytes(): number {
    return this.contact.bytes + this.bodies.bytes;
  }

  /**
   * Runs `work`, which begins at once, while all stores have everything up to `state`; null when this is no moment for it,
   * because something is being applied or committed. Entries may be applied before it ends.
   */
  async readStores<T>(work: (stores: NodeStores, state: SavedLogState) => Promise<T>): Promise<T | null> {
    await this.applier.idle();
    const isQuiet = this.state.position === this.applied.position && this.bridge?.isOpen !== true;
    if (!isQuiet || this.isClosing || this.failure !== undefined) return null;
    const result = work(this.stores, this.state.save());
    this.reading = result.catch(() => undefined);
    return result;
  }

  /** The leader: entries from here on have a format, which all nodes must be able to read; whether it is a new one. */
  raiseFormat(format: number): Promise<boolean> {
    return this.replica.raiseFormat(format);
  }

  /** Leads no longer. Resolves when the log says so. */
  async resign(): Promise<void> {
    await this.replica.resign();
  }

  /** Ends as a death of the process would: what has not been written is lost. For tests. */
  kill(): void {
    this.isClosing = true;
    this.flushTimer?.[Symbol.dispose]();
    this.disk.endYield();
    this.replica.stop();
  }

  async close(): Promise<void> {
    if (this.isClosing) return;
    this.kill();
    await this.applier.idle();
    await this.reading;
    await this.bridge?.ended();
    await this.flush();
    await this.contact.close();
    await this.stores.close();
    await this.saved.close();
  }

  private async apply(entry: Parameters<Applier['apply']>[0]): Promise<void> {
    const applied = await this.disk.outlived(() => this.applier.apply(entry));
    this.saved.note(entry);
    this.applied = stateOf(this.state);
    await this.disk.outlived(async () => this.persist());
    this.waits.settle(entry.position);
    this.options.onApplied?.(applied);
  }

  /** Writes where the node is, unless a commit of its writer is on its way. */
  private persist(): void {
    if (this.bridge?.isOpen !== true) this.saved.write(this.applied);
  }

  private async append(record: DataRecord): Promise<Appended> {
    if (this.failure !== undefined) throw this.failure;
    const { name, body } = await this.bodies.stored(record, this.position);
    return this.replica.append({ ...record, name, body });
  }

  /** Appends a record for a request, and resolves with what it has done. Rejects with ApiErrors of the log. */
  private async appendFor<T>(
    name: string,
    body: Uint8Array,
    of: () => Map<string, T | undefined>,
    epoch: number | null = null,
  ): Promise<T> {
    if (this.failure !== undefined) throw this.failure;
    if (this.disk.reason !== null) throw apiError('cluster_log_unavailable', 'full');
    if (this.contact.isLost) throw apiError('cluster_log_unavailable', 'away');
    if (this.contact.awayMs > APPEND_WAIT_MS) throw apiError('cluster_log_unavailable', 'away');
    const opId = randomUUID();
    of().set(opId, undefined);
    try {
      const stored = await this.bodies.stored({ name, body }, this.position);
      await this.appendWithin({ kind: 'data', opId, epoch, ...stored });
      const outcome = of().get(opId);
      if (outcome === undefined) throw new Error(`a record ${name} was applied without a result`);
      return outcome;
    } finally {
      of().delete(opId);
    }
  }

  private async appendWithin(record: DataRecord): Promise<void> {
    let because: GiveUpReason = 'away';
    let giveUp = (_: GiveUpReason): void => undefined;
    const late = new Promise<never>((_, reject) => {
      giveUp = (reason) => {
        because = reason;
        // one that has not been sent is taken back; of another one nobody can tell
        if (!this.replica.withdraw(record)) reject(apiError('cluster_log_unavailable', 'unknown'));
      };
    });
    this.giveUps.add(giveUp);
    const timer = this.options.clock.after(APPEND_WAIT_MS, () => giveUp('away'));
    try {
      await Promise.race([this.replica.append(record), late]);
    } catch (error) {
      if (error instanceof WithdrawnError) throw apiError('cluster_log_unavailable', because);
      throw this.failure ?? error;
    } finally {
      timer[Symbol.dispose]();
      this.giveUps.delete(giveUp);
    }
  }

  /** No request waits any longer. What the writer has for the log waits on. */
  private giveUp(reason: GiveUpReason): void {
    for (const giveUp of this.giveUps) giveUp(reason);
  }

  private fail(error: unknown): void {
    this.failure = refusalOf(error);
    this.options.onFailure?.(error);
  }

  private flushLater(): void {
    if (this.isClosing) return;
    this.flushTimer = this.options.clock.after(FLUSH_MS, () => {
      this.flush()
        .catch((error: unknown) => this.options.onFault?.(error))
        .finally(() => this.flushLater());
    });
  }

  private async flush(): Promise<void> {
    const { position } = this;
    if (position === this.flushed || this.bridge?.isOpen === true) return;
    const state = this.saved.last();
    await this.stores.flush();
    this.saved.noteFlush(state);
    this.flushed = position;
  }
}

/** How requests are refused after the node has ended with an error. */
function refusalOf(error: unknown): ApiError {
  const reason = error instanceof Error ? error.message : String(error);
  if (error instanceof DamagedLogError || error instanceof LostBodyError)
    return apiError('cluster_log_damaged', reason);
  return Object.assign(apiError('cluster_log_unavailable', 'failed', reason), { cause: error });
}

function stateOf({ position, hash, epoch, leader, format }: LogState): Omit<SavedLogState, 'operations'> {
  return { position, hash, epoch, leader, format };
}
