import type { ProgressAnswer } from '@fossick/api';
import { Canceler, type Task, type TaskLog } from '@fossick/tasks';
import { ControlWord, SupervisedThread, type ThreadStart } from '@fossick/threads';
import type { WriterLink } from './writer-link.js';
import type { WriterLogLink } from './writer-log.js';
import type { WriterCommand, WriterReport, WriterSignals, WriterStart } from './writer-messages.js';

interface Running {
  readonly batchUid: number;
  readonly progress: ProgressAnswer | null;
}

/** The script of the thread; tests use others. */
const WRITER_SCRIPT = new URL('./writer.js', import.meta.url);
/** Delay before a thread that ended unexpectedly is started again, doubled each consecutive time. */
const RESTART_MS = 100;
const RESTART_MS_MAX = 30_000;
/**
 * Size of the young generation. Documents are short-lived; with V8's own 48 MiB they are spread over all of it and it
 * stays resident.
 */
const YOUNG_GENERATION_MIB = 6;
/** Payloads above this size are announced to the writer before their task exists. */
const LARGE_BYTES = 2 << 20;

/**
 * Starts the writer thread and keeps its last reports. If the thread ends by itself (out of memory, a bug) it is
 * started again and repeats its batch; the scheduler counts the deaths (packages/service/tasks/src/run/recover.ts).
 * `onFault` gets its faults.
 */
export function startWriterThread(
  start: WriterStart,
  onFault: (message: string) => void,
  script: URL = WRITER_SCRIPT,
  writerOptions: WriterThreadOptions = {},
): WriterLink {
  const thread = new WriterThread(start, onFault, script, writerOptions);
  return {
    wake: (tasks) => thread.wake(tasks),
    expect: (bytes) => {
      if (bytes >= LARGE_BYTES) thread.send('expectLarge');
    },
    progress: (batchUid) => thread.progress(batchUid),
    holdProcess: (isHeld) => thread.holdProcess(isHeld),
    stop: () => thread.stop(),
  };
}

/** How the thread is run, where it differs from a server's. */
export interface WriterThreadOptions {
  /** It starts with the first task instead of at once. */
  readonly isDeferred?: boolean;
  /** The process may end while the thread is running, unless `holdProcess` says otherwise. */
  readonly isLoose?: boolean;
  /** Where cancelations of running batches are found; none is where it is absent. */
  readonly log?: TaskLog;
  /** Called with each report of its batches. */
  readonly onReport?: (report: WriterReport) => void;
  /** Makes the link to the log that the instance shares, anew for each start of the thread. */
  readonly newLogLink?: () => WriterLogLink;
}

class WriterThread {
  private readonly onFault: (message: string) => void;
  private readonly writerOptions: WriterThreadOptions;
  private readonly thread: SupervisedThread<WriterCommand, WriterReport>;
  /** Of the running thread. */
  private control = new ControlWord();
  private canceler: Canceler | undefined;
  private running: Running | undefined;
  private isStopping = false;
  private isDeferred: boolean;

  constructor(start: WriterStart, onFault: (message: string) => void, script: URL, writerOptions: WriterThreadOptions) {
    this.onFault = onFault;
    this.writerOptions = writerOptions;
    this.isDeferred = writerOptions.isDeferred === true;
    this.thread = new SupervisedThread(
      {
        start: () => this.threadStart(start, script),
        pauseMs: RESTART_MS,
        pauseMsMax: RESTART_MS_MAX,
        onLost: (pauseMs) => {
          this.running = undefined;
          this.canceler = undefined;
          this.onFault(`the writer thread ended by itself; it is started again in ${pauseMs} ms`);
        },
      },
      writerOptions.isLoose !== true,
    );
    if (!this.isDeferred) this.thread.begin();
  }

  send(command: WriterCommand): void {
    if (this.isDeferred && !this.isStopping) {
      this.isDeferred = false;
      this.thread.begin();
    }
    // Without a thread no message is needed: the next one reads the log by itself.
    this.thread.send(command);
  }

  holdProcess(isHeld: boolean): void {
    if (this.writerOptions.isLoose === true) this.thread.holdProcess(isHeld);
  }

  progress(batchUid: number): ProgressAnswer | null {
    return this.running?.batchUid === batchUid ? this.running.progress : null;
  }

  stop(): Promise<void> {
    this.isStopping = true;
    return this.thread.stop(() => {
      this.control.stop();
      this.send('stop');
    });
  }

  wake(tasks?: readonly Task[]): void {
    this.send('wake');
    if (tasks?.every(({ content }) => content.type !== 'taskCancelation') !== true) this.canceler?.look();
  }

  private threadStart(start: WriterStart, script: URL): ThreadStart<WriterReport> {
    const { log } = this.writerOptions;
    // the numbers of works begin again
    this.control = new ControlWord();
    this.canceler = log === undefined ? undefined : new Canceler(log, this.control);
    const sharedLog = this.writerOptions.newLogLink?.();
    const signals: WriterSignals = {
      control: this.control.buffer,
      ...(sharedLog === undefined ? {} : { sharedLog }),
    };
    return {
      script,
      start: { ...start, ...signals },
      transfer: sharedLog === undefined ? [] : [sharedLog.channel.port],
      youngGenerationMib: YOUNG_GENERATION_MIB,
      onReport: (report) => {
        this.note(report);
        this.writerOptions.onReport?.(report);
      },
      onFault: (error) => this.onFault(error.stack ?? error.message),
    };
  }

  private note(report: WriterReport): void {
    switch (report.kind) {
      case 'started':
        this.running = { batchUid: report.batchUid, progress: null };
        this.canceler?.begun(report);
        break;
      case 'progress':
        if (this.running?.batchUid !== report.batchUid) break;
        this.running = { ...this.running, progress: report.progress };
        break;
      case 'finished':
        this.running = undefined;
        this.canceler?.ended();
        this.thread.proveWell();
        break;
      case 'fault':
        this.onFault(report.message);
        break;
      case 'stopped':
        break;
    }
  }
}
