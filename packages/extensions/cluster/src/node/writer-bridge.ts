import { randomUUID } from 'node:crypto';
import { apiError } from '@fossick/base';
import { type Appended, type DataRecord, FencedError } from '@fossick/replication';
import type { NewTask } from '@fossick/tasks';
import { COMMIT, COPY, encodeCommit, encodeCopy } from '../records/commit-record.js';
import type { Place } from '../records/place.js';
import { sentResults } from '../threads/sent-results.js';

/** A commit that is in the log has this long to succeed after its epoch has ended, in milliseconds. */
const FENCED_MS = 1_000;

/** What the writer's thread asks the thread of the cluster. */
export type WriterQuestion =
  /** Appends the change set of a commit; answered by its Place. Nothing else is asked until the commit has ended. */
  | { readonly kind: 'commit'; readonly store: string; readonly changes: Uint8Array }
  /** The commit that was answered last has succeeded: needs no answer. */
  | { readonly kind: 'committed' }
  /** It has failed here, and is done by the thread of the cluster; answered when it is. */
  | { readonly kind: 'failed' }
  | { readonly kind: 'copied'; readonly from: string; readonly to: string }
  /** Operations of the task log as an encoded record; `isEnd`: some tasks end. Answered once they are applied. */
  | { readonly kind: 'change'; readonly record: Uint8Array; readonly isEnd: boolean }
  /** New tasks that the writer registers; answered like ClusterNode.enqueue, with errors that can be sent. */
  | { readonly kind: 'enqueue'; readonly entries: readonly NewTask[] }
  /** An encoded record of values; answered by whether it had an effect. */
  | { readonly kind: 'values'; readonly body: Uint8Array }
  /** Gets the payload of a task from the store of objects into a file. */
  | { readonly kind: 'fetch'; readonly key: string; readonly file: string }
  /** The disk did not take the work for these tasks; answered by whether another node should run them. */
  | { readonly kind: 'yield'; readonly uids: readonly number[]; readonly reason: string }
  /** Objects that no task needs any more: needs no answer. */
  | { readonly kind: 'drop'; readonly keys: readonly string[] };

/** A commit that is in the log, and whose end in the writer's thread is not known. */
export interface OpenCommit {
  readonly store: string;
  readonly changes: Uint8Array;
  readonly place: Place;
}

/** What a bridge needs of its node. */
export interface BridgeNode {
  /** Rejects like Replica.append. */
  append(record: DataRecord): Promise<Appended>;
  /** Applies a commit of this node's own that its writer could not. */
  redo(commit: OpenCommit): Promise<void>;
  /** A commit has ended. */
  onSettled(): void;
  /** Resolves when the nodes in contact have applied the log up to a position. */
  visible(position: number): Promise<void>;
  fetch(key: string, file: string): Promise<void>;
  /** See FullDisk. */
  yieldsWork(uids: readonly number[], reason: string): Promise<boolean>;
  enqueue(entries: readonly NewTask[]): Promise<PromiseSettledResult<number>[]>;
  /** A record of values of this epoch. */
  commitValues(body: Uint8Array, epoch: number): Promise<boolean>;
  drop(keys: readonly string[]): Promise<void>;
}

interface RunningCommit {
  readonly opId: string;
  readonly store: string;
  readonly changes: Uint8Array;
  readonly resolve: (place: Place) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * The writer's side in the thread of the cluster, for one writer thread of one epoch. A commit is in the log before it
 * happens: the writer waits in its transaction until the record is there, and then commits.
 */
export class WriterBridge {
  private readonly node: BridgeNode;
  readonly epoch: number;
  private readonly before: Promise<void>;
  private readonly onFence: () => void;
  /** No writer before has a commit that is open. */
  private isFirst = false;
  private hasEnded = false;
  private running: RunningCommit | undefined;
  private open: OpenCommit | undefined;
  private waiting: (() => void)[] = [];
  /** Of the last commit: tasks may end when it is visible. */
  private lastCommit = 0;

