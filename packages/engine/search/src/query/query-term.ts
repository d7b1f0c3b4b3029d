import type { Phrase } from './query-terms.js';
import type { LocatedWords } from './typo-words.js';

/** Which expansions of a term are still allowed: a set of these bits. */
export const EXACT = 1;
/** Words that start with it. */
export const PREFIXES = 2;
export const ONE_TYPO = 4;
export const TWO_TYPOS = 8;
export const SYNONYMS = 16;
/** Other words that contain it, in attributes of the setting `substringAttributes`. */
export const INFIXES = 32;
/** No typo: the word itself, prefix words, synonyms. */
export const NO_TYPO = EXACT | PREFIXES | SYNONYMS;
export const ALL_EXPANSIONS = NO_TYPO | ONE_TYPO | TWO_TYPOS | INFIXES;
/** The number of sets: for keys of terms with a set. */
export const SET_COUNT = ALL_EXPANSIONS + 1;
export type ExpansionSet = number;

/** Expansions of a term without a typo. */
export interface PlainExpansion {
  /** The word itself, when it is indexed. */
  readonly exact: string | null;
  /** The prefix, when one list has all words that start with it. */
  readonly prefixTable: string | null;
  readonly prefixWords: readonly string[];
  readonly synonyms: readonly Phrase[];
  /** Whether other words contain it in attributes of the setting `substringAttributes`: one list of each segment has all. */
  readonly hasInfixes: boolean;
}

/** Expansions of a term with a typo. */
export interface MistypedExpansion {
  readonly oneTypo: LocatedWords;
  readonly split: readonly [string, string] | null;
  readonly twoTypos: LocatedWords;
}

export interface TermExpansion extends PlainExpansion {
  /** Those with a typo, which are looked up at the first call, while the view is open: many searches never need them. */
  loadMistyped(): MistypedExpansion;
}

/** A term with its position in the query. Ids number the original terms; an n-gram covers several. Always a literal in this order, as GraphNode is. */
export interface QueryTerm {
  /** Index among all terms of the query, n-grams included: the key of caches. */
  readonly index: number;
  readonly text: string;
  /** The words it was made of: one for a word, several for an n-gram, all words of a phrase. */
  readonly phrase: Phrase;
  readonly kind: 'word' | 'phrase' | 'ngram';
  readonly isPrefix: boolean;
  /** Allowed typos, 0..2. */
  readonly typoBudget: number;
  readonly expansions: TermExpansion;
  readonly firstId: number;
  readonly lastId: number;
  readonly startPosition: number;
  readonly endPosition: number;
}

/** Number of original terms that it covers. */
export const idCount = (term: QueryTerm): number => term.lastId - term.firstId + 1;

/** Single words of an expansion set, without the prefix table and the words that contain the term. */
export function wordsOf(term: QueryTerm, set: ExpansionSet): string[] {
  const { expansions } = term;
  const words: string[] = [];
  if (set & EXACT && expansions.exact !== null && term.kind !== 'phrase') words.push(expansions.exact);
  if (set & PREFIXES) words.push(...expansions.prefixWords);
  for (const mistyped of typoWordsOf(term, set)) words.push(...mistyped.loadTexts());
  return words;
}

/** Phrases of an expansion set: the query's own, synonyms (also of one word), the split pair. */
export function phrasesOf(term: QueryTerm, set: ExpansionSet): Phrase[] {
  const phrases: Phrase[] = [];
  if (set & EXACT && term.kind === 'phrase') phrases.push(term.phrase);
  if (set & SYNONYMS) phrases.push(...term.expansions.synonyms);
  const split = set & ONE_TYPO ? term.expansions.loadMistyped().split : null;
  if (split !== null) phrases.push(split);
  return phrases;
}

/** The mistyped words of an expansion set. */
export function typoWordsOf({ expansions }: QueryTerm, set: ExpansionSet): LocatedWords[] {
  const words: LocatedWords[] = [];
  if (set & ONE_TYPO) words.push(expansions.loadMistyped().oneTypo);
  if (set & TWO_TYPOS) words.push(expansions.loadMistyped().twoTypos);
  return words;
}

/** The greatest number of typos that has an edge. */
export function maxTypoCount(term: QueryTerm, set: ExpansionSet): number {
  if (term.kind === 'phrase') return 0;
  if (term.typoBudget === 0) return 1;
  if (term.typoBudget === 2 && set & TWO_TYPOS) return 2;
  return set & ONE_TYPO ? 1 : 0;
}

/** Whether words that contain it are still allowed, and there are any. */
export const hasInfixes = ({ expansions }: QueryTerm, set: ExpansionSet): boolean =>
  (set & INFIXES) !== 0 && expansions.hasInfixes;

/** Whether the word itself, or the query's phrase, is still allowed and indexed. */
export function hasExact(term: QueryTerm, set: ExpansionSet): boolean {
  return (set & EXACT) !== 0 && (term.kind === 'phrase' || term.expansions.exact !== null);
}
