import type { SearchFeatures } from '@fossick/api';
import type { EngineReader } from '@fossick/index';
import type { DatabaseFolders, InstanceValues } from '@fossick/instance';
import type { NetworkPolicy } from '@fossick/outbound';
import type { Task, TaskKind, TaskLog, TaskRunner } from '@fossick/tasks';
import type { ArchivedValue } from '../archived-value.js';

/** What the module of an extension's part in the writer thread exports (`writer` of extension.ts). */
export interface WriterModule {
  /** Called when the writer thread starts, before it runs a task, and again when another thread takes its place. */
  openInWriter(host: WriterHost): WriterPart | Promise<WriterPart>;
}

export interface WriterHost {
  /** As that of ExtensionHost. */
  folder(): string;
  /** What `configure` made for this thread, as structured clone copies it; shared memory is the same. */
  readonly given: unknown;
  /** Of the database. */
  readonly folders: DatabaseFolders;
  /** The log of tasks. Only the writer changes it. */
  readonly tasks: TaskLog;
  /** Makes sure that the payload files of tasks are there: an instance that shares its log gets them when they are needed. */
  preparePayloads(log: TaskLog, tasks: readonly Task[]): Promise<void>;
  /** The parts of all extensions in archives: loaded with the call. */
  archived(): Promise<readonly ArchivedValue[]>;
  /** The stored values of the instance, also as other threads have changed them. */
  readonly values: Pick<InstanceValues, 'get' | 'put' | 'change'>;
  /** The addresses that outgoing calls may reach. */
  readonly policy: NetworkPolicy;
  /** Indexes of extensions that not everybody sees: nothing of their tasks leaves the server. */
  readonly hiddenIndexUids: readonly string[];
  /** Kinds of tasks of all extensions, by which tasks are shown. */
  readonly taskKinds: readonly TaskKind[];
  /** Reads indexes as they were committed last: loaded and opened with the first call, and then kept. */
  reader(): Promise<EngineReader>;
  /** The experimental features that are on. */
  features(): SearchFeatures;
  /** Whether the server stops: a task that throws then is put back, and begins again with the next start. */
  isEnding(): boolean;
  /** Tells the operator of a fault: one line of the log. */
  onFault(error: unknown): void;
}

/** Hooks around the commits of the writer thread. All of it waits for them: no task runs meanwhile. */
export interface WriterPart {
  /**
   * Called before the tasks of a batch run; they begin when it has resolved. Called again for tasks that begin again, after a
   * crash or a cancelation of others of their batch. An exception ends the batch as a fault of the server does.
   */
  beforeBatch?(tasks: readonly Task[]): void | Promise<void>;
  /**
   * Called after what the batch has changed and the outcomes of its tasks are committed. Not called if the process dies in between:
   * at most once for a task. The tasks have their outcomes, and those that a cancelation has ended are among them. Exceptions are faults; the batch stays as it is.
   */
  afterCommit?(tasks: readonly Task[]): void;
  /** Does the batches of the extension's kinds of tasks (`taskKinds` of extension.ts), by type. No index changes meanwhile. */
  readonly runners?: Readonly<Record<string, TaskRunner>>;
  /** The thread ends. */
  close?(): void | Promise<void>;
}
