import { WORD_BYTES_MAX } from './layout.js';
import type { KernelExports, MemoryView } from './memory.js';
import type { FuzzyMatches, FuzzyWords } from './port.js';
import type { Dictionary, None, Ptr } from './ptr.js';

/** Longest word of a dictionary, in bytes of UTF-8. */
const DICTIONARY_WORD_BYTES_MAX = 1000;
/** Address and length of a word that a dictionary is built of. */
const WORD_PAIR_BYTES = 8;
/** Parts of the work area, as in assembly/dictionary-node.ts. */
const RESULT_OFFSET = 2048;
const CUT_NUMBERS = 3;
const PADDING = 8;
const PADDING_VALUE = 0xffff_ffff;
const RESULT_MAX = 200;
/** A finding of several dictionaries, as in assembly/dictionaries-fuzzy.ts: its heads begin behind the count. */
const HEADS_OFFSET = 4;
const HEAD_BYTES = 8;
const COUNTS_AS_TWO = 2;
/** Where nothing is found. */
const NO_FUZZY_WORDS: FuzzyWords = { oneCount: 0, twoCount: 0, places: new Int32Array(0) };
/** Below this length a word of ASCII characters is made faster without the decoder. */
const SHORT_WORD_BYTES = 24;

/**
 * The kernel's dictionary operations. Dictionary pointer 0 is the empty dictionary. Nothing is allocated in linear
 * memory: words go in, and results come out, through one static work area.
 */
export class DictionaryHost {
  protected readonly exports: KernelExports;
  protected readonly memory: MemoryView;
  readonly #work: Ptr;
  readonly #encoder = new TextEncoder();
  /** Without ignoreBOM a word that starts with U+FEFF would lose it. */
  readonly #decoder = new TextDecoder('utf-8', { ignoreBOM: true });

  constructor(exports: KernelExports, memory: MemoryView) {
    this.exports = exports;
    this.memory = memory;
    this.#work = this.exports.dictionaryWork();
  }

