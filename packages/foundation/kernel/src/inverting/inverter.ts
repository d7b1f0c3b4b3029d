import type { DocId, LocalOrdinal } from '@fossick/base';
import type { KernelExports } from '../kernel-exports.js';
import { UNIT_SYMBOL, WORD_BYTES_MAX, WORD_HARD, WORD_SKIPPED, WORD_UNINDEXED } from '../layout.js';
import { KernelPart, type MemoryView } from '../memory-view.js';
import type { InverterHandle, TermId } from '../ptr.js';

const NO_UNITS = new Uint8Array(0);
const CODES = { unindexed: WORD_UNINDEXED, skipped: WORD_SKIPPED, hardSeparator: WORD_HARD } as const;

/**
 * Inverts one segment's words and writes dictionaries and block-coded posting lists. Units of a text are written directly to kernel memory while they are checked; words, occurrences, their order and
 * encoding all stay there. `heldBytes` includes the memory that sorting will need, so that a caller who keeps within a budget also keeps within it while
 * encoding.
 */
export class Inverter extends KernelPart {
  /** Its address in kernel memory, for readers of its tables. */
  readonly ptr: InverterHandle;
  private readonly encoder = new TextEncoder();
  private classes: Uint8Array = NO_UNITS;
  private classify: (word: string) => ClassifiedWord = unruled;
  private isSymbol: (code: number) => boolean = unruled;
  private unitsAt = 0;
  private unitCapacity = 0;
  private openDocument = -1;
  private isSorted = false;

  constructor(exports: KernelExports, memory: MemoryView) {
    super(exports, memory);
    this.ptr = (exports.inverterNew() >>> 0) as InverterHandle;
  }

  /** Bytes of kernel memory held so far; the caller closes the segment before its budget is reached. */
  get heldBytes(): number {
    return this.exports.inverterHeldBytes(this.ptr) >>> 0;
  }

  get emitted(): number {
    return this.exports.inverterEmitted(this.ptr);
  }

  /**
   * Adds an occurrence. `key` is `fieldId * 65536 + position`; a document's occurrences come together, its keys in any order. Terms are either the caller's
   * own numbers (from 0, dense) or those of `term`, not both.
   */
  add(termId: TermId, doc: DocId | LocalOrdinal, key: number): void {
    if (this.isSorted) throw new Error('add after encode: reset the inverter first');
    if (doc !== this.openDocument) this.document(doc);
    this.exports.inverterAdd(this.ptr, termId, key);
  }

  /** Begins a document (by docid, or by ordinal with setDocIds): what is added next belongs to it. A document may be begun only once. */
  document(doc: DocId | LocalOrdinal): void {
    this.openDocument = doc;
    this.exports.inverterDocument(this.ptr, doc);
  }

  /** Sets the rules of `addText` until the reset. */
  setRules(rules: UnitRules): void {
    const { classes, classifiesAll, splitsNumbers } = rules;
    const at = this.exports.inverterClasses(this.ptr, classes.length, Number(classifiesAll), Number(splitsNumbers));
    this.memory.put(classes, at >>> 0);
    this.classes = classes;
    this.classify = rules.classify;
    this.isSymbol = rules.isSymbol;
  }

  /**
   * Walks one value of the current document with the field's position counter; returns the counter after it, or -1, with no effect, when the text has a unit
   * that the walk does not handle. `emitted` is then the number of words that were indexed.
   */
  addText(text: string, table: 0 | 1, keyBase: number, counter: number): number {
    if (!this.writeUnits(text)) return -1;
    let state = this.exports.inverterWalk(this.ptr, text.length, table, keyBase, counter);
    while (state === 1) {
      const start = this.exports.inverterWordStart(this.ptr);
      const end = this.exports.inverterWordEnd(this.ptr);
      const answer = this.classify(text.slice(start, end));
      const isNumeric = answer.kind === 'indexed' && answer.isNumeric;
      const code = answer.kind === 'indexed' ? this.term(answer.lemma, isNumeric ? 1 : table) : CODES[answer.kind];
      state = this.exports.inverterAnswer(this.ptr, code);
    }
    return this.exports.inverterCounter(this.ptr);
  }

