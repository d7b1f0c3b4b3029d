import { type CheckInterrupt, storedText, utf8Bytes, utf8Text } from '@fossick/base';
/** Finds the groups of a column that have one of many values: the condition `IN`. */

import type { ExactNumber } from '@fossick/documents/stored';
import { facetText } from '../bytes/facet-text.js';
import type { ColumnReader } from '../reading/column-reader.js';
import { numberOf } from './filter-number.js';

/**
 * When there are this many times fewer values than groups, each value is looked up; else every group is looked up among the
 * values.
 */
const FEW_SHARE = 16;
/** Steps between two checks of the clock. */
const STEPS_BETWEEN_CHECKS = 4_096;

/** UTF-8 cannot encode lone surrogates: stored values have U+FFFD instead. */
const LONE_SURROGATE = /\p{Surrogate}/u;

/** Values as a filter writes them: each is a text, and a number if it reads as one. */
export class ValueList {
  private readonly checkInterrupt: CheckInterrupt;
  private readonly numbers = new Set<ExactNumber>();
  private readonly texts = new Set<string>();

  /** O(values) */
  constructor(values: Iterable<string>, checkInterrupt: CheckInterrupt) {
    this.checkInterrupt = checkInterrupt;
    let count = 0;
    for (const value of values) {
      if ((++count & (STEPS_BETWEEN_CHECKS - 1)) === 0) checkInterrupt();
      const number = numberOf(value);
      if (number !== undefined) this.numbers.add(number);
      const text = facetText(value);
      this.texts.add(LONE_SURROGATE.test(text) ? storedText(text) : text);
    }
  }

  /** Number groups, ascending. O(the lesser of values * log groups and groups). */
  numberGroups(column: ColumnReader): number[] {
    const { numberCount: count } = column;
    const groups: number[] = [];
    if (this.numbers.size * FEW_SHARE < count) {
      for (const number of this.numbers) {
        const group = column.groupOfNumber(number);
        if (group >= 0) groups.push(group);
      }
      return groups.sort((a, b) => a - b);
    }
    if (this.numbers.size > 0)
      for (let group = 0; group < count; group++) if (this.numbers.has(column.numberAt(group))) groups.push(group);
    return groups;
  }

  /** String groups, ascending. O(the lesser of values * log groups and groups). */
  stringGroups(column: ColumnReader): number[] {
    const { stringCount: count } = column;
    const groups: number[] = [];
    if (this.texts.size * FEW_SHARE < count) {
      for (const text of this.texts) {
        const group = column.groupOfText(utf8Bytes(text));
        if (group >= 0) groups.push(group);
      }
      return groups.sort((a, b) => a - b);
    }
    const { text: bytes, textOffsets } = column.allTexts();
    for (let group = 0; group < count; group++) {
      if ((group & (STEPS_BETWEEN_CHECKS - 1)) === 0) this.checkInterrupt();
      const text = utf8Text(bytes, textOffsets[group], textOffsets[group + 1]);
      if (this.texts.has(text)) groups.push(group);
    }
    return groups;
  }
}