  /** Serialises byte-sorted distinct words of at most 1,000 bytes; a RangeError otherwise. O(total bytes). */
  buildDictionary(words: readonly Uint8Array[]): Uint8Array {
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
  dictionaryOf(bytes: Uint8Array): Dictionary {
    const ptr = this.memory.alloc(bytes.length);
    this.memory.u8.set(bytes, ptr);
    return ptr as Dictionary;
  }

  /** Number of words. */
  dictionarySize(dictionary: Dictionary | None): number {
    if (dictionary === 0) return 0;
    const { u8 } = this.memory;
    // By bytes: a dictionary inside a larger block need not be aligned.
    let size = 0;
    for (let i = 3; i >= 0; i--) size = size * 256 + (u8[dictionary + i] as number);
    return size;
  }

  /** Ordinal of the word, -1 when it is not in the dictionary. O(bytes x siblings). */
  findWord(dictionary: Dictionary | None, word: Uint8Array | string): number {
    const byteCount = this.#passText(dictionary, word);
    return byteCount < 0 ? -1 : this.exports.dictionaryFind(dictionary, byteCount);
  }

  /**
   * Ways to cut a word into one of the left and one of the right dictionary, three numbers each: bytes of the left word, its ordinal, the
   * right one's; the shortest left word first. O(bytes x siblings) and a look-up for each left word.
   */
  wordCuts(left: Dictionary | None, right: Dictionary | None, word: string): Uint32Array {
    const byteCount = this.dictionarySize(right) === 0 ? -1 : this.#passText(left, word);
    if (byteCount < 0) return new Uint32Array(0);
    const count = this.exports.dictionaryCuts(left, right, byteCount);
    const start = (this.#work + RESULT_OFFSET) >>> 2;
    return this.memory.u32.slice(start, start + count * CUT_NUMBERS);
  }

  /** The word of an ordinal; a RangeError when there is none. O(depth x siblings). */
  wordAt(dictionary: Dictionary | None, ordinal: number): string {
    const [word] = this.wordsBetween(dictionary, ordinal, ordinal + 1);
    if (word === undefined) throw new RangeError(`dictionary has no word ${ordinal}`);
    return word;
  }

  /** Words of ordinals [from, to), in byte order, as far as there are any. O(depth + bytes of the words). */
  wordsBetween(dictionary: Dictionary | None, from: number, to: number): string[] {
    const end = Math.min(to, this.dictionarySize(dictionary));
    const words: string[] = [];
    let next = Math.max(from, 0);
    while (next < end) {
      const count = this.exports.dictionaryWords(dictionary, next, end);
      this.#readWords(count, words);
      next += count;
    }
    return words;
  }

  /** Ordinals [from, to) of the words starting with the prefix; [0, 0] when there is none. O(bytes x siblings). */
  prefixRange(dictionary: Dictionary | None, prefix: Uint8Array): readonly [from: number, to: number] {
    if (!this.#passWord(dictionary, prefix)) return [0, 0];
    const count = this.exports.dictionaryPrefix(dictionary, prefix.length);
    if (count === 0) return [0, 0];
    const from = this.memory.u32[(this.#work + RESULT_OFFSET) >>> 2] as number;
    return [from, from + count];
  }

  /**
   * Words within the typo budget of the query word, within bounds: at most 150 of one
   * typo and 50 of two, in byte order; words that those limits refuse are left out. None for the empty word and words
   * above 250 bytes. Visits only the part of the tree within the budget.
   */
  fuzzyWords(dictionary: Dictionary | None, word: string, budget: 1 | 2, isPrefix: boolean): FuzzyMatches {
    const characterCount = this.dictionarySize(dictionary) === 0 ? 0 : this.#passCharacters(word);
    const count =
      characterCount === 0 ? 0 : this.exports.dictionaryFuzzy(dictionary, characterCount, budget, isPrefix ? 1 : 0);
    const ordinals = this.#work + RESULT_OFFSET;
    const distances = ordinals + RESULT_MAX * 4;
    const differs = distances + RESULT_MAX;
    const { u8, u32 } = this.memory;
    return {
      ordinals: u32.slice(ordinals >>> 2, (ordinals >>> 2) + count),
      distances: u8.slice(distances, distances + count),
      firstDiffers: u8.slice(differs, differs + count),
    };
  }

  /**
   * The same over several dictionaries (0: none) as if they were one, and by how many typos each word counts: a first letter that differs counts as
   * two as long as there is room.
   */
  fuzzyWordsOfAll(
    dictionaries: readonly (Dictionary | None)[],
    word: string,
    budget: 1 | 2,
    isPrefix: boolean,
  ): FuzzyWords {
    const characterCount = this.#passCharacters(word);
    if (characterCount === 0 || dictionaries.length === 0) return NO_FUZZY_WORDS;
    const mark = this.memory.mark();
    const width = dictionaries.length;
    const area = this.memory.scratch(this.exports.dictionariesFuzzyBytes(width));
    this.memory.u32.set(dictionaries, area >>> 2);
    const finding = this.exports.dictionariesFuzzy(area, width, characterCount, budget, isPrefix ? 1 : 0) >>> 0;
    const found = this.#readFinding(finding, width);
    this.memory.release(mark);
    return found;
  }

  #readFinding(finding: Ptr, width: number): FuzzyWords {
    const { u8, u32 } = this.memory;
    const count = u32[finding >>> 2] as number;
    const rows = new Int32Array(u32.buffer, finding + HEADS_OFFSET + RESULT_MAX * HEAD_BYTES, count * width);
    const places = new Int32Array(count * width);
    const countsAsTwo = (at: number): boolean =>
      ((u8[finding + HEADS_OFFSET + at * HEAD_BYTES + 7] as number) & COUNTS_AS_TWO) !== 0;
    let oneCount = 0;
    for (let at = 0; at < count; at++) if (!countsAsTwo(at)) oneCount += 1;
    for (let at = 0, one = 0, two = oneCount; at < count; at++) {
      const target = countsAsTwo(at) ? two++ : one++;
      places.set(rows.subarray(at * width, (at + 1) * width), target * width);
    }
    return { oneCount, twoCount: count - oneCount, places };
  }

  /** Hands a word over as UTF-8 and answers how many bytes that is; -1 when no word of the dictionary is as long. */
  #passText(dictionary: Dictionary | None, word: Uint8Array | string): number {
    if (typeof word !== 'string') return this.#passWord(dictionary, word) ? word.length : -1;
    if (this.dictionarySize(dictionary) === 0 || word.length > DICTIONARY_WORD_BYTES_MAX) return -1;
    const { u8 } = this.memory;
    for (let at = 0; at < word.length; at++) {
      const unit = word.charCodeAt(at);
      if (unit >= 0x80) return this.#passLongText(word);
      u8[this.#work + at] = unit;
    }
    return word.length;
  }

  #passLongText(word: string): number {
    const area = this.memory.u8.subarray(this.#work, this.#work + DICTIONARY_WORD_BYTES_MAX);
    const { read, written } = this.#encoder.encodeInto(word, area);
    return read < word.length ? -1 : written;
  }

  /** Hands the bytes over; false when no word of the dictionary can start with them. */
  #passWord(dictionary: Dictionary | None, bytes: Uint8Array): boolean {
    if (this.dictionarySize(dictionary) === 0 || bytes.length > DICTIONARY_WORD_BYTES_MAX) return false;
    this.memory.u8.set(bytes, this.#work);
    return true;
  }

  /** Hands the padded code points over and answers how many; 0 when the word is too long. */
  #passCharacters(word: string): number {
    // No character takes fewer bytes than its UTF-16 units, none more than three for each: most strings need no measuring.
    if (word.length > WORD_BYTES_MAX) return 0;
    if (word.length * 3 > WORD_BYTES_MAX && this.#encoder.encode(word).length > WORD_BYTES_MAX) return 0;
    const { u32 } = this.memory;
    const start = this.#work >>> 2;
    let at = start + PADDING;
    for (const character of word) u32[at++] = character.codePointAt(0) as number;
    u32.fill(PADDING_VALUE, start, start + PADDING);
    u32.fill(PADDING_VALUE, at, at + PADDING);
    return at - start - PADDING;
  }

  #readWords(count: number, words: string[]): void {
    const { u8 } = this.memory;
    let at = this.#work + RESULT_OFFSET;
    for (let i = 0; i < count; i++) {
      const start = at + 2;
      at = start + (u8[at] as number) + (u8[at + 1] as number) * 256;
      words.push(this.#decode(u8.subarray(start, at)));
    }
  }

  #decode(bytes: Uint8Array): string {
    if (bytes.length > SHORT_WORD_BYTES) return this.#decoder.decode(bytes);
    let text = '';
    for (const byte of bytes) {
      if (byte >= 0x80) return this.#decoder.decode(bytes);
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
    if (at > 0 && Buffer.compare(words[at - 1]!, word) >= 0)
      throw new RangeError(`dictionary words ${at - 1} and ${at} are not in byte order or are equal`);
  });
}
