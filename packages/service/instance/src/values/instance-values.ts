import type { Change, Store } from '@fossick/storage';
import { commitComputed } from '../changes/local-changes.js';
import type { InstanceChanges } from '../changes/port.js';

const TABLE = 'values';

/** Small durable JSON values of the instance, by name. */
export class InstanceValues {
  private readonly store: Store;
  private readonly changes: InstanceChanges;

  /** `changes`: of the same store. */
  constructor(store: Store, changes: InstanceChanges) {
    this.store = store;
    this.changes = changes;
  }

  get(name: string): unknown {
    return parsed(this.stored(name));
  }

  /** Replaces a value, whatever it was. Throws the errors of the store or log. */
  async put(name: string, value: unknown): Promise<void> {
    await this.changes.commit([putOf(name, value)]);
  }

  /**
   * Replaces a value by what `next` makes of the present one, and resolves with it. `next` is called again when another
   * node was faster, and may throw; nothing is written when it returns the present value itself. On one node the value
   * has changed when the call returns.
   */
  change<T>(name: string, next: (before: unknown) => T): Promise<T> {
    return commitComputed(this.changes, () => {
      const stored = this.stored(name);
      const before = parsed(stored);
      const result = next(before);
      const condition = { kind: 'row', table: TABLE, key: Buffer.from(name), value: stored ?? null } as const;
      return { changes: result === before ? [] : [putOf(name, result)], conditions: [condition], result };
    });
  }

  /** Calls `listener` after each change of the value. */
  onChange(name: string, listener: () => void): Disposable {
    const key = Buffer.from(name);
    const concerns = (change: Change): boolean => change.table === TABLE && 'key' in change && key.equals(change.key);
    return this.changes.onChange((changes) => {
      if (changes.some(concerns)) listener();
    });
  }

  private stored(name: string): Uint8Array | undefined {
    return this.store.table(TABLE).get(Buffer.from(name));
  }
}

function putOf(name: string, value: unknown): Change {
  return { kind: 'put', table: TABLE, key: Buffer.from(name), value: Buffer.from(JSON.stringify(value)) };
}

function parsed(bytes: Uint8Array | undefined): unknown {
  return bytes === undefined ? undefined : (JSON.parse(Buffer.from(bytes).toString('utf8')) as unknown);
}

/** Names of the values that an archive contains in files of their own. */
export const VALUE_NAMES = {
  features: 'experimental-features',
  network: 'network',
  instanceUid: 'instance-uid',
} as const;
