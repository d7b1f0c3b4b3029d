/**
 * The writer thread: the only thread that changes indexes. It runs the tasks of the log and merges segments when
 * nothing waits.
 */

import { join } from 'node:path';
import { faultPoint, watchIdleMemory } from '@fossick/base';
import type { EngineReader } from '@fossick/index';
import { PendingMerges } from '@fossick/index';
import { BlockingVectors, openEngineWriter } from '@fossick/index/writer';
import { enabledFeatures, InstanceValues, openLocalChanges, RuleStore } from '@fossick/instance';
import { setMerging } from '@fossick/kernel/memory';
import { NetworkPolicy } from '@fossick/outbound';
import { openLmdbStore } from '@fossick/storage';
import {
  createExecutor,
  type ExecuteContext,
  ExpiryWatch,
  expiryLookMs,
  openAttemptFile,
  openAttemptNotes,
  openLocalDoor,
  openLogReserve,
  openTaskLog,
  runScheduler,
  type TaskExecutor,
  WebhookSender,
  WebhookStore,
} from '@fossick/tasks';
import { ControlWord, ownThread } from '@fossick/threads';
import { yieldToSearches } from './thread-priority.js';
import { WriterExtensions } from './writer-extensions.js';
import type { WriterCommand, WriterReport, WriterSignals, WriterStart } from './writer-messages.js';

/** Resources prepared for a large payload are released after this time, in milliseconds. */
const EXPECTED_WITHIN_MS = 10_000;
/** The memory of merges is freed within this time, in milliseconds. */
const RELEASED_WITHIN_MS = 1_000;

/** Time for the messages of a thread that failed to stop, in milliseconds. */
const LAST_WORDS_MS = 100;

yieldToSearches();
const own = ownThread<WriterStart & WriterSignals, WriterCommand, WriterReport>();
const { start } = own;
const control = new ControlWord(start.control);
const isEnding = (): boolean => control.isStopping;
const report = (message: WriterReport): void => own.send(message);
const fault = (error: unknown): void =>
  report({ kind: 'fault', message: error instanceof Error ? (error.stack ?? error.message) : String(error) });

// An unhandled rejection says nothing about the running batch. An exception in a callback ends this thread, and another
// starts.
process.on('unhandledRejection', fault);

const engine = { rootFolder: start.dbPath, maxSearchBytes: start.maxSearchBytes, summaryMarks: start.summaryMarks };
const { allowedNetworks, embedderLimits: limits } = start;
const policy = new NetworkPolicy(allowedNetworks);
/** Loaded only in a cluster, where everything that this thread changes goes through the log. */
const cluster =
  start.cluster === undefined
    ? undefined
    : (await import('@fossick/cluster/for-writer')).openWriterCluster(start.cluster);
const extensions = await WriterExtensions.open(start.extensions, start.dbPath, fault);
const vectorMaker = new BlockingVectors({ allowedNetworks, limits, isEnding });
const writer = openEngineWriter({
  ...engine,
  sharedBudget: start.sharedBudget,
  vectorMaker,
  maxIndexingBytes: start.maxIndexingBytes,
  extractsInThread: start.indexingThreadCount > 1,
  ...(cluster === undefined ? {} : { replication: cluster.replication }),
});
const store = openLmdbStore({ folder: start.taskFolder });
const instanceStore = openLmdbStore({ folder: join(start.dbPath, 'auth') });
const changer = cluster === undefined ? {} : { changer: cluster.changer };
// a node has other ways out of a full disk
const reserve = cluster === undefined ? { reserve: openLogReserve(start.taskFolder) } : {};
const log = openTaskLog(store, { payloadFolder: start.payloadFolder, ...changer, ...reserve });
// another node may run the tasks next
const attempts =
  cluster === undefined
    ? openAttemptFile(start.attemptFile, start.processName)
    : openAttemptNotes(log, start.processName);
