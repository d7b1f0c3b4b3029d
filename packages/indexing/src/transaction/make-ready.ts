import { readManifest, rowsOf, upgradeSets } from '@fossick/segments';
import type { Store } from '@fossick/storage';
import { removeUncommitted } from './uncommitted-rows.js';

/**
 * Leaves nothing behind of batches that did not get to their end, and brings an index of an older release into today's form. Two reads where
 * nothing is to be done.
 */
export function makeReady(store: Store): void {
  removeUncommitted(store);
  if (readManifest(rowsOf(store)).docForm !== 'pages') store.transaction(upgradeSets);
}
