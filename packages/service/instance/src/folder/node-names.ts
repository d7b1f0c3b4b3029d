/**
 * What tells the folder of a node of a cluster. Clusters are an extension, but whoever opens a database without it must know such a
 * folder: a server that leaves the extension out, or from which it was taken, the commands, and the engine in a process. Its rows are
 * those of all nodes, and a change that is not in their log would make it differ from them for ever.
 */

/** The folder of a database with what a node knows of its log. */
export const NODE_FOLDER = 'cluster';
/** The file in it while a database becomes the beginning of a cluster. */
export const PENDING_ENTRY = 'base-entry';
/** The table in its store that every node has. */
export const NODE_TABLE = 'log-state';
/** The id in the stores of a node: rows of all nodes are equal. */
export const NODE_ID = 'node of a cluster';
/** What its store has. */
export const NODE_CONTENTS = 'the place in the log of the cluster';
/** What to do without it. */
export const NODE_REMEDY = 'start this node with an empty folder, which is filled from the cluster';

/** Why only a node opens the folder. `extensions`: the names of those that are served; the one that has nodes is called like their folder. */
export function nodeRefusal(dbPath: string, folder: string, extensions: readonly string[]): string {
  const needed = extensions.includes(NODE_FOLDER) ? '' : `a server that has the extension ${NODE_FOLDER} and `;
  return (
    `the database in ${dbPath} is that of a ${NODE_ID}: start it with ${needed}--cluster-objects. ` +
    `To take it out of the cluster for good, remove the folder ${folder}`
  );
}
