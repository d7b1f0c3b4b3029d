import { encodeEntry, hashOfEntry } from '../entries/entry-codec.js';
import type { DataRecord, LogRecord, NodeInfo } from '../entries/records.js';
import { DamagedLogError, isFinal, OutcomeUnknownError, ReplicaEndedError, TrimmedError } from '../log-errors.js';
import type { AppendOutcome, CommitLog, MonotonicClock, StoredEntry } from '../port.js';
import { Election, type ElectionTiming } from './election.js';
import type { AcceptedEntry, LogState } from './log-state.js';
import { type Appended, type Group, settle, WaitingRecords } from './waiting-records.js';

/** Bytes of entries read at a time, each of which may be as large as an entry. */
const READ_BYTES = 4 << 20;

export interface ReplicaTiming extends ElectionTiming {
  /** Between two looks at the end of the log when nothing announces more. */
  readonly pollMs: number;
  /** Records wait this long for others to share their entry. */
  readonly lingerMs: number;
  /** Between two attempts while the log does not answer: twice as long each time, up to `retryMsMax`. */
  readonly retryMs: number;
  readonly retryMsMax: number;
}

export const REPLICA_TIMING: ReplicaTiming = {
  beatMs: 2_000,
  silenceMs: 6_000,
  spreadMs: 1_000,
  vacancySpreadMs: 150,
  pollMs: 1_000,
  lingerMs: 0,
  retryMs: 50,
  retryMsMax: 1_000,
};

/** `epoch`: the current one of the log; 0 before the first leader. */
export interface Role {
  readonly kind: 'leader' | 'follower';
  readonly epoch: number;
  readonly leader: NodeInfo | null;
}

export interface ReplicaOptions {
  readonly log: CommitLog;
  /** At the position of this node's disk. It belongs to the replica from now on. */
  readonly state: LogState;
  readonly clock: MonotonicClock;
  readonly node: NodeInfo;
  /**
   * Called with each entry, in order, one at a time. Records with another effect than `applied` must be ignored. A
   * rejection ends the replica: the entry after that cannot be applied.
   */
  readonly apply: (entry: AcceptedEntry) => void | Promise<void>;
  /** Called after the entry that changed the leader was applied. */
  readonly onRole?: (role: Role) => void;
  /**
   * Called each time that the log took nothing. The records wait on, and may be withdrawn, unless an attempt before has an
   * unknown outcome.
   */
  readonly onRefused?: () => void;
  /** Called once when the replica has ended by itself: TrimmedError, DamagedLogError, NewerFormatError, or the error of `apply`. */
  readonly onFailure?: (error: unknown) => void;
  /** Whether this node tries to lead; true when absent. */
  readonly mayLead?: boolean;
  readonly timing?: Partial<ReplicaTiming>;
  /** Ids of entries: no two of any node are the same. */
  readonly newEntryId: () => string;
  /** From 0 to below 1; only for liveness. */
  readonly random: () => number;
}

/**
 * One node's part in one log: follows it, appends to it, and leads when the log says so. What the node has applied is
 * always a prefix of the log: an entry is appended first and applied afterwards. Any number of replicas, of one log each,
 * may run in a process.
 */
export class Replica {
  private readonly options: ReplicaOptions;
  private readonly timing: ReplicaTiming;
  private readonly state: LogState;
  private readonly election: Election;
  private readonly waiting = new WaitingRecords();
  /** The group whose entry may be in the log already. */
  private inFlight: { readonly id: string; readonly group: Group } | undefined;
  private barriers: { readonly resolve: (position: number) => void; readonly reject: (error: unknown) => void }[] = [];
  private applied: number;
  private watching: Disposable | undefined;
  /** Whether there may be more in the log. */
  private isReadDue = true;
  /** Whether the log may have been rewound since it was asked for the last applied entry. */
  private isLastDue: boolean;
  /** Ends the present wait, if it is one for something to do. */
  private wake: () => void = () => undefined;
  /** Ends the present wait. */
  private interrupt: () => void = () => undefined;
  private end: { readonly error: unknown } | undefined;

  constructor(options: ReplicaOptions) {
    const { log, state, clock, node, random, mayLead = true } = options;
    this.options = options;
    this.timing = { ...REPLICA_TIMING, ...options.timing };
    this.state = state;
    this.applied = state.position;
    this.isLastDue = state.position > 0;
    const stand = (record: LogRecord): Promise<Appended> => this.add(record);
    this.election = new Election({ log, state, clock, node, timing: this.timing, random, stand }, mayLead);
  }

