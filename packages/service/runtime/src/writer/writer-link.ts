import type { ProgressAnswer } from '@fossick/api';
import type { Task } from '@fossick/tasks';

/** The HTTP thread's side of the writer thread: wakes it, and knows the last report of its running batch. */
export interface WriterLink {
  /** Signals that tasks were registered: these, or unknown ones. */
  wake(tasks?: readonly Task[]): void;
  /** Signals that a payload of this size is arriving; a task may or may not follow. */
  expect(bytes: number): void;
  /** Progress of the running batch, or null. */
  progress(batchUid: number): ProgressAnswer | null;
  /**
   * Whether the process must stay alive because a caller waits for a task; matters where the writer itself does not
   * hold the process (WriterThreadOptions).
   */
  holdProcess(isHeld: boolean): void;
  stop(): Promise<void>;
}
