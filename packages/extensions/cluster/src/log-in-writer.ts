/** A writer's side of a cluster: for the thread that runs tasks. Nothing else loads it. */
export { openWriterLog } from './writer/writer-cluster.js';
