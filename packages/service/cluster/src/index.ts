export type { Role } from '@fossick/replication';
export { restoreFromCluster } from './checkpoints/restore-database.js';
export { clusterInstanceChanges, clusterTaskGateway } from './link/cluster-gateways.js';
export { type ClusterEvents, ClusterLink, type WriterChannel } from './link/cluster-link.js';
export { ContactLog } from './logs/contact-log.js';
export type { ClusterStatus } from './messages.js';
