import type { JsonObject } from '@fossick/base';
import type { TaskContent } from '../task/content.js';

/** What a request may add to a task. */
export interface EnqueueExtras {
  readonly customMetadata?: string;
  readonly network?: JsonObject;
}

/** A task that the log does not have yet. */
export interface NewTask {
  readonly content: TaskContent;
  readonly extras: EnqueueExtras;
}
