/** The script of the thread of a cluster. */
export const CLUSTER_SCRIPT = new URL('./cluster.js', import.meta.url);
