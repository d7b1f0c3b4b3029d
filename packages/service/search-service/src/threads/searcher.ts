/** A search thread: answers searches of large indexes, and other long jobs, one after another, as JSON bytes. */

import { ApiError, collectGarbage, faultPoint, watchIdleMemory } from '@fossick/base';
import { withAnswerRoom } from '@fossick/base/answer-room';
import {
  type EngineReader,
  openEngineReader,
  SearchMemoryShortage,
  SharedMemoryLost,
  withDictionariesSync,
} from '@fossick/index';
import type { SharedKernel } from '@fossick/kernel/shared';
import { ControlWord, ownThread } from '@fossick/threads';
import { AnswerAccount, type AnswerReservation } from '../jobs/answer-account.js';
import type { SingleSearchJob } from '../jobs/kinds/single-search.js';
import { isWarmUp, type ResultOf, runHere, type SearchJob } from '../jobs/search-jobs.js';
import { busyClock } from './busy-clock.js';
import {
  REST_INTERVAL_MS,
  type Refusal,
  type SearcherOrder,
  type SearcherStart,
  type SearchReport,
} from './searcher-messages.js';
import { WarmUp } from './warm-up.js';

const own = ownThread<SearcherStart, SearchJob | SearcherOrder, SearchReport>();
const { dbPath, control: shared, answers, asked, ...limits } = own.start;
const account = new AnswerAccount(answers.capacityBytes, answers.counters);
/** Answers from this size on, in bytes: a collection takes less than a tenth of the time that one needs. */
const LARGE_BYTES = 16 * 2 ** 20;
/** Of searches and of all of the warm-up, in milliseconds: those of a large index take longer, and hold up only jobs of this thread. */
const WARM_UP = { searchMs: 100, workMs: 5_000 };
/** The number of the memory in use. */
let memory = 0;
const control = new ControlWord(shared);
/** Whether the HTTP thread was told that the memory should be replaced. */
let isWorn = false;
const isEnding = (): boolean => control.isStopping;
let engine: EngineReader | undefined;
let warmUp: WarmUp | undefined;
/** When the last job ended, or was seen to have come to the HTTP thread, and how many had come there. */
let askedMs = Number.NEGATIVE_INFINITY;
let seenCount = 0;
const askedCount = new Int32Array(asked);
const idleMemory = watchIdleMemory();
setInterval(() => {
  if (engine?.rest() === true) idleMemory.release();
  reportWear();
}, REST_INTERVAL_MS).unref();

own.onCommand((job) => {
  if (job === 'stop') {
    warmUp?.stop();
    void Promise.resolve(engine?.close()).then(() => own.close());
  } else if (job.kind === 'use memory') useMemory(job.sharedKernel);
  else if (job.kind === 'warm up') {
    if (engine === undefined) return;
    warmUp ??= new WarmUp({ engine, run: runWarmUp, askedMs: lastAskedMs, ...WARM_UP });
    const { indexUid } = job;
    warmUp.start(indexUid, () => send({ kind: 'warm', indexUid }));
  } else {
    const report = answer(job);
    if (!isWarmUp(job)) askedMs = performance.now();
    // a job that is run again finds the new memory
    reportWear();
    send(report);
  }
});

// Until a thread transfers its first buffer, V8 compiles code that does not check for transferred buffers; then it discards all of that code.
const transferred = new ArrayBuffer(1);
structuredClone(transferred, { transfer: [transferred] });
send({ kind: 'ready' });

function lastAskedMs(): number {
  const count = Atomics.load(askedCount, 0);
  if (count !== seenCount) askedMs = performance.now();
  seenCount = count;
  return askedMs;
}

function useMemory(sharedKernel: SharedKernel): void {
  try {
    if (engine === undefined) engine = openEngineReader({ rootFolder: dbPath, ...limits, sharedKernel, isEnding });
    else engine.useMemory(sharedKernel);
  } catch (error) {
    // it was lost before this thread had it: another one follows
    if (!(error instanceof SharedMemoryLost)) throw error;
    return;
  }
  memory = sharedKernel.id;
  isWorn = false;
  send({ kind: 'using', memory });
}

function reportWear(): void {
  if (isWorn || engine?.needsMemory !== true) return;
  isWorn = true;
  send({ kind: 'worn', memory });
}

/** The buffer of an answer is transferred to the other thread without a copy; what its making left is freed at once where that is much. */
function send(report: SearchReport): void {
  const value = report.kind === 'answer' ? report.result.value : undefined;
  const byteCount = Buffer.isBuffer(value) ? value.length : 0;
  own.send(report, Buffer.isBuffer(value) ? [value.buffer as ArrayBuffer] : []);
  if (byteCount >= LARGE_BYTES) setImmediate(collectGarbage);
}

function answer(job: SearchJob): SearchReport {
  if (engine === undefined) return { kind: 'lost' };
  const reader = engine;
  const reservation = account.reserve({ thread: limits.sharedBudget.owner, beside: 'held' in job ? job.held : 0 });
  try {
    faultPoint('searcher.death', 'indexUid' in job ? job.indexUid : undefined);
    const clock = busyClock(0);
    const startedMs = clock();
    const result = withDictionariesSync(() => runWithin(reader, job, reservation), !isWarmUp(job));
    const { value } = result;
    const sent = Buffer.isBuffer(value) ? { ...result, value: ownBytes(value) } : result;
    reservation.shrink(Buffer.isBuffer(value) ? value.length : 0);
    return { kind: 'answer', result: sent, workMs: clock() - startedMs, heldBytes: reservation.leave() };
  } catch (error) {
    if (reservation.bytes >= LARGE_BYTES) setImmediate(collectGarbage);
    reservation.release();
    if (error instanceof SharedMemoryLost) return { kind: 'lost' };
    if (error instanceof SearchMemoryShortage && error.fitsInNew) return { kind: 'lost', refusal: refusalOf(error) };
    if (error instanceof ApiError) return refusalOf(error);
    return faultReport(error instanceof Error ? error : new Error(String(error)));
  }
}

/** Runs a job whose answer takes its room from a reservation. */
function runWithin<J extends SearchJob>(
  reader: EngineReader,
  job: J,
  reservation: AnswerReservation,
): ResultOf<J['kind']> {
  return withAnswerRoom(
    (bytes) => reservation.grow(bytes),
    () => runHere(reader, job),
  );
}

/** Runs a job of the warm-up. V8 sees the shapes of a message's objects, because a message is a copy as well. */
function runWarmUp(job: SingleSearchJob): Uint8Array {
  const reservation = account.reserve({ thread: limits.sharedBudget.owner, beside: 0 });
  try {
    return runWithin(engine!, structuredClone(job), reservation).value;
  } finally {
    reservation.release();
  }
}

function refusalOf({ code, message }: ApiError): Refusal {
  return { kind: 'refusal', code, message };
}

function faultReport(error: Error): SearchReport {
  const { message, stack = message } = error;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined;
  return { kind: 'fault', message, stack, code };
}

/** A buffer in a shared pool cannot be transferred, and one that is mostly empty need not be. */
function ownBytes(bytes: Buffer): Buffer {
  if (bytes.byteOffset === 0 && bytes.byteLength * 2 > bytes.buffer.byteLength) return bytes;
  const own = Buffer.allocUnsafeSlow(bytes.length);
  bytes.copy(own);
  return own;
}
