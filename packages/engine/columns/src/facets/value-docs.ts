/** The values of documents in one field, and the documents of a value. */

import { type DocId, utf8Text } from '@fossick/base';
import { type ExactNumber, withDigits } from '@fossick/documents/stored';
import type { Bitmap } from '@fossick/kernel';
import { columnReaders } from '../column-readers.js';
import type { ColumnView } from '../port.js';
import { type ColumnReader, orLiveGroups } from '../reading/column-reader.js';
import { fieldCounts, presentNumbers, presentStrings } from './counted-values.js';
import { isMixed, keyOfNumber, numberShownAs, TwinValues } from './twin-values.js';
import { spellerOf } from './value-spelling.js';

/** A value of a field. A text that some document has as a number is a number. */
export type FieldValue =
  | { readonly kind: 'number'; readonly number: ExactNumber }
  /** UTF-8 of the normalised text. */
  | { readonly kind: 'text'; readonly key: Uint8Array };

/** A text that differs for different values. */
export const valueId = (value: FieldValue): string =>
  value.kind === 'number' ? `n${withDigits(value.number)}` : `t${utf8Text(value.key)}`;

/** One field of a view, by value and by document. O(segments) to make */
export class ValueDocs {
  private readonly view: ColumnView;
  private readonly field: string;
  private readonly columns: readonly ColumnReader[];
  private readonly isMixed: boolean;

  constructor(view: ColumnView, field: string) {
    this.view = view;
    this.field = field;
    this.columns = columnReaders(view, field);
    this.isMixed = isMixed(this.columns);
  }

  /** The values of a document: numbers, then texts, ascending. O(segments + values) */
  valuesOf(docId: DocId): FieldValue[] {
    const { kernel } = this.view;
    for (const column of this.columns) {
      const { firstDoc, lastDoc, numberCount, segment } = column;
      if (docId < firstDoc || docId > lastDoc) continue;
      if (segment.deleted !== 0 && kernel.bitmaps.has(segment.deleted, docId)) continue;
      const groups = kernel.columns.groupsOf(column.loadForward(), docId);
      if (groups === undefined) continue;
      return Array.from(groups, (group) =>
        group < numberCount
          ? { kind: 'number', number: column.numberAt(group) }
          : this.ofText(column.textAt(group - numberCount)),
      );
    }
    return [];
  }

  private ofText(key: Uint8Array): FieldValue {
    const number = this.isMixed ? numberShownAs(key) : undefined;
    const isNumber = number !== undefined && this.columns.some((column) => column.groupOfNumber(number) >= 0);
    return isNumber ? { kind: 'number', number } : { kind: 'text', key: Uint8Array.from(key) };
  }

  /** Sets the bits of all documents with the value. O(segments * log values + documents of the value) */
  addDocs(value: FieldValue, docs: Bitmap): void {
    const key = value.kind === 'text' ? value.key : this.isMixed ? keyOfNumber(value.number) : null;
    for (const column of this.columns) {
      const number = value.kind === 'number' ? column.groupOfNumber(value.number) : -1;
      if (number >= 0) orLiveGroups(docs, column, 'numbers', number, number + 1);
      const text = key === null ? -1 : column.groupOfText(key);
      if (text >= 0) orLiveGroups(docs, column, 'strings', text, text + 1);
    }
  }

  /** Sets the bits of documents that have more than one value, deleted ones included. O(entries of the field) */
  addMultiple(docs: Bitmap): void {
    const seen = new Uint32Array((this.view.bitCount + 31) >>> 5);
    for (const column of this.columns) {
      seen.fill(0);
      for (const side of ['numbers', 'strings'] as const) {
        const count = column.groupCount(side);
        const { memory, bitmaps } = column.kernel;
        const groups = column.loadGroups(side);
        const entryCount = count === 0 ? 0 : memory.u32At(groups.offsets, count);
        for (const doc of memory.u32s(groups.docs, 0, entryCount)) {
          const [word, bit] = [doc >>> 5, 1 << (doc & 31)];
          if ((seen[word]! & bit) !== 0) bitmaps.set(docs, doc as DocId);
          seen[word]! |= bit;
        }
      }
    }
  }

  /**
   * The value as answers show it: the number, where one of `documents` has it as a number, else the spelling of its lowest document among
   * them.
   */
  shown(value: FieldValue, documents: Bitmap): ExactNumber | string {
    if (value.kind === 'number' && (!this.isMixed || this.occursAsNumber(value.number, documents)))
      return withDigits(value.number);
    const key = value.kind === 'text' ? value.key : keyOfNumber(value.number);
    const groups = this.columns.map((column) => column.groupOfText(key));
    return spellerOf(this.columns, documents, false)({ key, groups });
  }

  private occursAsNumber(value: ExactNumber, documents: Bitmap): boolean {
    return this.columns.some((column) => {
      const group = column.groupOfNumber(value);
      if (group < 0) return false;
      return column.kernel.columns.firstEntry(column.loadGroups('numbers'), group, column.live(documents)) >= 0;
    });
  }

  /** How many values the candidates have. O(values) */
  countValues(candidates: Bitmap): number {
    const counts = fieldCounts(this.view, candidates, this.field);
    let count = 0;
    for (const _ of presentNumbers(counts)) count += 1;
    for (const _ of new TwinValues(this.view, counts).textsAlone(presentStrings(counts))) count += 1;
    return count;
  }

  /** The values that most candidates have, at most `limit`; of those with one count numbers first, ascending. O(values) */
  mostCounted(candidates: Bitmap, limit: number): { readonly value: FieldValue; readonly count: number }[] {
    const counts = fieldCounts(this.view, candidates, this.field);
    let best: { readonly value: FieldValue; readonly count: number }[] = [];
    const keep = (value: FieldValue, count: number): void => {
      best.push({ value, count });
      if (best.length >= 4 * limit + 1_000) best = best.sort((a, b) => b.count - a.count).slice(0, limit);
    };
    const twins = new TwinValues(this.view, counts);
    for (const counted of presentNumbers(counts))
      keep({ kind: 'number', number: counted.value }, twins.countWithText(counted));
    for (const { key, count } of twins.textsAlone(presentStrings(counts)))
      keep({ kind: 'text', key: Uint8Array.from(key) }, count);
    return best.sort((a, b) => b.count - a.count).slice(0, limit);
  }
}
