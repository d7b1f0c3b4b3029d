import type { Json } from '@fossick/scheduler';

/** What the HTTP thread knows of the writer thread: a bell to ring, and what it last said of its running batch. */
export interface WriterLink {
  /** Tells the writer that a task was registered. */
  wake(): void;
  /** Progress of the running batch in the shape of spec 03 section 6, or null. */
  progress(batchUid: number): Json;
  stop(): Promise<void>;
}
