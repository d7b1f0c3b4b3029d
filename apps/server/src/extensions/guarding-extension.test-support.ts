/** An extension that only guards an index: what the core hides, whatever extension wrote it. */
import { guardedUid } from '@fossick/instance/access';
import type { Extension } from '@fossick/runtime/extension';

const INDEX = { name: 'ledger', action: 'stats.get' };
export const LEDGER_UID = guardedUid(INDEX.name);

export const LEDGER: Extension = {
  name: INDEX.name,
  guardedIndexes: [INDEX],
  configure: () => ({ open: async () => ({}) }),
};
