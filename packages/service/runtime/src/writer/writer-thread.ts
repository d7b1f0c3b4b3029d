import { Worker } from 'node:worker_threads';
import type { Json } from '@fossick/base';
import { threadOptions } from '@fossick/base';
import type { WriterLink } from './writer-link.js';
import type { ClusterChannel, WriterCommand, WriterReport, WriterSignals, WriterStart } from './writer-messages.js';

interface Running {
  readonly batchUid: number;
  readonly progress: Json;
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
  manner: WriterThreadOptions = {},
): WriterLink {
  const thread = new WriterThread(start, onFault, script, manner);
  return {
    wake: () => thread.send('wake'),
    expect: (bytes) => {
      if (bytes >= LARGE_BYTES) thread.send('expectLarge');
    },
    progress: (batchUid) => thread.progress(batchUid),
    droppedDeliveries: () => thread.droppedDeliveries,
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
  /** Called with each report of its batches. */
  readonly onReport?: (report: WriterReport) => void;
  /** Makes the channel to the thread of the cluster, anew for each start of the thread. */
  readonly newChannel?: () => ClusterChannel;
}

class WriterThread {
  private readonly start: WriterStart;
  private readonly onFault: (message: string) => void;
  private readonly script: URL;
  private readonly manner: WriterThreadOptions;
  private worker: Worker | undefined;
  private running: Running | undefined;
  private deaths = 0;
  droppedDeliveries = 0;
  private restart: NodeJS.Timeout | undefined;
  private isStopping = false;
  private isDeferred: boolean;
  private isHeld: boolean;
  private readonly signals: WriterSignals = { stopping: new SharedArrayBuffer(4) };
  private resolveStopped: () => void = () => {};

  constructor(start: WriterStart, onFault: (message: string) => void, script: URL, manner: WriterThreadOptions) {
    this.start = start;
    this.onFault = onFault;
    this.script = script;
    this.manner = manner;
    this.isDeferred = manner.isDeferred === true;
    this.isHeld = manner.isLoose !== true;
    if (!this.isDeferred) this.begin();
  }

  send(command: WriterCommand): void {
    if (this.isDeferred && !this.isStopping) {
      this.isDeferred = false;
      this.begin();
    }
    // Without a thread no message is needed: the next one reads the log by itself.
    this.worker?.postMessage(command);
  }

  holdProcess(isHeld: boolean): void {
    if (this.manner.isLoose !== true || this.isHeld === isHeld) return;
    this.isHeld = isHeld;
    for (const handle of [this.worker, this.restart]) {
      if (isHeld) handle?.ref();
      else handle?.unref();
    }
  }

  progress(batchUid: number): Json {
    return this.running?.batchUid === batchUid ? this.running.progress : null;
  }

  stop(): Promise<void> {
    this.isStopping = true;
    clearTimeout(this.restart);
    if (this.worker === undefined) return Promise.resolve();
    const stopped = new Promise<void>((resolve) => {
      this.resolveStopped = resolve;
    });
    Atomics.store(new Int32Array(this.signals.stopping), 0, 1);
    this.worker.ref();
    this.send('stop');
    return stopped;
  }

  private begin(): void {
    const cluster = this.manner.newChannel?.();
    const worker = new Worker(this.script, {
      workerData: { ...this.start, ...this.signals, ...(cluster === undefined ? {} : { cluster }) },
      ...(cluster === undefined ? {} : { transferList: [cluster.port] }),
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MIB },
      ...threadOptions(),
    });
    this.worker = worker;
    worker.on('message', (report: WriterReport) => {
      this.note(report);
      this.manner.onReport?.(report);
    });
    worker.on('error', (error) => this.onFault(error.stack ?? error.message));
    worker.on('exit', () => this.ended());
    // listening to messages also keeps the process alive
    if (!this.isHeld) worker.unref();
  }

  private note(report: WriterReport): void {
    switch (report.kind) {
      case 'started':
        this.running = { batchUid: report.batchUid, progress: null };
        break;
      case 'progress':
        if (this.running?.batchUid !== report.batchUid) break;
        this.running = { ...this.running, progress: report.progress };
        break;
      case 'finished':
        this.running = undefined;
        this.deaths = 0;
        break;
      case 'fault':
        this.onFault(report.message);
        break;
      case 'dropped':
        this.droppedDeliveries += report.count;
        break;
      case 'stopped':
        break;
    }
  }

  private ended(): void {
    this.worker = undefined;
    if (this.isStopping) return this.resolveStopped();
    this.deaths += 1;
    const waitMs = Math.min(RESTART_MS * 2 ** (this.deaths - 1), RESTART_MS_MAX);
    this.running = undefined;
    this.onFault(`the writer thread ended by itself; it is started again in ${waitMs} ms`);
    this.restart = setTimeout(() => this.begin(), waitMs);
    if (!this.isHeld) this.restart.unref();
  }
}
