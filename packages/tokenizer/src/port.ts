export type TokenKind = 'word' | 'stopWord' | 'softSeparator' | 'hardSeparator';
export interface Token {
  readonly kind: TokenKind;
  /** Normalised text. */
  readonly lemma: string;
  /** UTF-16 offsets in the original text. */
  readonly start: number;
  readonly end: number;
}
export interface TokenizerOptions {
  readonly stopWords?: readonly string[];
  readonly separatorTokens?: readonly string[];
  readonly nonSeparatorTokens?: readonly string[];
  readonly dictionary?: readonly string[];
}
export interface Tokenizer {
  /** Every token of the text: the originals joined give back the text. `locales` is the allow-list of languages. */
  tokenize(text: string, locales?: readonly string[]): Token[];
  /**
   * The document side, without a Token object per word: walks one value with the field's counter (as it stands for this
   * visit) and calls `emit(lemma, position)` for each indexed word; answers the counter after it.
   */
  visitWords(
    text: string,
    counter: number,
    emit: (lemma: string, position: number) => void,
    locales?: readonly string[],
  ): number;
  readonly units: UnitClasses;
  /** UTF-16 length of the original text covered by the first `lemmaChars` code points' worth of the token's lemma (char map). */
  originalLength(text: string, token: Token, lemmaPrefix: string): number;
}
/**
 * What somebody who cuts text unit by unit needs to know to give the words of `visitWords`. Only for texts whose every unit is below
 * `classes.length` and not of class 4.
 */
export interface UnitClasses {
  /** By UTF-16 unit: 0 part of a word, 1 soft separator, 2 hard separator, 3 hard only before a space, 4 not for such a walk. */
  readonly classes: Uint8Array;
  /** Words of ASCII may be more than their lower case: all are to be judged. */
  readonly judgesAll: boolean;
  /** False when the allow-list has a language of rules of its own for such text. */
  allows(locales?: readonly string[]): boolean;
  /** Kind of a word and its lemma as it is indexed: empty for one that takes a position only. A lemma of null is passed over. */
  judge(word: string): { readonly kind: TokenKind; readonly lemma: string | null };
}
/** normalise() of facet values: trim, NFKD, lower-case. Not cut. */
export type NormalizeFacet = (text: string) => string;
