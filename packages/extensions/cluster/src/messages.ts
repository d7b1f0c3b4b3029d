import type { DatabaseFolders } from '@fossick/instance';
import type { Role } from '@fossick/replication';
import type { NewTask } from '@fossick/tasks';
import type { MessagePort } from '@fossick/threads';
import type { NodeAnswer } from './description.js';
import type { ClusterOptions } from './options.js';
import type { SentError } from './threads/sent-errors.js';

/** The start message of the HTTP thread to the thread of the cluster. */
export interface ClusterStart {
  readonly folders: DatabaseFolders;
  readonly options: ClusterOptions;
  readonly masterKey: string | null;
  readonly summaryMarks: SharedArrayBuffer;
  /** What the thread shows all the time (shown-state.ts). */
  readonly shown: SharedArrayBuffer;
}

/** What the HTTP thread asks; each has one answer. */
export type ClusterQuestion =
  /** Answered by one result for each: its uid. */
  | { readonly kind: 'enqueue'; readonly entries: readonly NewTask[] }
  /** An encoded record of values; answered by whether it had an effect. */
  | { readonly kind: 'values'; readonly body: Uint8Array }
  /** Answered by the position. */
  | { readonly kind: 'barrier' }
  /** Answered by whether it is applied in time. */
  | { readonly kind: 'reaches'; readonly position: number; readonly withinMs: number }
  | { readonly kind: 'status' }
  /** A writer's thread is about to start. Answered when nothing is left of the one before. */
  | { readonly kind: 'writer'; readonly epoch: number; readonly port: MessagePort; readonly signal: SharedArrayBuffer }
  | { readonly kind: 'resign' }
  | { readonly kind: 'stop' };

export interface ClusterCall {
  readonly id: number;
  readonly question: ClusterQuestion;
}

/** What a node knows of itself and of the others. */
export type ClusterStatus = Omit<NodeAnswer, 'role' | 'epoch' | 'leader'> & { readonly role: Role };

/** What the thread of the cluster tells by itself, and its answers. */
export type ClusterReport =
  | { readonly kind: 'ready' }
  | { readonly kind: 'refused'; readonly error: SentError }
  | { readonly kind: 'answer'; readonly id: number; readonly value: unknown }
  | { readonly kind: 'error'; readonly id: number; readonly error: SentError }
  /** `names`: of its records. */
  | { readonly kind: 'applied'; readonly position: number; readonly names: readonly string[] }
  /** An encoded change set of the store `auth` that was applied. */
  | { readonly kind: 'values'; readonly changes: Uint8Array }
  | { readonly kind: 'role'; readonly role: Role }
  /** The node follows the log no longer. */
  | { readonly kind: 'failure'; readonly error: SentError }
  /** The log has no longer what the node needs next: it has to start again, from checkpoints. */
  | { readonly kind: 'behind'; readonly reason: string }
  | { readonly kind: 'fault'; readonly message: string }
  | { readonly kind: 'warning'; readonly message: string };
