import type { DocId } from '@fossick/base';
import type { ExactNumber } from '@fossick/documents/stored';
import { NO_DOCUMENT } from '@fossick/format';
import type { Bitmap, ForwardColumn, LiveDocs } from '@fossick/kernel';
import { lowerBound } from '../bytes/lower-bound.js';
import { columnReaders } from '../column-readers.js';
import type { ColumnView } from '../port.js';
import { type ColumnReader, orLiveGroups } from '../reading/column-reader.js';

/** Scans for the documents of a set that together cost about as much as the forward column of all documents. */
const SCANS_BEFORE_FORWARD = 4;

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
  /** Sets the bits of all documents that have such a value. O(segments + these documents) */
  markBlanks(blanks: Bitmap): void;
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

  markBlanks(blanks: Bitmap): void {
    for (const column of this.columns) {
      const list = column.docsOf('blanks');
      if (list !== null) this.view.kernel.bitmaps.setMany(blanks, list.docs, list.count);
    }
    this.excludeText(new Uint8Array(0), blanks);
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
    const isSparse = kernel.bitmaps.members(docs, FEW_DOCUMENTS, 1).length === 0;
    const isLimited = limit < Number.POSITIVE_INFINITY;
    if (isLimited || (isSparse && this.columns.every(({ isByDocument }) => isByDocument)))
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

/** The position of the walk in one column. */
interface Head {
  readonly column: ColumnReader;
  /** Of all documents, or of those of the set; null when none of them has the field. */
  readonly forward: ForwardColumn | null;
  readonly live: LiveDocs;
  /** A bit for each group whose value has occurred. */
  readonly seen: Bitmap;
  /** The groups of the bits, in pieces. */
  readonly groups: Uint32Array[];
  /** The next document of the set; NO_DOCUMENT after the last. */
  next: DocId;
}

/**
 * Visits the documents of a set in docid order and finds those whose values did not occur before. Documents come in runs of one
 * segment; at the end of a run its new values are looked up in all other segments.
 */
class FirstsWalk {
  private readonly view: ColumnView;
  private readonly heads: Head[];

  /** Removes the documents with values of the field from `rest`. Pointers are in scratch. */
  constructor(view: ColumnView, columns: readonly ColumnReader[], docs: Bitmap, rest: Bitmap) {
    this.view = view;
    const { kernel } = view;
    this.heads = columns.map((column) => {
      const live = column.live(docs);
      const first = kernel.bitmaps.next(docs, column.firstDoc);
      const isTouched = first >= 0 && first <= column.lastDoc;
      const seen = kernel.bitmaps.create(Math.max(1, column.numberCount + column.stringCount));
      const forward = isTouched ? forwardOf(column, live, rest) : null;
      const next = forward === null ? NO_DOCUMENT : nextOf(column, forward, live, column.firstDoc);
      return { column, forward, live, seen, groups: [], next };
    });
  }

  /**
   * Sets the bits of the firsts, and of all other documents that share a value with one. O(documents of the set + new values * segments * log
   * values)
   */
  run(firsts: Bitmap, excluded: Bitmap): void {
    const { kernel } = this.view;
    for (;;) {
      let [head, to] = [this.heads[0], NO_DOCUMENT];
      for (const other of this.heads) if (other.next < head!.next) head = other;
      if (head === undefined || head.forward === null || head.next === NO_DOCUMENT) break;
      for (const other of this.heads) if (other !== head && other.next < to) to = other.next;
      const { column, forward, live, seen, next: from } = head;
      const range = { from, to, limit: NO_DOCUMENT };
      const { groups } = kernel.columns.firstsBetween(forward, live, range, seen, firsts);
      if (groups.length > 0) this.scatter(head, groups);
      head.next = to === NO_DOCUMENT ? NO_DOCUMENT : nextOf(column, forward, live, to);
    }
    for (const { column, groups } of this.heads) {
      for (const piece of groups) {
        const split = lowerBound(piece, column.numberCount);
        const live = column.live(0);
        kernel.columns.orListedGroups(excluded, column.loadGroups('numbers'), piece.subarray(0, split), 0, live);
        kernel.columns.orListedGroups(
          excluded,
          column.loadGroups('strings'),
          piece.subarray(split),
          column.numberCount,
          live,
        );
      }
    }
  }

  /** Marks the values of new groups of one column in all others. */
  private scatter(from: Head, groups: Uint32Array): void {
    const { kernel } = this.view;
    from.groups.push(groups);
    const { column } = from;
    const split = lowerBound(groups, column.numberCount);
    const texts = groups.subarray(split);
    const values = Array.from(groups.subarray(0, split), (group) => column.numberAt(group));
    for (const { column: other, seen, groups: known } of this.heads) {
      if (other === column) continue;
      const found: number[] = [];
      for (const value of values) {
        const group = other.groupOfNumber(value);
        if (group >= 0) found.push(group);
      }
      const numberCount = other.numberCount;
      if (texts.length > 0 && other.stringCount > 0)
        for (const group of kernel.texts.find(column.loadTexts(), texts, column.numberCount, other.loadTexts()))
          if (group >= 0) found.push(group + numberCount);
      if (found.length === 0) continue;
      const list = Uint32Array.from(found);
      known.push(list);
      const mark = kernel.memory.mark();
      kernel.bitmaps.setMany(seen, kernel.memory.scratchU32(list), list.length);
      kernel.memory.release(mark);
    }
  }
}

/** The groups of the documents of the set. These documents are removed from `rest`. */
function forwardOf(column: ColumnReader, live: LiveDocs, rest: Bitmap): ForwardColumn | null {
  const whole = column.prepareForward(SCANS_BEFORE_FORWARD);
  if (whole !== null) {
    takeOut(column, rest);
    return whole;
  }
  const { kernel } = column;
  const hits = kernel.bitmaps.create(kernel.bitmaps.bitCapacity(rest));
  const sides = { numbers: column.loadGroups('numbers'), strings: column.loadGroups('strings') };
  const forward = kernel.columns.turnWithin(sides, live, hits);
  kernel.bitmaps.andNot(rest, hits);
  return forward;
}

function nextOf(column: ColumnReader, forward: ForwardColumn, live: LiveDocs, from: number): DocId {
  const doc = column.kernel.columns.nextLiveDoc(forward, live, from);
  return doc === -1 ? NO_DOCUMENT : doc;
}

/** bits &= ~live documents with the field */
function takeOut(column: ColumnReader, bits: Bitmap): void {
  const { kernel, segment } = column;
  const mark = kernel.memory.mark();
  const listed = column.docsOf('exists');
  const found = kernel.bitmaps.create(kernel.bitmaps.bitCapacity(bits));
  if (listed !== null) kernel.bitmaps.setMany(found, listed.docs, listed.count);
  if (segment.deleted !== 0) kernel.bitmaps.andNot(found, segment.deleted);
  kernel.bitmaps.andNot(bits, found);
  kernel.memory.release(mark);
}
