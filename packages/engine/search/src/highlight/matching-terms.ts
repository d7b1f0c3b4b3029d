/** A term of the query as the ranking resolved it: the words and phrases that match it in documents. */
export interface LocatedTerm {
  /** Lemmas that match the term: exactly, as prefixes, and with typos. */
  readonly words: readonly string[];
  /** Sequences of lemmas. */
  readonly phrases: readonly (readonly string[])[];
  /** Query positions covered, inclusive: those of all words of a phrase. */
  readonly firstPosition: number;
  readonly lastPosition: number;
  readonly isPrefix: boolean;
  /** A text that words of attributes of the setting `substringAttributes` match when they contain it; absent or null: none. */
  readonly infix?: string | null;
  /** Its matches are highlighted, but a text is not cropped around them. */
  readonly isStopWord?: boolean;
  /** Code points of the query word as typed. */
  readonly originalWordChars: number;
}

/** A phrase with its term. */
export interface TermPhrase {
  readonly words: readonly string[];
  readonly term: LocatedTerm;
}

/** The terms, indexed for one look-up for each token. */
export interface TermLookup {
  /** The longest first, of equal length those of the terms that precede. */
  readonly phrasesByFirstWord: ReadonlyMap<string, readonly TermPhrase[]>;
  /** Terms that are prefixes, in order of precedence. */
  readonly prefixTerms: readonly PrefixTerm[];
  /** Terms that match words that contain them, in order of precedence. */
  readonly infixTerms: readonly LocatedTerm[];
  /** The term with exactly this lemma, of several the first in order of precedence. */
  readonly termByWord: ReadonlyMap<string, RankedTerm>;
  /** Whether there is nothing to match. */
  readonly isEmpty: boolean;
}
export interface RankedTerm {
  readonly term: LocatedTerm;
  readonly rank: number;
}
export interface PrefixTerm extends RankedTerm {
  /** Indexes of its words, in order. */
  readonly positionByWord: ReadonlyMap<string, number>;
  readonly shortestLength: number;
  readonly longestLength: number;
  /** The first UTF-16 units of its words; NaN of an empty one. */
  readonly firstUnits: ReadonlySet<number>;
}

/** The first of the term's words that the lemma starts with. O(length of the longest word²), however many words there are. */
export function prefixOf(term: PrefixTerm, lemma: string): string | undefined {
  const { positionByWord, shortestLength, longestLength, firstUnits } = term;
  if (shortestLength > 0 && !firstUnits.has(lemma.charCodeAt(0))) return undefined;
  let first: string | undefined;
  let leftmost = Number.POSITIVE_INFINITY;
  const end = Math.min(lemma.length, longestLength);
  for (let length = shortestLength; length <= end; length++) {
    const start = lemma.slice(0, length);
    const position = positionByWord.get(start);
    if (position !== undefined && position < leftmost) [first, leftmost] = [start, position];
  }
  return first;
}

/**
 * Sorts the terms by precedence: exact terms before prefixes, then terms that cover more of the query first. O(words +
 * phrases).
 */
export function lookUpTerms(terms: readonly LocatedTerm[]): TermLookup {
  const ordered = [...terms].sort(
    (left, right) =>
      Number(left.isPrefix) - Number(right.isPrefix) ||
      right.lastPosition - right.firstPosition - (left.lastPosition - left.firstPosition),
  );
  const phrasesByFirstWord = new Map<string, TermPhrase[]>();
  const termByWord = new Map<string, RankedTerm>();
  const prefixTerms: PrefixTerm[] = [];
  const infixTerms = ordered.filter(({ infix }) => infix != null);
  ordered.forEach((term, rank) => {
    for (const words of term.phrases) {
      const first = words[0];
      if (first === undefined) continue;
      const phrases = phrasesByFirstWord.get(first);
      if (phrases === undefined) phrasesByFirstWord.set(first, [{ words, term }]);
      else phrases.push({ words, term });
    }
    for (const word of term.words) if (!termByWord.has(word)) termByWord.set(word, { term, rank });
    if (!term.isPrefix) return;
    const positionByWord = new Map<string, number>();
    term.words.forEach((word, position) => {
      if (!positionByWord.has(word)) positionByWord.set(word, position);
    });
    let [shortestLength, longestLength] = [Number.POSITIVE_INFINITY, 0];
    const firstUnits = new Set<number>();
    for (const word of term.words) {
      shortestLength = Math.min(shortestLength, word.length);
      longestLength = Math.max(longestLength, word.length);
      firstUnits.add(word.charCodeAt(0));
    }
    prefixTerms.push({ term, rank, positionByWord, shortestLength, longestLength, firstUnits });
  });
  for (const phrases of phrasesByFirstWord.values()) phrases.sort((a, b) => b.words.length - a.words.length);
  return {
    phrasesByFirstWord,
    termByWord,
    prefixTerms,
    infixTerms,
    isEmpty: phrasesByFirstWord.size === 0 && termByWord.size === 0 && infixTerms.length === 0,
  };
}
