import { TASK_STATUS_NAMES, type TaskStatus } from '@fossick/api';
import type { TaskFinder } from './filters.js';
import { UidSet } from './uid-set.js';

/**
 * Finds the tasks whose status has changed, by comparing the stored sets of uids by status with those of the last look.
 * Intermediate states between two looks are not seen. Keeps 2 KiB per status and 16,384 tasks.
 */
export class StatusChanges {
  private readonly finder: TaskFinder;
  private before: ReadonlyMap<TaskStatus, UidSet>;

  constructor(finder: TaskFinder) {
    this.finder = finder;
    this.before = this.read();
  }

  /** Uids of tasks that have another status than at the last call, or are new, ascending. O(tasks) bits per status. */
  next(): number[] {
    const now = this.read();
    let changed = new UidSet();
    for (const [status, uids] of now) changed = changed.union(uids.without(this.before.get(status)!));
    this.before = now;
    return [...changed.uids()];
  }

  /** Copies: stored pieces belong to the store. A task between two sets that are read is found by the next look. */
  private read(): ReadonlyMap<TaskStatus, UidSet> {
    return new Map(
      TASK_STATUS_NAMES.map((status) => [status, this.finder.set(`status:${status}`).union(new UidSet())]),
    );
  }
}
