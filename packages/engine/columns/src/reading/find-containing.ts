import { type CheckInterrupt, indexOfBytes } from '@fossick/base';
import type { ColumnReader } from './column-reader.js';
import type { GroupList } from './column-trigrams.js';
import { groupsContaining } from './text-scan.js';

/** A column of this many times more values than may contain a text has these compared one by one; else all are scanned. */
const SCAN_SHARE = 8;
/** Values compared between two checks of the clock. */
const VALUES_BETWEEN_CHECKS = 1_024;

/**
 * The groups, ascending, whose value contains each of the texts (UTF-8, normalised): by trigrams where the column has a table of them,
 * by a scan for texts that may be in many values, and without a table for all.
 */
export function findContaining(
  column: Pick<ColumnReader, 'allTexts' | 'textAt' | 'stringCount' | 'trigrams'>,
  texts: readonly Uint8Array[],
  checkInterrupt: CheckInterrupt,
): readonly GroupList[] {
  if (column.trigrams === null) return groupsContaining(column, texts, checkInterrupt);
  const table = column.trigrams.load();
  const found = texts.map((text): GroupList | null => {
    checkInterrupt();
    if (text.length === 0) return Uint32Array.from({ length: column.stringCount }, (_, group) => group);
    const { texts: groups, isExact } = table.matches(text);
    if (isExact) return groups;
    return groups.length * SCAN_SHARE > column.stringCount
      ? null
      : comparedGroups(column, groups, text, checkInterrupt);
  });
  const scanned = texts.filter((_, at) => found[at] === null);
  const rest = scanned.length === 0 ? [] : [...groupsContaining(column, scanned, checkInterrupt)];
  return found.map((groups) => groups ?? rest.shift()!);
}

function comparedGroups(
  column: Pick<ColumnReader, 'textAt'>,
  groups: Uint32Array,
  text: Uint8Array,
  checkInterrupt: CheckInterrupt,
): Uint32Array {
  return groups.filter((group, at) => {
    if ((at & (VALUES_BETWEEN_CHECKS - 1)) === 0) checkInterrupt();
    return indexOfBytes(column.textAt(group), text) >= 0;
  });
}
