import { readManifest, rowsOf, upgradeSets } from '@fossick/segments';
import type { Store } from '@fossick/storage';
import { removeUncommitted } from './uncommitted-rows.js';

/**
 * Removes what unfinished batches left, and upgrades an index of an older release. Two reads where there is nothing to
 * do.
 */
export function prepareStore(store: Store): void {
  removeUncommitted(store);
  if (readManifest(rowsOf(store)).docForm !== 'pages') store.transaction(upgradeSets);
}
