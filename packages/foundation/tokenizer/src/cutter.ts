import { CodeSet } from './code-set.js';
import { HARD_SEPARATOR_RANGES, SEPARATOR_RANGES, SEPARATOR_STRINGS } from './data/separators.js';
import type { Language } from './language.js';
import { comparableForm, OwnPatterns } from './own-patterns.js';
import type { TokenizerOptions, TokenKind } from './port.js';

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
