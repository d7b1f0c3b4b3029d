import { bytesOf, MemoryObjects, type ObjectStore } from '@fossick/objects';
import { FaultyObjects, type ObjectFaults } from '@fossick/objects/faulty-objects.test-support';
import { randomOf, VirtualTime } from '@fossick/objects/virtual-time.test-support';
import type { DataRecord } from '../entries/records.js';
import { FencedError, OutcomeUnknownError, TrimmedError, WithdrawnError } from '../log-errors.js';
import { ObjectLog } from '../logs/object-log.js';
import { LogState, type SavedLogState } from '../replica/log-state.js';
import { Replica, type ReplicaTiming } from '../replica/replica.js';
import { History } from './history.test-support.js';
import { type PlantedFault, trimmed, withFault } from './planted-faults.test-support.js';
import { SimulatedProcess } from './simulated-process.test-support.js';

const LOG_NAME = 'main';
const ENTRIES = `log/${LOG_NAME}/entries/`;
/** Time with faults, and the time in which everything must be well again without them. */
const FAULTY_MS = 8_000;
const HEALING_MS = 60_000;
const TIMING: Partial<ReplicaTiming> = {
  beatMs: 1_000,
  silenceMs: 3_000,
  spreadMs: 1_000,
  vacancySpreadMs: 300,
  pollMs: 1_500,
  retryMs: 100,
  retryMsMax: 1_000,
};

export interface Run {
  readonly seed: number;
  readonly faults: readonly string[];
  readonly eventCount: number;
  readonly entryCount: number;
  readonly answeredCount: number;
  readonly kinds: Readonly<Record<string, number>>;
}

interface Checkpoint {
  readonly saved: SavedLogState;
}

/** A node: a process, and what survives it. */
interface Node {
  readonly name: string;
  starts: number;
  process: SimulatedProcess;
  replica: Replica;
  log: ObjectLog;
  objects: ObjectStore;
  state: LogState;
  /** Whether its process found that it is below the floor. */
  isTrimmed: () => boolean;
}

/**
 * Runs a cluster of two to four nodes by a seed: their code is the product's, their time, network and object store are
 * simulated. For a while nodes are killed, paused and restarted, requests are lost, delayed, refused and reordered, the
 * log is trimmed; then all of that ends and the nodes must come to rest with the same log.
 */
export async function simulate(seed: number, planted?: PlantedFault, faults?: ObjectFaults): Promise<Run> {
  const cluster = new Cluster(seed, planted, faults);
  await cluster.run();
  return cluster.result();
}

class Cluster {
  private readonly time = new VirtualTime();
  private readonly random: () => number;
  private readonly history = new History();
  private readonly objects: ObjectStore;
  private readonly nodes: Node[];
  private checkpoint: Checkpoint = { saved: new LogState({ logName: LOG_NAME }).save() };
  private faults: ObjectFaults;
  private isHealing = false;
  private operationCount = 0;
  private openCount = 0;
  /** Records without an answer, and where they were sent last. */
  private readonly open = new Map<DataRecord, Replica>();
  private readonly kinds: Record<string, number> = {};
  private readonly seed: number;
  private readonly planted: PlantedFault | undefined;

  constructor(seed: number, planted: PlantedFault | undefined, faults: ObjectFaults | undefined) {
    this.seed = seed;
    this.planted = planted;
    this.random = randomOf(seed);
    this.objects = observed(new MemoryObjects(), this.history);
    const share = (most: number): number => (this.random() < 0.5 ? 0 : most * this.random());
    const full = seed % 3 === 0 ? 0.3 : 0;
    this.faults = { lost: share(0.2), late: share(0.2), refused: share(0.2), slow: share(0.3), full, ...faults };
    this.nodes = Array.from({ length: 2 + this.below(3) }, (_, at) => this.started(`n${at}`, 0, undefined));
  }

  async run(): Promise<void> {
    this.schedule(250, () => this.operate());
    this.schedule(600, () => this.disturb());
    this.schedule(1_000, () => this.trim());
    await this.time.run(FAULTY_MS);
    this.isHealing = true;
    this.faults = this.faults.twoWin === true ? { twoWin: true } : {};
    for (const node of this.nodes) {
      node.process.resume();
      if (node.process.isDead) this.restart(node);
    }
    await this.time.run(FAULTY_MS + HEALING_MS, () => this.isAtRest());
    // every node can append now, one after the other: so each notices if it has gone another way
    let untilMs = this.time.nowMs;
    for (const { name, replica } of this.nodes) {
      const opId = `last of ${name}`;
      const record = { kind: 'data', opId, name: 'tasks', epoch: null, body: Buffer.from(opId) } as const;
      this.send(replica, opId, record, () => undefined);
      untilMs += HEALING_MS;
      await this.time.run(untilMs, () => this.openCount === 0);
    }
    await this.time.run(untilMs, () => this.isAtRest());
    if (!this.isAtRest()) this.history.faults.push(`the nodes did not come to rest: ${this.describe()}`);
    for (const { replica } of this.nodes) replica.stop();
  }

