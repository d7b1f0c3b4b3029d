import { CodeSet } from './code-set.js';
import { HARD_SEPARATOR_RANGES } from './data/hard-separators.js';
import { SEPARATOR_RANGES, SEPARATOR_STRINGS } from './data/separators.js';
import { normalizeStopWord } from './normalize.js';
import type { TokenizerOptions, TokenKind } from './port.js';
import { trieOf, type WordTrie } from './segmenting/word-trie.js';

const SEPARATORS = new CodeSet(SEPARATOR_RANGES);
const HARD_SEPARATORS = new CodeSet(HARD_SEPARATOR_RANGES);
const HARD_STRINGS: ReadonlySet<string> = new Set(SEPARATOR_STRINGS);

/** The separators, stop words and dictionary words of the settings: where they cut a text, and the kind of a token. */
export class Cutter {
  private readonly added = new Set<string>();
  private readonly removed: ReadonlySet<string>;
  private readonly stopWords: ReadonlySet<string>;
  /** Patterns longer than one character by their first UTF-16 unit, longest first, when there are few. */
  private readonly longPatterns = new Map<number, string[]>();
  /** All these patterns, when there are many. */
  private readonly patternTrie: WordTrie | null;
  /** Single characters that cut because of the dictionary only. */
  private readonly dictionaryChars = new Set<string>();
  private readonly hasOwnChars: boolean;

  constructor(options: TokenizerOptions) {
    this.removed = new Set(options.nonSeparatorTokens ?? []);
    this.stopWords = new Set((options.stopWords ?? []).map(normalizeStopWord));
    for (const separator of [...SEPARATOR_STRINGS, ...(options.separatorTokens ?? [])]) {
      if (separator !== '' && !this.removed.has(separator)) this.added.add(separator);
    }
    const dictionary = (options.dictionary ?? []).filter((word) => word !== '');
    for (const word of dictionary) if (isOneChar(word)) this.dictionaryChars.add(word);
    this.hasOwnChars = this.dictionaryChars.size > 0 || [...this.added].some(isOneChar);
    const patterns = [...new Set([...this.added, ...dictionary])].filter((pattern) => !isOneChar(pattern));
    for (const pattern of patterns) {
      const first = pattern.charCodeAt(0);
      const ofFirst = this.longPatterns.get(first);
      if (ofFirst === undefined) this.longPatterns.set(first, [pattern]);
      else ofFirst.push(pattern);
    }
    this.patternTrie = patterns.length < TRIE_MIN_PATTERNS ? null : trieOf(patterns);
    if (this.patternTrie === null)
      for (const few of this.longPatterns.values()) few.sort((left, right) => right.length - left.length);
  }

  get hasStopWords(): boolean {
    return this.stopWords.size > 0;
  }

  /** Compares the decomposed form, so case and accents matter. */
  isStopWord(lemma: string): boolean {
    return this.stopWords.has(lemma);
  }

  /** Whether the text is a separator of the settings. */
  isSeparator(text: string): boolean {
    if (this.added.has(text)) return true;
    return isOneChar(text) && SEPARATORS.has(text.codePointAt(0)!) && !this.removed.has(text);
  }

  /** The patterns longer than one character that begin with this UTF-16 unit, unordered. */
  longPatternsFrom(unit: number): readonly string[] {
    return this.longPatterns.get(unit) ?? [];
  }

  /** UTF-16 length of the longest pattern at `at` that ends by `end`; 0 when none does. */
  matchLength(text: string, at: number, end: number): number {
    const patterns = this.longPatterns.get(text.charCodeAt(at));
    if (patterns !== undefined) {
      const longest = this.patternTrie?.longestMatch(text, at, end) ?? longestOf(patterns, text, at, end);
      if (longest > 0) return longest;
    }
    const code = text.codePointAt(at)!;
    const length = code > 0xffff ? 2 : 1;
    return this.cutsChar(code) ? length : 0;
  }

  /** Whether this single character cuts. */
  cutsChar(code: number): boolean {
    if (SEPARATORS.has(code) && (this.removed.size === 0 || !this.removed.has(String.fromCodePoint(code)))) return true;
    if (!this.hasOwnChars) return false;
    const char = String.fromCodePoint(code);
    return this.added.has(char) || this.dictionaryChars.has(char);
  }

  /** The kind of a decomposed lemma. */
  classify(lemma: string): TokenKind {
    if (this.stopWords.has(lemma)) return 'stopWord';
    if (!this.isSeparator(lemma)) return 'word';
    return isHard(lemma) ? 'hardSeparator' : 'softSeparator';
  }
}

/** From this many patterns on, a trie finds the longest match: trying each pattern at every offset would be too slow. */
const TRIE_MIN_PATTERNS = 64;

/** UTF-16 length of the first pattern that begins at `at` and ends by `end`; 0 when none does. O(patterns). */
function longestOf(patterns: readonly string[], text: string, at: number, end: number): number {
  for (const pattern of patterns) {
    if (at + pattern.length <= end && text.startsWith(pattern, at)) return pattern.length;
  }
  return 0;
}

function isHard(lemma: string): boolean {
  return HARD_STRINGS.has(lemma) || (isOneChar(lemma) && HARD_SEPARATORS.has(lemma.codePointAt(0)!));
}

function isOneChar(text: string): boolean {
  return text.length === 1 || (text.length === 2 && text.codePointAt(0)! > 0xffff);
}
