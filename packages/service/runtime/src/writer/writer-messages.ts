import type { MessagePort } from 'node:worker_threads';
import type { SharedLimits } from '@fossick/embedders';
import type { S3Options } from '@fossick/instance';
import type { SharedBudget } from '@fossick/memory';
import type { Progress, Webhook } from '@fossick/tasks';

/** Passed beside the start message by the thread that starts it. */
export interface WriterSignals {
  /** One number of 32 bits, 1 once the server stops: for a thread that is blocked and reads no messages. */
  readonly stopping: SharedArrayBuffer;
  /** Only in a cluster: everything that the writer changes goes through it. */
  readonly cluster?: ClusterChannel;
}

/** Blocking calls to the thread of a cluster (packages/service/cluster/src/threads/blocking-calls.ts). */
export interface ClusterChannel {
  readonly port: MessagePort;
  readonly signal: SharedArrayBuffer;
}

/** The start message of the HTTP thread to the writer thread. Sizes in bytes. */
export interface WriterStart {
  readonly dbPath: string;
  readonly taskFolder: string;
  /** Where the writer notes its running tasks, for the next process or thread. */
  readonly attemptFile: string;
  /** A name that no other process has. */
  readonly processName: string;
  /** The wait for the first trial of a task that may have ended the process, in milliseconds. */
  readonly trialPauseMs: number;
  readonly authFolder: string;
  readonly payloadFolder: string;
  readonly dumpFolder: string;
  readonly snapshotFolder: string;
  /** Where snapshots go instead, if it names a bucket. */
  readonly s3: S3Options;
  /** The webhook of the command line, beside those of the API. */
  readonly taskWebhook: Webhook | null;
  /** Private networks that webhooks may reach, in the command line's form. */
  readonly allowedNetworks: string | null;
  /** Experimental features that the command line enables. */
  readonly forcedFeatures: readonly string[];
  readonly embedderLimits: SharedLimits;
  readonly maxIndexingBytes: number;
  readonly indexingThreadCount: number;
  readonly maxSearchBytes: number;
  /** Its account of the memory for searches: exports and dumps search documents. */
  readonly sharedBudget: SharedBudget;
  /** Where it marks which indexes have changed. */
  readonly summaryMarks: SharedArrayBuffer;
  readonly maxBatchedTaskCount: number | null;
  readonly maxBatchedBytes: number;
}
/** HTTP thread to writer thread. */
export type WriterCommand = 'wake' | 'expectLarge' | 'stop';
/** Writer thread to HTTP thread. */
export type WriterReport =
  | { readonly kind: 'started'; readonly batchUid: number }
  | { readonly kind: 'progress'; readonly batchUid: number; readonly progress: Progress }
  /** `indexUids`: of its tasks. */
  | { readonly kind: 'finished'; readonly batchUid: number; readonly indexUids: readonly string[] }
  | { readonly kind: 'fault'; readonly message: string }
  /** Deliveries of webhooks that were dropped since the last report. */
  | { readonly kind: 'dropped'; readonly count: number }
  | { readonly kind: 'stopped' };
