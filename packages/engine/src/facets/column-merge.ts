import { assembleColumn, type StringGroup } from './column-assembly.js';
import { readColumn, spellingAt, textAt, type ColumnParts } from './column-format.js';

/** One column to be merged. Live documents of different inputs are distinct. */
export interface MergeInput {
  readonly bytes: Uint8Array;
  readonly isDead: (docId: number) => boolean;
}

interface OpenInput {
  readonly column: ColumnParts;
  readonly isDead: (docId: number) => boolean;
}

/**
 * Merges columns of one field of several segments into one, leaving out dead documents and the values nothing is left of.
 * O(total entries + distinct values * inputs).
 */
export function mergeColumns(inputs: readonly MergeInput[]): Uint8Array {
  const open = inputs.map(({ bytes, isDead }) => ({ column: readColumn(bytes), isDead }));
  const numbers: number[] = [];
  const numberGroups: number[][] = [];
  const starts = open.map(() => 0);
  for (;;) {
    let least = Infinity;
    open.forEach(({ column }, index) => (least = Math.min(least, column.numbers[starts[index] ?? 0] ?? Infinity)));
    if (least === Infinity) break;
    const docs: number[] = [];
    open.forEach(({ column, isDead }, index) => {
      const group = starts[index] ?? 0;
      if (column.numbers[group] !== least) return;
      starts[index] = group + 1;
      const end = column.numberOffsets[group + 1] ?? 0;
      for (let entry = column.numberOffsets[group] ?? 0; entry < end; entry++) {
        const doc = column.numberDocs[entry] ?? 0;
        if (!isDead(doc)) docs.push(doc);
      }
    });
    if (docs.length === 0) continue;
    numbers.push(least);
    numberGroups.push(docs.sort((a, b) => a - b));
  }
  return assembleColumn(Float64Array.from(numbers), numberGroups, mergeStrings(open), {
    exists: mergeDocs(open, (column) => column.exists),
    nulls: mergeDocs(open, (column) => column.nulls),
    empties: mergeDocs(open, (column) => column.empties),
    blanks: mergeDocs(open, (column) => column.blanks),
  });
}

function mergeStrings(open: readonly OpenInput[]): StringGroup[] {
  const groups: StringGroup[] = [];
  const starts = open.map(() => 0);
  for (;;) {
    let least: Uint8Array | undefined;
    open.forEach(({ column }, index) => {
      const group = starts[index] ?? 0;
      if (group >= column.spellingOf.length) return;
      const text = textAt(column, group);
      if (least === undefined || Buffer.compare(text, least) < 0) least = text;
    });
    if (least === undefined) return groups;
    const key: Uint8Array = least;
    const entries: { doc: number; spelling: string }[] = [];
    open.forEach((input, index) => {
      const group = starts[index] ?? 0;
      if (group >= input.column.spellingOf.length || Buffer.compare(textAt(input.column, group), key) !== 0) return;
      starts[index] = group + 1;
      takeEntries(input, group, entries);
    });
    if (entries.length === 0) continue;
    entries.sort((a, b) => a.doc - b.doc);
    groups.push({ key, docs: entries.map((entry) => entry.doc), spellings: entries.map((entry) => entry.spelling) });
  }
}

function takeEntries({ column, isDead }: OpenInput, group: number, entries: { doc: number; spelling: string }[]): void {
  const end = column.stringOffsets[group + 1] ?? 0;
  for (let entry = column.stringOffsets[group] ?? 0; entry < end; entry++) {
    const doc = column.stringDocs[entry] ?? 0;
    if (!isDead(doc)) entries.push({ doc, spelling: spellingAt(column, group, entry) });
  }
}

function mergeDocs(open: readonly OpenInput[], list: (column: ColumnParts) => Uint32Array): Uint32Array {
  const docs: number[] = [];
  for (const { column, isDead } of open) {
    for (const doc of list(column)) if (!isDead(doc)) docs.push(doc);
  }
  return Uint32Array.from(docs).sort();
}
