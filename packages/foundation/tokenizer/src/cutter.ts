import { CodeSet } from './code-set.js';
import { NONSPACING_MARK_RANGES } from './data/letters.js';
import { HARD_SEPARATOR_RANGES, SEPARATOR_RANGES, SEPARATOR_STRINGS } from './data/separators.js';
import type { Language } from './language.js';
import { decompose, fold, isPrintableAscii } from './normalize.js';
import type { TokenizerOptions, TokenKind } from './port.js';
import { trieOf, type WordTrie } from './segmenting/word-trie.js';

const MARKS = new CodeSet(NONSPACING_MARK_RANGES);
const FIRST_MARK = 0x300;
/** More marks than this on one character are not of a language. */
const MARKS_MAX = 8;
const CACHE_SIZE = 32_768;
const forms = new Map<string, string>();
const swedishForms = new Map<string, string>();
/** A word does not go on after so many characters that are not indexed: each is read once for each word before it. */
const SKIPPED_MAX = 8;
const UNKNOWN = 0;
const BEGINS = 1;
const NONE = 2;
const isSurrogate = (unit: number): boolean => (unit & 0xf800) === 0xd800;

const SEPARATORS = new CodeSet(SEPARATOR_RANGES);
const HARD_SEPARATORS = new CodeSet(HARD_SEPARATOR_RANGES);
const HARD_STRINGS: ReadonlySet<string> = new Set(SEPARATOR_STRINGS);

/** The separators, stop words and dictionary words of the settings: where they cut a text, and the kind of a token. */
export class Cutter {
  /** Comparable forms, as those of all texts of the settings. */
  private readonly removed: ReadonlySet<string>;
  private readonly separators: ReadonlySet<string>;
  private readonly stopWords: ReadonlySet<string>;
  private readonly written: readonly string[];
  /** The same where the language is Swedish. */
  private swedishStopWords: ReadonlySet<string> | undefined;
  /** Default separators of several characters that the settings leave. */
  private readonly strings: readonly string[];
  /** Separators and dictionary words of the settings; null when there are none. */
  private readonly own: OwnPatterns | null;

  constructor({ stopWords = [], separatorTokens = [], nonSeparatorTokens = [], dictionary = [] }: TokenizerOptions) {
    this.removed = new Set(nonSeparatorTokens.map((text) => comparableForm(text)));
    this.stopWords = new Set(stopWords.map((word) => comparableForm(word)));
    this.written = stopWords;
    this.strings = SEPARATOR_STRINGS.filter((text) => !this.isRemoved(text));
    const separators = separatorTokens.filter((text) => text !== '' && !this.isRemoved(text));
    this.separators = new Set(separators.map((text) => comparableForm(text)));
    const patterns = [...separators, ...dictionary.filter((word) => word !== '')];
    this.own = patterns.length === 0 ? null : new OwnPatterns(patterns);
  }

  get hasStopWords(): boolean {
    return this.stopWords.size > 0;
  }

  /** UTF-16 length of the longest pattern at `at` that ends by `end`; 0 when none does. */
  matchLength(text: string, at: number, end: number): number {
    const own = this.own === null ? 0 : this.own.matchLength(text, at, end);
    const code = text.codePointAt(at)!;
    if (!SEPARATORS.has(code)) return own;
    for (const string of this.strings)
      if (string.charCodeAt(0) === code && at + string.length <= end && text.startsWith(string, at))
        return Math.max(own, string.length);
    if (this.removed.size > 0 && this.isRemoved(String.fromCodePoint(code))) return own;
    return Math.max(own, code > 0xffff ? 2 : 1);
  }

  /** Whether this single character cuts. */
  cutsChar(code: number): boolean {
    const char = String.fromCodePoint(code);
    return (SEPARATORS.has(code) && !this.isRemoved(char)) || this.own?.has(char) === true;
  }

  /** Whether a text of the settings, of several characters, begins with this one. */
  beginsOwn(char: string): boolean {
    return this.own?.isBeginning(char) === true;
  }

  /** Whether this is a default separator of several characters that the settings leave. */
  isString(text: string): boolean {
    return this.strings.includes(text);
  }

  /** The kind of a decomposed lemma. */
  classify(lemma: string, language?: Language): TokenKind {
    if (this.hasStopWords && this.isStopWord(lemma, language)) return 'stopWord';
    if (!this.isSeparator(lemma)) return 'word';
    return isHard(lemma) ? 'hardSeparator' : 'softSeparator';
  }

  private isStopWord(lemma: string, language: Language | undefined): boolean {
    let words = this.stopWords;
    if (language === 'swe') {
      this.swedishStopWords ??= new Set(this.written.map((word) => comparableForm(word, 'swe')));
      words = this.swedishStopWords;
    }
    return words.has(comparableForm(lemma, language));
  }

