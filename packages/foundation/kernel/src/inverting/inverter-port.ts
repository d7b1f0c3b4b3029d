import type { DocId, LocalOrdinal } from '@fossick/base';
import type { InverterHandle, TermId } from '../ptr.js';

/** Inverts one segment's words and writes dictionaries and block-coded posting lists. */
export interface Inverter {
  /** Begins a document (by docid, or by ordinal with setDocIds): what is added next belongs to it. A document may be begun only once. */
  document(doc: DocId | LocalOrdinal): void;
  /** Sets the rules of `addText` until the reset. */
  setRules(rules: UnitRules): void;
  /**
   * Walks one value of the current document with the field's position counter; returns the counter after it, or -1, with no effect, when the text has a unit
   * that the walk does not handle. `emitted` is then the number of words that were indexed.
   */
  addText(text: string, table: 0 | 1, keyBase: number, counter: number): number;
  readonly emitted: number;
  /** The number of a word of one table, new or known. RangeError beyond 250 bytes. */
  term(lemma: string, table: 0 | 1): TermId;
  /**
   * Adds an occurrence. `key` is `fieldId * 65536 + position`; a document's occurrences come together, its keys in any order. Terms are either the caller's
   * own numbers (from 0, dense) or those of `term`, not both.
   */
  add(termId: TermId, doc: DocId | LocalOrdinal, key: number): void;
  /** Sets the docid of each ordinal; 0xffffffff leaves a document out. Without it, documents were added by docid. */
  setDocIds(docIds: Uint32Array): void;
  /** Its address in kernel memory, for readers of its tables. */
  readonly ptr: InverterHandle;
  /** Bytes of kernel memory held so far; the caller closes the segment before its budget is reached. */
  readonly heldBytes: number;
  /** The parts of one word table, without words that have no occurrence. */
  table(table: 0 | 1): WordTableParts;
  /**
   * Encodes one posting list for each entry of `order` (term ids in dictionary order). `offsets[i]..offsets[i+1]` is the list of `order[i]` within
   * `postings`. May be called for disjoint orders, until `reset`.
   */
  encode(order: Uint32Array): { readonly postings: Uint8Array; readonly offsets: Uint32Array };
  reset(): void;
}

/** What the walk over a text must know of units (UTF-16) and words. */
export interface UnitRules {
  /**
   * By unit: 0 part of a word, 1 soft separator, 2 hard separator, 3 hard only before a space, 4 not handled by the walk, 5 soft, but not
   * handled between ASCII digits, 6 symbol. Units beyond the array are 4. */
  readonly classes: Uint8Array;
  /** Whether a character of two units is a symbol; the walk handles no others of that length. */
  readonly isSymbol: (code: number) => boolean;
  /** True: `classify` is called for every word, not only for those with a unit beyond ASCII. */
  readonly classifiesAll: boolean;
  /** Words of digits and punctuation go to table 1. */
  readonly splitsNumbers: boolean;
  /** Classifies a word or a symbol; called once for each spelling and table. */
  readonly classify: (word: string) => ClassifiedWord;
}

/** One word table of a segment: views of kernel memory, valid until the next call of the kernel. */
export interface WordTableParts {
  readonly wordCount: number;
  readonly dictionary: Uint8Array;
  /** Byte offsets of the lists in `postings`, wordCount + 1 of them. */
  readonly offsets: Uint32Array;
  readonly postings: Uint8Array;
}

/** `indexed` as its lemma; `unindexed`: only takes a position; `skipped`: takes no position. */
export type ClassifiedWord =
  | { readonly kind: 'indexed'; readonly lemma: string; readonly isNumeric: boolean }
  | { readonly kind: 'unindexed' | 'skipped' | 'hardSeparator' };
