import { type ChangeSet, compareBytes, type Store } from '@fossick/storage';
import { applyChanges } from '@fossick/storage/changes';
import type { Condition, InstanceChanges } from './port.js';

/** Changes of a store that only this process writes: one transaction each, which is done when `commit` returns. */
export function openLocalChanges(store: Store): InstanceChanges {
  const listeners = new Set<(changes: ChangeSet) => void>();
  return {
    commit: async (changes, conditions = []) => {
      const isDone = store.transaction((txn) => {
        if (!conditions.every((condition) => holds(store, condition))) return false;
        applyChanges(txn, changes);
        return true;
      });
      if (isDone) for (const listener of listeners) listener(changes);
      return isDone;
    },
    onChange: (listener) => {
      listeners.add(listener);
      return { [Symbol.dispose]: () => void listeners.delete(listener) };
    },
  };
}

/** Whether a condition holds now, in a transaction of the store. `formOf` makes of a stored value what the condition has of one. */
export function holds(store: Store, condition: Condition, formOf = (value: Uint8Array): Uint8Array => value): boolean {
  const table = store.table(condition.table);
  if (condition.kind === 'empty') return table.count() === 0;
  const value = table.get(condition.key);
  if (value === undefined || condition.value === null) return value === undefined && condition.value === null;
  return compareBytes(formOf(value), condition.value) === 0;
}

/**
 * Commits what `compute` gives, and computes it again as long as another node was faster. Returns what `compute` says.
 * Throws what it throws, and the errors of `commit`.
 */
export async function commitComputed<T>(
  changes: InstanceChanges,
  compute: () => { readonly changes: ChangeSet; readonly conditions: readonly Condition[]; readonly result: T },
): Promise<T> {
  for (;;) {
    const { changes: rows, conditions, result } = compute();
    if (rows.length === 0 || (await changes.commit(rows, conditions))) return result;
  }
}
