import { compareBytes, type TermOrdinal } from '@fossick/base';
import type { KernelExports } from '../kernel-exports.js';
import { DICTIONARY_WORD_BYTES_MAX, WORD_BYTES_MAX } from '../layout.js';
import { KernelPart, type MemoryView } from '../memory-view.js';
import type { Dictionary, None, Ptr } from '../ptr.js';

/** Matches of a fuzzy walk over one dictionary. */
export interface FuzzyMatches {
  /** Ordinals in byte order. */
  readonly ordinals: Uint32Array;
  /** Distance of each (0..2). */
  readonly distances: Uint8Array;
  /** 1 where the candidate's first character differs from the query word's. */
  readonly firstDiffers: Uint8Array;
}

/** Words that several dictionaries have within the typo budget of a query word. */
export interface FuzzyWords {
  /** Words that count as one typo, and as two. */
  readonly oneCount: number;
  readonly twoCount: number;
  /**
   * A row for each word, those of one typo before those of two, each in byte order: its ordinal in each of the dictionaries, -1 where a dictionary lacks it.
   */
  readonly ordinals: Int32Array;
}

/** Bytes of the address and length of a word that a dictionary is built from. */
const WORD_PAIR_BYTES = 8;
/** Parts of the work area, as in assembly/dictionary-node.ts. */
const RESULT_OFFSET = 2048;
const CUT_NUMBERS = 3;
const PADDING = 8;
const PADDING_VALUE = 0xffff_ffff;
const RESULT_MAX = 200;
/** Layout of a finding (assembly/dictionaries-fuzzy.ts): its heads begin after the count. */
const HEADS_OFFSET = 4;
const HEAD_BYTES = 8;
const COUNTS_AS_TWO = 2;
/** The empty result. */
const NO_FUZZY_WORDS: FuzzyWords = { oneCount: 0, twoCount: 0, ordinals: new Int32Array(0) };
/** ASCII words below this length are decoded faster without the decoder. */
const SHORT_WORD_BYTES = 24;

/**
 * Immutable radix trees of byte-sorted words (UTF-8); a word's ordinal is its rank; 0 is the empty tree. Nothing is allocated in linear memory: input and
 * output go through one static work area.
 */
export class Dictionaries extends KernelPart {
  private readonly work: Ptr;
  private readonly encoder = new TextEncoder();
  /** Without ignoreBOM a word that starts with U+FEFF would lose it. */
  private readonly decoder = new TextDecoder('utf-8', { ignoreBOM: true });

  constructor(exports: KernelExports, memory: MemoryView) {
    super(exports, memory);
    this.work = exports.dictionaryWork();
  }

  /** Builds a dictionary of byte-sorted, distinct UTF-8 words. Ordinals are their indexes. */
  build(words: readonly Uint8Array[]): Uint8Array {
    checkWords(words);
    const mark = this.memory.mark();
    const pairs = this.memory.scratch(words.length * WORD_PAIR_BYTES);
    let at = this.memory.scratch(words.reduce((sum, word) => sum + word.length, 0));
    const { u8, u32 } = this.memory;
    let pair = pairs >>> 2;
    for (const word of words) {
      u8.set(word, at);
      u32[pair++] = at;
      u32[pair++] = word.length;
      at += word.length;
    }
    const block = this.memory.attempt(() => this.exports.dictionaryBuild(pairs, words.length));
    const from = this.exports.dictionaryBuilt() >>> 0;
    const bytes = this.memory.u8.slice(from, from + (this.exports.dictionaryBuiltBytes() >>> 0));
    this.memory.free(block);
    this.memory.release(mark);
    return bytes;
  }

  /** A copy of stored bytes in long-lived memory that the caller frees. */
  load(bytes: Uint8Array): Dictionary {
    const ptr = this.memory.alloc(bytes.length);
    this.memory.put(bytes, ptr);
    return ptr as Dictionary;
  }

  /** Number of words. */
  size(dictionary: Dictionary | None): number {
    if (dictionary === 0) return 0;
    const { u8 } = this.memory;
    // Read byte by byte: a dictionary inside of a larger block need not be aligned.
    let size = 0;
    for (let i = 3; i >= 0; i--) size = size * 256 + (u8[dictionary + i] as number);
    return size;
  }

