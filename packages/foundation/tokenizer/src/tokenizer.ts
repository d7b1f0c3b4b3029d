import { stepInBudget } from '@fossick/base';
import { buildCharClasses, CLASS_WORD, isQuickText, isQuickWordUnit, NO_BREAK_SPACES } from './char-classes.js';
import { Cutter } from './cutter.js';
import { type AllowList, allowListOf, detectLanguage, hasOwnLatin, type Language } from './language.js';
import { decompose, fold, originalLengthOf } from './normalize.js';
import { isSkinTone, isSymbol, locatedPlainText, plainForm, plainTextOf } from './plain-text.js';
import type { EmitWord, Token, Tokenizer, TokenizerOptions, TokenKind } from './port.js';
import { indexedForm, POSITION_END, PositionWalk } from './positions.js';
import { quickTokens } from './quick-tokens.js';
import { type QuickWords, quickVisit } from './quick-visit.js';
import { splitScriptGroups } from './script.js';
import { type Segment, segmenterOf } from './segmenters.js';

/**
 * The number of the rules by which texts become words: one more with each change of a table or a step that gives a text other words. An
 * index that was written by other rules is indexed again.
 */
export const WORD_RULES = 2;

const ANALYSIS_CACHE_SIZE = 32_768;
/**
 * Words up to this length are cached: V8 copies so short a slice, while a longer one would keep its whole document
 * alive.
 */
