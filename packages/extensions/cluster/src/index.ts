export { restoreFromCluster } from './checkpoints/restore-database.js';
export { type NodeCluster, openCluster } from './link/node-cluster.js';
export { ContactLog } from './logs/contact-log.js';