const instanceChanges = cluster?.changes ?? openLocalChanges(instanceStore);
const instanceValues = new InstanceValues(instanceStore, instanceChanges);
const webhooks = new WebhookStore(instanceValues, start.taskWebhook);
const sender = new WebhookSender({
  policy,
  webhooks: () => webhooks.all(),
  hiddenIndexUids: start.hiddenIndexUids,
  onFailure: (message) => report({ kind: 'fault', message }),
  onDropped: (count) => report({ kind: 'dropped', count }),
});

/** Loaded with the first dump or export, which are rare, and then kept. */
let opened: Promise<EngineReader> | undefined;
function reader(): Promise<EngineReader> {
  opened ??= import('@fossick/index').then(({ openEngineReader }) =>
    openEngineReader({ ...engine, resultCacheBytes: 0, sharedBudget: start.sharedBudget }),
  );
  return opened;
}

let isExecuting = false;
let isMerging = false;
let idleMerge: NodeJS.Immediate | undefined;
let expectation: NodeJS.Timeout | undefined;
/** Reports the end of merges once their memory is freed. */
let mergesEnded: NodeJS.Timeout | undefined;
const merges = new PendingMerges();
const memory = watchIdleMemory();

const preparePayloads = cluster === undefined ? undefined : cluster.preparePayloads.bind(cluster);
/** A task that a stop interrupts is put back, and begins again with the next start. */
const untilEnd = (context: ExecuteContext): ExecuteContext => ({
  ...context,
  isCanceled: () => context.isCanceled() || isEnding(),
});
/** What is uploaded may take as long as what is sent to another instance. */
const uploadContext = (context: ExecuteContext): ExecuteContext =>
  start.s3.bucket === null ? context : untilEnd(context);

const inner = createExecutor({
  writer,
  rules: new RuleStore(instanceStore, instanceChanges),
  indexExists: (uid) => writer.index(uid) !== undefined,
  maxIndexingBytes: start.maxIndexingBytes,
  isMoreWaiting,
  async createDump(task, context) {
    const { writeDump } = await import('@fossick/transfer');
    const engine = await reader();
    const authStore = openLmdbStore({ folder: start.authFolder });
    try {
      const { dumpFolder, s3 } = start;
      const sources = { engine, tasks: log, authStore, dumpFolder, s3, preparePayloads };
      return await writeDump(sources, task, uploadContext(context));
    } finally {
      await authStore.close();
    }
  },
  async createSnapshot(context) {
    const { writeSnapshot } = await import('@fossick/transfer');
    await writeSnapshot({ ...start, preparePayloads }, uploadContext(context), start.s3);
  },
  async exportIndexes(content, context) {
    const { exportIndexes } = await import('@fossick/transfer');
    const features = enabledFeatures(instanceValues, start.forcedFeatures);
    return exportIndexes({ engine: await reader(), features, policy }, content, untilEnd(context));
  },
});
const executor: TaskExecutor = {
  async execute(running, context) {
    isExecuting = true;
    try {
      for (const { customMetadata } of running.tasks) faultPoint('writer.death', customMetadata);
      await cluster?.preparePayloads(log, running.tasks);
      await extensions.beforeBatch(running.tasks);
      return await inner.execute(running, context);
    } finally {
      isExecuting = false;
      for (const { content } of running.tasks) if ('indexUid' in content) merges.add(content.indexUid);
      scheduleIdleMerge();
    }
  },
};