  private isSeparator(lemma: string): boolean {
    if (this.strings.includes(lemma)) return true;
    if (isOneChar(lemma) && SEPARATORS.has(lemma.codePointAt(0)!) && !this.isRemoved(lemma)) return true;
    return this.separators.size > 0 && this.separators.has(comparableForm(lemma));
  }

  private isRemoved(text: string): boolean {
    return this.removed.size > 0 && this.removed.has(comparableForm(text));
  }
}

function isHard(lemma: string): boolean {
  return HARD_STRINGS.has(lemma) || (isOneChar(lemma) && HARD_SEPARATORS.has(lemma.codePointAt(0)!));
}

function isOneChar(text: string): boolean {
  return text.length === 1 || (text.length === 2 && text.codePointAt(0)! > 0xffff);
}

/**
 * The comparable form of a text, made of those of its characters, so that it does not depend on what stands around it. Letters that
 * Swedish keeps stay where that is the language. O(length).
 */
function comparableForm(text: string, language?: Language): string {
  if (isPrintableAscii(text)) return text.toLowerCase();
  const isSwedish = language === 'swe';
  const decomposed = isSwedish ? decompose(text, language) : text;
  let form = '';
  for (let at = 0; at < decomposed.length; ) {
    const end = charEnd(decomposed, at, decomposed.length);
    form += comparableChar(decomposed.slice(at, end), isSwedish);
    at = end;
  }
  return form === '' ? text : form;
}

/** The end of the character at `at`, with the marks on it. */
function charEnd(text: string, at: number, end: number): number {
  let next = at + (text.codePointAt(at)! > 0xffff ? 2 : 1);
  for (let marks = 0; next < end && marks < MARKS_MAX; marks++) {
    const code = text.codePointAt(next)!;
    if (code < FIRST_MARK || !MARKS.has(code)) break;
    next += code > 0xffff ? 2 : 1;
  }
  return next;
}

/** The comparable form of one character with its marks; empty where words are indexed without it. */
function comparableChar(char: string, isSwedish = false): string {
  const cache = isSwedish ? swedishForms : forms;
  let form = cache.get(char);
  if (form === undefined) {
    const decomposed = decompose(char, isSwedish ? 'swe' : undefined);
    // Han characters stay, as in Japanese: their variants are in a dictionary, which most settings never need
    form = fold(decomposed, isSwedish ? 'swe' : 'jpn');
    // An accent alone decomposes to a space with a mark, and is no space; control characters may be separators.
    if (decomposed === '' || (decomposed.startsWith(' ') && char.trim() !== '')) form = char;
    if (cache.size >= CACHE_SIZE) cache.clear();
    cache.set(char, form);
  }
  return form;
}

/** The separators and dictionary words of the settings, which cut a text wherever its comparable form is theirs. */
class OwnPatterns {
  private readonly trie: WordTrie;
  /** By UTF-16 unit: whether a pattern begins with it. Most units begin none. */
  private readonly beginnings = new Uint8Array(0x10000);

  constructor(patterns: readonly string[]) {
    this.trie = trieOf(patterns.map((pattern) => comparableForm(pattern)));
  }

  /** UTF-16 length of the longest pattern at `at` that ends by `end`; 0 when none does. O(length of the pattern). */
  matchLength(text: string, at: number, end: number): number {
    const unit = text.charCodeAt(at);
    if (this.beginnings[unit] === NONE) return 0;
    let longest = 0;
    let node = 0;
    let skipped = 0;
    for (let next = at; next < end && skipped < SKIPPED_MAX; ) {
      const from = next;
      next = charEnd(text, next, end);
      const form = comparableChar(text.slice(from, next));
      skipped = form === '' ? skipped + 1 : 0;
      node = this.after(node, form);
      if (from === at && !isSurrogate(unit) && this.beginnings[unit] === UNKNOWN)
        this.beginnings[unit] = this.after(0, comparableChar(text[at]!)) === 0 ? NONE : BEGINS;
      if (node === 0) break;
      if (this.trie.numberAt(node) >= 0) longest = next - at;
    }
    return longest;
  }

  /** Whether this character alone is a pattern. */
  has(char: string): boolean {
    const node = this.after(0, comparableChar(char));
    return node !== 0 && this.trie.numberAt(node) >= 0;
  }

  /** Whether a pattern of more characters begins with this one. */
  isBeginning(char: string): boolean {
    const node = this.after(0, comparableChar(char));
    return node !== 0 && this.trie.hasChildren(node);
  }

  /** The node after a form; 0 when no pattern goes on so. */
  private after(from: number, form: string): number {
    let node = from;
    for (let at = 0; at < form.length; at++) {
      node = this.trie.child(node, form.charCodeAt(at));
      if (node === 0) return 0;
    }
    return node;
  }
}
