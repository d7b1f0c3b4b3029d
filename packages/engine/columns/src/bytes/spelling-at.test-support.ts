import { utf8Text } from '@fossick/base';
import { type ColumnParts, SAME_SPELLING, SPELLING_BY_DOC, textAt } from './column-format.js';

/** Whether the documents of a string group have several spellings. */
function hasSpellingByDocument(column: ColumnParts, group: number): boolean {
  const ref = column.spellingOf[group] ?? SAME_SPELLING;
  return ref !== SAME_SPELLING && ref >= SPELLING_BY_DOC;
}

/** The original spelling of string entry `entry` (an index into stringDocs) of a group. */
export function spellingAt(column: ColumnParts, group: number, entry: number): string {
  const ref = column.spellingOf[group] ?? SAME_SPELLING;
  let id = ref;
  if (hasSpellingByDocument(column, group)) {
    id = column.docSpellings[ref - SPELLING_BY_DOC + entry - (column.stringOffsets[group] ?? 0)] ?? SAME_SPELLING;
  }
  if (id === SAME_SPELLING) return utf8Text(textAt(column, group));
  return utf8Text(column.spelling, column.spellingOffsets[id], column.spellingOffsets[id + 1]);
}
