import type { Store } from '@fossick/storage';
import { upgradeSets } from './document-sets.js';
import { readManifest } from './index-state.js';
import { rowsOf } from './rows.js';
import { removeStaged } from './staged-rows.js';

/**
 * Leaves nothing behind of batches that did not get to their end, and brings an index of an older release into today's form. Two reads where
 * nothing is to be done.
 */
export function makeReady(store: Store): void {
  removeStaged(store);
  if (readManifest(rowsOf(store)).docForm !== 'pages') store.transaction(upgradeSets);
}
