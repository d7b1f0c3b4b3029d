import type { ChangeSet } from '@fossick/storage';

/**
 * What a change was computed from. The change has no effect once this does not hold any more: another node may have
 * changed the row meanwhile.
 */
export type Condition =
  /** The row has this value; null for no row. */
  | { readonly kind: 'row'; readonly table: string; readonly key: Uint8Array; readonly value: Uint8Array | null }
  /** The table has no rows. */
  | { readonly kind: 'empty'; readonly table: string };

/**
 * How the rows of the store `auth` change: keys, features, the network, search rules, what extensions keep. On one
 * node a change is one transaction; where the log is shared it is appended to the log first. Each thread that
 * changes rows has one; records of the thread that runs tasks have the epoch of the leader.
 */
export interface InstanceChanges {
  /**
   * Resolves with true once the rows have changed, durably and in the store of this node; with false, and without
   * effect, when a condition did not hold: compute the rows again. A change that was computed and committed in one turn
   * of the event loop is never refused on one node. Rejects with the errors of the store or log.
   */
  commit(changes: ChangeSet, conditions?: readonly Condition[]): Promise<boolean>;
  /**
   * Calls `listener` after each commit in the store of this node, also of changes by other nodes, and before `commit`
   * resolves. Changes by other threads of a single node are not seen.
   */
  onChange(listener: (changes: ChangeSet) => void): Disposable;
}
