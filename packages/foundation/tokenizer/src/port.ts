/** A `symbol` stands directly next to a word (`Nike™`): it is indexed at the word's position, and takes none. Any other symbol is a word. */
export type TokenKind = 'word' | 'stopWord' | 'symbol' | 'softSeparator' | 'hardSeparator';
export interface Token {
  readonly kind: TokenKind;
  /** Normalised text. */
  readonly lemma: string;
  /** UTF-16 offsets in the original text; equal where a character is several tokens (`㏂`), and another one has it. */
  readonly start: number;
  readonly end: number;
}
/** Receives an indexed word: its lemma and its position in the field. A symbol has the position of a word next to it. */
export type EmitWord = (lemma: string, position: number, isSymbol: boolean) => void;
/** Words of the settings, which are compared with texts without case and accents. */
export interface TokenizerOptions {
  readonly stopWords?: readonly string[];
  readonly separatorTokens?: readonly string[];
  readonly nonSeparatorTokens?: readonly string[];
  readonly dictionary?: readonly string[];
}
export interface Tokenizer {
  /** All tokens of the text: their originals, concatenated, are the text. `locales` is the allow-list of languages. */
  tokenize(text: string, locales?: readonly string[]): Token[];
  /**
   * Tokenizes a document's value without an object for each word: starts at the field's position counter and calls
   * `emit(lemma, position, isSymbol)` for each indexed word, and for symbols next to words; returns the counter after it.
   */
  visitWords(text: string, counter: number, emit: EmitWord, locales?: readonly string[]): number;
  readonly units: UnitClasses;
  /** UTF-16 length of the original text that `lemmaPrefix`, a prefix of the token's lemma, covers. */
  originalLength(text: string, token: Token, lemmaPrefix: string): number;
}
/**
 * What a caller needs to cut text unit by unit into the words of `visitWords`. Valid only for texts of symbols of two units, and of units that
 * are all below `classes.length`, not of class 4, and not of class 5 between two ASCII digits.
 */
export interface UnitClasses {
  /** By UTF-16 unit: 0 part of a word, 1 soft separator, 2 hard separator, 3 hard only before a space, 4 not handled, 5 soft, but
   * not handled between digits, 6 symbol. */
  readonly classes: Uint8Array;
  /** Whether a character of two units is a symbol. Two of the flags' letters, one after the other, are one symbol. */
  isSymbol(code: number): boolean;
  /** True: ASCII words may have another lemma than their lower case, so every word must be classified. */
  readonly classifiesAll: boolean;
  /** False when the allow-list has a language with rules of its own for such text. */
  allows(locales?: readonly string[]): boolean;
  /** The plain form of a text, which has the same words: the text itself, if it is its own. O(length). */
  plainOf(text: string): string;
  /** `visitWords` of a plain form. */
  visitPlain: Tokenizer['visitWords'];
  /** The kind of a word or symbol and its indexed lemma: empty for a word that only takes a position, null for one that takes none. */
  classify(word: string): { readonly kind: TokenKind; readonly lemma: string | null };
}
/** Normalises a facet value: trim, NFKD, lower case. Not truncated. */
export type NormalizeFacet = (text: string) => string;
