export type { Role } from '@fossick/replication';
export { type RestorePoint, restoreFromCluster } from './checkpoints/restore-database.js';
export { clusterInstanceChanges, clusterTaskDoor } from './link/cluster-doors.js';
export { type ClusterEvents, ClusterLink, type WriterChannel } from './link/cluster-link.js';
export { ContactLog } from './logs/contact-log.js';
export type { ClusterStart, ClusterStatus, NodeStatus } from './messages.js';
