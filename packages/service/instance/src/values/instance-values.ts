import type { Store } from '@fossick/storage';

const TABLE = 'values';

/** Small durable JSON values of the instance, by name. */
export class InstanceValues {
  private readonly store: Store;

  constructor(store: Store) {
    this.store = store;
  }
  get(name: string): unknown {
    const bytes = this.store.table(TABLE).get(Buffer.from(name));
    return bytes === undefined ? undefined : (JSON.parse(Buffer.from(bytes).toString('utf8')) as unknown);
  }
  put(name: string, value: unknown): void {
    this.store.transaction((txn) => txn.put(TABLE, Buffer.from(name), Buffer.from(JSON.stringify(value))));
  }
}

/** Names of the values that a dump contains in files of their own. */
export const VALUE_NAMES = {
  features: 'experimental-features',
  network: 'network',
  webhooks: 'webhooks',
  chats: 'chat-workspaces',
  instanceUid: 'instance-uid',
} as const;