  /** Ordinal of the word or -1. */
  find(dictionary: Dictionary | None, word: Uint8Array | string): TermOrdinal | -1 {
    const byteCount = this.passText(dictionary, word);
    return byteCount < 0 ? -1 : (this.exports.dictionaryFind(dictionary, byteCount) as TermOrdinal | -1);
  }

  /**
   * Splits of the word into one of the left and one of the right dictionary: bytes of the left word, its ordinal and the right one's, ordered by that length.
   */
  cuts(left: Dictionary | None, right: Dictionary | None, word: string): Uint32Array {
    const byteCount = this.size(right) === 0 ? -1 : this.passText(left, word);
    if (byteCount < 0) return new Uint32Array(0);
    const count = this.exports.dictionaryCuts(left, right, byteCount);
    const start = (this.work + RESULT_OFFSET) >>> 2;
    return this.memory.u32.slice(start, start + count * CUT_NUMBERS);
  }

  /** The word of an ordinal; a RangeError when there is none. O(depth x siblings). */
  wordAt(dictionary: Dictionary | None, ordinal: TermOrdinal): string {
    const [word] = this.wordsBetween(dictionary, ordinal, ordinal + 1);
    if (word === undefined) throw new RangeError(`dictionary has no word ${ordinal}`);
    return word;
  }

  /** Words of ordinals [from, to). */
  wordsBetween(dictionary: Dictionary | None, from: number, to: number): string[] {
    const end = Math.min(to, this.size(dictionary));
    const words: string[] = [];
    let next = Math.max(from, 0);
    while (next < end) {
      const count = this.exports.dictionaryWords(dictionary, next, end);
      this.readWords(count, words);
      next += count;
    }
    return words;
  }

  /** The range [from, to) of ordinals whose words start with the prefix. */
  prefixRange(dictionary: Dictionary | None, prefix: Uint8Array): readonly [from: number, to: number] {
    if (!this.passWord(dictionary, prefix)) return [0, 0];
    const count = this.exports.dictionaryPrefix(dictionary, prefix.length);
    if (count === 0) return [0, 0];
    const from = this.memory.u32[(this.work + RESULT_OFFSET) >>> 2] as number;
    return [from, from + count];
  }

  /**
   * Damerau-Levenshtein (OSA) walk over code points; with `isPrefix` the distance is the least over the candidate's prefixes. Budget 1: first character
   * equal, distance 1. Budget 2: first character equal and distance 1..2, or first differing and distance <= 1 (the true distance is returned). Distance 0 is
   * left out. Byte order; stops after 150 (budget 1), or once 150 of one and 50 of two were seen (budget 2).
   */
  fuzzyWords(dictionary: Dictionary | None, word: string, budget: 1 | 2, isPrefix: boolean): FuzzyMatches {
    const characterCount = this.size(dictionary) === 0 ? 0 : this.passCharacters(word);
    const count =
      characterCount === 0 ? 0 : this.exports.dictionaryFuzzy(dictionary, characterCount, budget, isPrefix ? 1 : 0);
    const ordinals = this.work + RESULT_OFFSET;
    const distances = ordinals + RESULT_MAX * 4;
    const differs = distances + RESULT_MAX;
    const { u8, u32 } = this.memory;
    return {
      ordinals: u32.slice(ordinals >>> 2, (ordinals >>> 2) + count),
      distances: u8.slice(distances, distances + count),
      firstDiffers: u8.slice(differs, differs + count),
    };
  }

  /** The same over several dictionaries (0: none), as over one with all their words. */
  fuzzyWordsOfAll(
    dictionaries: readonly (Dictionary | None)[],
    word: string,
    budget: 1 | 2,
    isPrefix: boolean,
  ): FuzzyWords {
    const characterCount = this.passCharacters(word);
    if (characterCount === 0 || dictionaries.length === 0) return NO_FUZZY_WORDS;
    const mark = this.memory.mark();
    const width = dictionaries.length;
    const area = this.memory.scratch(this.exports.dictionariesFuzzyBytes(width));
    this.memory.u32.set(dictionaries, area >>> 2);
    const finding = this.exports.dictionariesFuzzy(area, width, characterCount, budget, isPrefix ? 1 : 0) >>> 0;
    const found = this.readFinding(finding, width);
    this.memory.release(mark);
    return found;
  }

