import { randomUUID } from 'node:crypto';
import { join, resolve } from 'node:path';
import { watchIdleMemory } from '@fossick/base';
import { embedderLimits } from '@fossick/embedders';
import { newSummaryMarks, openEngineReader } from '@fossick/index';
import {
  defaultRemoteAnswersBytes,
  Features,
  type InstanceChanges,
  InstanceValues,
  openLocalChanges,
  RuleStore,
  type ServerOptions,
  type Upgrade,
} from '@fossick/instance';
import { newSharedBudget } from '@fossick/memory';
import { NetworkPolicy } from '@fossick/outbound';
import {
  AnswerAccount,
  QueryVectors,
  REST_INTERVAL_MS,
  RemoteClient,
  remoteTimeoutMs,
  SearcherThreads,
  SearchQueue,
  searchJobMaxMs,
  searchThreadsMax,
} from '@fossick/search-service';
import { openLmdbStore, type Store } from '@fossick/storage';
import {
  commandLineWebhook,
  openAttemptFile,
  openLocalDoor,
  openTaskLog,
  type Task,
  type TaskDoor,
  trialPauseMs,
} from '@fossick/tasks';
import type { Instance } from './instance.js';
import type { InstanceCluster } from './instance-cluster.js';
import { type OwnFolder, sweepPayloads } from './launch/launch.js';
import { watchProcessMemory } from './process-memory.js';
import { startSummaryReading } from './summary-reading.js';
import { TaskChanges } from './task-changes.js';
import { TaskIntake } from './task-intake.js';
import type { WriterLink } from './writer/writer-link.js';
import type { WriterReport, WriterStart } from './writer/writer-messages.js';
import { startWriterThread, type WriterThreadOptions } from './writer/writer-thread.js';

/** An instance, with the members for its owner. */
export interface OpenInstance extends Instance {
  /** How rows of `authStore` change. */
  readonly changes: InstanceChanges;
  readonly authStore: Store;
  readonly taskStore: Store;
  /** Whether tasks of an earlier run wait. Unless `isDeferred` is set, they have begun by now. */
  readonly hadTasks: boolean;
  /** Called before an intended end of the process: the running tasks are not to blame for it. */
  exonerate(): void;
  /** Finishes the running batch and closes every store; then another process may use the folder. */
  close(): Promise<void>;
}

export interface OpenInstanceOptions {
  readonly options: ServerOptions;
  readonly own: OwnFolder;
  /** Called with faults of threads, and all others that belong to no request. */
  readonly onFault: (message: string) => void;
  readonly manner?: WriterThreadOptions;
  /** What differs in a node of a cluster. */
  readonly cluster?: InstanceCluster | undefined;
}

