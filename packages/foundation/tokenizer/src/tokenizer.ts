import { buildCharClasses, isQuickText } from './char-classes.js';
import { Cutter } from './cutter.js';
import type { Script } from './data/script-ranges.js';
import { type AllowList, allowListOf, detectLanguage, hasOwnLatin, type Language } from './language.js';
import { decompose, fold, originalLengthOf } from './normalize.js';
import type { Token, Tokenizer, TokenizerOptions, TokenKind } from './port.js';
import { indexedForm, POSITION_END, PositionWalk } from './positions.js';
import { quickTokens } from './quick-tokens.js';
import { type QuickWords, quickVisit } from './quick-visit.js';
import { splitScriptGroups } from './script.js';
import { type Segment, segmenterOf } from './segmenters.js';

const ANALYSIS_CACHE_SIZE = 32_768;
/**
 * Words up to this length are cached: V8 copies so short a slice, while a longer one would keep its whole document
 * alive.
 */
const CACHED_UNITS_MAX = 12;
const NUMERIC_PIECE = /^[\p{N}!-/:-@[-`{-~]+$/u;

interface Analysis {
  readonly kind: TokenKind;
  readonly lemma: string;
}

/** The inputs of a group's normalizers, with a cache of analyses of recent words: natural text repeats itself. */
interface Traits {
  readonly script: Script;
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
    visitWords: (text, counter, emit, locales) => walker.visitWords(text, counter, emit, allowListOf(locales)),
    units: {
      classes: walker.classes,
      classifiesAll: walker.classifiesAll,
      allows: (locales) => !hasOwnLatin(allowListOf(locales)),
      classify: (word) => walker.judge(word),
    },
    originalLength: (text, token, lemmaPrefix) => walker.originalLength(text, token, lemmaPrefix),
  };
}

class TextWalker {
  private readonly cutter: Cutter;
  readonly classes: Uint8Array;
  private readonly traits = new Map<string, Traits>();
  private readonly plainLatin: Traits;
  private readonly quickWords: QuickWords;

  constructor(options: TokenizerOptions) {
    this.cutter = new Cutter(options);
    this.classes = buildCharClasses(this.cutter);
    this.plainLatin = this.traitsOf('latin', undefined);
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
      tokens.push({ kind, lemma, start, end, traits: plainLatin });
    };
    if (!hasOwnLatin(allowed) && quickTokens(text, take, this.quickWords)) return tokens;
    tokens.length = 0;
    this.walk(text, allowed, (kind, lemma, start, end, traits) => {
      tokens.push({ kind, lemma, start, end, traits });
      return true;
    });
    return tokens;
  }

  visitWords(
    text: string,
    counter: number,
    emit: (lemma: string, position: number) => void,
    allowed: AllowList | undefined,
  ): number {
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
    return originalLengthOf(original, traits.script, traits.language, lemmaPrefix.length);
  }

  private walk(text: string, allowed: AllowList | undefined, sink: Sink): void {
    for (const { start, end, script } of splitScriptGroups(text)) {
      const language = detectLanguage(text, start, end, script, allowed);
      const segment = segmenterOf(script, language, allowed);
      const traits = this.traitsOf(script, language);
      if (!this.walkGroup({ text, traits, segment, sink }, start, end)) return;
    }
  }

  private walkGroup(group: Group, start: number, end: number): boolean {
    const { text } = group;
    let pieceStart = start;
    for (let at = start; at < end; ) {
      const length = this.cutter.matchLength(text, at, end);
      if (length === 0) {
        at += text.codePointAt(at)! > 0xffff ? 2 : 1;
        continue;
      }
      if (at > pieceStart && !this.walkPiece(group, pieceStart, at)) return false;
      if (!this.give(group, at, at + length)) return false;
      at += length;
      pieceStart = at;
    }
    return pieceStart === end || this.walkPiece(group, pieceStart, end);
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

  private give({ text, traits, sink }: Group, start: number, end: number): boolean {
    const { kind, lemma } = this.analyze(text.slice(start, end), traits);
    return sink(kind, lemma, start, end, traits);
  }

  private analyze(original: string, traits: Traits): Analysis {
    const { script, language, analyses } = traits;
    const known = analyses.get(original);
    if (known !== undefined) return known;
    const decomposed = decompose(original, language);
    const analysis = { kind: this.cutter.classify(decomposed), lemma: fold(decomposed, script, language) };
    if (original.length > CACHED_UNITS_MAX) return analysis;
    // Cleared instead of evicting single entries: frequent words are soon cached again.
    if (analyses.size >= ANALYSIS_CACHE_SIZE) analyses.clear();
    analyses.set(original, analysis);
    return analysis;
  }

  private traitsOf(script: Script, language: Language | undefined): Traits {
    const key = `${script} ${language ?? ''}`;
    let traits = this.traits.get(key);
    if (traits === undefined) {
      traits = { script, language, analyses: new Map() };
      this.traits.set(key, traits);
    }
    return traits;
  }
}
