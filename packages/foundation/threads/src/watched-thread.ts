import { type Transferable, Worker } from 'node:worker_threads';
import { nameFarThread } from './byte-pipe.js';

/** Flags of Node for reading a program from the command line: a thread with a file refuses them, and never starts. */
const PROGRAM_FLAG = /^--input-type(=|$)/;

/** How a thread is started and watched. `Report`: its messages. */
export interface ThreadStart<Report> {
  /** A module; the thread finds its start message there by `ownThread`. */
  readonly script: URL;
  /** The start message. */
  readonly start: unknown;
  /** Ports in the start message. */
  readonly transfer?: readonly Transferable[] | undefined;
  /** Size of V8's young generation in MiB. */
  readonly youngGenerationMib?: number | undefined;
  /** Pipes to the thread: a wait at their near ends ends when the thread does (byte-pipe.ts). */
  readonly pipes?: readonly SharedArrayBuffer[] | undefined;
  readonly onReport?: ((report: Report) => void) | undefined;
  /** The error that ends the thread; `onEnd` follows. A thread that runs out of memory may end without one. */
  readonly onFault?: ((error: Error) => void) | undefined;
  /** Called once, when the thread has ended, for whatever reason. */
  readonly onEnd?: (() => void) | undefined;
  /** Whether the process stays alive while the thread runs: true if absent. */
  readonly holdsProcess?: boolean | undefined;
}

/** A running thread, seen from the thread that started it. An error in it never ends the process. */
export class WatchedThread<Command, Report = never> {
  private readonly worker: Worker;
  /** Resolves when the thread has ended. */
  readonly ended: Promise<void>;

  constructor(given: ThreadStart<Report>) {
    const { script, start, transfer, youngGenerationMib, pipes = [] } = given;
    const options = {
      workerData: start,
      ...(transfer === undefined ? {} : { transferList: [...transfer] }),
      ...(youngGenerationMib === undefined ? {} : { resourceLimits: { maxYoungGenerationSizeMb: youngGenerationMib } }),
      ...threadOptions(),
    };
    this.worker = nameFarThread(pipes, () => new Worker(script, options));
    if (given.onReport !== undefined) this.worker.on('message', given.onReport);
    // without a listener the error would end the process
    this.worker.on('error', (error: Error) => given.onFault?.(error));
    this.ended = new Promise((resolve) => {
      this.worker.once('exit', () => {
        given.onEnd?.();
        resolve();
      });
    });
    // after the listeners: listening to messages also keeps the process alive
    if (given.holdsProcess === false) this.worker.unref();
  }

  send(command: Command, transfer: readonly Transferable[] = []): void {
    this.worker.postMessage(command, transfer);
  }

  /** Whether the process stays alive while the thread runs. */
  holdProcess(isHeld: boolean): void {
    if (isHeld) this.worker.ref();
    else this.worker.unref();
  }

  /**
   * Ends the thread whatever it is doing. Not for a thread that may be in a native call that reports errors by
   * exceptions, such as one of LMDB: an error of such a call could be thrown no more, which ends the process.
   */
  terminate(): void {
    void this.worker.terminate();
  }
}

/**
 * The first report of a thread that ends by itself. Rejects with the error that ended the thread, or when it ended
 * without a report.
 */
export function reportOf<Report>(script: URL, start: unknown): Promise<Report> {
  return new Promise((resolve, reject) => {
    new WatchedThread<never, Report>({
      script,
      start,
      onReport: resolve,
      onFault: reject,
      onEnd: () => reject(new Error('the thread has ended without a report')),
    });
  });
}

/**
 * Options for starting a thread, in addition to its data. Threads inherit the flags of their process, which may be any program
 * with an embedded engine, for example `node --input-type=module -e ...`.
 */
export function threadOptions(flags: readonly string[] = process.execArgv): { readonly execArgv?: string[] } {
  return flags.some((flag) => PROGRAM_FLAG.test(flag)) ? { execArgv: [] } : {};
}
