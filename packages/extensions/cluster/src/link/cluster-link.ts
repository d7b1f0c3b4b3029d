import { EventEmitter } from 'node:events';
import { ApiError, apiError } from '@fossick/base';
import type { Role } from '@fossick/replication';
import { Bell, type BlockingChannel, MessageChannel, type MessagePort, SupervisedThread } from '@fossick/threads';
import { CLUSTER_SCRIPT } from '../cluster-script.js';
import type { ClusterCall, ClusterQuestion, ClusterReport, ClusterStart, ClusterStatus } from '../messages.js';
import { revived } from '../threads/sent-errors.js';
import { ShownState } from '../threads/shown-state.js';

/** Before the thread is started again after it has ended by itself, in milliseconds: twice as long each time. */
const [RESTART_MS, RESTART_MS_MAX] = [500, 30_000] as const;
/** A request waits this long for the end of the log, in milliseconds. */
const END_MS = 2_000;

/** What a writer's thread needs to reach the thread of the cluster. */
export interface WriterChannel extends BlockingChannel {
  readonly epoch: number;
}

/** What the thread of the cluster tells, by the names of its reports. */
export interface ClusterEvents {
  applied: [position: number, names: ReadonlySet<string>];
  /** An encoded change set of the store `auth`. */
  values: [changes: Uint8Array];
  role: [role: Role];
  failure: [error: Error];
  /** The node has to start again, from checkpoints. */
  behind: [reason: string];
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
  private readonly shown: ShownState;
  private readonly thread: SupervisedThread<ClusterCall, ClusterReport>;
  private lastId = 0;
  private readonly waiting = new Map<number, WaitingAnswer>();
  /** Of the writer, which may wait for the thread. */
  private bell: Bell | undefined;
  /** Whether the thread has not said yet whether it serves. */
  private isStarting = false;
  /** The calls that wait for the first start. */
  private opening: WaitingAnswer | undefined;
  /** The last role that was told. */
  role: Role = { kind: 'follower', epoch: 0, leader: null };
  /** Why the node follows the log no longer. */
  failure: Error | undefined;
  /** Why the node has to start again, from checkpoints. */
  behind: string | undefined;
  /** Warnings that came before anybody listened to them. */
  readonly earlyWarnings: string[] = [];
  /** Whether a node without contact refuses reads. */
  readonly refusesStale: boolean;

  private constructor(start: Omit<ClusterStart, 'shown'>, script: URL) {
    super();
    this.shown = new ShownState();
    this.refusesStale = start.options.stale === 'refuse';
    const given: ClusterStart = { ...start, shown: this.shown.buffer };
    this.thread = new SupervisedThread({
      start: () => {
        this.failure = undefined;
        this.isStarting = true;
        return {
          script,
          start: given,
          onReport: (report: ClusterReport) => this.note(report),
          onFault: (error) => this.emit('fault', error.stack ?? error.message),
          onEnd: () => this.ended(),
        };
      },
      pauseMs: RESTART_MS,
      pauseMsMax: RESTART_MS_MAX,
      onLost: (pauseMs) => this.lost(pauseMs),
    });
  }

  /** Starts the thread. Resolves when the node serves; rejects with LaunchError when it must not. */
  static async open(start: Omit<ClusterStart, 'shown'>, script: URL = CLUSTER_SCRIPT): Promise<ClusterLink> {
    const link = new ClusterLink(start, script);
    await new Promise((resolve, reject) => {
      link.opening = { resolve, reject };
      link.thread.begin();
    });
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
    if (!this.thread.isRunning) return Promise.reject(apiError('cluster_log_unavailable', 'away'));
    const id = ++this.lastId;
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve, reject });
      this.thread.send({ id, question }, transfer);
    });
  }

  /**
   * Resolves when everything is applied here that was in the log at the time of the call. Rejects with ApiError
   * cluster_log_unavailable after two seconds: without an answer of the log nobody can tell.
   */
  async caughtUp(): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(apiError('cluster_log_unavailable', 'away')), END_MS);
    });
    try {
      await Promise.race([this.ask({ kind: 'barrier' }), late]);
    } catch (error) {
      throw error instanceof ApiError ? error : apiError('cluster_log_unavailable', 'away');
    } finally {
      clearTimeout(timer);
    }
  }

  /** Whether a position is applied within a time. */
  async reaches(position: number, withinMs: number): Promise<boolean> {
    return this.position >= position || (await this.ask({ kind: 'reaches', position, withinMs })) === true;
  }

  async status(): Promise<ClusterStatus> {
    return (await this.ask({ kind: 'status' })) as ClusterStatus;
  }

  /** A channel for a writer of the epoch that this node leads. The port goes to the writer's thread. */
  writerChannel(epoch: number): WriterChannel {
    const { port1, port2 } = new MessageChannel();
    const bell = new Bell();
    const signal = bell.buffer;
    this.bell?.end();
    this.bell = bell;
    this.ask({ kind: 'writer', epoch, port: port2, signal }, [port2]).catch(() => bell.end());
    return { port: port1, signal, epoch };
  }

  /** Leads no longer, if it does. */
  async resign(): Promise<void> {
    await this.ask({ kind: 'resign' });
  }

  /** Ends the thread. */
  async stop(): Promise<void> {
    await this.thread.stop(() => {
      this.ask({ kind: 'stop' }).catch(() => this.thread.terminate());
    });
  }

  /** The thread serves, or, with the reason, does not. */
  private started(refusal?: Error): void {
    if (!this.isStarting) return;
    this.isStarting = false;
    const { opening } = this;
    this.opening = undefined;
    if (refusal === undefined) opening?.resolve(undefined);
    else if (opening === undefined) this.emit('fault', String(refusal));
    else opening.reject(refusal);
  }

  private note(report: ClusterReport): void {
    switch (report.kind) {
      case 'ready':
        this.thread.proveWell();
        this.started();
        break;
      case 'refused':
        this.thread.forgo();
        this.started(revived(report.error));
        break;
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
      case 'behind':
        this.behind = report.reason;
        this.emit('behind', report.reason);
        break;
      case 'fault':
        this.emit('fault', report.message);
        break;
      case 'warning':
        if (!this.emit('warning', report.message)) this.earlyWarnings.push(report.message);
        break;
    }
  }

  private take(id: number): WaitingAnswer | undefined {
    const waiting = this.waiting.get(id);
    this.waiting.delete(id);
    return waiting;
  }

  private ended(): void {
    this.started(new Error('the thread of the cluster has ended'));
    for (const { reject } of this.waiting.values()) reject(apiError('cluster_log_unavailable', 'unknown'));
    this.waiting.clear();
    this.bell?.end();
  }

  private lost(pauseMs: number): void {
    this.emit('fault', `the thread of the cluster ended by itself; it is started again in ${pauseMs} ms`);
    this.note({ kind: 'role', role: { ...this.role, kind: 'follower', leader: null } });
  }
}