  result(): Run {
    const { seed, time, history, kinds } = this;
    const faults = history.check(LOG_NAME);
    return {
      seed,
      faults,
      eventCount: time.eventCount,
      entryCount: history.length,
      answeredCount: history.answeredCount,
      kinds,
    };
  }

  private below(max: number): number {
    return Math.floor(this.random() * max);
  }

  private count(kind: string): void {
    this.kinds[kind] = (this.kinds[kind] ?? 0) + 1;
  }

  /** Calls `work` again and again while there are faults, at random times around a mean distance. */
  private schedule(meanMs: number, work: () => void): void {
    this.time.after(meanMs * 2 * this.random(), () => {
      if (this.isHealing) return;
      work();
      this.schedule(meanMs, work);
    });
  }

  private started(name: string, starts: number, saved: SavedLogState | undefined): Node {
    const process = new SimulatedProcess();
    const { time, random, planted } = this;
    const connection = new FaultyObjects({
      objects: this.objects,
      clock: time,
      random,
      faults: () => this.faults,
      latencyMs: 30,
      lateMs: 6_000,
      deliver: process.deliver,
    });
    const objects = withFault(this.stalling(connection, process), planted);
    const log = new ObjectLog({ objects, name: LOG_NAME, readAhead: 3 });
    const state = new LogState({ logName: LOG_NAME, ...(saved && { saved }) });
    const id = `${name}.${starts}`;
    let entryCount = 0;
    let isTrimmed = false;
    const replica = new Replica({
      log,
      state,
      clock: process.clock(time, 0.7 + 0.6 * random(), 1e6 * random()),
      node: { id, address: '' },
      timing: TIMING,
      random,
      newEntryId: () => `${id}/${entryCount++}`,
      apply: (entry) => {
        this.history.noteApplied(id, replica.position, entry);
      },
      onRole: ({ kind, epoch }) => {
        if (kind === 'leader') this.lead(node, id, epoch);
      },
      onRefused: () => {
        for (const [record, of] of this.open) if (of === replica) replica.withdraw(record);
      },
      onFailure: (error) => {
        if (error instanceof TrimmedError) isTrimmed = true;
        else this.history.faults.push(`${id} ended: ${String(error)}`);
      },
    });
    const node: Node = { name, starts, process, replica, log, objects, state, isTrimmed: () => isTrimmed };
    // the constructor of the cluster starts nodes before anything runs
    this.time.after(0, () => process.deliver(() => replica.start()));
    return node;
  }

  /** Some processes are paused in the worst moment: when they are about to send an entry. */
  private stalling(objects: ObjectStore, process: SimulatedProcess): ObjectStore {
    return {
      put: (key, body, options) => {
        if (!this.isHealing && key.startsWith(ENTRIES) && this.random() < 0.05) this.pause(process);
        return objects.put(key, body, options);
      },
      get: (key, range) => objects.get(key, range),
      list: (prefix, after) => objects.list(prefix, after),
      delete: (key) => objects.delete(key),
    };
  }

  private pause(process: SimulatedProcess): void {
    this.count('paused');
    process.pause();
    this.time.after(6_000 * this.random() ** 2, () => process.resume());
  }

  private restart(node: Node): void {
    const saved = node.isTrimmed() ? this.checkpoint.saved : node.state.save();
    if (node.isTrimmed()) this.count('restored');
    Object.assign(node, this.started(node.name, node.starts + 1, saved));
  }

  /** A new leader writes commits until it learns that it does not lead. */
  private lead(node: Node, id: string, epoch: number): void {
    this.count('leaders');
    const { replica, process } = node;
    let number = 0;
    const next = (): void => {
      if (process.isDead || this.isHealing) return;
      const opId = `commit ${id} ${epoch} ${number++}`;
      const body = Buffer.from(`${epoch} ${id}`);
      const named = this.planted === 'no epoch' ? null : epoch;
      this.send(replica, opId, { kind: 'data', opId, name: 'commit', epoch: named, body }, (error) => {
        if (error instanceof FencedError) return;
        this.time.after(800 * this.random(), () => process.deliver(next));
      });
    };
    next();
  }

