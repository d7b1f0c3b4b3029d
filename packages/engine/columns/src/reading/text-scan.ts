import { type CheckInterrupt, indexOfBytes, latin1Text } from '@fossick/base';
/** Finds the string groups of a column that contain a text within their value: the condition `CONTAINS`. */

import type { AllTexts } from '../bytes/text-row.js';
import type { ColumnReader } from './column-reader.js';

/** Up to this many texts are searched one by one at the speed of memory search; more are searched together in one scan of the values. */
const SINGLE_TEXTS_MAX = 3;
/** Groups between two checks of the clock. */
const GROUPS_BETWEEN_CHECKS = 1_024;

/** The groups, ascending, whose value contains each of the texts (UTF-8, normalised). O(text of the column), for several texts plus their matches. */
export function groupsContaining(
  column: Pick<ColumnReader, 'allTexts'>,
  texts: readonly Uint8Array[],
  checkInterrupt: CheckInterrupt,
): readonly (readonly number[])[] {
  const all = column.allTexts();
  if (texts.length > SINGLE_TEXTS_MAX) return new TextTrie(texts, checkInterrupt).scan(all, checkInterrupt);
  return texts.map((text) => {
    checkInterrupt();
    return groupsWith(all, text, checkInterrupt);
  });
}

function groupsWith(
  { textOffsets, text: bytes }: AllTexts,
  text: Uint8Array,
  checkInterrupt: CheckInterrupt,
): readonly number[] {
  const groupCount = textOffsets.length - 1;
  if (text.length === 0) return Array.from({ length: groupCount }, (_, group) => group);
  const found: number[] = [];
  let group = 0;
  for (let at = indexOfBytes(bytes, text); at >= 0; ) {
    group = groupAt(textOffsets, group, at);
    const end = textOffsets[group + 1]!;
    // values are concatenated, so a match may span two of them
    const isWithin = at + text.length <= end;
    if (isWithin) found.push(group);
    if ((found.length & (GROUPS_BETWEEN_CHECKS - 1)) === 0) checkInterrupt();
    at = indexOfBytes(bytes, text, isWithin ? end : at + 1);
  }
  return found;
}

/** The group whose text holds the byte, not before `from`. O(log distance). */
function groupAt(offsets: Uint32Array, from: number, at: number): number {
  let step = 1;
  while (from + step < offsets.length && offsets[from + step]! <= at) step *= 2;
  let [low, high] = [from + (step >> 1), Math.min(from + step, offsets.length - 1)];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (offsets[middle + 1]! <= at) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Several texts as one byte trie, matched at every byte of a column. */
class TextTrie {
  /** The child of a node by byte: `node * 256 + byte`. */
  private readonly next = new Map<number, number>();
  /** The node of each pair of bytes from the root, which is looked up at every offset. */
  private readonly pairs = new Uint32Array(0x10000);
  /** The text that ends at a node. */
  private readonly endOf = new Map<number, number>();
  private readonly singleBytes = new Map<number, number>();
  private readonly numberOf: readonly number[];
  private readonly distinct: readonly Uint8Array[];
  private nodeCount = 1;

  constructor(texts: readonly Uint8Array[], checkInterrupt: CheckInterrupt) {
    const numbers = new Map<string, number>();
    const distinct: Uint8Array[] = [];
    this.numberOf = texts.map((text) => {
      const key = latin1Text(text);
      const known = numbers.get(key);
      if (known !== undefined) return known;
      numbers.set(key, distinct.length);
      distinct.push(text);
      return distinct.length - 1;
    });
    this.distinct = distinct;
    distinct.forEach((text, number) => {
      checkInterrupt();
      this.add(text, number);
    });
  }

  private add(text: Uint8Array, number: number): void {
    if (text.length === 1) this.singleBytes.set(text[0]!, number);
    if (text.length < 2) return;
    const pair = text[0]! * 256 + text[1]!;
    if (this.pairs[pair] === 0) this.pairs[pair] = this.nodeCount++;
    let node = this.pairs[pair]!;
    for (let at = 2; at < text.length; at++) {
      const key = node * 256 + text[at]!;
      let next = this.next.get(key);
      if (next === undefined) {
        next = this.nodeCount++;
        this.next.set(key, next);
      }
      node = next;
    }
    this.endOf.set(node, number);
  }

  /** The groups of each text, in the order of the texts. */
  scan({ text, textOffsets }: AllTexts, checkInterrupt: CheckInterrupt): readonly (readonly number[])[] {
    const groupCount = textOffsets.length - 1;
    const found = this.distinct.map((wanted): number[] =>
      wanted.length === 0 ? Array.from({ length: groupCount }, (_, group) => group) : [],
    );
    const take = (number: number | undefined, group: number): void => {
      const groups = number === undefined ? undefined : found[number];
      if (groups !== undefined && groups[groups.length - 1] !== group) groups.push(group);
    };
    const hasSingles = this.singleBytes.size > 0;
    for (let group = 0; group < groupCount; group++) {
      if ((group & (GROUPS_BETWEEN_CHECKS - 1)) === 0) checkInterrupt();
      const end = textOffsets[group + 1]!;
      for (let start = textOffsets[group]!; start < end; start++) {
        if (hasSingles) take(this.singleBytes.get(text[start]!), group);
        if (start + 1 === end) break;
        let node: number | undefined = this.pairs[text[start]! * 256 + text[start + 1]!]!;
        if (node === 0) continue;
        for (let at = start + 2; node !== undefined; at++) {
          take(this.endOf.get(node), group);
          if (at >= end) break;
          node = this.next.get(node * 256 + text[at]!);
        }
      }
    }
    return this.numberOf.map((number) => found[number]!);
  }
}
