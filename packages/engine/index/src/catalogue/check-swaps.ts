import { apiError } from '@fossick/base';
import type { IndexSwap } from '../port.js';

/** Throws ApiError index_not_found or index_already_exists, naming every index that prevents the swap. */
export function checkSwaps(swaps: readonly IndexSwap[], exists: (uid: string) => boolean): void {
  const missing = swaps
    .flatMap(({ left, right, rename }) => (rename ? [left] : [left, right]))
    .filter((uid) => !exists(uid));
  if (missing.length > 0) throw apiError('index_not_found', 'several', nameIndexes(missing));
  const taken = swaps.filter(({ right, rename }) => rename && exists(right)).map(({ right }) => right);
  if (taken.length === 0) return;
  throw apiError('index_already_exists', 'renamed', nameIndexes(taken), taken.length === 1 ? 'exists' : 'exist');
}
function nameIndexes(uids: readonly string[]): string {
  return `${uids.length === 1 ? 'Index' : 'Indexes'} ${uids.map((uid) => `\`${uid}\``).join(', ')}`;
}
