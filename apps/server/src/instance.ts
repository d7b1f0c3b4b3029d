import type { SearchContext, SearcherThreads } from '@fossick/answers';
import type { TaskLog } from '@fossick/scheduler';
import type { WriterLink } from '@fossick/writer';
import type { TaskIntake } from './task-intake.js';

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
