/**
 * The writer thread: the only thread that changes indexes. It runs the tasks of the log and merges segments when
 * nothing waits.
 */

import { join } from 'node:path';
import { faultPoint, watchIdleMemory } from '@fossick/base';
import type { EngineReader } from '@fossick/index';
import { PendingMerges } from '@fossick/index';
import { BlockingVectors, openEngineWriter } from '@fossick/index/writer';
import { enabledFeatures, foldersOf, InstanceValues, openLocalChanges, RuleStore } from '@fossick/instance';
import { setMerging } from '@fossick/kernel/memory';
import { NetworkPolicy } from '@fossick/outbound';
import { openLmdbStore } from '@fossick/storage';
import {
  createExecutor,
  ExpiryWatch,
  expiryLookMs,
  openAttemptFile,
  openAttemptNotes,
  openLocalGateway,
  openLogReserve,
  openTaskLog,
  runScheduler,
  type Task,
  type TaskExecutor,
} from '@fossick/tasks';
import { ControlWord, ownThread } from '@fossick/threads';
import { loadArchivedValues } from '../archived-value.js';
import { yieldToSearches } from './thread-priority.js';
import { WriterExtensions } from './writer-extensions.js';
import type { WriterLog, WriterLogLink, WriterLogModule } from './writer-log.js';
import type { WriterCommand, WriterReport, WriterSignals, WriterStart } from './writer-messages.js';
import { WriterWork } from './writer-work.js';

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
/** Only where the log is shared: everything that this thread changes goes through it. */
const sharedLog = start.sharedLog && (await openSharedLog(start.sharedLog));
const vectorMaker = new BlockingVectors({ allowedNetworks, limits, isEnding });
const writer = openEngineWriter({
  ...engine,
  sharedBudget: start.sharedBudget,
  vectorMaker,
  maxIndexingBytes: start.maxIndexingBytes,
  extractsInThread: start.indexingThreadCount > 1,
  ...(sharedLog === undefined ? {} : { replication: sharedLog.replication }),
});
const store = openLmdbStore({ folder: start.taskFolder });
const instanceStore = openLmdbStore({ folder: join(start.dbPath, 'auth') });
const changer = sharedLog === undefined ? {} : { changer: sharedLog.changer };
// who shares its log has other ways out of a full disk
const reserve = sharedLog === undefined ? { reserve: openLogReserve(start.taskFolder) } : {};
const { payloadFolder, taskKinds } = start;
const log = openTaskLog(store, { payloadFolder, kinds: taskKinds, ...changer, ...reserve });
// another instance may run the tasks next
const attempts =
  sharedLog === undefined
    ? openAttemptFile(start.attemptFile, start.processName)
    : openAttemptNotes(log, start.processName);
const instanceChanges = sharedLog?.changes ?? openLocalChanges(instanceStore);
const instanceValues = new InstanceValues(instanceStore, instanceChanges);

/** Loaded with the first task that reads indexes, which are rare, and then kept. */
let opened: Promise<EngineReader> | undefined;
function reader(): Promise<EngineReader> {
  opened ??= import('@fossick/index').then(({ openEngineReader }) =>
    openEngineReader({ ...engine, resultCacheBytes: 0, sharedBudget: start.sharedBudget }),
  );
  return opened;
}

const extensions = await WriterExtensions.open(start.extensions, start.dbPath, {
  values: instanceValues,
  policy,
  hiddenIndexUids: start.hiddenIndexUids,
  folders: foldersOf(start.dbPath),
  tasks: log,
  preparePayloads: async (ofLog, tasks) => sharedLog?.preparePayloads(ofLog, tasks),
  archived: () => loadArchivedValues(start.archiveModules),
  taskKinds,
  reader,
  features: () => enabledFeatures(instanceValues, start.forcedFeatures),
  isEnding,
  onFault: fault,
});

const merges = new PendingMerges();
const memory = watchIdleMemory();
const isMoreWaiting = (): boolean => log.finder.set('status:enqueued').chunks.size > 0;
const work = new WriterWork({
  merges,
  mergeOnce: (uid) => writer.mergeOnce(uid),
  isMoreWaiting,
  prepare: () => writer.prepare(),
  rest() {
    writer.rest();
    vectorMaker.rest();
    memory.release();
  },
  setMerging: (isMerging) => setMerging(start.sharedBudget.buffer, isMerging),
  onFault: fault,
});

const inner = createExecutor({
  writer,
  rules: new RuleStore(instanceStore, instanceChanges),
  indexExists: (uid) => writer.index(uid) !== undefined,
  maxIndexingBytes: start.maxIndexingBytes,
  isMoreWaiting,
  runAdded: extensions.run,
});
const executor: TaskExecutor = {
  execute(running, context) {
    return work.execute(indexUidsOf(running.tasks), async () => {
      for (const { customMetadata } of running.tasks) faultPoint('writer.death', customMetadata);
      await sharedLog?.preparePayloads(log, running.tasks);
      await extensions.beforeBatch(running.tasks);
      return inner.execute(running, context);
    });
  },
};

const gateway = sharedLog?.gateway(log) ?? openLocalGateway(log, () => undefined);
const scheduler = runScheduler({
  log,
  gateway,
  executor,
  findIndex: (uid) => writer.index(uid),
  ...(start.maxBatchedTaskCount === null ? {} : { tasksMax: start.maxBatchedTaskCount }),
  payloadBytesMax: start.maxBatchedBytes,
  attempts,
  trials: { pauseMs: start.trialPauseMs },
  control,
  ...(sharedLog === undefined ? {} : { yieldsWork: sharedLog.yieldsWork.bind(sharedLog) }),
  onStart: ({ batch, work: workId, tasks }) =>
    report({ kind: 'started', batchUid: batch.uid, work: workId, taskUids: tasks.map(({ uid }) => uid) }),
  onProgress: (batchUid, progress) => report({ kind: 'progress', batchUid, progress }),
  onCommit: ({ batch, tasks }) => {
    report({ kind: 'finished', batchUid: batch.uid, indexUids: indexUidsOf(tasks) });
    sharedLog?.dropPayloads(tasks);
    extensions.afterCommit(tasks);
    work.wake();
  },
  isEnding,
  onFault: fault,
});

const expiries = new ExpiryWatch({
  log,
  gateway,
  expiriesDue: (nowMs) => writer.expiriesDue(nowMs),
  isBusy: () => work.isBusy,
  onTask: () => scheduler.wake(),
  onFault: fault,
  lookMs: expiryLookMs(process.env),
});
merges.lookLater(writer, () => work.wake());
own.onCommand((command) => {
  if (command === 'wake') scheduler.wake();
  else if (command === 'expectLarge') work.expectLarge();
  else void stop();
});

async function openSharedLog({ module, channel }: WriterLogLink): Promise<WriterLog> {
  const { openWriterLog } = (await import(module)) as WriterLogModule;
  return openWriterLog(channel);
}

/** The indexes of the tasks, each once. */
function indexUidsOf(tasks: readonly Task[]): string[] {
  return [...new Set(tasks.flatMap(({ content }) => ('indexUid' in content ? [content.indexUid] : [])))];
}

/** Whatever of it fails, the rest is closed and the thread ends: the process waits for that. */
async function stop(): Promise<void> {
  const steps = [
    () => expiries.stop(),
    () => scheduler.stop(),
    () => extensions.close(),
    () => {
      work.stop();
      vectorMaker.close();
    },
    () => faultPoint('writer.stop'),
    () => writer.close(),
    async () => (await opened)?.close(),
    () => instanceStore.close(),
    () => attempts.close(),
    () => store.close(),
    () => sharedLog?.close(),
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
