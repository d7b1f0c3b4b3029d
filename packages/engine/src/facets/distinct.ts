import type { Ptr } from '@fossick/kernel';
import type { IndexView } from '../view/index-view.js';
import { type ColumnParts, textAt } from './column-format.js';
import { numberBound, type OpenColumn, openColumns, orLiveGroups, stringBound } from './open-column.js';

/** Groups of one segment by document: `groups[offsets[doc]..offsets[doc + 1]]`. */
interface DocGroups {
  readonly offsets: Uint32Array;
  readonly groups: Uint32Array;
}
interface ForwardColumn {
  readonly numbers: DocGroups;
  readonly strings: DocGroups;
}
const forwards = new WeakMap<ColumnParts, ForwardColumn>();

function groupsByDoc(offsets: Uint32Array, docs: Uint32Array, docCount: number): DocGroups {
  const ends = new Uint32Array(docCount + 1);
  for (const doc of docs) ends[doc + 1] = (ends[doc + 1] ?? 0) + 1;
  for (let doc = 1; doc <= docCount; doc++) ends[doc] = (ends[doc] ?? 0) + (ends[doc - 1] ?? 0);
  const at = ends.slice();
  const groups = new Uint32Array(docs.length);
  for (let group = 0; group + 1 < offsets.length; group++) {
    const end = offsets[group + 1] ?? 0;
    for (let entry = offsets[group] ?? 0; entry < end; entry++) {
      const doc = docs[entry] ?? 0;
      const slot = at[doc] ?? 0;
      groups[slot] = group;
      at[doc] = slot + 1;
    }
  }
  return { offsets: ends, groups };
}

function forwardOf(column: ColumnParts): ForwardColumn {
  let forward = forwards.get(column);
  if (forward === undefined) {
    const docCount = (column.exists[column.exists.length - 1] ?? 0) + 1;
    forward = {
      numbers: groupsByDoc(column.numberOffsets, column.numberDocs, docCount),
      strings: groupsByDoc(column.stringOffsets, column.stringDocs, docCount),
    };
    forwards.set(column, forward);
  }
  return forward;
}

const groupsOf = ({ offsets, groups }: DocGroups, doc: number): Uint32Array =>
  groups.subarray(offsets[doc] ?? 0, offsets[doc + 1] ?? offsets[doc] ?? 0);

/** Finds the documents that share a value of a field (spec 11 section 9.2). */
export interface Distinct {
  /** Sets the bits of all documents that share any value with `docId`, itself included; none when it has no value. */
  excludeFor(docId: number, excluded: Ptr): void;
  /** Whether any document has the text "", so that `isBlank` may be true. */
  readonly hasBlanks: boolean;
  /** Whether "" or white space is among the values: "" excludes nothing, yet of all these only one is to be shown. */
  isBlank(docId: number): boolean;
}

/** Reads the field's columns once; each exclusion is O(values * segments * log values + documents that share). */
export function createDistinct(view: IndexView, field: string): Distinct {
  const columns = openColumns(view, field);
  const homeOf = (docId: number): OpenColumn | undefined =>
    columns.find(
      ({ segment, column }) =>
        (segment.dead === 0 || !view.kernel.has(segment.dead, docId)) &&
        (column.exists[column.exists.length - 1] ?? -1) >= docId &&
        hasValue(column, docId),
    );
  return {
    hasBlanks: columns.some(({ column }) => column.blanks.length > 0),
    isBlank(docId: number): boolean {
      const column = homeOf(docId)?.column;
      if (column === undefined) return false;
      // white space has the least key of all texts, which is none at all
      return (
        holds(column.blanks, docId) ||
        groupsOf(forwardOf(column).strings, docId).some((group) => textAt(column, group).length === 0)
      );
    },
    excludeFor(docId: number, excluded: Ptr): void {
      const home = homeOf(docId);
      if (home === undefined) return;
      const forward = forwardOf(home.column);
      for (const group of groupsOf(forward.numbers, docId)) {
        const value = home.column.numbers[group] ?? 0;
        for (const { column, segment, numbers } of columns) {
          orLiveGroups(
            view,
            excluded,
            segment,
            numbers,
            numberBound(column, value, false),
            numberBound(column, value, true),
          );
        }
      }
      for (const group of groupsOf(forward.strings, docId)) {
        const key = textAt(home.column, group);
        excludeText(view, columns, key, excluded);
      }
    },
  };
}

function excludeText(view: IndexView, columns: readonly OpenColumn[], key: Uint8Array, excluded: Ptr): void {
  for (const { column, segment, strings } of columns) {
    orLiveGroups(view, excluded, segment, strings, stringBound(column, key, false), stringBound(column, key, true));
  }
}

function hasValue(column: ColumnParts, docId: number): boolean {
  const forward = forwardOf(column);
  return (
    groupsOf(forward.numbers, docId).length > 0 ||
    groupsOf(forward.strings, docId).length > 0 ||
    holds(column.blanks, docId)
  );
}

/** Whether ascending ids hold this one. O(log ids). */
function holds(docIds: Uint32Array, docId: number): boolean {
  let [low, high] = [0, docIds.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((docIds[middle] ?? 0) < docId) low = middle + 1;
    else high = middle;
  }
  return docIds[low] === docId;
}
