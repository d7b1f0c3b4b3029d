import type { DocId } from '@fossick/base';
import type { Distinct } from '@fossick/columns';
import type { IndexView } from '@fossick/index';
import type { Bitmap } from '@fossick/kernel';
import type { DistinctField } from '../ranking/bucket-sort.js';

/**
 * The field with "" and white space as a value like any other, where counts have to be those of the hits shown, of which one has it.
 * Otherwise such values are compared on the page only (`dropEmptyDuplicates`).
 */
export function withBlanks(view: IndexView, field: Distinct): DistinctField {
  if (!field.hasBlanks) return field;
  const { bitmaps, memory } = view.kernel;
  const blanks = bitmaps.create(view.bitCount);
  field.markBlanks(blanks);
  const excludeFor = (docId: DocId, excluded: Bitmap): void => {
    field.excludeFor(docId, excluded);
    if (bitmaps.has(blanks, docId)) bitmaps.or(excluded, blanks);
  };
  const markFirsts = (docs: Bitmap, firsts: Bitmap, excluded: Bitmap, limit = Number.POSITIVE_INFINITY): number => {
    const mark = memory.mark();
    const blank = bitmaps.copy(docs);
    bitmaps.and(blank, blanks);
    const others = bitmaps.copy(docs);
    bitmaps.andNot(others, blank);
    const first = bitmaps.next(blank, 0);
    if (first !== -1) bitmaps.set(others, first);
    const count = field.markFirsts(others, firsts, excluded, limit);
    if (first !== -1 && bitmaps.has(firsts, first)) {
      bitmaps.or(excluded, blanks);
      bitmaps.unset(excluded, first);
    }
    memory.release(mark);
    return count;
  };
  return { excludeFor, markFirsts };
}
