import type { ClusterLink } from './link/cluster-link.js';

/** Series of a node of a cluster, in the text format of Prometheus. */
export async function clusterMetrics(cluster: ClusterLink): Promise<string> {
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
