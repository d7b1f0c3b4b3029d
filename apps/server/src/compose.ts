import { join, resolve } from 'node:path';
import { newSummaryMarks, openEngineReader } from '@fossick/engine';
import { LOG_BYTES_MAX, openAttemptFile, openTaskLog, systemClock } from '@fossick/scheduler';
import { newSharedBudget } from '@fossick/search-memory';
import { openLmdbStore } from '@fossick/storage';
import type { FastifyInstance } from 'fastify';
import { buildApp } from './app.js';
import { Guard } from './auth/access.js';
import { KeyStore } from './auth/key-store.js';
import type { StartFacts } from './banner.js';
import { OpenConversations } from './chats/open-conversations.js';
import { ProviderClient } from './chats/provider-client.js';
import { Turns } from './chats/turns.js';
import { defaultRemoteAnswersBytes } from './config/default-memory.js';
import type { ServerOptions } from './config/server-options.js';
import { embedderLimits } from './embedding/embedder-configuration.js';
import { QueryVectors } from './embedding/query-vectors.js';
import { readTlsOptions } from './http/tls.js';
import { watchIdleMemory } from './idle-memory.js';
import { FEATURE_NAMES, Features } from './instance/features.js';
import { InstanceValues } from './instance/instance-values.js';
import { listenFault } from './instance/listen-address.js';
import { QueueCompaction } from './instance/queue-compaction.js';
import { type Launch, prepareLaunch, sweepPayloads } from './launch/launch.js';
import { LogTap, parseLogTarget } from './logs/log-tap.js';
import { InstanceMetrics } from './metrics/instance-metrics.js';
import { RemoteClient, remoteTimeoutMs } from './network/remote-client.js';
import { NetworkPolicy } from './outbound/network-policy.js';
import { watchProcessMemory } from './process-memory.js';
import { RuleStore } from './rules/rule-store.js';
import { SearchQueue } from './search/search-queue.js';
import { REST_EVERY_MS } from './searcher-messages.js';
import { SearcherThreads, searchJobMaxMs } from './searcher-threads.js';
import { repeatSnapshots } from './snapshots/schedule.js';
import { startSummaryReading } from './summary-reading.js';
import { TaskIntake } from './task-intake.js';
import { isFirstStart, usageFacts } from './usage/usage-facts.js';
import { UsageReports } from './usage/usage-reports.js';
import { commandLineWebhook, WebhookStore } from './webhooks/webhook-store.js';
import { startWriterThread } from './writer-thread.js';

export interface RunningServer {
  readonly app: FastifyInstance;
  /** `http://host:port` the server listens on, and what else the terminal is told. */
  readonly facts: StartFacts;
  /** Logs a fault that belongs to no request. */
  report(error: unknown): void;
  /** What runs is not to blame for the end of the process that comes now: an operator wants it. */
  exonerate(): void;
  /** Answers what was begun, finishes the running batch, closes every store. */
  close(): Promise<void>;
}

/** Joins the rooms into one server and listens: stores, engine reader and HTTP in this thread, all writing in the writer thread. */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  // what cannot be used is told before a database is made
  if (options.tls !== null) readTlsOptions(options.tls);
  const launch = await prepareLaunch(options);
  try {
    return await serve(options, launch);
  } catch (error) {
    await launch.address.release();
    launch.claim.release();
    throw error;
  }
}

