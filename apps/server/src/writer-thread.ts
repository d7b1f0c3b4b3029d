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
    if (report.kind === 'started') running = { batchUid: report.batchUid, progress: null };
    else if (report.kind === 'finished') running = undefined;
    else if (report.kind === 'fault') onFault(report.message);
    else if (report.kind === 'progress' && running?.batchUid === report.batchUid)
      running = { ...running, progress: report.progress as unknown as Json };
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
