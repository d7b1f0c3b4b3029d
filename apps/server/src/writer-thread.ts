import { Worker } from 'node:worker_threads';
import type { Json } from '@fossick/scheduler';
import type { WriterLink } from './writer-link.js';
import type { WriterCommand, WriterReport, WriterSignals, WriterStart } from './writer-messages.js';

interface Running {
  readonly batchUid: number;
  readonly progress: Json;
}

/** The script of the thread; tests give another. */
const WRITER_SCRIPT = new URL('./writer.js', import.meta.url);
/** A thread that ends unexpectedly is started again after this long, twice as long each time in a row. */
const RESTART_MS = 100;
const RESTART_MS_MAX = 30_000;
/** Room for young objects. Documents come and go fast; with V8's own 48 MiB they lie all over it and stay resident. */
const YOUNG_GENERATION_MIB = 6;
/** Payloads that the writer is told of before their task is there. */
const LARGE_BYTES = 2 << 20;

/**
 * Starts the writer thread and keeps what it last said of itself. Should it end by itself (out of memory, a fault of
 * ours) it is started again and repeats the batch it ran; how often, the scheduler counts (packages/scheduler/src/run/recover.ts).
 * `onFault` gets its faults.
 */
export function startWriterThread(
  start: WriterStart,
  onFault: (message: string) => void,
  script: URL = WRITER_SCRIPT,
): WriterLink {
  const thread = new WriterThread(start, onFault, script);
  return {
    wake: () => thread.send('wake'),
    expect: (bytes) => {
      if (bytes >= LARGE_BYTES) thread.send('expectLarge');
    },
    progress: (batchUid) => thread.progress(batchUid),
    stop: () => thread.stop(),
  };
}

class WriterThread {
  private readonly start: WriterStart;
  private readonly onFault: (message: string) => void;
  private readonly script: URL;
  private worker: Worker | undefined;
  private running: Running | undefined;
  private deaths = 0;
  private restart: NodeJS.Timeout | undefined;
  private isStopping = false;
  private readonly signals: WriterSignals = { stopping: new SharedArrayBuffer(4) };
  private resolveStopped: () => void = () => {};

  constructor(start: WriterStart, onFault: (message: string) => void, script: URL) {
    this.start = start;
    this.onFault = onFault;
    this.script = script;
    this.begin();
  }

  send(command: WriterCommand): void {
    // Without a thread there is nobody to tell: the next one looks into the log by itself.
    this.worker?.postMessage(command);
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
    this.send('stop');
    return stopped;
  }

  private begin(): void {
    const worker = new Worker(this.script, {
      workerData: { ...this.start, ...this.signals },
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MIB },
    });
    this.worker = worker;
    worker.on('message', (report: WriterReport) => this.note(report));
    worker.on('error', (error) => this.onFault(error.stack ?? error.message));
    worker.on('exit', () => this.ended());
  }

  private note(report: WriterReport): void {
    switch (report.kind) {
      case 'started':
        this.running = { batchUid: report.batchUid, progress: null };
        break;
      case 'progress':
        if (this.running?.batchUid !== report.batchUid) break;
        this.running = { ...this.running, progress: report.progress as unknown as Json };
        break;
      case 'finished':
        this.running = undefined;
        this.deaths = 0;
        break;
      case 'fault':
        this.onFault(report.message);
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
  }
}
