import type { StartFacts } from './banner.js';

/** Where a running server's own lines go, in the form that `--log-mode` selects. */
export interface ServerLog {
  info(message: string): void;
  info(facts: object, message: string): void;
  warn(message: string): void;
}

export interface RunningServer {
  readonly log: ServerLog;
  /** The URL `http://host:port` of the server, and other facts for the terminal. */
  readonly facts: StartFacts;
  /** Logs a fault that belongs to no request. */
  report(error: unknown): void;
  /** Resolves once the films of `--sample` can be searched, with null, or cannot be loaded, with the reason. */
  sampleFault(): Promise<string | null>;
  /** Called before an intended end of the process: the running tasks are not to blame for it. */
  expectEnd(): void;
  /** Resolves with the reason, a sentence, when an extension wants the server closed and started again. */
  readonly restartDue: Promise<string>;
  /** Completes answers that have begun, finishes the running batch, closes every store. */
  close(): Promise<void>;
}
