import { parseLogTarget } from '@fossick/api';
import { STREAM_KEEP_ALIVE_SECONDS } from '@fossick/base';
import type { NodeCluster } from '@fossick/cluster';
import { listenFault, type ServerOptions } from '@fossick/instance';
import { Guard, type GuardedIndex, guardedUid, KeyStore } from '@fossick/instance/access';
import { NetworkPolicy } from '@fossick/outbound';
import { type Launch, type OpenInstance, openInstance, prepareLaunch, QueueCompaction } from '@fossick/runtime';
import type { Extension } from '@fossick/runtime/extension';
import type { TaskKind } from '@fossick/tasks';
import type { FastifyInstance } from 'fastify';
import { buildApp } from './app.js';
import { saveCompiledCode } from './compiled-code.js';
import { EXTENSIONS } from './extensions/extension-list.js';
import { OpenExtensions } from './extensions/open-extensions.js';
import { dumpModulesOf, type ServedExtension, servedExtensions, taskKindsOf } from './extensions/served-extensions.js';
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
 * thread. `all`: the extensions that there are, of which the options choose. Throws LaunchError and OptionError.
 */
export async function composeServer(
  options: ServerOptions,
  all: readonly Extension[] = EXTENSIONS,
): Promise<ComposedServer> {
  const served = servedExtensions(all, options);
  const guardedIndexes = all.flatMap((extension) => extension.guardedIndexes ?? []);
  const dumpModules = dumpModulesOf(all);
  const taskKinds = taskKindsOf(all);
  // unusable options are reported before a database is created
  if (options.tls !== null) readTlsOptions(options.tls);
  const launch = await prepareLaunch(options, dumpModules);
  const undone = async (error: unknown): Promise<never> => {
    await launch.address.release();
    launch.claim.release();
    throw error;
  };
  const server = await compose(options, launch, { served, guardedIndexes, taskKinds, dumpModules }).catch(undone);
  return { ...server, listen: () => server.listen().catch(undone) };
}

/** All but `served`: also those of extensions that are left out. */
interface Extensions {
  readonly served: readonly ServedExtension[];
  readonly guardedIndexes: readonly GuardedIndex[];
  readonly taskKinds: readonly TaskKind[];
  readonly dumpModules: readonly string[];
}

async function compose(
  options: ServerOptions,
  launch: Launch,
  { served, guardedIndexes, taskKinds, dumpModules }: Extensions,
): Promise<ComposedServer> {
  const onFault = (message: string): void => app.log.error(message);
  const cluster = await openNode(options, launch);
  const writerExtensions = served.flatMap(({ name, writer, forWriter }) =>
    writer === undefined ? [] : { name, url: writer.href, given: forWriter },
  );
  const addedFeatures = served.flatMap((extension) => extension.features);
  const ofExtensions = { guardedIndexes, addedFeatures, writerExtensions, taskKinds, dumpModules };
  const instance = openInstance({ options, own: launch, onFault, sharedLog: cluster, ...ofExtensions });
  const { engine, features, values } = instance;
  const onWarning = (message: string): void => app.log.warn(message);
  const keys =
    options.masterKey === null
      ? undefined
      : await KeyStore.open(instance.authStore, instance.changes, options.masterKey);
  const webServices = newWebServices(options, launch, instance, onWarning);
  const { usage } = webServices;
  // what extensions tell before there is a log to write to
  const early: string[] = [];
  let tell = (message: string): void => void early.push(message);
  const extensions = await OpenExtensions.open(served, {
    instance,
    dbPath: launch.folders.dbPath,
    bodyBytesMax: options.readLimitBytes,
    searchThreadCount: options.searchThreadCount,
    policy: new NetworkPolicy(options.allowedNetworks),
    hiddenIndexUids: guardedIndexes.map(({ name }) => guardedUid(name)),
    leads: () => cluster?.leads ?? true,
    onFault: (message) => tell(message),
  });
  const guard = new Guard(keys, guardedIndexes);
  const app = buildApp({ ...instance, ...webServices, guard, extensions, options, cluster });
  tell = onWarning;
  for (const message of early) onWarning(message);
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
    await extensions.close();
    await instance.close();
    await launch.address.release();
  };
  const listen = async (): Promise<RunningServer> => {
    await launch.address.release();
    const url = await app.listen({ host: options.host, port: options.port }).catch((error: unknown) => {
      throw listenFault(error, options);
    });
    extensions.listening();
    return {
      log: app.log,
      restartDue: cluster === undefined ? new Promise(() => undefined) : restartOf(cluster),
      facts: {
        url,
        isFirst: options.countsUsage && (await isFirstStart(values)),
        indexCount: engine.indexes().length,
        features: Object.keys(features.all()).filter(features.isOn),
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
  const { openCluster } = await import('@fossick/cluster');
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

/** Services needed only for HTTP. */
function newWebServices(
  options: ServerOptions,
  { folders }: Launch,
  instance: OpenInstance,
  onWarning: (message: string) => void,
) {
  const { engine, features, values, writer, authStore, gateway, taskStore } = instance;
  return {
    logs: new LogTap(process.stderr, parseLogTarget(options.logLevel) ?? Number.POSITIVE_INFINITY, options.logMode),
    metrics: new InstanceMetrics(),
    usage: new UsageReports({
      isOn: options.countsUsage,
      url: options.usageDataUrl,
      values,
      facts: () => usageFacts(engine, features, options),
      onFault: (error) => onWarning((error as Error).message),
    }),
    taskStreams: new TaskStreams(instance.taskChanges, STREAM_KEEP_ALIVE_SECONDS * 1000),
    queueCompaction: new QueueCompaction({ dbPath: folders.dbPath, gateway, taskStore, writer }),
    storeSize: () => {
      const [auth, queue] = [authStore.size(), taskStore.size()];
      return { diskBytes: auth.diskBytes + queue.diskBytes, usedBytes: auth.usedBytes + queue.usedBytes };
    },
  };
}
