import { randomUUID } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { watchIdleMemory } from '@fossick/base';
import { embedderLimits } from '@fossick/embedders';
import { type EngineReader, newSummaryMarks, openEngineReader } from '@fossick/index';
import {
  completeDatabase,
  defaultRemoteAnswersBytes,
  Features,
  type InstanceChanges,
  InstanceValues,
  openLocalChanges,
  RuleStore,
  type ServerOptions,
  type Upgrade,
} from '@fossick/instance';
import { type GuardedIndex, guardedUid } from '@fossick/instance/access';
import { newSharedBudget } from '@fossick/kernel/memory';
import { NetworkPolicy } from '@fossick/outbound';
import {
  AnswerAccount,
  QueryVectors,
  REST_INTERVAL_MS,
  RemoteClient,
  remoteTimeoutMs,
  SearcherThreads,
  SearchQueue,
  searchHelpersMax,
  searchJobMaxMs,
  searchThreadsMax,
} from '@fossick/search-service';
import { openLmdbStore, type Store } from '@fossick/storage';
import {
  openAttemptFile,
  openLocalGateway,
  openLogReserve,
  openTaskLog,
  type Task,
  type TaskGateway,
  type TaskKind,
  trialPauseMs,
} from '@fossick/tasks';
import type { Instance } from './instance.js';
import { attemptFileIn, type OwnFolder, sweepPayloads } from './launch/launch.js';
import { watchProcessMemory } from './process-memory.js';
import type { SharedLog } from './shared-log.js';
import { startSummaryReading } from './summary-reading.js';
import { TaskChanges } from './task-changes.js';
import { TaskIntake } from './task-intake.js';
import type { WriterExtension } from './writer/writer-extensions.js';
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
  expectEnd(): void;
  /**
   * An instance that shares its log finishes the running batch and lets another one lead, while this one still answers. One with
   * a log of its own does nothing.
   */
  handOver(): Promise<void>;
  /** Finishes the running batch and closes every store; then another process may use the folder. */
  close(): Promise<void>;
}

export interface OpenInstanceOptions {
  readonly options: ServerOptions;
  readonly own: OwnFolder;
  /** Called with faults of threads, and all others that belong to no request. */
  readonly onFault: (message: string) => void;
  readonly writerOptions?: WriterThreadOptions;
  /** Absent: the log is the instance's own. */
  readonly sharedLog?: SharedLog | undefined;
  /** Indexes of extensions that not everybody sees. */
  readonly guardedIndexes?: readonly GuardedIndex[];
  /** Experimental features of extensions, by name. */
  readonly addedFeatures?: readonly string[];
  /** Extensions that have a part in the writer thread. */
  readonly writerExtensions?: readonly WriterExtension[];
  /** Kinds of tasks of extensions, also of those that are left out. */
  readonly taskKinds?: readonly TaskKind[];
  /** Addresses of modules of extensions: their parts in archives. */
  readonly archiveModules?: readonly string[];
}

/** Opens the stores of a folder: reading in this thread, all writing in the writer thread, long searches in threads of their own. */
export function openInstance(given: OpenInstanceOptions): OpenInstance {
  const { options, own, sharedLog } = given;
  const stores = openStores(given);
  const shared = shareMemory(options, sharedLog);
  const reading = openReading(given, stores, shared);
  completeDatabase(own.folders.dbPath, sharedLog !== undefined);
  const answerAccount = new AnswerAccount(options.heldAnswerBytes);
  const searching = openSearching(given, reading, shared, answerAccount);
  const changing = startChanging(given, stores, shared, searching.searchers);
  const summaries = startSummaries(given, reading.engine, searching.searchers);
  const { authStore, taskStore, tasks, hadTasks } = stores;
  const changes = sharedLog?.changes ?? openLocalChanges(authStore);
  const values = new InstanceValues(authStore, changes);
  const expectEnd = (): void => clearRunningTasks(own);
  let ended: Promise<void> | undefined;
  const endWriting = (): Promise<void> => {
    // if the process is killed because the batch takes long, the batch is not to blame
    expectEnd();
    ended ??= changing.writer.stop().then(() => sharedLog?.resign());
    return ended;
  };
  return {
    features: new Features(values, options.forcedFeatures, given.addedFeatures),
    values,
    rules: new RuleStore(authStore, changes),
    ...searching,
    engine: reading.engine,
    answerAccount,
    tasks,
    ...changing,
    payloadFolder: own.folders.payloadFolder,
    changes,
    authStore,
    taskStore,
    hadTasks,
    expectEnd,
    handOver: async () => (sharedLog === undefined ? undefined : endWriting()),
    async close() {
      expectEnd();
      reading.stop();
      summaries.stop();
      searching.queryVectors.close();
      await searching.remotes.close();
      await searching.searchers.stop();
      await endWriting();
      await reading.engine.close();
      await taskStore.close();
      await authStore.close();
      await sharedLog?.close();
      own.claim.release();
    },
  };
}

