import type { DocId } from '@fossick/base';
import type { ExactNumber } from '@fossick/documents/stored';
import type { Bitmap } from '@fossick/kernel';
import { columnReaders } from '../column-readers.js';
import type { ColumnView } from '../port.js';
import { type ColumnReader, orLiveGroups } from '../reading/column-reader.js';
import { FirstsWalk } from './firsts-walk.js';

/** Up to this many documents are looked up one by one. */
const FEW_DOCUMENTS = 16;

/** Finds the documents that share a value of a field. */
export interface Distinct {
  /** Sets the bits of all documents that share any value with `docId`, itself included; none when it has no value. */
  excludeFor(docId: DocId, excluded: Bitmap): void;
  /**
   * In docid order, sets the bits in `firsts` of the documents of `docs` that share no value with an earlier one of them, at most `limit`,
   * and in `excluded` the bits of all other documents that share a value with one of these. Both must be empty. Returns the number of
   * firsts.
   */
  markFirsts(docs: Bitmap, firsts: Bitmap, excluded: Bitmap, limit?: number): number;
  /** Whether any document has the text "", so that `isBlank` may be true. */
  readonly hasBlanks: boolean;
  /**
   * Whether "" or white space is among the values: such a value excludes nothing, but only one of all these documents
   * is shown.
   */
  isBlank(docId: DocId): boolean;
}

/** Looks up only the values of the documents it is called for, in each segment. O(segments) to create */
export function createDistinct(view: ColumnView, field: string): Distinct {
  return new ColumnDistinct(view, columnReaders(view, field));
}

class ColumnDistinct implements Distinct {
  private readonly view: ColumnView;
  private readonly columns: readonly ColumnReader[];
  readonly hasBlanks: boolean;

  constructor(view: ColumnView, columns: readonly ColumnReader[]) {
    this.view = view;
    this.columns = columns;
    this.hasBlanks = columns.some((column) => column.hasBlanks);
  }

  isBlank(docId: DocId): boolean {
    const home = this.homeOf(docId);
    if (home === undefined) return false;
    const { column, groups } = home;
    // white space normalises to the empty key, the least of all
    return (
      column.isBlank(docId) ||
      groups.some((group) => group >= column.numberCount && column.textAt(group - column.numberCount).length === 0)
    );
  }

  excludeFor(docId: DocId, excluded: Bitmap): void {
    const home = this.homeOf(docId);
    if (home === undefined) return;
    const numberCount = home.column.numberCount;
    for (const group of home.groups) {
      if (group < numberCount) this.excludeNumber(home.column.numberAt(group), excluded);
      else this.excludeText(home.column.textAt(group - numberCount), excluded);
    }
  }

  markFirsts(docs: Bitmap, firsts: Bitmap, excluded: Bitmap, limit = Number.POSITIVE_INFINITY): number {
    const { kernel } = this.view;
    const isFew = kernel.bitmaps.members(docs, FEW_DOCUMENTS, 1).length === 0;
    const isLimited = limit < Number.POSITIVE_INFINITY;
    if (isLimited || (isFew && this.columns.every(({ isByDocument }) => isByDocument)))
      return this.markOneByOne(docs, firsts, excluded, limit);
    const mark = kernel.memory.mark();
    const alone = kernel.bitmaps.copy(docs);
    const walk = new FirstsWalk(this.view, this.columns, docs, alone);
    walk.run(firsts, excluded);
    kernel.bitmaps.or(firsts, alone);
    kernel.memory.release(mark);
    kernel.bitmaps.andNot(excluded, firsts);
    return kernel.bitmaps.count(firsts);
  }

  private markOneByOne(docs: Bitmap, firsts: Bitmap, excluded: Bitmap, limit: number): number {
    const { kernel } = this.view;
    let count = 0;
    for (
      let docId = kernel.bitmaps.next(docs, 0);
      docId !== -1 && count < limit;
      docId = kernel.bitmaps.next(docs, docId + 1)
    ) {
      if (kernel.bitmaps.has(excluded, docId)) continue;
      this.excludeFor(docId, excluded);
      kernel.bitmaps.unset(excluded, docId);
      kernel.bitmaps.set(firsts, docId);
      count += 1;
    }
    return count;
  }

  private homeOf(docId: DocId): Home | undefined {
    const { kernel } = this.view;
    for (const column of this.columns) {
      const { firstDoc, lastDoc, segment } = column;
      if (docId < firstDoc || docId > lastDoc || (segment.deleted !== 0 && kernel.bitmaps.has(segment.deleted, docId)))
        continue;
      const groups = kernel.columns.groupsOf(column.loadForward(), docId);
      if (groups !== undefined) return { column, groups };
    }
    return undefined;
  }

  private excludeNumber(value: ExactNumber, excluded: Bitmap): void {
    for (const column of this.columns) {
      const group = column.groupOfNumber(value);
      if (group >= 0) orLiveGroups(excluded, column, 'numbers', group, group + 1);
    }
  }

  private excludeText(key: Uint8Array, excluded: Bitmap): void {
    for (const column of this.columns) {
      const group = column.groupOfText(key);
      if (group >= 0) orLiveGroups(excluded, column, 'strings', group, group + 1);
    }
  }
}

/** The column that has a document, and the document's groups: string groups are numbered after number groups. */
interface Home {
  readonly column: ColumnReader;
  readonly groups: Uint32Array;
}
