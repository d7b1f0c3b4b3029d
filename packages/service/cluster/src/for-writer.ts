/** A writer's side of a cluster: for the thread that runs tasks. Nothing else loads it. */
export { openWriterCluster, type WriterCluster } from './writer/writer-cluster.js';
