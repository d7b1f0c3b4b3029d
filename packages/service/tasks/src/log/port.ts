import type { Durability, WriteTransaction } from '@fossick/storage';
import type { Task } from '../task/task.js';
import type { NewTask } from './new-task.js';
import type { LogOperation } from './records.js';

/**
 * How tasks get into the log, in every thread but that of tests and imports. On one node it makes a record and applies
 * it in one transaction; where the log is shared the record is appended to that first.
 */
export interface TaskGateway {
  /**
   * Registers tasks, numbered in this order, unless tasks of other nodes come between. Resolves with one result for each: the
   * task once it is durable and in the log of this node, or the reason why it is not. A task that is refused does not
   * prevent the others. Reasons: ApiError no_space_left_on_device, invalid_state after `seal`; errors of the log.
   */
  enqueue(entries: readonly NewTask[]): Promise<readonly PromiseSettledResult<Task>[]>;
  /**
   * Resolves once every task and change is in the log of this node that any node had acknowledged before the call;
   * at once on one node.
   */
  caughtUp(): Promise<void>;
  /**
   * From now on nothing is registered through this node: a copy is about to replace its task store. Throws when no copy
   * may replace it, because the log is shared.
   */
  seal(): void;
}

/**
 * How the tasks of the log change: in the thread that runs them, and only there. Returns when the operations are applied
 * to the store of this node, in one transaction with nothing else of this thread; blocks until then. On one node
 * `durability` says when they are durable. Where the log is shared they are durable when it returns, or, for `later`, soon after.
 * Throws, without effect, when this node runs tasks no longer, and errors of the store.
 */
export type TaskChanger = (operations: readonly LogOperation[], durability: Durability) => void;

export interface ApplyOptions {
  /** `now` when absent. */
  readonly durability?: Durability;
  /** Called in the same transaction, after the records: for the position of the log. */
  readonly also?: (txn: WriteTransaction) => void;
}
