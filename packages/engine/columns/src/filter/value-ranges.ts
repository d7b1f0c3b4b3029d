/** Documents whose values are within a range. */
import { joinedBytes, utf8Bytes } from '@fossick/base';
import type { ExactNumber } from '@fossick/documents/stored';
import type { Bitmap } from '@fossick/kernel';
import { facetText } from '../bytes/facet-text.js';
import { columnReaders } from '../column-readers.js';
import type { Hierarchy } from '../facets/hierarchy.js';
import type { ColumnView } from '../port.js';
import { type ColumnReader, orLiveGroups } from '../reading/column-reader.js';

type Range = readonly [from: number, to: number];

/**
 * result |= documents with a number or a string within the ranges; each bound is followed by whether it is inclusive.
 */
export function addRanges(
  view: ColumnView,
  result: Bitmap,
  field: string,
  numbers: readonly [from: ExactNumber, isFrom: boolean, to: ExactNumber, isTo: boolean] | undefined,
  strings: readonly [from: Uint8Array | undefined, isFrom: boolean, to: Uint8Array | undefined, isTo: boolean],
): void {
  for (const column of columnReaders(view, field)) {
    if (numbers !== undefined) {
      const from = column.numberBound(numbers[0], !numbers[1]);
      orLiveGroups(result, column, 'numbers', from, column.numberBound(numbers[2], numbers[3]));
    }
    const from = strings[0] === undefined ? 0 : column.textBound(strings[0], !strings[1]);
    const to = strings[2] === undefined ? column.stringCount : column.textBound(strings[2], strings[3]);
    orLiveGroups(result, column, 'strings', from, to);
  }
}

/** result |= documents with the path or one below it. */
export function addDocsUnder(
  view: ColumnView,
  result: Bitmap,
  field: string,
  { separatorKey }: Hierarchy,
  path: string,
): void {
  const own = facetText(path);
  for (const column of columnReaders(view, field)) {
    const group = column.groupOfText(utf8Bytes(own));
    if (group >= 0) orLiveGroups(result, column, 'strings', group, group + 1);
    const [from, to] = prefixRange(column, utf8Bytes(own + separatorKey));
    orLiveGroups(result, column, 'strings', from, to);
  }
}

/** String groups that begin with the key: a contiguous range. O(log groups). */
export function prefixRange(column: ColumnReader, key: Uint8Array): Range {
  const end = joinedBytes([key, Uint8Array.of(0xff)]); // a byte that no UTF-8 text contains
  return [column.textBound(key, false), column.textBound(end, false)];
}
