import { ANALYTICS_INDEX } from '@fossick/analytics';
import { FEATURE_NAMES, parseLogTarget } from '@fossick/api';
import { STREAM_KEEP_ALIVE_SECONDS } from '@fossick/base';
import { listenFault, type ServerOptions } from '@fossick/instance';
import { Guard, KeyStore } from '@fossick/instance/access';
import { NetworkPolicy } from '@fossick/outbound';
import { type Launch, type OpenInstance, openInstance, prepareLaunch, QueueCompaction } from '@fossick/runtime';
import { ConversationTurns, OpenConversations, ProviderClient } from '@fossick/search-service/chats';
import { commandLineWebhook, WebhookStore } from '@fossick/tasks';
import type { FastifyInstance } from 'fastify';
import { ServerAnalytics } from './analytics/server-analytics.js';
import { buildApp } from './app.js';
import type { NodeCluster } from './cluster/node-cluster.js';
import { saveCompiledCode } from './compiled-code.js';
import { OpenAnswers } from './http/answers/open-answers.js';
import { readTlsOptions } from './http/tls.js';
import { LogTap } from './logs/log-tap.js';
import { InstanceMetrics } from './metrics/instance-metrics.js';
import type { RunningServer, ServerLog } from './running-server.js';
import { repeatSnapshots } from './snapshots/schedule.js';
import { TaskStreams } from './streams/task-streams.js';
import { isFirstStart, usageFacts } from './usage/usage-facts.js';
import { UsageReports } from './usage/usage-reports.js';

/** A server that does not listen yet: `app` answers requests within the process. */
export interface ComposedServer {
  readonly app: FastifyInstance;
  /** Listens at the address of the options. Throws LaunchError when that is impossible. */
  listen(): Promise<RunningServer>;
  /** As that of a running server. */
  close(): Promise<void>;
}

/**
 * Composes the packages into one server: stores, engine reader and HTTP in this thread, all writing in the writer
 * thread. Throws LaunchError.
 */
export async function composeServer(options: ServerOptions): Promise<ComposedServer> {
  // unusable options are reported before a database is created
  if (options.tls !== null) readTlsOptions(options.tls);
  const launch = await prepareLaunch(options);
  const undone = async (error: unknown): Promise<never> => {
    await launch.address.release();
    launch.claim.release();
    throw error;
  };
  const server = await compose(options, launch).catch(undone);
  return { ...server, listen: () => server.listen().catch(undone) };
}

async function compose(options: ServerOptions, launch: Launch): Promise<ComposedServer> {
  const onFault = (message: string): void => app.log.error(message);
  const cluster = await openNode(options, launch);
  const instance = openInstance({ options, own: launch, onFault, cluster, guardedIndexes: [ANALYTICS_INDEX] });
  const { engine, features, values } = instance;
  const onWarning = (message: string): void => app.log.warn(message);
  const webServices = await newWebServices(options, launch, instance, onWarning);
  const { chatProvider, usage } = webServices;
  const analytics = newAnalytics(options, launch, instance, { cluster, onWarning });
  const app = buildApp({ ...instance, ...webServices, analytics, options, cluster });
  if (cluster !== undefined) logCluster(cluster, app.log);
  if (launch.claim.warning !== null) app.log.warn(launch.claim.warning);
  if (options.hasSample && engine.indexes().length === 0 && !instance.hadTasks)
    await (await import('./sample.js')).loadSample(instance);
  saveCompiledCode();
  const report = (error: unknown): void => app.log.error(error);
  const snapshots = repeatSnapshots(
    options.snapshotEverySeconds,
    () => {
      instance.intake.enqueue({ type: 'snapshotCreation' }).catch(report);
    },
    report,
  );
  const close = async (): Promise<void> => {
    // if the process is killed because the batch takes long, the batch is not to blame
    instance.expectEnd();
    snapshots.stop();
    // the next leader need not wait for the clients of this one
    await Promise.all([instance.handOver(), app.close()]);
    await usage.stop();
    await analytics.close();
    await chatProvider.close();
    await instance.close();
    await launch.address.release();
  };
  const listen = async (): Promise<RunningServer> => {
    await launch.address.release();
    const url = await app.listen({ host: options.host, port: options.port }).catch((error: unknown) => {
      throw listenFault(error, options);
    });
    // loads the client ahead of time, so that the searches of the first conversation need not wait for it
    if (features.isOn('chatCompletions')) void chatProvider.prepare().catch(report);
    return {
      log: app.log,
      restartDue: cluster === undefined ? new Promise(() => undefined) : restartOf(cluster),
      facts: {
        url,
        isFirst: options.hasAnalytics && (await isFirstStart(values)),
        indexCount: engine.indexes().length,
        features: FEATURE_NAMES.filter(features.isOn),
      },
      expectEnd: instance.expectEnd,
      report,
      close,
    };
  };
  return { app, listen, close };
}

