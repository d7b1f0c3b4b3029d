import type { SearchContext, SearcherThreads } from '@fossick/search-service';
import type { TaskGateway, TaskLog } from '@fossick/tasks';
import type { TaskChanges } from './task-changes.js';
import type { TaskIntake } from './task-intake.js';
import type { WriterLink } from './writer/writer-link.js';

/** An open database, and everything that answering requests needs, over HTTP or within the process. */
export interface Instance extends SearchContext {
  readonly searchers: SearcherThreads;
  readonly tasks: TaskLog;
  readonly gateway: TaskGateway;
  /** Registers the tasks of requests, through the gateway. */
  readonly intake: TaskIntake;
  readonly writer: WriterLink;
  /** Tells which tasks and batches change. */
  readonly taskChanges: TaskChanges;
  /** The folder of payloads that wait for their task. */
  readonly payloadFolder: string;
}
