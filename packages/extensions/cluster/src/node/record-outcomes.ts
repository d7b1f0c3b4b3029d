import type { ChangeSet } from '@fossick/storage';
import type { Task } from '@fossick/tasks';
import type { RecordResults } from './node-stores.js';

/** What the records of this node's requests have done, by operation; only of those that somebody waits for. */
export class RecordOutcomes implements RecordResults {
  /** The uids of the tasks that a record registered. */
  readonly tasks = new Map<string, readonly number[] | undefined>();
  /** Whether a record of values had an effect. */
  readonly values = new Map<string, boolean | undefined>();

  private readonly onChanged: (changes: ChangeSet) => void;

  /** `onChanged`: called with each change of values that had an effect, regardless of who made it. */
  constructor(onChanged: (changes: ChangeSet) => void) {
    this.onChanged = onChanged;
  }

  onTasks(opId: string, tasks: readonly Task[]): void {
    if (this.tasks.has(opId))
      this.tasks.set(
        opId,
        tasks.map(({ uid }) => uid),
      );
  }

  onValues(opId: string, isDone: boolean, changes: ChangeSet): void {
    if (isDone) this.onChanged(changes);
    if (this.values.has(opId)) this.values.set(opId, isDone);
  }
}
