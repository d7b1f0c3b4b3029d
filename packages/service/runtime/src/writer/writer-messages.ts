import type { SharedLimits } from '@fossick/embedders';
import type { SharedBudget } from '@fossick/kernel/memory';
import type { Progress, TaskKind } from '@fossick/tasks';
import type { WriterExtension } from './writer-extensions.js';
import type { WriterLogLink } from './writer-log.js';

/** Passed in addition to the start message by the thread that starts it. */
export interface WriterSignals {
  /** Of the control word: for a thread that is blocked and reads no messages. */
  readonly control: SharedArrayBuffer;
  /** Absent: the log is the instance's own. */
  readonly sharedLog?: WriterLogLink;
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
  /** Extensions that have a part in this thread. */
  readonly extensions: readonly WriterExtension[];
  /** Kinds of tasks of extensions, also of those that are left out. */
  readonly taskKinds: readonly TaskKind[];
  /** Addresses of modules of extensions: their parts in archives. */
  readonly archiveModules: readonly string[];
  /** Indexes of extensions that not everybody sees. */
  readonly hiddenIndexUids: readonly string[];
  /** Private networks that outgoing calls may reach, in the command line's form. */
  readonly allowedNetworks: string | null;
  /** Experimental features that the command line enables. */
  readonly forcedFeatures: readonly string[];
  readonly embedderLimits: SharedLimits;
  readonly maxIndexingBytes: number;
  readonly indexingThreadCount: number;
  readonly maxSearchBytes: number;
  /** Its account of the memory for searches: tasks of extensions may search documents. */
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
  /** `work`: its number for the control word. `taskUids`: of its tasks. */
  | {
      readonly kind: 'started';
      readonly batchUid: number;
      readonly work: number;
      readonly taskUids: readonly number[];
    }
  | { readonly kind: 'progress'; readonly batchUid: number; readonly progress: Progress }
  /** `indexUids`: of its tasks. */
  | { readonly kind: 'finished'; readonly batchUid: number; readonly indexUids: readonly string[] }
  | { readonly kind: 'fault'; readonly message: string }
  | { readonly kind: 'stopped' };
