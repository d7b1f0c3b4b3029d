import type { Json } from '@fossick/scheduler';

/** What the HTTP thread knows of the writer thread: a bell to ring, and what it last said of its running batch. */
export interface WriterLink {
  /** Tells the writer that a task was registered. */
  wake(): void;
  /** Tells it that a payload of so many bytes has begun to come in. Says nothing of whether a task will come of it. */
  expect(bytes: number): void;
  /** Progress of the running batch in the shape of the API, or null. */
  progress(batchUid: number): Json;
  /** Whether a process whose writer does not hold it (WriterManner) has to go on: somebody waits for a task. */
  holdProcess(isHeld: boolean): void;
  stop(): Promise<void>;
}
