/** The script of the thread of a cluster. */
export const CLUSTER_SCRIPT = new URL('./cluster.js', import.meta.url);
/** The module of the writer thread's side. */
export const WRITER_MODULE = new URL('./log-in-writer.js', import.meta.url);
