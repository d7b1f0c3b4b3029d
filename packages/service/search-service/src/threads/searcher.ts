/** A search thread: answers searches of large indexes, and other long jobs, one after another, as JSON bytes. */

import { ApiError, faultPoint, optimiseForLargeIndexes, watchIdleMemory } from '@fossick/base';
import { openEngineReader, SearchMemoryShortage } from '@fossick/index';
import { ControlWord, ownThread } from '@fossick/threads';
import { degradedSearches } from '../parts/degraded-searches.js';
import { REST_INTERVAL_MS, type SearcherOrder, type SearcherStart, type SearchReport } from './searcher-messages.js';
import { answerThreadJob, type ThreadJob } from './thread-jobs.js';

const own = ownThread<SearcherStart, ThreadJob | SearcherOrder, SearchReport>();
const { dbPath, control: shared, ...limits } = own.start;
const control = new ControlWord(shared);
// Only searches of large indexes run here: small ones and indexing would lose more by it than they gain.
optimiseForLargeIndexes();
const isEnding = (): boolean => control.isStopping;
const engine = openEngineReader({ rootFolder: dbPath, ...limits, isEnding });
const idleMemory = watchIdleMemory();
setInterval(() => {
  if (engine.rest()) idleMemory.release();
}, REST_INTERVAL_MS).unref();

own.onCommand((job) => {
  if (job === 'stop') void engine.close().then(() => own.close());
  else if (job === 'give back') {
    engine.releaseMemory();
    send({ kind: 'gave back' });
  } else send(answer(job));
});

/** The buffer of an answer is transferred to the other thread without a copy. */
function send(report: SearchReport): void {
  own.send(report, report.kind === 'answer' ? [report.bytes.buffer as ArrayBuffer] : []);
}

function answer(job: ThreadJob): SearchReport {
  try {
    faultPoint('searcher.death', 'indexUid' in job ? job.indexUid : undefined);
    const before = degradedSearches.count;
    const bytes = ownBytes(answerThreadJob(engine, job));
    return { kind: 'answer', bytes, degradedCount: degradedSearches.count - before };
  } catch (error) {
    if (error instanceof SearchMemoryShortage) return { kind: 'shortage', message: error.message };
    if (error instanceof ApiError) return { kind: 'refusal', code: error.code, message: error.message };
    return faultReport(error instanceof Error ? error : new Error(String(error)));
  }
}

function faultReport(error: Error): SearchReport {
  const { message, stack = message } = error;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined;
  return { kind: 'fault', message, stack, code };
}

/** A buffer in a shared pool cannot be transferred. */
function ownBytes(bytes: Buffer): Buffer {
  if (bytes.byteLength === bytes.buffer.byteLength) return bytes;
  const own = Buffer.allocUnsafeSlow(bytes.length);
  bytes.copy(own);
  return own;
}