/** The cluster that this server is a node of. Nothing of it is loaded in a server that is none. */
async function openNode({ cluster, masterKey }: ServerOptions, { folders }: Launch): Promise<NodeCluster | undefined> {
  if (cluster === null) return undefined;
  const { openCluster } = await import('./cluster/node-cluster.js');
  return openCluster({ options: cluster, masterKey, folders });
}

/** One line for each change of role, and for what else the operator should know. */
function logCluster(cluster: NodeCluster, log: ServerLog & { error(message: string): void }): void {
  const logRole = (): void => {
    const { kind, epoch, leader } = cluster.role;
    log.info({ role: kind, epoch, leader: leader?.address ?? null }, 'The role of this node');
  };
  logRole();
  cluster.on('role', logRole);
  const logFailure = (): void => {
    if (cluster.failure !== undefined)
      log.error(`This node follows the log of the cluster no longer: ${cluster.failure.message}`);
  };
  // what came before there was a log to write to
  logFailure();
  cluster.on('failure', logFailure);
  cluster.on('fault', (message) => log.error(message));
  for (const message of cluster.earlyWarnings) log.warn(message);
  cluster.on('warning', (message) => log.warn(message));
}

/** Resolves when the log no longer has what the node needs next. */
function restartOf(cluster: NodeCluster): Promise<string> {
  if (cluster.behind !== undefined) return Promise.resolve(cluster.behind);
  return new Promise((resolve) => cluster.on('behind', resolve));
}

function newAnalytics(
  options: ServerOptions,
  { folders }: Launch,
  instance: OpenInstance,
  { cluster, onWarning }: { readonly cluster: NodeCluster | undefined; readonly onWarning: (message: string) => void },
): ServerAnalytics {
  const periodMs = Number(process.env['FOSSICK_TEST_ANALYTICS_PERIOD_MS'] ?? Number.NaN);
  return new ServerAnalytics({
    options: options.searchAnalytics,
    instance,
    dbPath: folders.dbPath,
    leads: () => cluster === undefined || cluster.role.kind === 'leader',
    onFault: (error) => onWarning(`search analytics: ${(error as Error).message}`),
    periodMs: Number.isNaN(periodMs) ? undefined : periodMs,
  });
}

/** Services needed only for HTTP. */
async function newWebServices(
  options: ServerOptions,
  { folders }: Launch,
  instance: OpenInstance,
  onWarning: (message: string) => void,
) {
  const { engine, features, searches, values, writer, authStore, changes, door, taskStore } = instance;
  const chatTurns = new ConversationTurns(() => searches.waitingCount > 0);
  const keys = options.masterKey === null ? undefined : await KeyStore.open(authStore, changes, options.masterKey);
  return {
    chatTurns,
    chatProvider: new ProviderClient(new NetworkPolicy(options.allowedNetworks), options.chats, chatTurns),
    conversations: new OpenConversations(options.chats, new OpenAnswers()),
    guard: new Guard(keys, [ANALYTICS_INDEX]),
    logs: new LogTap(process.stderr, parseLogTarget(options.logLevel) ?? Number.POSITIVE_INFINITY, options.logMode),
    metrics: new InstanceMetrics(),
    usage: new UsageReports({
      isOn: options.hasAnalytics,
      url: options.usageDataUrl,
      values,
      facts: () => usageFacts(engine, features, options),
      onFault: (error) => onWarning((error as Error).message),
    }),
    webhooks: new WebhookStore(values, commandLineWebhook(options.taskWebhookUrl, options.taskWebhookAuthorization)),
    taskStreams: new TaskStreams(instance.taskChanges, STREAM_KEEP_ALIVE_SECONDS * 1000),
    queueCompaction: new QueueCompaction({ dbPath: folders.dbPath, door, taskStore, writer }),
    storeSize: () => {
      const [auth, queue] = [authStore.size(), taskStore.size()];
      return { diskBytes: auth.diskBytes + queue.diskBytes, usedBytes: auth.usedBytes + queue.usedBytes };
    },
  };
}
