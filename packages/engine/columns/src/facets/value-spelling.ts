import { utf8Text } from '@fossick/base';
import type { Bitmap } from '@fossick/kernel';
import type { ColumnReader } from '../reading/column-reader.js';
import type { CountedString } from './counted-values.js';

/**
 * Returns a function for the original spelling of a value in its lowest document. `groups` of a value may omit those that only documents
 * beyond the candidates have: with `isWider` they are looked up. O(columns), or O(documents of the value) where spellings differ
 */
export function spellerOf(
  columns: readonly ColumnReader[],
  documents: Bitmap,
  isWider: boolean,
): (value: Pick<CountedString, 'key' | 'groups'>) => string {
  return ({ key, groups }) => {
    const only = isWider ? null : onlySpelling(columns, groups);
    if (only !== null) return only;
    let [lowest, spelling]: [number, string | undefined] = [Infinity, undefined];
    columns.forEach((column, index) => {
      const known = groups[index] ?? -1;
      const group = known >= 0 || !isWider ? known : column.groupOfText(key);
      if (group < 0) return;
      const entry = column.kernel.columns.firstEntry(column.loadGroups('strings'), group, column.live(documents));
      if (entry < 0) return;
      const doc = column.kernel.memory.u32At(column.loadGroups('strings').docs, entry);
      if (doc >= lowest) return;
      lowest = doc;
      spelling = column.spellings.at(group, entry);
    });
    return spelling ?? utf8Text(key);
  };
}

/** The spelling of a value where all its documents agree on it, else null. O(columns). */
function onlySpelling(columns: readonly ColumnReader[], groups: readonly number[]): string | null {
  let found: string | null = null;
  for (let index = 0; index < columns.length; index++) {
    const group = groups[index]!;
    if (group < 0) continue;
    const spelling = columns[index]!.spellings.only(group);
    if (spelling === null) return null;
    if (found !== null && found !== spelling) return null;
    found = spelling;
  }
  return found;
}