  private send(replica: Replica, opId: string, record: DataRecord, onEnd: (error?: unknown) => void): void {
    this.history.noteSent(opId);
    this.openCount += 1;
    this.open.set(record, replica);
    if (this.planted === 'early answer') this.history.noteAnswer(opId, replica.position + 1);
    replica.append(record).then(
      ({ position, effect }) => {
        this.openCount -= 1;
        this.open.delete(record);
        this.history.noteAnswer(opId, effect.kind === 'duplicate' ? effect.firstPosition : position);
        onEnd();
      },
      (error: unknown) => {
        this.openCount -= 1;
        this.open.delete(record);
        if (error instanceof WithdrawnError) this.count('withdrawn');
        // a commit is sent once, and an operation perhaps to several nodes
        const isWithdrawn = error instanceof WithdrawnError && record.name === 'commit';
        if (error instanceof FencedError || isWithdrawn) this.history.noteRefused(opId);
        onEnd(error);
      },
    );
  }

  /** A client sends an operation to a node, and to another one when it has no answer. */
  private operate(): void {
    const opId = `op ${this.operationCount++}`;
    const record = { kind: 'data', opId, name: 'tasks', epoch: null, body: Buffer.from(opId) } as const;
    const attempt = (left: number): void => {
      const node = this.nodes[this.below(this.nodes.length)]!;
      if (node.process.isDead || node.isTrimmed()) return;
      let isOver = false;
      const again = (): void => {
        if (isOver || left === 0) return;
        isOver = true;
        this.count('retried');
        attempt(left - 1);
      };
      this.send(node.replica, opId, record, (error) => {
        if (error === undefined) isOver = true;
        else if (error instanceof OutcomeUnknownError) again();
      });
      // a node that was killed never answers
      this.time.after(500 + 2_500 * this.random(), again);
    };
    attempt(this.below(3));
  }

  private disturb(): void {
    const node = this.nodes[this.below(this.nodes.length)]!;
    const { process } = node;
    if (node.isTrimmed() && !process.isDead) process.kill();
    else if (process.isDead) this.restart(node);
    else if (this.random() < 0.4) this.kill(node);
    else if (this.random() < 0.2) {
      this.count('resigned');
      const end = (): void => {
        if (process !== node.process || process.isDead) return;
        this.kill(node);
        if (this.isHealing) this.restart(node);
      };
      node.replica.resign().then(end, end);
    } else this.pause(process);
  }

  private kill(node: Node): void {
    this.count('killed');
    node.process.kill();
    // its promises never settle
    node.replica.stop();
  }

  /** Some node's state becomes the checkpoint, and any node removes what comes before it. */
  private trim(): void {
    const [node, source] = [this.nodes[this.below(this.nodes.length)]!, this.nodes[this.below(this.nodes.length)]!];
    if (source.replica.position <= this.checkpoint.saved.position || node.process.isDead) return;
    this.count('trimmed');
    this.checkpoint = { saved: source.state.save() };
    const before = source.replica.position + 1 - this.below(3);
    trimmed({ ...node, entries: ENTRIES }, before, this.planted).catch(() => undefined);
  }

  private isAtRest(): boolean {
    for (const node of this.nodes) {
      if (!node.isTrimmed()) continue;
      node.process.kill();
      this.restart(node);
    }
    const [first] = this.nodes;
    const { position } = first!.replica;
    const { leader } = first!.replica.role;
    const isSame = this.nodes.every(({ replica }) => replica.position === position);
    const hasLeader = this.nodes.some(({ replica }) => replica.role.kind === 'leader' && leader !== null);
    return isSame && hasLeader && position === this.history.length && this.openCount === 0;
  }

  private describe(): string {
    const nodes = this.nodes.map(({ replica }) => `${replica.position} ${JSON.stringify(replica.role)}`);
    return `${nodes.join(', ')}, log ${this.history.length}, ${this.openCount} open`;
  }
}

/** The store, whose creations of entries are told to the history. */
function observed(objects: MemoryObjects, history: History): ObjectStore {
  return {
    put: async (key, body, options) => {
      const bytes = await bytesOf(body, Number.POSITIVE_INFINITY);
      const outcome = await objects.put(key, bytes, options);
      if (outcome === 'put' && key.startsWith(ENTRIES)) history.noteCreated(Number(key.slice(ENTRIES.length)), bytes);
      return outcome;
    },
    get: (key, range) => objects.get(key, range),
    list: (prefix, after) => objects.list(prefix, after),
    delete: (key) => objects.delete(key),
  };
}