const door = cluster?.door(log) ?? openLocalDoor(log, () => undefined);
const scheduler = runScheduler({
  log,
  door,
  executor,
  findIndex: (uid) => writer.index(uid),
  ...(start.maxBatchedTaskCount === null ? {} : { tasksMax: start.maxBatchedTaskCount }),
  payloadBytesMax: start.maxBatchedBytes,
  attempts,
  suspects: { pauseMs: start.trialPauseMs },
  control,
  ...(cluster === undefined ? {} : { yieldsWork: cluster.yieldsWork.bind(cluster) }),
  onStart: ({ batch, work, tasks }) =>
    report({ kind: 'started', batchUid: batch.uid, work, taskUids: tasks.map(({ uid }) => uid) }),
  onProgress: (batchUid, progress) => report({ kind: 'progress', batchUid, progress }),
  onCommit: ({ batch, tasks }) => {
    const uids = tasks.flatMap(({ content }) => ('indexUid' in content ? [content.indexUid] : []));
    report({ kind: 'finished', batchUid: batch.uid, indexUids: [...new Set(uids)] });
    sender.send(tasks);
    cluster?.dropPayloads(tasks);
    extensions.afterCommit(tasks);
    scheduleIdleMerge();
  },
  isEnding,
  onFault: fault,
});

const expiries = new ExpiryWatch({
  log,
  door,
  expiriesDue: (nowMs) => writer.expiriesDue(nowMs),
  isBusy: () => isExecuting || isMerging,
  onTask: () => scheduler.wake(),
  onFault: fault,
  lookMs: expiryLookMs(process.env),
});
merges.lookLater(writer, scheduleIdleMerge);
own.onCommand((command) => {
  if (command === 'wake') scheduler.wake();
  else if (command === 'expectLarge') expectLarge();
  else void stop();
});

/**
 * A payload is arriving whose batch will need a second thread: the thread starts meanwhile, and ends again if no batch
 * follows.
 */
function expectLarge(): void {
  if (isExecuting) return;
  writer.prepare();
  clearTimeout(expectation);
  expectation = setTimeout(scheduleIdleMerge, EXPECTED_WITHIN_MS).unref();
}

function isMoreWaiting(): boolean {
  return log.finder.set('status:enqueued').chunks.size > 0;
}

/** One piece of a merge of one index, then back to the event loop, so that a waiting task runs first. */
function scheduleIdleMerge(): void {
  clearImmediate(idleMerge);
  idleMerge = setImmediate(async () => {
    // the next batch, and a running piece, call this again
    if (isExecuting || isMerging || isMoreWaiting()) return;
    const uid = merges.next();
    if (uid === null) return scheduleIdleMerge();
    if (uid === undefined) {
      writer.rest();
      vectorMaker.rest();
      memory.release();
      clearTimeout(mergesEnded);
      mergesEnded = setTimeout(() => setMerging(start.sharedBudget.buffer, false), RELEASED_WITHIN_MS).unref();
      return;
    }
    isMerging = true;
    clearTimeout(mergesEnded);
    setMerging(start.sharedBudget.buffer, true);
    try {
      if (!(await writer.mergeOnce(uid))) merges.delete(uid);
    } catch (error) {
      merges.postpone(uid, scheduleIdleMerge);
      fault(error);
    } finally {
      isMerging = false;
    }
    scheduleIdleMerge();
  });
}

/** Whatever of it fails, the rest is closed and the thread ends: the process waits for that. */
async function stop(): Promise<void> {
  const steps = [
    () => expiries.stop(),
    () => scheduler.stop(),
    () => sender.stop(),
    () => extensions.close(),
    () => {
      clearImmediate(idleMerge);
      clearTimeout(expectation);
      clearTimeout(mergesEnded);
      merges.close();
      vectorMaker.close();
    },
    () => faultPoint('writer.stop'),
    () => writer.close(),
    async () => (await opened)?.close(),
    () => instanceStore.close(),
    () => attempts.close(),
    () => store.close(),
    () => cluster?.close(),
  ];
  let hasFailed = false;
  for (const step of steps) {
    try {
      await step();
    } catch (error) {
      hasFailed = true;
      fault(error);
    }
  }
  report({ kind: 'stopped' });
  own.close();
  // what was not closed may keep the thread alive; an exit at once would lose its last messages
  if (hasFailed) setTimeout(() => process.exit(), LAST_WORDS_MS);
}
