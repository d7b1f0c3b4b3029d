import type { DocId, LocalOrdinal } from '@fossick/base';
import type { InverterHandle, TermId } from './ptr.js';

/** Inverts one segment's words and writes dictionaries and block-coded posting lists. */
export interface Inverter {
  /** Begins a document: what is added next is of it (by its ordinal, see setDocIds). One may come once only. */
  document(doc: DocId | LocalOrdinal): void;
  /** Rules of `addText`; they hold until the reset. */
  setRules(rules: UnitRules): void;
  /**
   * Walks one value of the running document, with the field's counter as it stands; answers the counter after
   * it, or -1, with nothing done, when a unit is not for the walk. `emitted` is then the number of words that were indexed.
   */
  addText(text: string, table: 0 | 1, keyBase: number, counter: number): number;
  readonly emitted: number;
  /** The number of a word of one table, new or known. RangeError beyond 250 bytes. */
  term(lemma: string, table: 0 | 1): TermId;
  /**
   * Adds an occurrence. `key` is `fieldId * 65536 + position`; a document's occurrences contiguous, its keys in any order. Terms are the
   * caller's own numbers (0-based, dense) or those of `term`, not both.
   */
  add(termId: TermId, doc: DocId | LocalOrdinal, key: number): void;
  /** Says which document each ordinal is; 0xffffffff leaves it out. Without it what was added are docids. */
  setDocIds(docIds: Uint32Array): void;
  /** Where it lies in kernel memory, for what reads its tables. */
  readonly ptr: InverterHandle;
  /** Bytes of kernel memory held so far; the caller closes the segment before its budget is reached. */
  readonly heldBytes: number;
  /** Everything of one word table. Words without an occurrence are left out. */
  table(table: 0 | 1): WordTableParts;
  /**
   * Encodes one posting list for each entry of `order` (term ids in dictionary order) one after another.
   * `offsets[i]..offsets[i+1]` is the list of `order[i]` within `postings`. May be called for disjoint orders; `reset` ends it.
   */
  encode(order: Uint32Array): { readonly postings: Uint8Array; readonly offsets: Uint32Array };
  reset(): void;
}

/** What the walk over a text needs to know of its units (UTF-16) and words. */
export interface UnitRules {
  /** By unit: 0 part of a word, 1 soft separator, 2 hard separator, 3 hard only before a space, 4 not for the walk. Units beyond are 4. */
  readonly classes: Uint8Array;
  /** Every word is asked for, not only those with a unit beyond ASCII. */
  readonly classifiesAll: boolean;
  /** Words of digits and punctuation go to table 1. */
  readonly splitsNumbers: boolean;
  /** Judges a word; asked once for each spelling and table. */
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

/** `indexed` as its lemma; `unindexed`: takes a position only; `skipped`: not even that. */
export type ClassifiedWord =
  | { readonly kind: 'indexed'; readonly lemma: string; readonly isNumeric: boolean }
  | { readonly kind: 'unindexed' | 'skipped' | 'hardSeparator' };
