/**
 * A number and the text that facets show it by, `2020` and `"2020"`, are one value: a filter finds both by either, and facets count a
 * document that has both once.
 */
import { type DocId, utf8Bytes, utf8Text } from '@fossick/base';
import { type ExactNumber, exactOf, isWithin64Bits } from '@fossick/documents/stored';
import type { Bitmap } from '@fossick/kernel';
import type { ColumnView } from '../port.js';
import type { ColumnReader } from '../reading/column-reader.js';
import type { ColumnCounts } from '../reading/group-counts.js';
import type { CountedNumber, CountedString, FieldCounts } from './counted-values.js';
import { numberText } from './number-text.js';

const [MINUS, ZERO, NINE] = [0x2d, 0x30, 0x39];

/** The number that facets show by this text (UTF-8); undefined for another text. O(bytes of a text that begins as a number) */
export function numberShownAs(key: Uint8Array): ExactNumber | undefined {
  const first = key[0];
  if (first === undefined || (first !== MINUS && (first < ZERO || first > NINE))) return undefined;
  const text = utf8Text(key);
  const number = WIDE_INTEGER.test(text) ? exactOfDigits(text) : Number(text);
  return Number.isFinite(Number(number)) && numberText(number) === text ? number : undefined;
}

/** Fewer digits are exact as a float. */
const WIDE_INTEGER = /^-?\d{16,20}$/;

function exactOfDigits(text: string): ExactNumber {
  const integer = BigInt(text);
  return isWithin64Bits(integer) ? exactOf(integer) : Number(text);
}

/** The normalised text of a number, in UTF-8. */
export const keyOfNumber = (value: ExactNumber): Uint8Array => utf8Bytes(numberText(value));

/** Whether a field has numbers and texts: only then may a value be both. */
export function isMixed(columns: readonly ColumnReader[]): boolean {
  return columns.some(({ numberCount }) => numberCount > 0) && columns.some(({ stringCount }) => stringCount > 0);
}

/** The values of one field that some candidates have as a number and others as a text. */
export class TwinValues {
  private readonly view: ColumnView;
  private readonly columns: readonly ColumnCounts[];
  private readonly candidates: Bitmap;
  /** Whether the field has numbers and texts: else no value is both. */
  readonly isMixed: boolean;

  /** O(columns) */
  constructor(view: ColumnView, { columns, candidates }: FieldCounts) {
    this.view = view;
    this.columns = columns;
    this.candidates = candidates;
    this.isMixed = isMixed(columns.map(({ column }) => column));
  }

  /** How many candidates have the number, as a number or as a text. O(columns * log values + documents of a value that is both) */
  countWithText({ value, count }: CountedNumber): number {
    if (!this.isMixed) return count;
    const key = keyOfNumber(value);
    return this.columns.reduce((sum, counts) => {
      const text = counts.column.groupOfText(key);
      return text < 0 ? sum : sum + this.countBeyond(counts, 'strings', text, counts.column.groupOfNumber(value));
    }, count);
  }

  /** How many candidates have the text, as a text or as a number. As above. */
  private countWithNumber({ key, count }: Pick<CountedString, 'key' | 'count'>): number {
    const value = this.isMixed ? numberShownAs(key) : undefined;
    if (value === undefined) return count;
    return this.columns.reduce((sum, counts) => {
      const number = counts.column.groupOfNumber(value);
      return number < 0 ? sum : sum + this.countBeyond(counts, 'numbers', number, counts.column.groupOfText(key));
    }, count);
  }

  /** Whether candidates have the text as a number: it is shown there. O(columns * log values) */
  isNumberToo(key: Uint8Array): boolean {
    const value = this.isMixed ? numberShownAs(key) : undefined;
    if (value === undefined) return false;
    return this.columns.some((counts) => {
      const group = counts.column.groupOfNumber(value);
      return group >= 0 && counts.countOf('numbers', group) > 0;
    });
  }

  /** The texts, counted with the numbers that they show. */
  *withNumbers(texts: Iterable<CountedString>): Generator<CountedString, void> {
    for (const text of texts) yield this.isMixed ? { ...text, count: this.countWithNumber(text) } : text;
  }

  /** The texts that no candidate has as a number. */
  *textsAlone(texts: Iterable<CountedString>): Generator<CountedString, void> {
    for (const text of texts) if (!this.isNumberToo(text.key)) yield text;
  }

  /** The candidates in a group of one side that are not in the group of the other side (-1: it has none). */
  private countBeyond(counts: ColumnCounts, side: 'numbers' | 'strings', group: number, otherGroup: number): number {
    const count = counts.countOf(side, group);
    if (otherGroup < 0 || count === 0) return count;
    const { column } = counts;
    const docs = column.docsIn(side, group);
    const others = column.docsIn(side === 'numbers' ? 'strings' : 'numbers', otherGroup);
    let [beyond, at] = [count, 0];
    for (const doc of docs) {
      while (at < others.length && others[at]! < doc) at += 1;
      if (others[at] === doc && this.isCandidate(column, doc)) beyond -= 1;
    }
    return beyond;
  }

  private isCandidate({ segment }: ColumnReader, doc: number): boolean {
    const { bitmaps } = this.view.kernel;
    const docId = doc as DocId;
    return bitmaps.has(this.candidates, docId) && (segment.deleted === 0 || !bitmaps.has(segment.deleted, docId));
  }
}
