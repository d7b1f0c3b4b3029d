import { EventEmitter } from 'node:events';
import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads';
import { apiError, threadOptions } from '@fossick/base';
import type { Role } from '@fossick/replication';
import { CLUSTER_SCRIPT } from '../cluster-script.js';
import type { ClusterQuestion, ClusterReport, ClusterStart, ClusterStatus } from '../messages.js';
import { endWaits, newSignal } from '../threads/blocking-calls.js';
import { revived } from '../threads/sent-errors.js';
import { ShownState } from '../threads/shown-state.js';

/** Before the thread is started again after it has ended by itself, in milliseconds: twice as long each time. */
const [RESTART_MS, RESTART_MS_MAX] = [500, 30_000] as const;

/** What a writer's thread needs to reach the thread of the cluster. */
export interface WriterChannel {
  readonly port: MessagePort;
  readonly signal: SharedArrayBuffer;
  readonly epoch: number;
}

/** What the thread of the cluster tells, by the names of its reports. */
export interface ClusterEvents {
  applied: [position: number, names: ReadonlySet<string>];
  /** An encoded change set of the store `auth`. */
  values: [changes: Uint8Array];
  role: [role: Role];
  failure: [error: Error];
  fault: [message: string];
  warning: [message: string];
}

interface WaitingAnswer {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * The HTTP thread's side of the thread of the cluster. That one is started again when it ends by itself; it continues
 * from what it has written.
 */
export class ClusterLink extends EventEmitter<ClusterEvents> {
  private readonly start: ClusterStart;
  private readonly script: URL;
  private readonly shown: ShownState;
  private worker: Worker | undefined;
  private lastId = 0;
  private readonly waiting = new Map<number, WaitingAnswer>();
  /** Signals of writers that may wait for the thread. */
  private readonly signals = new Set<SharedArrayBuffer>();
  private isStopping = false;
  private endCount = 0;
  private restart: NodeJS.Timeout | undefined;
  /** The last role that was told. */
  role: Role = { kind: 'follower', epoch: 0, leader: null };
  /** Why the node follows the log no longer. */
  failure: Error | undefined;

  private constructor(start: Omit<ClusterStart, 'shown'>, script: URL) {
    super();
    this.shown = new ShownState();
    this.start = { ...start, shown: this.shown.buffer };
    this.script = script;
  }

  /** Starts the thread. Resolves when the node serves; rejects with LaunchError when it must not. */
  static async open(start: Omit<ClusterStart, 'shown'>, script: URL = CLUSTER_SCRIPT): Promise<ClusterLink> {
    const link = new ClusterLink(start, script);
    await link.begin();
    return link;
  }

  /** The last position of the log that is applied here. */
  get position(): number {
    return this.shown.position;
  }

  /** Milliseconds since the node had contact with the log or the leader. */
  get silentMs(): number {
    return this.shown.silentMs;
  }

  /** Asks the thread. Rejects with what it throws, and ApiError cluster_log_unavailable when it ends. */
  ask(question: ClusterQuestion, transfer: readonly MessagePort[] = []): Promise<unknown> {
    const { worker } = this;
    if (worker === undefined) return Promise.reject(apiError('cluster_log_unavailable', 'away'));
    const id = ++this.lastId;
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve, reject });
      worker.postMessage({ id, question }, transfer);
    });
  }

  async status(): Promise<ClusterStatus> {
    return (await this.ask({ kind: 'status' })) as ClusterStatus;
  }

  /** A channel for a writer of the epoch that this node leads. The port goes to the writer's thread. */
  writerChannel(epoch: number): WriterChannel {
    const { port1, port2 } = new MessageChannel();
    const signal = newSignal();
    this.signals.add(signal);
    this.ask({ kind: 'writer', epoch, port: port2, signal }, [port2]).catch(() => endWaits(signal));
    return { port: port1, signal, epoch };
  }

  /** The writer of a channel has ended. */
  closeChannel({ signal }: WriterChannel): void {
    this.signals.delete(signal);
  }

  /** Leads no longer, if it does. */
  async resign(): Promise<void> {
    await this.ask({ kind: 'resign' });
  }

  /** Ends the thread. */
  async stop(): Promise<void> {
    this.isStopping = true;
    clearTimeout(this.restart);
    const { worker } = this;
    if (worker === undefined) return;
    const ended = new Promise((resolve) => worker.once('exit', resolve));
    await this.ask({ kind: 'stop' }).catch(() => worker.terminate());
    await ended;
  }

  private begin(): Promise<void> {
    this.failure = undefined;
    const worker = new Worker(this.script, { workerData: this.start, ...threadOptions() });
    this.worker = worker;
    return new Promise((resolve, reject) => {
      worker.on('message', (report: ClusterReport) => {
        if (report.kind === 'ready') {
          this.endCount = 0;
          resolve();
        } else if (report.kind === 'refused') {
          this.isStopping = true;
          reject(revived(report.error));
        } else this.note(report);
      });
      worker.on('error', (error) => this.emit('fault', error.stack ?? error.message));
      worker.on('exit', () => {
        reject(new Error('the thread of the cluster has ended'));
        this.ended();
      });
    });
  }

  private note(report: Exclude<ClusterReport, { kind: 'ready' | 'refused' }>): void {
    switch (report.kind) {
      case 'answer':
        this.take(report.id)?.resolve(report.value);
        break;
      case 'error':
        this.take(report.id)?.reject(revived(report.error));
        break;
      case 'applied':
        this.emit('applied', report.position, new Set(report.names));
        break;
      case 'values':
        this.emit('values', report.changes);
        break;
      case 'role':
        this.role = report.role;
        this.emit('role', report.role);
        break;
      case 'failure':
        this.failure = revived(report.error);
        this.emit('failure', this.failure);
        break;
      case 'fault':
        this.emit('fault', report.message);
        break;
      case 'warning':
        this.emit('warning', report.message);
        break;
    }
  }

  private take(id: number): WaitingAnswer | undefined {
    const waiting = this.waiting.get(id);
    this.waiting.delete(id);
    return waiting;
  }

  private ended(): void {
    this.worker = undefined;
    for (const { reject } of this.waiting.values()) reject(apiError('cluster_log_unavailable', 'unknown'));
    this.waiting.clear();
    for (const signal of this.signals) endWaits(signal);
    this.signals.clear();
    if (this.isStopping) return;
    const waitMs = Math.min(RESTART_MS * 2 ** this.endCount++, RESTART_MS_MAX);
    this.emit('fault', `the thread of the cluster ended by itself; it is started again in ${waitMs} ms`);
    this.note({ kind: 'role', role: { ...this.role, kind: 'follower', leader: null } });
    this.restart = setTimeout(() => {
      this.begin().catch((error: unknown) => this.emit('fault', String(error)));
    }, waitMs);
  }
}