  /** `onFence`: ends the waits of the writer. `before`: resolves when the writer before has ended. */
  constructor(node: BridgeNode, epoch: number, onFence: () => void, before: Promise<void> = Promise.resolve()) {
    this.node = node;
    this.epoch = epoch;
    this.onFence = onFence;
    this.before = before.then(() => {
      this.isFirst = true;
    });
  }

  /** Whether a commit that is in the log may not be in its store yet. */
  get isOpen(): boolean {
    return !this.isFirst || this.open !== undefined;
  }

  /** Called when a record is applied. True when it is the running commit, which its writer does itself. */
  takes(opId: string, place: Place): boolean {
    const { running } = this;
    if (this.hasEnded || running?.opId !== opId) return false;
    this.running = undefined;
    this.open = { store: running.store, changes: running.changes, place };
    this.lastCommit = place.position;
    running.resolve(place);
    return true;
  }

  /** Resolves when no commit is open. */
  async settled(): Promise<void> {
    await this.before;
    if (this.open !== undefined) await new Promise<void>((resolve) => this.waiting.push(resolve));
  }

  async answer(question: WriterQuestion): Promise<unknown> {
    await this.before;
    switch (question.kind) {
      case 'commit':
        return this.commit(question.store, question.changes);
      case 'committed':
        return this.settle();
      case 'failed':
        return this.redo();
      case 'copied':
        await this.append(COPY, encodeCopy(question));
        return undefined;
      case 'change':
        if (question.isEnd) await this.node.visible(this.lastCommit);
        await this.append('task-changes', question.record);
        return undefined;
      case 'enqueue':
        return sentResults(await this.node.enqueue(question.entries));
      case 'values':
        return this.node.commitValues(question.body, this.epoch);
      case 'fetch':
        return this.node.fetch(question.key, question.file);
      case 'yield':
        return this.node.yieldsWork(question.uids, question.reason);
      case 'drop':
        return this.node.drop(question.keys);
    }
  }

  /**
   * The epoch has ended, so nothing that the writer asks for will have an effect. Its waits end at once, and later ones do
   * not begin: it may hold the lock of a store for which the thread that applies the next commit to that store waits, and could
   * not answer then.
   */
  fence(): void {
    this.onFence();
    const { running } = this;
    this.running = undefined;
    running?.reject(new FencedError(this.epoch, this.epoch + 1));
    void this.settleFenced();
  }

  /** The writer's thread has ended, in whatever state. */
  async ended(): Promise<void> {
    this.hasEnded = true;
    this.running = undefined;
    await this.before;
    await this.redo();
  }

  private commit(store: string, changes: Uint8Array): Promise<Place> {
    if (this.running !== undefined || this.open !== undefined) throw apiError('cluster_log_unavailable', 'away');
    const opId = randomUUID();
    return new Promise((resolve, reject) => {
      this.running = { opId, store, changes, resolve, reject };
      this.append(COMMIT, encodeCommit({ store, changes }), opId).catch((error: unknown) => {
        if (this.running?.opId === opId) this.running = undefined;
        reject(error);
      });
    });
  }

  private async append(name: string, body: Uint8Array, opId: string = randomUUID()): Promise<void> {
    await this.node.append({ kind: 'data', opId, name, epoch: this.epoch, body });
  }

  private async redo(): Promise<void> {
    if (this.open !== undefined) await this.node.redo(this.open);
    this.settle();
  }

  /** The writer cannot ask any more that its commit is done, if that has failed there. */
  private async settleFenced(): Promise<void> {
    const { open } = this;
    if (open === undefined) return;
    await new Promise<void>((resolve) => void setTimeout(resolve, FENCED_MS).unref());
    if (this.open !== open || this.hasEnded) return;
    await this.node.redo(open).then(
      () => {
        if (this.open === open) this.settle();
      },
      // the end of the writer's thread asks again
      () => undefined,
    );
  }

  private settle(): void {
    if (this.open === undefined) return;
    this.open = undefined;
    for (const resolve of this.waiting.splice(0)) resolve();
    this.node.onSettled();
  }
}