/** The stores other than those of indexes, and whether tasks of an earlier run wait. */
function openStores({ own: { folders, upgrade }, sharedLog, taskKinds = [] }: OpenInstanceOptions) {
  const { taskFolder, authFolder, payloadFolder } = folders;
  const authStore = openLmdbStore({ folder: authFolder });
  const taskStore = openLmdbStore({ folder: taskFolder });
  // who shares its log has other ways out
  const reserve = sharedLog === undefined ? openLogReserve(taskFolder) : undefined;
  reserve?.restore();
  const tasks = openTaskLog(taskStore, {
    payloadFolder,
    kinds: taskKinds,
    ...(reserve === undefined ? {} : { reserve }),
  });
  sweepPayloads(payloadFolder, tasks);
  const hadTasks = upgrade !== null || tasks.count({ statuses: ['enqueued', 'processing'] }) > 0;
  return { authStore, taskStore, tasks, hadTasks };
}
type Stores = ReturnType<typeof openStores>;

/** What the heap of a thread takes, and its compiled code, once it has searched for a while: 20 to 27 MiB with films and a million documents. */
const THREAD_HEAP_BYTES = 24 << 20;

/** What the threads share: accounts of this thread, of the search threads, of the writer and of the search threads' kernel memory; limits of providers. */
function shareMemory(options: ServerOptions, sharedLog: SharedLog | undefined) {
  const threadsMax = searchThreadsMax(options.searchThreadCount);
  return {
    budget: newSharedBudget(threadsMax + 3, (threadsMax + 2) * THREAD_HEAP_BYTES),
    writerAccount: threadsMax + 1,
    kernelAccount: threadsMax + 2,
    summaryMarks: sharedLog?.summaryMarks ?? newSummaryMarks(),
    embedderLimits: embedderLimits(process.env, options.embedderRequestsPerMinute),
  };
}
type SharedMemory = ReturnType<typeof shareMemory>;

/** The reader of indexes in this thread, whose memory is watched. */
function openReading({ options, own }: OpenInstanceOptions, { tasks }: Stores, shared: SharedMemory) {
  const { maxSearchBytes, resultCacheBytes } = options;
  const { budget, summaryMarks } = shared;
  const engine = openEngineReader({
    rootFolder: own.folders.dbPath,
    maxSearchBytes,
    resultCacheBytes,
    sharedBudget: { buffer: budget, owner: 0 },
    summaryMarks,
  });
  const idleMemory = watchIdleMemory();
  const rest = setInterval(() => {
    if (engine.rest()) idleMemory.release();
  }, REST_INTERVAL_MS).unref();
  const isIndexing = (): boolean => tasks.uids({ statuses: ['processing'] }).length > 0;
  const isWorking = (): boolean => tasks.count({ statuses: ['enqueued', 'processing'] }) > 0;
  const stopWatching = watchProcessMemory(budget, maxSearchBytes, isIndexing);
  return {
    engine,
    isWorking,
    stop() {
      clearInterval(rest);
      stopWatching();
    },
  };
}

