import { readManifest, rowsOf, upgradeSets } from '@fossick/segments';
import type { Store } from '@fossick/storage';
import { removeStaged } from './staged-rows.js';

/**
 * Leaves nothing behind of batches that did not get to their end, and brings an index of an older release into today's form. Two reads where
 * nothing is to be done.
 */
export function makeReady(store: Store): void {
  removeStaged(store);
  if (readManifest(rowsOf(store)).docForm !== 'pages') store.transaction(upgradeSets);
}