const CACHED_UNITS_MAX = 12;
const DIGIT = /^\p{Nd}/u;
/** Two of these letters are one flag. */
const [FLAG_FIRST, FLAG_LAST] = [0x1f1e6, 0x1f1ff];
const NUMERIC_PIECE = /^[\p{N}!-/:-@[-`{-~]+$/u;

interface Analysis {
  readonly kind: TokenKind;
  readonly lemma: string;
}

/** The inputs of a group's normalizers, with a cache of analyses of recent words: natural text repeats itself. */
interface Traits {
  readonly language: Language | undefined;
  readonly analyses: Map<string, Analysis>;
}

/** A token with its group, for originalLength. */
interface GroupToken extends Token {
  readonly traits: Traits;
}

/** A run of text in one script, with its segmenter and the receiver of its tokens. */
interface Group {
  readonly text: string;
  readonly traits: Traits;
  readonly segment: Segment | undefined;
  readonly sink: Sink;
}

/** Receives the tokens in order; returns false to stop. */
type Sink = (kind: TokenKind, lemma: string, start: number, end: number, traits: Traits) => boolean;

/**
 * A tokenizer with the given settings. Building it takes some 10 000 steps: reuse it while the settings are the same.
 */
export function createTokenizer(options: TokenizerOptions): Tokenizer {
  const walker = new TextWalker(options);
  return {
    tokenize: (text, locales) => walker.tokenize(text, allowListOf(locales)),
    visitWords: (text, counter, emit, locales) =>
      walker.visitPlain(walker.plainOf(text), counter, emit, allowListOf(locales)),
    units: {
      classes: walker.classes,
      classifiesAll: walker.classifiesAll,
      isSymbol: (code) => walker.isPlainSymbol(code),
      allows: (locales) => !hasOwnLatin(allowListOf(locales)),
      plainOf: (text) => walker.plainOf(text),
      visitPlain: (text, counter, emit, locales) => walker.visitPlain(text, counter, emit, allowListOf(locales)),
      classify: (word) => walker.judge(word),
    },
    originalLength: (text, token, lemmaPrefix) => walker.originalLength(text, token, lemmaPrefix),
  };
}

class TextWalker {
  private readonly cutter: Cutter;
  readonly classes: Uint8Array;
  private readonly traits = new Map<Language | undefined, Traits>();
  /** Characters of the settings' separators and other tokens: they stay as they are. */
  private readonly kept = new Set<number>();
  private readonly hasPatterns: boolean;
  /** Characters that the settings do not let separate; a symbol among them is part of its word. */
  private readonly joined: ReadonlySet<string>;
  private readonly plainLatin: Traits;
  private readonly quickWords: QuickWords;

  constructor(options: TokenizerOptions) {
    const { separatorTokens = [], nonSeparatorTokens = [], dictionary = [], stopWords = [] } = options;
    for (const char of [...separatorTokens, ...nonSeparatorTokens].join('')) this.kept.add(char.codePointAt(0)!);
    this.joined = new Set(nonSeparatorTokens);
    this.hasPatterns = separatorTokens.length + dictionary.length > 0;
    const plain = (words: readonly string[]): string[] => words.map((word) => this.plainOf(word));
    this.cutter = new Cutter({ ...options, dictionary: plain(dictionary), stopWords: plain(stopWords) });
    this.classes = buildCharClasses(this.cutter, {
      isPlainWord: (code) => this.isPlainWord(code),
      isPlainSymbol: (code) => this.isPlainSymbol(code),
    });
    this.plainLatin = this.traitsOf(undefined);
    const analyze = (word: string): Analysis => this.analyze(word, this.plainLatin);
    this.quickWords = { classes: this.classes, analyze, analyzesAll: this.cutter.hasStopWords };
  }

  get classifiesAll(): boolean {
    return this.cutter.hasStopWords;
  }

  judge(word: string): { readonly kind: TokenKind; readonly lemma: string | null } {
    const { kind, lemma } = this.analyze(word, this.plainLatin);
    return { kind, lemma: lemma === '' ? null : indexedForm(lemma) };
  }

  tokenize(text: string, allowed: AllowList | undefined): Token[] {
    const tokens: GroupToken[] = [];
    const { plainLatin } = this;
    const take = (kind: TokenKind, lemma: string, start: number, end: number): void => {
      stepInBudget(end - start);
      tokens.push({ kind, lemma, start, end, traits: plainLatin });
    };
    if (!hasOwnLatin(allowed) && quickTokens(text, take, this.quickWords)) return tokens;
    tokens.length = 0;
    const plain = locatedPlainText(text, this.kept);
    const origins = plain?.origins;
    this.walk(plain?.text ?? text, allowed, (kind, lemma, start, end, traits) => {
      stepInBudget(end - start);
      tokens.push({ kind, lemma, start: origins?.[start] ?? start, end: origins?.[end] ?? end, traits });
      return true;
    });
    if (tokens.length === 0 && text !== '') take('softSeparator', '', 0, text.length);
    return tokens;
  }

  plainOf(text: string): string {
    return plainTextOf(text, this.kept) ?? text;
  }

  visitPlain(text: string, counter: number, emit: EmitWord, allowed: AllowList | undefined): number {
    if (counter >= POSITION_END) return counter;
    if (!hasOwnLatin(allowed) && isQuickText(text, this.classes)) {
      return quickVisit(text, counter, emit, this.quickWords);
    }
    const positions = new PositionWalk(counter, emit);
    this.walk(text, allowed, (kind, lemma) => positions.take(kind, lemma));
    return positions.counter;
  }

  originalLength(text: string, token: Token, lemmaPrefix: string): number {
    const traits = 'traits' in token ? (token as GroupToken).traits : this.plainLatin;
    const original = text.slice(token.start, token.end);
    return originalLengthOf(original, traits.language, lemmaPrefix.length);
  }

  private walk(text: string, allowed: AllowList | undefined, sink: Sink): void {
    for (const { start, end, script } of splitScriptGroups(text)) {
      const language = detectLanguage(text, start, end, script, allowed);
      const segment = segmenterOf(script, language, allowed);
      const traits = this.traitsOf(language);
      if (!this.walkGroup({ text, traits, segment, sink }, start, end)) return;
    }
  }

  private walkGroup(group: Group, start: number, end: number): boolean {
    const { text } = group;
    const { classes } = this;
    let pieceStart = start;
    for (let at = start; at < end; ) {
      // most characters are part of words, which the table tells at once
      if (classes[text.charCodeAt(at)] === CLASS_WORD) {
        at++;
        continue;
      }
      const length = isGrouping(text, at) ? 0 : this.cutter.matchLength(text, at, end);
      const symbols = length > 0 ? 0 : this.symbolsLength(text, at, end);
      if (length + symbols === 0) {
        at += text.codePointAt(at)! > 0xffff ? 2 : 1;
        continue;
      }
      if (at > pieceStart && !this.walkPiece(group, pieceStart, at)) return false;
      const isTaken = length > 0 ? this.give(group, at, at + length) : this.giveSymbols(group, at, at + symbols);
      if (!isTaken) return false;
      at += length + symbols;
      pieceStart = at;
    }
    return pieceStart === end || this.walkPiece(group, pieceStart, end);
  }

  /** UTF-16 length of the symbols from `at` on that are not separated. O(length). */
  private symbolsLength(text: string, at: number, end: number): number {
    let next = at;
    while (next < end) {
      const code = text.codePointAt(next)!;
      if (!this.isSymbol(code) || (next > at && this.cutter.matchLength(text, next, end) > 0)) break;
      next += code > 0xffff ? 2 : 1;
    }
    return next - at;
  }

  /** Symbols next to a word have no position of their own; a word is found with and without them. */
  private giveSymbols(group: Group, start: number, end: number): boolean {
    const { text } = group;
    const isNextToWord = this.isWordAt(text, codeStartBefore(text, start)) || this.isWordAt(text, end);
    for (let at = start; at < end; ) {
      let next = at + (text.codePointAt(at)! > 0xffff ? 2 : 1);
      if (next < end && isFlagLetter(text, at) && isFlagLetter(text, next)) next += 2;
      if (!this.give(group, at, next, isNextToWord)) return false;
      at = next;
    }
    return true;
  }

  private isWordAt(text: string, at: number): boolean {
    return at >= 0 && at < text.length && !this.cutter.cutsChar(text.codePointAt(at)!);
  }

  private isSymbol(code: number): boolean {
    return isSymbol(code) && (this.joined.size === 0 || !this.joined.has(String.fromCodePoint(code)));
  }

  /** Whether a character is a symbol as it stands, and no text of the settings begins with it. */
  isPlainSymbol(code: number): boolean {
    if (!this.isSymbol(code) || isSkinTone(code) || this.cutter.cutsChar(code)) return false;
    return !this.hasPatterns || !this.cutter.beginsOwn(String.fromCodePoint(code));
  }

  /** Whether a character is part of words, and its word is the same one in its plain form. */
  private isPlainWord(code: number): boolean {
    if (this.isSymbol(code)) return false;
    const form = plainForm(code);
    if (form === undefined) return true;
    // the settings may cut it, or its plain form
    if (this.hasPatterns || this.kept.has(code)) return false;
    const codes = Array.from(form, (char) => char.codePointAt(0)!);
    return (
      form !== '' && codes.every((part) => isQuickWordUnit(part) && !this.cutter.cutsChar(part) && !this.isSymbol(part))
    );
  }

  private walkPiece(group: Group, start: number, end: number): boolean {
    const { text, segment } = group;
    const piece = segment === undefined ? '' : text.slice(start, end);
    if (segment === undefined || NUMERIC_PIECE.test(piece)) return this.give(group, start, end);
    let at = start;
    for (const length of segment(piece)) {
      if (!this.give(group, at, at + length)) return false;
      at += length;
    }
    return true;
  }

  private give({ text, traits, sink }: Group, start: number, end: number, isSymbol = false): boolean {
    const { kind, lemma } = this.analyze(text.slice(start, end), traits);
    return sink(isSymbol && kind === 'word' ? 'symbol' : kind, lemma, start, end, traits);
  }

  private analyze(original: string, traits: Traits): Analysis {
    const { language, analyses } = traits;
    const known = analyses.get(original);
    if (known !== undefined) return known;
    const decomposed = decompose(original, language);
    const analysis = { kind: this.cutter.classify(decomposed, language), lemma: fold(decomposed, language) };
    if (original.length > CACHED_UNITS_MAX) return analysis;
    // Cleared instead of evicting single entries: frequent words are soon cached again.
    if (analyses.size >= ANALYSIS_CACHE_SIZE) analyses.clear();
    analyses.set(original, analysis);
    return analysis;
  }

  private traitsOf(language: Language | undefined): Traits {
    let traits = this.traits.get(language);
    if (traits === undefined) {
      traits = { language, analyses: new Map() };
      this.traits.set(language, traits);
    }
    return traits;
  }
}

function isGrouping(text: string, at: number): boolean {
  if (!NO_BREAK_SPACES.includes(text.charCodeAt(at))) return false;
  return DIGIT.test(text.slice(codeStartBefore(text, at), at)) && DIGIT.test(text.slice(at + 1, at + 3));
}

function isFlagLetter(text: string, at: number): boolean {
  const code = text.codePointAt(at)!;
  return code >= FLAG_FIRST && code <= FLAG_LAST;
}

/** Where the character before the offset begins; -1 at the beginning. */
function codeStartBefore(text: string, at: number): number {
  if (at < 2) return at - 1;
  return text.codePointAt(at - 2)! > 0xffff ? at - 2 : at - 1;
}
