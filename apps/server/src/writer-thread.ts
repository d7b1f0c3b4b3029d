import { Worker } from 'node:worker_threads';
import type { Json } from '@fossick/scheduler';
import type { WriterLink } from './writer-link.js';
import type { WriterCommand, WriterReport, WriterStart } from './writer-messages.js';

interface Running {
  readonly batchUid: number;
  readonly progress: Json;
}

/** Starts the writer thread and keeps what it last said of itself. `onFault` gets its faults, and its death with code `null`. */
export function startWriterThread(start: WriterStart, onFault: (message: string) => void): WriterLink {
  const worker = new Worker(new URL('./writer.js', import.meta.url), { workerData: start });
  let running: Running | undefined;
  let isStopping = false;
  let resolveStopped: () => void = () => {};
  const stopped = new Promise<void>((resolve) => {
    resolveStopped = resolve;
  });
  const send = (command: WriterCommand): void => worker.postMessage(command);
  worker.on('message', (report: WriterReport) => {
    if (report.kind === 'started')
      running = { batchUid: report.batchUid, progress: progressJson('processing tasks', 0, 1) };
    else if (report.kind === 'finished') running = undefined;
    else if (report.kind === 'fault') onFault(report.message);
    else if (report.kind === 'progress' && running?.batchUid === report.batchUid)
      running = { ...running, progress: progressJson(report.step, report.done, report.total) };
  });
  worker.on('error', (error) => onFault(error.stack ?? error.message));
  worker.on('exit', () => {
    if (!isStopping) onFault('the writer thread ended; tasks are still accepted and run after a restart');
    resolveStopped();
  });
  return {
    wake: () => send('wake'),
    progress: (batchUid) => (running?.batchUid === batchUid ? running.progress : null),
    stop: () => {
      isStopping = true;
      send('stop');
      return stopped;
    },
  };
}

/** Two levels: the batch, and the step inside it (spec 03 section 6). */
function progressJson(step: string, done: number, total: number): Json {
  const inner = step === 'processing tasks' ? [] : [{ currentStep: step, finished: done, total }];
  const percentage = inner.length === 0 || total === 0 ? 0 : (100 * done) / (2 * total);
  return { steps: [{ currentStep: 'processing tasks', finished: 0, total: 2 }, ...inner], percentage };
}