  /** The last applied position. */
  get position(): number {
    return this.applied;
  }

  get role(): Role {
    const { epoch, leader } = this.state;
    return { kind: leader?.id === this.options.node.id ? 'leader' : 'follower', epoch, leader };
  }

  start(): void {
    this.watching = this.options.log.watch(this.applied + 1, () => {
      this.isReadDue = true;
      this.wake();
    });
    this.election.start();
    void this.run();
  }

  /**
   * Resolves when the record is in the log and applied here; records are appended in the order of the calls, unless
   * others come between. Rejects with FencedError when its epoch has ended and with ReplicaEndedError: then it has no
   * effect. Rejects with OutcomeUnknownError when it may have one. Throws RangeError when it is too large.
   */
  append(record: DataRecord): Promise<Appended> {
    return this.add(record);
  }

  /**
   * Takes back a record of `append`, the same object: true when it has not been sent and never will be, and its promise
   * rejects with WithdrawnError. False when it may be in the log.
   */
  withdraw(record: DataRecord): boolean {
    return this.waiting.withdraw(record);
  }

  /** Resolves with the position once everything is applied that was in the log at the time of the call. */
  async barrier(): Promise<number> {
    if (this.end !== undefined) throw new ReplicaEndedError(this.end.error);
    return new Promise((resolve, reject) => {
      this.barriers.push({ resolve, reject });
      this.wake();
    });
  }

  /** Leads no longer, and never again. Rejects like `append`. */
  async resign(): Promise<void> {
    this.election.withdraw();
    if (this.role.kind === 'leader') await this.add({ kind: 'resign', epoch: this.state.epoch });
  }

  /** Entries from here on have this format, which all nodes must be able to read; whether it is a new one. Rejects like `append`. */
  async raiseFormat(format: number): Promise<boolean> {
    const isNew = format > this.state.format;
    if (isNew) await this.add({ kind: 'format', epoch: this.state.epoch, format });
    return isNew;
  }

  /** Ends without resigning. Records on their way are rejected. */
  stop(): void {
    this.finish(undefined);
  }

  private add(record: LogRecord): Promise<Appended> {
    if (this.end !== undefined) return Promise.reject(new ReplicaEndedError(this.end.error));
    const appended = this.waiting.add(record);
    this.wake();
    return appended;
  }

  private async run(): Promise<void> {
    let failureCount = 0;
    while (this.end === undefined) {
      try {
        if (this.isLastDue) await this.expectLast();
        if (this.barriers.length > 0 || (this.isReadDue && this.waiting.isEmpty)) await this.catchUp();
        else if (!this.waiting.isEmpty) await this.appendGroup();
        else await this.sleep();
        failureCount = 0;
      } catch (error) {
        if (isFinal(error)) this.fail(error);
        else await this.backOff(failureCount++);
      }
    }
  }

  /** Appends the waiting records as one entry, or finds that another one came before. */
  private async appendGroup(): Promise<void> {
    if (this.timing.lingerMs > 0) await this.pause(this.timing.lingerMs);
    const group = this.waiting.take(this.state);
    if (group.length === 0 || this.end !== undefined) return this.waiting.putBack(group);
    const position = this.state.position + 1;
    const id = this.options.newEntryId();
    const records = group.map(({ record }) => record);
    const { format, hash: previous } = this.state;
    const bytes = encodeEntry({ format, position, id, previous, records });
    this.inFlight = { id, group };
    let isRefused = true;
    for (let failureCount = 0; this.state.position < position && this.end === undefined; failureCount++) {
      const outcome = await this.attempt(position, bytes);
      isRefused &&= outcome === 'refused';
      if (outcome === 'appended') await this.accept([{ position, bytes }]);
      else if (!(await this.acceptThere(position))) {
        if (isRefused) this.takeBack(group);
        if (outcome === 'refused') this.options.onRefused?.();
        if (isRefused) throw new Error('the log took nothing');
        await this.backOff(failureCount);
      }
    }
    // another entry has the position, so this one is not in the log and never will be
    if (this.inFlight !== undefined) this.takeBack(group);
  }

  private takeBack(group: Group): void {
    this.inFlight = undefined;
    this.waiting.putBack(group);
  }

  private async attempt(position: number, bytes: Uint8Array): Promise<AppendOutcome> {
    try {
      // an entry after a gap would be lost, although the log took it
      if (this.isLastDue) await this.expectLast();
      return await this.options.log.append(position, bytes);
    } catch (error) {
      if (isFinal(error)) throw error;
      return 'unknown';
    }
  }