/** Opens the stores of a folder: reading in this thread, all writing in the writer thread, long searches in threads of their own. */
export function openInstance({ options, own, onFault, manner, cluster }: OpenInstanceOptions): OpenInstance {
  const { dbPath, taskFolder, authFolder, payloadFolder } = own.folders;
  const { maxSearchBytes, resultCacheBytes, searchThreadCount, allowedNetworks } = options;
  const authStore = openLmdbStore({ folder: authFolder });
  const taskStore = openLmdbStore({ folder: taskFolder });
  const tasks = openTaskLog(taskStore, { payloadFolder });
  sweepPayloads(payloadFolder, tasks);
  const hadTasks = own.upgrade !== null || tasks.count({ statuses: ['enqueued', 'processing'] }) > 0;
  // accounts of this thread, of the search threads, and of the writer
  const threadsMax = searchThreadsMax(searchThreadCount);
  const budget = newSharedBudget(threadsMax + 2);
  const summaryMarks = cluster?.summaryMarks ?? newSummaryMarks();
  const sharedBudget = { buffer: budget, owner: 0 };
  const engine = openEngineReader({ rootFolder: dbPath, maxSearchBytes, resultCacheBytes, sharedBudget, summaryMarks });
  const idleMemory = watchIdleMemory();
  const rest = setInterval(() => {
    if (engine.rest()) idleMemory.release();
  }, REST_INTERVAL_MS).unref();
  const isIndexing = (): boolean => tasks.uids({ statuses: ['processing'] }).length > 0;
  const stopWatching = watchProcessMemory(budget, maxSearchBytes, isIndexing);
  const changes = cluster?.changes ?? openLocalChanges(authStore);
  const values = new InstanceValues(authStore, changes);
  const attemptFile = join(taskFolder, 'attempt');
  const limits = embedderLimits(process.env, options.embedderRequestsPerMinute);
  const start: WriterStart = {
    ...own.folders,
    ...writerOptions(options),
    attemptFile,
    processName: randomUUID(),
    trialPauseMs: trialPauseMs(process.env),
    embedderLimits: limits,
    sharedBudget: { buffer: budget, owner: threadsMax + 1 },
    summaryMarks,
  };
  const isDeferred = manner?.isDeferred === true && !hadTasks;
  const taskChanges = new TaskChanges(tasks, (error) => onFault(String(error)));
  const onReport = (report: WriterReport): void => {
    if ('batchUid' in report) taskChanges.note(report.batchUid);
    manner?.onReport?.(report);
    if (report.kind === 'finished') searchers.foresee(report.indexUids);
  };
  const startWriter = (more: WriterThreadOptions): WriterLink =>
    startWriterThread(start, onFault, undefined, { ...manner, isDeferred, onReport, log: tasks, ...more });
  const writer = cluster?.startWriter(startWriter) ?? startWriter({});
  const onTasks = (registered?: readonly Task[]): void => {
    writer.wake(registered);
    taskChanges.note();
  };
  cluster?.onTasks(onTasks);
  const door = cluster?.taskDoor(tasks) ?? openLocalDoor(tasks, onTasks);
  if (own.upgrade !== null && cluster === undefined) registerUpgrade(door, own.upgrade, onFault);
  const queue = {
    slotCount: options.searchSlotCount,
    capacity: options.searchQueueCapacity,
    waitMaxMs: options.searchWaitMaxMs,
  };
  const searchers = new SearcherThreads(
    {
      threadCount: searchThreadCount,
      documentsMin: options.searchThreadDocumentsMin,
      start: { dbPath, maxSearchBytes, resultCacheBytes, budget },
      queue,
      jobMaxMs: searchJobMaxMs(process.env),
      onFault,
    },
    engine,
  );
  const remotes = new RemoteClient({
    policy: new NetworkPolicy(allowedNetworks),
    timeoutMs: remoteTimeoutMs(process.env),
    answerLimitBytes: options.remoteAnswerLimitBytes,
    answersLimitBytes: defaultRemoteAnswersBytes(),
  });
  const cacheEntries = options.embeddingCacheEntries;
  const queryVectors = new QueryVectors({ allowedNetworks, limits, cacheEntries });
  const summaries = startSummaryReading(
    engine,
    (error) => onFault(String(error)),
    () => searchers.foresee(engine.indexes().map(({ uid }) => uid)),
  );
  const exonerate = (): void => {
    const attempts = openAttemptFile(attemptFile);
    attempts.clear();
    attempts.close();
    own.claim.exonerate();
  };
  return {
    features: new Features(values, options.forcedFeatures),
    values,
    rules: new RuleStore(authStore, changes),
    remotes,
    engine,
    searches: new SearchQueue(queue),
    queryVectors,
    searchers,
    counts: { degraded: 0 },
    answerAccount: new AnswerAccount(options.heldAnswerBytes),
    tasks,
    door,
    intake: new TaskIntake(door),
    taskChanges,
    writer,
    payloadFolder,
    changes,
    authStore,
    taskStore,
    hadTasks,
    exonerate,
    async close() {
      // if the process is killed because the batch takes long, the batch is not to blame
      exonerate();
      clearInterval(rest);
      stopWatching();
      summaries.stop();
      queryVectors.close();
      await remotes.close();
      await searchers.stop();
      await writer.stop();
      await cluster?.resign();
      await engine.close();
      await taskStore.close();
      await authStore.close();
      await cluster?.close();
      own.claim.release();
    },
  };
}

/** The first task of a database that this version has upgraded; it was registered when the call returns. */
function registerUpgrade(door: TaskDoor, upgrade: Upgrade, onFault: (message: string) => void): void {
  const content = { type: 'upgradeDatabase', ...upgrade } as const;
  void door.enqueue([{ content, extras: {} }]).then(([result]) => {
    if (result?.status === 'rejected') onFault(String(result.reason));
  });
}

/** The options for the writer thread. */
function writerOptions(options: ServerOptions) {
  const { maxIndexingBytes, indexingThreadCount, maxSearchBytes, maxBatchedTaskCount, maxBatchedBytes } = options;
  return {
    dumpFolder: resolve(options.dumpFolder),
    snapshotFolder: resolve(options.snapshotFolder),
    s3: options.s3,
    taskWebhook: commandLineWebhook(options.taskWebhookUrl, options.taskWebhookAuthorization),
    allowedNetworks: options.allowedNetworks,
    forcedFeatures: options.forcedFeatures,
    maxIndexingBytes,
    indexingThreadCount,
    maxSearchBytes,
    maxBatchedTaskCount,
    maxBatchedBytes,
  };
}