  /** The number of a word of one table, new or known. RangeError beyond 250 bytes. */
  term(lemma: string, table: 0 | 1): TermId {
    const at = this.exports.inverterProbe() >>> 0;
    const { read, written } = this.encoder.encodeInto(lemma, this.memory.u8.subarray(at, at + WORD_BYTES_MAX));
    if (read < lemma.length) throw new RangeError(`a word of more than ${WORD_BYTES_MAX} bytes`);
    return (this.exports.inverterTerm(this.ptr, written, table) >>> 0) as TermId;
  }

  /** Sets the docid of each ordinal; 0xffffffff leaves a document out. Without it, documents were added by docid. */
  setDocIds(docIds: Uint32Array): void {
    const at = this.memory.alloc(docIds.length * 4 + 4);
    this.memory.u32.set(docIds, at >>> 2);
    this.exports.inverterDocIds(this.ptr, at);
  }

  /**
   * Encodes one posting list for each entry of `order` (term ids in dictionary order). `offsets[i]..offsets[i+1]` is the list of `order[i]` within
   * `postings`. May be called for disjoint orders, until `reset`.
   */
  encode(order: Uint32Array): { readonly postings: Uint8Array; readonly offsets: Uint32Array } {
    this.isSorted = true;
    this.exports.inverterSort(this.ptr);
    const mark = this.memory.mark();
    const orderAt = this.memory.scratch(order.length * 4);
    const offsetsAt = this.memory.scratch(order.length * 4 + 4);
    this.memory.u32.set(order, orderAt >>> 2);
    const listsAt = this.exports.inverterEncode(this.ptr, orderAt, order.length, offsetsAt) >>> 0;
    const offsets = this.memory.u32.slice(offsetsAt >>> 2, (offsetsAt >>> 2) + order.length + 1);
    const postings = this.memory.u8.slice(listsAt, listsAt + offsets[order.length]!);
    this.memory.release(mark);
    return { postings, offsets };
  }

  /** The parts of one word table, without words that have no occurrence. */
  table(table: 0 | 1): WordTableParts {
    this.isSorted = true;
    const wordCount = this.exports.inverterTable(this.ptr, table) >>> 0;
    const { exports, ptr: inverter } = this;
    const { u8, u32 } = this.memory;
    const offsetsAt = exports.inverterOffsets(inverter) >>> 2;
    const offsets = u32.subarray(offsetsAt, offsetsAt + wordCount + 1);
    const dictionaryAt = exports.inverterDictionary(inverter) >>> 0;
    const listsAt = exports.inverterLists(inverter) >>> 0;
    return {
      wordCount,
      dictionary: u8.subarray(dictionaryAt, dictionaryAt + (exports.inverterDictionaryBytes(inverter) >>> 0)),
      offsets,
      postings: u8.subarray(listsAt, listsAt + offsets[wordCount]!),
    };
  }

  reset(): void {
    this.exports.inverterReset(this.ptr);
    this.classes = NO_UNITS;
    this.classify = unruled;
    this.isSymbol = unruled;
    this.unitCapacity = 0;
    this.openDocument = -1;
    this.isSorted = false;
  }

  /** Checks and copies the units in one pass; false when the walk does not handle one of them. */
  private writeUnits(text: string): boolean {
    const { length } = text;
    if (length > this.unitCapacity) {
      this.unitsAt = this.exports.inverterUnits(this.ptr, length) >>> 0;
      this.unitCapacity = length;
    }
    const classes = this.classes;
    const { u16 } = this.memory;
    const unitsAt = this.unitsAt >>> 1;
    for (let at = 0; at < length; at++) {
      const unit = text.charCodeAt(at);
      u16[unitsAt + at] = unit;
      if (unit < classes.length && classes[unit]! < UNIT_REFUSED) continue;
      if (classes[unit] === UNIT_SYMBOL) continue;
      if (classes[unit] === UNIT_GROUPING) {
        if (isDigit(text.charCodeAt(at - 1)) && isDigit(text.charCodeAt(at + 1))) return false;
      } else {
        const code = text.codePointAt(at)!;
        if (code <= 0xffff || !this.isSymbol(code)) return false;
        at += 1;
        u16[unitsAt + at] = text.charCodeAt(at);
      }
    }
    return true;
  }
}

/** Class of a unit that the walk does not handle. */
const UNIT_REFUSED = 4;
/** Class of a separator that it does not handle between two digits. */
const UNIT_GROUPING = 5;

function isDigit(unit: number): boolean {
  return unit >= 0x30 && unit <= 0x39;
}

function unruled(): never {
  throw new Error('a text before setRules');
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
