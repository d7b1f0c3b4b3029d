import { newSummaryMarks } from '@fossick/index';
import type { LogHost, SharedLog } from '@fossick/runtime/extension';
import { WRITER_MODULE } from '../cluster-script.js';
import type { ClusterOptions } from '../options.js';
import { clusterInstanceChanges, clusterTaskGateway } from './cluster-gateways.js';
import { ClusterLink } from './cluster-link.js';
import { ClusterWriter } from './cluster-writer.js';

/** How long a stopping node waits for the log, in milliseconds: without it another node leads later. */
const RESIGN_MS = 5_000;

/** Starts the thread of the cluster, before the stores are opened. Throws LaunchError. */
export async function openCluster(
  options: ClusterOptions,
  host: LogHost,
): Promise<{ readonly link: ClusterLink; readonly sharedLog: SharedLog }> {
  const summaryMarks = newSummaryMarks();
  const link = await ClusterLink.open({ ...host, options, summaryMarks });
  return { link, sharedLog: sharedLogOf(link, summaryMarks) };
}

function sharedLogOf(link: ClusterLink, summaryMarks: SharedArrayBuffer): SharedLog {
  return {
    get leads() {
      return link.role.kind === 'leader';
    },
    get silentMs() {
      return link.silentMs;
    },
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
  };
}
