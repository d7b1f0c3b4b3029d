import { FEATURE_NAMES, parseLogTarget } from '@fossick/api';
import { STREAM_KEEP_ALIVE_SECONDS } from '@fossick/base';
import type { EngineReader } from '@fossick/index';
import { type Features, type InstanceValues, listenFault, type ServerOptions } from '@fossick/instance';
import { Guard, type GuardedIndex, guardedUid, KeyStore } from '@fossick/instance/access';
import { NetworkPolicy } from '@fossick/outbound';
import {
  type Launch,
  loadArchivedValues,
  type OpenInstance,
  openInstance,
  prepareLaunch,
  QueueCompaction,
  type SharedLog,
} from '@fossick/runtime';
import type { Extension, OperatorLog } from '@fossick/runtime/extension';
import type { TaskKind } from '@fossick/tasks';
import type { FastifyInstance } from 'fastify';
import { buildApp } from './app.js';
import { saveCompiledCode } from './compiled-code.js';
import { EXTENSIONS } from './extensions/extension-list.js';
import { OpenExtensions } from './extensions/open-extensions.js';
import {
  archiveModulesOf,
  type ServedExtension,
  servedExtensions,
  taskKindsOf,
} from './extensions/served-extensions.js';
import { OwnConnection } from './http/own-connection.js';
import { readTlsOptions } from './http/tls.js';
import { LogTap } from './logs/log-tap.js';
import { InstanceMetrics } from './metrics/instance-metrics.js';
import type { RunningServer } from './running-server.js';
import { TaskStreams } from './streams/task-streams.js';
import { type InstanceFacts, UsageReports } from './usage/usage-reports.js';

const STARTED_VALUE = 'has-started';

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
  const archiveModules = archiveModulesOf(all);
  const taskKinds = taskKindsOf(all);
  // unusable options are reported before a database is created
  if (options.tls !== null) readTlsOptions(options.tls);
  const isLogShared = served.some(({ configured }) => configured.openLog !== undefined);
  const prepare = async (dbPath: string): Promise<void> => {
    const archived = () => loadArchivedValues(archiveModules);
    for (const { configured } of served) await configured.prepare?.({ options, dbPath, archived });
  };
  const launch = await prepareLaunch(options, { prepare, extensions: served.map(({ name }) => name), isLogShared });
  const undone = async (error: unknown): Promise<never> => {
    await launch.address.release();
    launch.claim.release();
    throw error;
  };
  const server = await compose(options, launch, { served, guardedIndexes, taskKinds, archiveModules }).catch(undone);
  return { ...server, listen: () => server.listen().catch(undone) };
}

/** All but `served`: also those of extensions that are left out. */
interface Extensions {
  readonly served: readonly ServedExtension[];
  readonly guardedIndexes: readonly GuardedIndex[];
  readonly taskKinds: readonly TaskKind[];
  readonly archiveModules: readonly string[];
}