async function serve(
  options: ServerOptions,
  { folders: own, claim, address, upgrade }: Launch,
): Promise<RunningServer> {
  const { dbPath, taskFolder, authFolder, payloadFolder } = own;
  const {
    maxIndexingBytes,
    indexingThreadCount,
    maxSearchBytes,
    keptAnswerBytes,
    maxBatchedTaskCount,
    maxBatchedBytes,
  } = options;
  const authStore = openLmdbStore({ folder: authFolder });
  const taskStore = openLmdbStore({ folder: taskFolder });
  const tasks = openTaskLog(taskStore, systemClock, LOG_BYTES_MAX, payloadFolder);
  sweepPayloads(payloadFolder, tasks);
  if (upgrade !== null) tasks.enqueue({ type: 'upgradeDatabase', ...upgrade });
  // accounts of this thread, of those that search, and of the writer
  const budget = newSharedBudget(options.searchThreadCount + 2);
  const sharedBudget = { buffer: budget, owner: 0 };
  const summaryMarks = newSummaryMarks();
  const engine = openEngineReader({ rootFolder: dbPath, maxSearchBytes, keptAnswerBytes, sharedBudget, summaryMarks });
  const idleMemory = watchIdleMemory();
  const rest = setInterval(() => {
    if (engine.rest()) idleMemory.release();
  }, REST_EVERY_MS).unref();
  const isIndexing = (): boolean => tasks.uids({ statuses: ['processing'] }).length > 0;
  const stopWatching = watchProcessMemory(budget, maxSearchBytes, isIndexing);
  const limits = { maxIndexingBytes, indexingThreadCount, maxSearchBytes, maxBatchedTaskCount, maxBatchedBytes };
  const values = new InstanceValues(authStore);
  const taskWebhook = commandLineWebhook(options.taskWebhookUrl, options.taskWebhookAuthorization);
  const { allowedNetworks, forcedFeatures } = options;
  const [dumpFolder, snapshotFolder] = [resolve(options.dumpFolder), resolve(options.snapshotFolder)];
  const attemptFile = join(taskFolder, 'attempt');
  const folders = { ...own, attemptFile, dumpFolder, snapshotFolder };
  const providerLimits = embedderLimits(process.env, options.embedderRequestsPerMinute);
  const writer = startWriterThread(
    {
      ...folders,
      taskWebhook,
      allowedNetworks,
      forcedFeatures,
      ...limits,
      embedderLimits: providerLimits,
      sharedBudget: { buffer: budget, owner: options.searchThreadCount + 1 },
      summaryMarks,
    },
    (message) => app.log.error(message),
  );
  const queue = {
    slotCount: options.searchSlotCount,
    capacity: options.searchQueueCapacity,
    waitMaxMs: options.searchWaitMaxMs,
  };
  const { searchThreadCount: threadCount, searchThreadDocumentsMin: documentsMin } = options;
  const onFault = (message: string): void => app.log.error(message);
  const searchers = new SearcherThreads(
    {
      threadCount,
      documentsMin,
      start: { dbPath, maxSearchBytes, keptAnswerBytes, budget },
      queue,
      jobMaxMs: searchJobMaxMs(process.env),
      onFault,
    },
    engine,
  );
  const searches = new SearchQueue(queue);
  const keys = options.masterKey === null ? undefined : KeyStore.open(authStore, options.masterKey);
  const remotes = new RemoteClient({
    policy: new NetworkPolicy(allowedNetworks),
    timeoutMs: remoteTimeoutMs(process.env),
    answerLimitBytes: options.remoteAnswerLimitBytes,
    answersLimitBytes: defaultRemoteAnswersBytes(),
  });
  const chatTurns = new Turns(() => searches.waitingCount > 0);
  const chatProvider = new ProviderClient(new NetworkPolicy(allowedNetworks), options.chats, chatTurns);
  const queryVectors = new QueryVectors({
    allowedNetworks,
    limits: providerLimits,
    cacheEntries: options.embeddingCacheEntries,
  });
  const features = new Features(values, options.forcedFeatures);
  const usage = new UsageReports({
    isOn: options.hasAnalytics,
    url: options.usageDataUrl,
    values,
    facts: () => usageFacts(engine, features, options),
    onFault: (error) => app.log.warn((error as Error).message),
  });
  const app = buildApp({
    options,
    remotes,
    chatProvider,
    conversations: new OpenConversations(options.chats),
    chatTurns,
    guard: new Guard(keys),
    features,
    values,
    logs: new LogTap(process.stderr, parseLogTarget(options.logLevel) ?? Number.POSITIVE_INFINITY, options.logMode),
    metrics: new InstanceMetrics(),
    usage,
    rules: new RuleStore(authStore),
    webhooks: new WebhookStore(values, taskWebhook),
    engine,
    searches,
    queryVectors,
    searchers,
    tasks,
    intake: new TaskIntake(tasks, () => writer.wake()),
    writer,
    queueCompaction: new QueueCompaction({ dbPath, tasks, taskStore, writer }),
    payloadFolder,
    storeSize: () => {
      const [auth, queue] = [authStore.size(), taskStore.size()];
      return { diskBytes: auth.diskBytes + queue.diskBytes, usedBytes: auth.usedBytes + queue.usedBytes };
    },
  });
  if (claim.warning !== null) app.log.warn(claim.warning);
  await address.release();
  const url = await app.listen({ host: options.host, port: options.port }).catch((error: unknown) => {
    throw listenFault(error, options);
  });
  const report = (error: unknown): void => app.log.error(error);
  // searches that come with the first conversation need not wait until its client is loaded
  if (features.isOn('chatCompletions')) void chatProvider.prepare().catch(report);
  const summaries = startSummaryReading(engine, report);
  const snapshots = repeatSnapshots(
    options.snapshotEverySeconds,
    () => {
      tasks.enqueue({ type: 'snapshotCreation' });
      writer.wake();
    },
    report,
  );
  const exonerate = (): void => {
    openAttemptFile(attemptFile).clear();
    claim.exonerate();
  };
  return {
    app,
    facts: {
      url,
      isFirst: options.hasAnalytics && isFirstStart(values),
      indexCount: engine.indexes().length,
      features: FEATURE_NAMES.filter(features.isOn),
    },
    exonerate,
    report,
    async close() {
      // should the batch outlast the patience of who stops the process, that is not its fault
      exonerate();
      snapshots.stop();
      clearInterval(rest);
      stopWatching();
      summaries.stop();
      await app.close();
      await usage.stop();
      queryVectors.close();
      await remotes.close();
      await chatProvider.close();
      await searchers.stop();
      await writer.stop();
      await engine.close();
      await taskStore.close();
      await authStore.close();
      claim.release();
    },
  };
}