/** The queue and the threads of searches, and whom they ask: other instances, and providers of vectors. */
function openSearching(
  { options, own, onFault }: OpenInstanceOptions,
  { engine, isWorking }: { readonly engine: EngineReader; readonly isWorking: () => boolean },
  shared: SharedMemory,
  answers: AnswerAccount,
) {
  const { maxSearchBytes, resultCacheBytes, allowedNetworks } = options;
  const queue = {
    slotCount: options.searchSlotCount,
    capacity: options.searchQueueCapacity,
    waitMaxMs: options.searchWaitMaxMs,
  };
  const searchers = new SearcherThreads(
    {
      threadCount: options.searchThreadCount,
      helperCount: searchHelpersMax(availableParallelism(), process.env),
      documentsMin: options.searchThreadDocumentsMin,
      budgetMs: options.searchBudgetMs,
      start: {
        dbPath: own.folders.dbPath,
        maxSearchBytes,
        resultCacheBytes,
        budget: shared.budget,
        kernelOwner: shared.kernelAccount,
      },
      queue,
      answers,
      jobMaxMs: searchJobMaxMs(process.env),
      isWorking,
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
  const queryVectors = new QueryVectors({ allowedNetworks, limits: shared.embedderLimits, cacheEntries });
  return { searches: new SearchQueue(queue), searchers, counts: { degraded: 0 }, remotes, queryVectors };
}

/** How tasks are registered, and the thread that runs them. */
function startChanging(given: OpenInstanceOptions, stores: Stores, shared: SharedMemory, searchers: SearcherThreads) {
  const { own, onFault, writerOptions, sharedLog } = given;
  const { tasks, hadTasks } = stores;
  const taskChanges = new TaskChanges(tasks, (error) => onFault(String(error)));
  const onReport = (report: WriterReport): void => {
    if ('batchUid' in report) taskChanges.note(report.batchUid);
    writerOptions?.onReport?.(report);
    if (report.kind === 'finished') searchers.expectSearches(report.indexUids);
  };
  const isDeferred = writerOptions?.isDeferred === true && !hadTasks;
  const start = writerStart(given, shared);
  const startWriter = (more: WriterThreadOptions): WriterLink =>
    startWriterThread(start, onFault, undefined, { ...writerOptions, isDeferred, onReport, log: tasks, ...more });
  const writer = sharedLog?.startWriter(startWriter) ?? startWriter({});
  const onTasks = (registered?: readonly Task[]): void => {
    writer.wake(registered);
    taskChanges.note();
  };
  sharedLog?.onTasks(onTasks);
  const gateway = sharedLog?.taskGateway(tasks) ?? openLocalGateway(tasks, onTasks);
  if (own.upgrade !== null && sharedLog === undefined) registerUpgrade(gateway, own.upgrade, onFault);
  return { gateway, intake: new TaskIntake(gateway), taskChanges, writer };
}

/** Reads the sizes of indexes ahead, by which their search threads start. */
function startSummaries({ onFault }: OpenInstanceOptions, engine: EngineReader, searchers: SearcherThreads) {
  return startSummaryReading(
    engine,
    (error) => onFault(String(error)),
    () => searchers.expectSearches(engine.indexes().map(({ uid }) => uid)),
  );
}

/** The running tasks are not to blame for the end of the process. */
function clearRunningTasks(own: OwnFolder): void {
  const attempts = openAttemptFile(attemptFileIn(own.folders.taskFolder));
  attempts.clear();
  attempts.close();
  own.claim.expectEnd();
}

/** The first task of a database that this version has upgraded; it was registered when the call returns. */
function registerUpgrade(gateway: TaskGateway, upgrade: Upgrade, onFault: (message: string) => void): void {
  const content = { type: 'upgradeDatabase', ...upgrade } as const;
  void gateway.enqueue([{ content, extras: {} }]).then(([result]) => {
    if (result?.status === 'rejected') onFault(String(result.reason));
  });
}

/** The start message of the writer thread. */
function writerStart(
  {
    options,
    own,
    guardedIndexes = [],
    writerExtensions = [],
    taskKinds = [],
    archiveModules = [],
  }: OpenInstanceOptions,
  shared: SharedMemory,
): WriterStart {
  const { maxIndexingBytes, indexingThreadCount, maxSearchBytes, maxBatchedTaskCount, maxBatchedBytes } = options;
  return {
    ...own.folders,
    extensions: writerExtensions,
    taskKinds,
    archiveModules,
    hiddenIndexUids: guardedIndexes.map(({ name }) => guardedUid(name)),
    allowedNetworks: options.allowedNetworks,
    forcedFeatures: options.forcedFeatures,
    maxIndexingBytes,
    indexingThreadCount,
    maxSearchBytes,
    maxBatchedTaskCount,
    maxBatchedBytes,
    attemptFile: attemptFileIn(own.folders.taskFolder),
    processName: randomUUID(),
    trialPauseMs: trialPauseMs(process.env),
    embedderLimits: shared.embedderLimits,
    sharedBudget: { buffer: shared.budget, owner: shared.writerAccount },
    summaryMarks: shared.summaryMarks,
  };
}