  private readFinding(finding: Ptr, width: number): FuzzyWords {
    const { u8, u32 } = this.memory;
    const count = u32[finding >>> 2] as number;
    const rows = new Int32Array(u32.buffer, finding + HEADS_OFFSET + RESULT_MAX * HEAD_BYTES, count * width);
    const ordinals = new Int32Array(count * width);
    const countsAsTwo = (at: number): boolean =>
      ((u8[finding + HEADS_OFFSET + at * HEAD_BYTES + 7] as number) & COUNTS_AS_TWO) !== 0;
    let oneCount = 0;
    for (let at = 0; at < count; at++) if (!countsAsTwo(at)) oneCount += 1;
    for (let at = 0, one = 0, two = oneCount; at < count; at++) {
      const target = countsAsTwo(at) ? two++ : one++;
      ordinals.set(rows.subarray(at * width, (at + 1) * width), target * width);
    }
    return { oneCount, twoCount: count - oneCount, ordinals };
  }

  /** Writes a word to the input area as UTF-8 and returns its byte length; -1 when it is longer than any word of the dictionary. */
  private passText(dictionary: Dictionary | None, word: Uint8Array | string): number {
    if (typeof word !== 'string') return this.passWord(dictionary, word) ? word.length : -1;
    if (this.size(dictionary) === 0 || word.length > DICTIONARY_WORD_BYTES_MAX) return -1;
    const { u8 } = this.memory;
    for (let at = 0; at < word.length; at++) {
      const unit = word.charCodeAt(at);
      if (unit >= 0x80) return this.passLongText(word);
      u8[this.work + at] = unit;
    }
    return word.length;
  }

  private passLongText(word: string): number {
    const area = this.memory.u8.subarray(this.work, this.work + DICTIONARY_WORD_BYTES_MAX);
    const { read, written } = this.encoder.encodeInto(word, area);
    return read < word.length ? -1 : written;
  }

  /** Writes the bytes to the input area; false when no word of the dictionary can start with them. */
  private passWord(dictionary: Dictionary | None, bytes: Uint8Array): boolean {
    if (this.size(dictionary) === 0 || bytes.length > DICTIONARY_WORD_BYTES_MAX) return false;
    this.memory.put(bytes, this.work);
    return true;
  }

  /** Writes the padded code points to the input area and returns their number; 0 when the word is too long. */
  private passCharacters(word: string): number {
    // A UTF-16 unit takes one to three bytes of UTF-8: most strings need no measuring.
    if (word.length > WORD_BYTES_MAX) return 0;
    if (word.length * 3 > WORD_BYTES_MAX && this.encoder.encode(word).length > WORD_BYTES_MAX) return 0;
    const { u32 } = this.memory;
    const start = this.work >>> 2;
    let at = start + PADDING;
    for (const character of word) u32[at++] = character.codePointAt(0) as number;
    u32.fill(PADDING_VALUE, start, start + PADDING);
    u32.fill(PADDING_VALUE, at, at + PADDING);
    return at - start - PADDING;
  }

  private readWords(count: number, words: string[]): void {
    const { u8 } = this.memory;
    let at = this.work + RESULT_OFFSET;
    for (let i = 0; i < count; i++) {
      const start = at + 2;
      at = start + (u8[at] as number) + (u8[at + 1] as number) * 256;
      words.push(this.decode(u8.subarray(start, at)));
    }
  }

  private decode(bytes: Uint8Array): string {
    if (bytes.length > SHORT_WORD_BYTES) return this.decoder.decode(bytes);
    let text = '';
    for (const byte of bytes) {
      if (byte >= 0x80) return this.decoder.decode(bytes);
      text += String.fromCharCode(byte);
    }
    return text;
  }
}

/** RangeError when words are unsorted, repeated or too long. */
function checkWords(words: readonly Uint8Array[]): void {
  words.forEach((word, at) => {
    if (word.length > DICTIONARY_WORD_BYTES_MAX)
      throw new RangeError(`dictionary word ${at} has ${word.length} bytes, more than ${DICTIONARY_WORD_BYTES_MAX}`);
    if (at > 0 && compareBytes(words[at - 1]!, word) >= 0)
      throw new RangeError(`dictionary words ${at - 1} and ${at} are not in byte order or are equal`);
  });
}
