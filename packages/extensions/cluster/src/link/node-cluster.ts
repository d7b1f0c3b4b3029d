import { newSummaryMarks } from '@fossick/index';
import type { Role } from '@fossick/replication';
import type { LogHost, SharedLog } from '@fossick/runtime/extension';
import { WRITER_MODULE } from '../cluster-script.js';
import type { ClusterStatus } from '../messages.js';
import type { ClusterOptions } from '../options.js';
import { clusterInstanceChanges, clusterTaskGateway } from './cluster-gateways.js';
import { type ClusterEvents, ClusterLink } from './cluster-link.js';
import { ClusterWriter } from './cluster-writer.js';

/** A node of a cluster, for its HTTP. */
export interface NodeCluster extends SharedLog {
  /** The last position of the log that is applied here. */
  readonly position: number;
  /** Whether a node without contact refuses reads. */
  readonly refusesStale: boolean;
  /** The last role that the log gave this node. */
  readonly role: Role;
  /** Why the node follows the log no longer. */
  readonly failure: Error | undefined;
  /** Why the node has to start again, from checkpoints. */
  readonly behind: string | undefined;
  /** What was to be told before anybody listened. */
  readonly earlyWarnings: readonly string[];
  /** Resolves when everything is applied that was in the log at the time of the call. Rejects with ApiError cluster_log_unavailable. */
  caughtUp(): Promise<void>;
  /** Whether a position is applied within a time. */
  reaches(position: number, withinMs: number): Promise<boolean>;
  status(): Promise<ClusterStatus>;
  on<K extends keyof ClusterEvents>(event: K, listener: (...args: ClusterEvents[K]) => void): void;
}

/** How long a stopping node waits for the log, in milliseconds: without it another node leads later. */
const RESIGN_MS = 5_000;

export interface OpenClusterOptions extends LogHost {
  readonly options: ClusterOptions;
}

/** Starts the thread of the cluster, before the stores are opened. Throws LaunchError. */
export async function openCluster({ options, masterKey, folders }: OpenClusterOptions): Promise<NodeCluster> {
  const summaryMarks = newSummaryMarks();
  const link = await ClusterLink.open({ folders, options, masterKey, summaryMarks });
  return {
    summaryMarks,
    changes: clusterInstanceChanges(link),
    taskGateway: (tasks) => clusterTaskGateway(link, tasks),
    startWriter: (start) =>
      new ClusterWriter(link, (newChannel) =>
        start({ isDeferred: false, newLogLink: () => ({ module: WRITER_MODULE.href, channel: newChannel() }) }),
      ),
    onTasks(listener) {
      link.on('applied', (_position, names) => {
        if (names.has('tasks') || names.has('task-changes')) listener();
      });
    },
    async resign() {
      const late = new Promise<void>((resolve) => void setTimeout(resolve, RESIGN_MS).unref());
      // without an answer of the log, the others find that this node is silent
      await Promise.race([link.resign().catch(() => undefined), late]);
    },
    close: () => link.stop(),
    get leads() {
      return link.role.kind === 'leader';
    },
    get position() {
      return link.position;
    },
    get silentMs() {
      return link.silentMs;
    },
    refusesStale: options.stale === 'refuse',
    get role() {
      return link.role;
    },
    get failure() {
      return link.failure;
    },
    get behind() {
      return link.behind;
    },
    earlyWarnings: link.earlyWarnings,
    caughtUp: () => link.caughtUp(),
    async reaches(position, withinMs) {
      return link.position >= position || (await link.ask({ kind: 'reaches', position, withinMs })) === true;
    },
    status: () => link.status(),
    on: (event, listener) => void link.on(event, listener as never),
  };
}
