import { readNoQuery } from '@fossick/api';
import type { ExtensionHost, ExtensionRoute, OpenExtension } from '@fossick/runtime/extension';
import { admitRequest } from './consistency.js';
import type { ClusterAnswer } from './description.js';
import type { ClusterLink } from './link/cluster-link.js';

/** A server that is no node. */
export function openSingle(): OpenExtension {
  return opened(async () => ({ role: 'single' }));
}

/** The routes, headers, metrics and lines of the log of a node. */
export function openNode(node: ClusterLink, host: Pick<ExtensionHost, 'log' | 'restart'>): OpenExtension {
  logNode(node, host);
  restartWhenBehind(node, host);
  return {
    ...opened(async () => {
      const { role, silentMs, ...status } = await node.status();
      const { kind, epoch, leader } = role;
      return { ...status, role: kind, epoch, leader: leader?.address ?? null, silentMs };
    }),
    admit: (request) => admitRequest(node, request),
    metrics: () => clusterMetrics(node),
  };
}

/** What a node knows of its cluster. */
function opened(status: () => Promise<ClusterAnswer>): OpenExtension {
  const route: ExtensionRoute = {
    method: 'GET',
    path: '/_fossick/cluster',
    action: 'stats.get',
    async answer({ query }) {
      readNoQuery(query);
      return { status: 200, json: await status() };
    },
  };
  return { routes: [route], describe: async () => (await import('./description.js')).CLUSTER_PART };
}

/** One line for each change of role, and for what else the operator should know. */
function logNode(node: ClusterLink, { log }: Pick<ExtensionHost, 'log'>): void {
  const logRole = (): void => {
    const { kind, epoch, leader } = node.role;
    log.info({ role: kind, epoch, leader: leader?.address ?? null }, 'The role of this node');
  };
  logRole();
  node.on('role', logRole);
  const logFailure = (): void => {
    if (node.failure !== undefined)
      log.error(`This node follows the log of the cluster no longer: ${node.failure.message}`);
  };
  // what came before anybody listened
  logFailure();
  node.on('failure', logFailure);
  node.on('fault', (message) => log.error(message));
  for (const message of node.earlyWarnings) log.warn(message);
  node.on('warning', (message) => log.warn(message));
}

/** The log no longer has what the node needs next. */
function restartWhenBehind(node: ClusterLink, { restart }: Pick<ExtensionHost, 'restart'>): void {
  const begin = (reason: string): void => restart(`This node starts again from the newest checkpoints: ${reason}`);
  if (node.behind !== undefined) begin(node.behind);
  else node.on('behind', begin);
}

/** Series of a node of a cluster, in the text format of Prometheus. */
async function clusterMetrics(cluster: ClusterLink): Promise<string> {
  const { role, position, failure, nodes } = await cluster.status();
  const inContact = nodes.filter(({ isInContact }) => isInContact);
  const lag = inContact.reduce((most, node) => Math.max(most, position - node.position), 0);
  const series: readonly (readonly [name: string, help: string, value: number])[] = [
    ['position', 'Last entry of the log that this node has applied', position],
    ['is_leader', 'Whether this node leads', role.kind === 'leader' ? 1 : 0],
    ['epoch', 'How many leaders the log has had', role.epoch],
    ['silent_seconds', 'Seconds since this node had contact with the log or the leader', cluster.silentMs / 1_000],
    ['has_failed', 'Whether this node follows the log no longer', failure === null ? 0 : 1],
    ['nodes_in_contact', 'Other nodes that this one is in contact with as their leader', inContact.length],
    ['lag_entries', 'Entries that the slowest of them has not applied', lag],
  ];
  return series
    .map(([name, help, value]) => {
      const full = `fossick_cluster_${name}`;
      return `# HELP ${full} ${help}\n# TYPE ${full} gauge\n${full} ${value}\n`;
    })
    .join('');
}
