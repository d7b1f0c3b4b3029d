import { readManifest, rowsOf } from '@fossick/format';
import type { Store } from '@fossick/storage';
import { upgradeSets } from '../documents/document-sets.js';
import { removeUncommitted } from './uncommitted-rows.js';
import { upgradeNumbers } from './upgrade-numbers.js';

/**
 * Removes what unfinished batches left, and upgrades an index of an older release. Two reads where there is nothing to
 * do. Returns whether there was an upgrade.
 */
export function prepareStore(store: Store): boolean {
  removeUncommitted(store);
  const { docForm, numberForm } = readManifest(rowsOf(store));
  if (docForm !== 'pages') store.transaction(upgradeSets);
  if (numberForm !== 'exact') upgradeNumbers(store);
  return docForm !== 'pages' || numberForm !== 'exact';
}
