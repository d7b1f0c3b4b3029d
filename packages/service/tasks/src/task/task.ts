import type { BatchStatsAnswer, TaskStatus, TaskType } from '@fossick/api';
import type { JsonObject } from '@fossick/base';
import type { TaskContent } from './content.js';

/** Microseconds since 1970, UTC: exact in a double until the year 2255. */
export type Micros = number;

export interface TaskError {
  readonly code: string;
  readonly message: string;
}
export interface Task {
  readonly uid: number;
  readonly batchUid: number | null;
  readonly content: TaskContent;
  readonly status: TaskStatus;
  readonly canceledBy: number | null;
  /** Details that the execution adds to those of the content. */
  readonly resultDetails: JsonObject | null;
  readonly error: TaskError | null;
  readonly enqueuedAt: Micros;
  readonly startedAt: Micros | null;
  readonly finishedAt: Micros | null;
  /** Unexpected ends of the process or thread that ran it; absent for none. */
  readonly deaths?: TaskDeaths;
  /** Where to get the payload is in a row of the log of its own; only where the log is shared, until the task ends. */
  readonly payloadInLog?: true;
  readonly customMetadata?: string;
  readonly network?: JsonObject;
}
/** Unexpected ends of the process or thread that ran a task; poison-tasks.ts says what follows from them. */
export interface TaskDeaths {
  /** All of them. */
  readonly total: number;
  /** The most tasks of its next batch. */
  readonly batchMax: number;
  /** Ends of the process, with the task running alone, since the last time it was cleared. */
  readonly alone: number;
  /** Those of them that happened in a trial. */
  readonly counted: number;
  /** Ends of only a thread, with the task running alone, in this life of the process. */
  readonly threads: number;
  /** The longest time that it ran alone until the process ended, in milliseconds. */
  readonly ranMs: number;
  /** The mark of attempts that told of the last one. */
  readonly mark: number;
}
export interface Batch {
  readonly uid: number;
  readonly details: JsonObject;
  /** The JSON text of the details, for a batch read from the log whose details are long (long-contents.ts). */
  readonly detailsText?: string;
  readonly stats: BatchStats;
  readonly startedAt: Micros;
  /** null while it runs. */
  readonly finishedAt: Micros | null;
  readonly strategy: string;
}
export interface BatchStats {
  readonly totalNbTasks: number;
  readonly status: { readonly [status in TaskStatus]?: number };
  readonly types: { readonly [type in TaskType]?: number };
  readonly indexUids: { readonly [uid: string]: number };
  /** Path of a step -> time it took. */
  readonly progressTrace?: { readonly [step: string]: string };
  /** How often and how long the writer waited in this batch. */
  readonly writeChannelCongestion?: WriteCongestion;
  /** Database -> its size and the change of it. */
  readonly internalDatabaseSizes?: { readonly [database: string]: string };
  /** Requests to providers of embeddings; absent when there were none. */
  readonly embedderRequests?: EmbedderRequests;
}
export type EmbedderRequests = NonNullable<BatchStatsAnswer['embedderRequests']>;
export type WriteCongestion = BatchStatsAnswer['writeChannelCongestion'];
/** The part of a batch's stats that the executor adds. */
export type WorkStats = Pick<
  BatchStats,
  'progressTrace' | 'writeChannelCongestion' | 'internalDatabaseSizes' | 'embedderRequests'
>;
/** How one task of a batch ended. */
export type TaskOutcome =
  | {
      readonly status: 'succeeded';
      readonly details?: JsonObject;
      /** Pages of the errors of skipped documents, for the log. */
      readonly errorPages?: readonly Uint8Array[];
    }
  | { readonly status: 'failed'; readonly error: TaskError };
