import type { DocIds } from '@fossick/base';
import type { SortEntry } from '@fossick/filter';
import type { Bitmap } from '@fossick/kernel';
import { columnReaders } from '../column-readers.js';
import type { ColumnView } from '../port.js';
import { SortedGroups } from '../reading/sorted-groups.js';

/**
 * Calls `visit` with the documents of each next value of the field until it returns false: numbers, then strings, one list for each segment.
 * A document with several values comes with the first of them in the order, and one without a value not at all. The universe is read at the
 * start; `visit` may change it. Takes 8 bytes for each document while it runs. O(documents of the universe * log of them + their values * segments).
 */
export function eachSortValue(
  view: ColumnView,
  universe: Bitmap,
  { field, direction }: Extract<SortEntry, { kind: 'field' }>,
  visit: (lists: readonly DocIds[]) => boolean,
): void {
  new SortedGroups(columnReaders(view, field), universe, direction === 'desc').eachValue(visit);
}