  /**
   * Throws DamagedLogError when the log does not have the last entry that is applied here: it was rewound, as a database
   * is by a failover that loses transactions, or it is another one.
   */
  private async expectLast(): Promise<void> {
    const { position, hash } = this.state;
    if (position > 0) {
      const last = await this.lastEntry(position);
      if (last === undefined) throw new DamagedLogError(position, 'it is gone, the log was rewound');
      if (last !== null && Buffer.compare(hashOfEntry(last.bytes), hash) !== 0)
        throw new DamagedLogError(position, 'it is another one than this node has applied, the log was rewound');
    }
    this.isLastDue = false;
  }

  /** The entry; null when it was trimmed. */
  private async lastEntry(position: number): Promise<StoredEntry | undefined | null> {
    try {
      return (await this.options.log.read(position, 1))[0];
    } catch (error) {
      if (error instanceof TrimmedError) return null;
      throw error;
    }
  }

  /** Accepts what is at a position; false when nothing is there or the log does not answer. */
  private async acceptThere(position: number): Promise<boolean> {
    let entries: readonly StoredEntry[];
    try {
      entries = await this.options.log.read(position, READ_BYTES);
    } catch (error) {
      if (isFinal(error)) throw error;
      return false;
    }
    await this.accept(entries);
    return entries.length > 0;
  }

  /** Reads to the end of the log; for barriers, to an end that is later than their calls. */
  private async catchUp(): Promise<void> {
    const barriers = this.barriers.splice(0);
    this.isReadDue = false;
    try {
      while (this.end === undefined) {
        const entries = await this.options.log.read(this.state.position + 1, READ_BYTES);
        await this.accept(entries);
        if (entries.length === 0 || (barriers.length === 0 && !this.waiting.isEmpty)) break;
      }
    } catch (error) {
      this.barriers.unshift(...barriers);
      this.isReadDue = true;
      throw error;
    }
    for (const { resolve, reject } of barriers) {
      if (this.end === undefined) resolve(this.applied);
      else reject(new ReplicaEndedError(this.end.error));
    }
  }

  private async accept(entries: readonly StoredEntry[]): Promise<void> {
    for (const stored of entries) {
      if (this.end !== undefined) return;
      const { leader } = this.state;
      const entry = this.state.accept(stored);
      try {
        await this.options.apply(entry);
      } catch (error) {
        this.fail(error);
        return;
      }
      this.applied = entry.position;
      if (this.inFlight?.id === entry.id) {
        const { group } = this.inFlight;
        this.inFlight = undefined;
        settle(group, entry, this.state.epoch);
      }
      if (leader?.id === this.state.leader?.id) continue;
      this.options.onRole?.(this.role);
      this.election.onLeader();
    }
  }

  private fail(error: unknown): void {
    if (this.end !== undefined) return;
    this.finish(error);
    this.options.onFailure?.(error);
  }

  private finish(error: unknown): void {
    if (this.end !== undefined) return;
    this.end = { error };
    this.election.end();
    this.watching?.[Symbol.dispose]();
    for (const { reject } of this.inFlight?.group ?? []) reject(new OutcomeUnknownError(error));
    this.waiting.rejectAll(new ReplicaEndedError(error));
    for (const { reject } of this.barriers.splice(0)) reject(new ReplicaEndedError(error));
    this.interrupt();
  }

  /** Waits for something to do; after a time that is to read. */
  private async sleep(): Promise<void> {
    const isOver = this.pause(this.timing.pollMs).then((isElapsed) => {
      if (isElapsed) this.isReadDue = true;
    });
    this.wake = this.interrupt;
    await isOver;
    this.wake = () => undefined;
  }

  private async backOff(failureCount: number): Promise<void> {
    const { retryMs, retryMsMax } = this.timing;
    this.isLastDue = true;
    await this.pause(Math.min(retryMs * 2 ** failureCount, retryMsMax));
  }

  /** Waits for a time; the end of the replica ends it. Whether the time has elapsed. */
  private pause(delayMs: number): Promise<boolean> {
    if (this.end !== undefined) return Promise.resolve(false);
    return new Promise((resolve) => {
      const timer = this.options.clock.after(delayMs, () => resolve(true));
      this.interrupt = () => {
        timer[Symbol.dispose]();
        resolve(false);
      };
    });
  }
}