async function compose(
  options: ServerOptions,
  launch: Launch,
  { served, guardedIndexes, taskKinds, archiveModules }: Extensions,
): Promise<ComposedServer> {
  const onFault = (message: string): void => app.log.error(message);
  const sharedLog = await openSharedLog(served, options, launch);
  const writerExtensions = served.flatMap(({ name, writer, configured }) =>
    writer === undefined ? [] : { name, url: writer.href, given: configured.forWriter },
  );
  const addedFeatures = served.flatMap((extension) => extension.features);
  const ofExtensions = { guardedIndexes, addedFeatures, writerExtensions, taskKinds, archiveModules };
  const instance = openInstance({ options, own: launch, onFault, sharedLog, ...ofExtensions });
  const { engine, features, values } = instance;
  const onWarning = (message: string): void => app.log.warn(message);
  const keys =
    options.masterKey === null
      ? undefined
      : await KeyStore.open(instance.authStore, instance.changes, options.masterKey);
  const webServices = newWebServices(options, launch, instance, onWarning);
  const { usage, ownConnection } = webServices;
  const log = new EarlyLog();
  let restart!: (reason: string) => void;
  const restartDue = new Promise<string>((resolve) => {
    restart = resolve;
  });
  const extensions = await OpenExtensions.open(served, {
    instance,
    dbPath: launch.folders.dbPath,
    bodyBytesMax: options.readLimitBytes,
    searchThreadCount: options.searchThreadCount,
    policy: new NetworkPolicy(options.allowedNetworks),
    hiddenIndexUids: guardedIndexes.map(({ name }) => guardedUid(name)),
    leads: () => sharedLog?.leads ?? true,
    log,
    restart,
  });
  const guard = new Guard(keys, guardedIndexes);
  const app = buildApp({ ...instance, ...webServices, guard, extensions, options, sharedLog });
  log.open(app.log);
  if (launch.claim.warning !== null) app.log.warn(launch.claim.warning);
  if (options.hasSample && engine.indexes().length === 0 && !instance.hadTasks)
    await (await import('./sample.js')).loadSample(instance);
  saveCompiledCode();
  const report = (error: unknown): void => app.log.error(error);
  const close = async (): Promise<void> => {
    // if the process is killed because the batch takes long, the batch is not to blame
    instance.expectEnd();
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
    // over TLS only what is behind the connection is warmed up
    if (options.tls === null)
      instance.searchers.warmUp?.listening((indexUid, body) =>
        ownConnection.ask(app, options.masterKey, indexUid, body),
      );
    return {
      log: app.log,
      restartDue,
      facts: {
        url,
        isFirst: options.countsUsage && (await isFirstStart(values)),
        indexCount: engine.indexes().length,
        features: Object.keys(features.all()).filter(features.isOn),
        ofExtensions: served.flatMap(({ configured }) => configured.shown ?? []),
      },
      sampleFault: async () => (await import('./sample.js')).sampleFault(instance),
      expectEnd: instance.expectEnd,
      report,
      close,
    };
  };
  return { app, listen, close };
}

/** The log that the instance shares with others, of the extension that has one. Before its stores are opened. */
async function openSharedLog(
  served: readonly ServedExtension[],
  { masterKey }: ServerOptions,
  { folders }: Launch,
): Promise<SharedLog | undefined> {
  for (const { configured } of served)
    if (configured.openLog !== undefined) return configured.openLog({ folders, masterKey });
  return undefined;
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
    ownConnection: new OwnConnection(),
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

/** Numbers and switches of the instance for a bundle. O(indexes) */
function usageFacts(engine: EngineReader, features: Features, options: ServerOptions): InstanceFacts {
  const infos = engine.indexes();
  return {
    indexCount: infos.length,
    documentCount: infos.reduce((sum, { uid }) => sum + engine.stats(uid).numberOfDocuments, 0),
    databaseBytes: engine.size().diskBytes,
    experimentalFeatures: FEATURE_NAMES.filter(features.isOn),
    isProduction: options.isProduction,
    hasMasterKey: options.masterKey !== null,
  };
}

/** Whether this is the first start of a server on this database; false from then on. */
async function isFirstStart(values: InstanceValues): Promise<boolean> {
  if (values.get(STARTED_VALUE) === true) return false;
  await values.put(STARTED_VALUE, true);
  return true;
}

/** For those who have something to tell before there is a log: their lines are kept until `open`. */
class EarlyLog implements OperatorLog {
  private log: OperatorLog | undefined;
  private readonly waiting: ((log: OperatorLog) => void)[] = [];

  info(facts: object, message: string): void {
    this.write((log) => log.info(facts, message));
  }
  warn(message: string): void {
    this.write((log) => log.warn(message));
  }
  error(message: string): void {
    this.write((log) => log.error(message));
  }

  open(log: OperatorLog): void {
    this.log = log;
    for (const line of this.waiting.splice(0)) line(log);
  }

  private write(line: (log: OperatorLog) => void): void {
    if (this.log === undefined) this.waiting.push(line);
    else line(this.log);
  }
}
