/**
 * Parses query text into terms: words, phrases, negatives, and whether the last word is a prefix. Positions are those
 * of the query: a hard separator adds 7 more, so that they correspond to positions in documents.
 */
import type { Token } from '@fossick/tokenizer';
import { MAX_QUERY_TERMS, MAX_QUERY_TOKENS } from './search-limits.js';

/** A stop word in a phrase: it is not indexed, but documents must have it at its place. */
export interface PhraseStopWord {
  readonly stopWord: string;
}
/** A run of words. Some word is no stop word. */
export type Phrase = readonly (string | PhraseStopWord)[];

export const isIndexedWord = (word: string | PhraseStopWord | undefined): word is string => typeof word === 'string';

/** The words of a phrase, stop words among them. */
export const lemmasOf = (phrase: Phrase): string[] =>
  phrase.map((word) => (isIndexedWord(word) ? word : word.stopWord));

/** The words of a text, stop words among them. */
export const phraseOf = (tokens: readonly Token[]): Phrase =>
  tokens.flatMap(({ kind, lemma }) =>
    lemma === '' || (kind !== 'word' && kind !== 'stopWord') ? [] : [kind === 'word' ? lemma : { stopWord: lemma }],
  );

export interface ParsedTerm {
  readonly kind: 'word' | 'phrase';
  /** The word's lemma; for a phrase its words joined by spaces (for messages and keys only). */
  readonly text: string;
  readonly phrase: Phrase;
  readonly isPrefix: boolean;
  readonly startPosition: number;
  readonly endPosition: number;
}

export interface ParsedQuery {
  readonly terms: readonly ParsedTerm[];
  readonly negativeWords: readonly string[];
  readonly negativePhrases: readonly Phrase[];
  /** Stop words, and symbols next to words: they are highlighted, but do not restrict candidates. */
  readonly stopWords: readonly ParsedStopWord[];
}

export interface ParsedStopWord {
  readonly text: string;
  readonly position: number;
  /** A symbol has the position of a word next to it. */
  readonly isSymbol?: true;
}

interface OpenPhrase {
  words: (string | PhraseStopWord)[];
  start: number;
  end: number;
  readonly isNegative: boolean;
}

/**
 * Parses the tokens of a query.
 * @param tokens of the query tokenizer, in order
 * @param prefixAllowed false when the setting prefixSearch is disabled
 * @param maxTerms words and phrases after which the rest of the query is ignored
 */
export function parseQuery(
  tokens: readonly Token[],
  prefixAllowed: boolean,
  maxTerms: number = MAX_QUERY_TERMS,
): ParsedQuery {
  const parser = new QueryParser(prefixAllowed);
  const count = Math.min(tokens.length, MAX_QUERY_TOKENS);
  for (let index = 0; index < count; index++) {
    if (parser.terms.length >= maxTerms) {
      parser.dropOpenPhrase();
      break;
    }
    const token = tokens[index]!;
    if (token.lemma === '') continue;
    if (token.kind === 'word' || token.kind === 'stopWord') parser.takeWord(token, index === count - 1);
    else if (token.kind === 'symbol') parser.takeSymbol(token);
    else parser.takeSeparator(token);
  }
  parser.closePhrase();
  return parser;
}

class QueryParser implements ParsedQuery {
  private readonly prefixAllowed: boolean;
  readonly terms: ParsedTerm[] = [];
  readonly negativeWords: string[] = [];
  readonly negativePhrases: Phrase[] = [];
  readonly stopWords: ParsedStopWord[] = [];
  private position = -1;
  private phrase: OpenPhrase | null = null;
  private isNextNegative = false;
  private prevEndsWithSpace = true;

  constructor(prefixAllowed: boolean) {
    this.prefixAllowed = prefixAllowed;
  }

  takeWord(token: Token, isLast: boolean): void {
    this.position += 1;
    const isStopWord = token.kind === 'stopWord';
    if (this.phrase) this.pushToPhrase(token.lemma, isStopWord);
    else if (this.isNextNegative) {
      this.negativeWords.push(token.lemma);
      this.isNextNegative = false;
    } else if (isLast || !isStopWord) {
      this.terms.push({
        kind: 'word',
        text: token.lemma,
        phrase: [token.lemma],
        isPrefix: isLast && this.prefixAllowed,
        startPosition: this.position,
        endPosition: this.position,
      });
    } else this.stopWords.push({ text: token.lemma, position: this.position });
    this.prevEndsWithSpace = /\s$/u.test(token.lemma);
  }

  /** A symbol next to a word restricts nothing, as the word is found with and without it. */
  takeSymbol(token: Token): void {
    if (this.phrase === null && !this.isNextNegative)
      this.stopWords.push({ text: token.lemma, position: Math.max(0, this.position), isSymbol: true });
    this.prevEndsWithSpace = false;
  }

  takeSeparator(token: Token): void {
    if (token.kind === 'hardSeparator') {
      this.position += 7;
      if (this.phrase) {
        const { isNegative } = this.phrase;
        this.closePhrase();
        this.openPhrase(isNegative);
      }
    }
    let quoteCount = token.lemma.split('"').length - 1;
    if (quoteCount > 0) {
      if (this.phrase) {
        quoteCount -= 1;
        this.closePhrase();
      }
      if (quoteCount % 2 === 1) this.openPhrase(this.isNextNegative);
    }
    this.isNextNegative = this.phrase === null && token.lemma === '-' && this.prevEndsWithSpace;
    this.prevEndsWithSpace = /\s$/u.test(token.lemma);
  }

  /** An unclosed phrase is dropped once the query has its maximum of terms. */
  dropOpenPhrase(): void {
    this.phrase = null;
  }

  closePhrase(): void {
    const open = this.phrase;
    this.phrase = null;
    if (!open || !open.words.some(isIndexedWord)) return;
    if (open.isNegative) this.negativePhrases.push(open.words);
    else
      this.terms.push({
        kind: 'phrase',
        text: lemmasOf(open.words).join(' '),
        phrase: open.words,
        isPrefix: false,
        startPosition: open.start,
        endPosition: open.end,
      });
  }

  private openPhrase(isNegative: boolean): void {
    this.phrase = { words: [], start: this.position, end: this.position, isNegative };
  }

  private pushToPhrase(lemma: string, isStopWord: boolean): void {
    const open = this.phrase!;
    if (!open.words.some(isIndexedWord)) open.start = this.position;
    open.end = this.position;
    open.words.push(isStopWord ? { stopWord: lemma } : lemma);
  }
}
