import type { Extension } from '@fossick/runtime/extension';
import type { ClusterLink } from './link/cluster-link.js';
import { CLUSTER_OPTIONS, readCluster } from './options.js';
import { CLUSTER_RESTORE } from './restore.js';

/** A server as a node of a cluster. All else of this package is loaded by a node, but for the route of a server that is none. */
export const cluster: Extension = {
  name: 'cluster',
  options: CLUSTER_OPTIONS,
  restore: CLUSTER_RESTORE,
  configure(values) {
    const options = readCluster(values);
    if (options === null) return { open: async () => (await import('./open-node.js')).openSingle() };
    let node: ClusterLink;
    return {
      // unusable files are reported before a database is created
      async prepare() {
        if (options.tls !== null) (await import('./peers/node-tls.js')).readNodeTls(options.tls);
      },
      async openLog(host) {
        const { openCluster } = await import('./link/node-cluster.js');
        const { link, sharedLog } = await openCluster(options, host);
        node = link;
        return sharedLog;
      },
      open: async (host) => (await import('./open-node.js')).openNode(node, host),
    };
  },
};
