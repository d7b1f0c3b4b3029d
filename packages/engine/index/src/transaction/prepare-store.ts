import { readManifest, rowsOf } from '@fossick/format';
import type { Store } from '@fossick/storage';
import { upgradeSets } from '../documents/document-sets.js';
import { removeUncommitted } from './uncommitted-rows.js';

/**
 * Removes what unfinished batches left, and upgrades an index of an older release. Two reads where there is nothing to
 * do.
 */
export function prepareStore(store: Store): void {
  removeUncommitted(store);
  if (readManifest(rowsOf(store)).docForm !== 'pages') store.transaction(upgradeSets);
}
