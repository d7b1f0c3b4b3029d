import type { TaskLog } from '@fossick/scheduler';
import type { SearchContext } from './search/search-context.js';
import type { SearcherThreads } from './searcher-threads.js';
import type { TaskIntake } from './task-intake.js';
import type { WriterLink } from './writer-link.js';

/** A database that is open, and all that requests are answered with: whoever asks, over HTTP or within the process. */
export interface Instance extends SearchContext {
  readonly searchers: SearcherThreads;
  readonly tasks: TaskLog;
  /** Where requests register tasks. */
  readonly intake: TaskIntake;
  readonly writer: WriterLink;
  /** Where payloads wait for their task. */
  readonly payloadFolder: string;
}
