/** A term of the query as the ranking resolved it: what it stands for in the texts of documents (spec 13 section 3). */
export interface LocatedTerm {
  /** Lemmas that stand for the term: exact, prefixes of, and with typos. */
  readonly words: readonly string[];
  /** Lemmas in a row; null is the hole of a stop word, which no token of a formatted text fills. */
  readonly phrases: readonly (readonly (string | null)[])[];
  /** Query positions covered, both included: those of all words of a phrase. */
  readonly firstPosition: number;
  readonly lastPosition: number;
  readonly isPrefix: boolean;
  /** Code points of the query word as typed. */
  readonly originalWordChars: number;
}

/** A phrase with the term it came from. */
export interface TermPhrase {
  readonly words: readonly (string | null)[];
  readonly term: LocatedTerm;
}

/** The terms made ready for one look-up a token. */
export interface TermLookup {
  readonly phrasesByFirstWord: ReadonlyMap<string, readonly TermPhrase[]>;
  /** In order of precedence. */
  readonly rankedTerms: readonly RankedTerm[];
  /** Lowest rank of a term that has exactly this lemma. */
  readonly rankByWord: ReadonlyMap<string, number>;
  /** Is there nothing to look for? */
  readonly isEmpty: boolean;
}
export interface RankedTerm {
  readonly term: LocatedTerm;
  readonly rank: number;
}

/**
 * Puts the terms in order of precedence: terms that are no prefix first, then those that cover more of the query.
 * O(words + phrases).
 */
export function lookUpTerms(terms: readonly LocatedTerm[]): TermLookup {
  const ordered = [...terms].sort(
    (left, right) =>
      Number(left.isPrefix) - Number(right.isPrefix) ||
      right.lastPosition - right.firstPosition - (left.lastPosition - left.firstPosition),
  );
  const phrasesByFirstWord = new Map<string, TermPhrase[]>();
  const rankByWord = new Map<string, number>();
  ordered.forEach((term, rank) => {
    for (const words of term.phrases) {
      const first = words[0];
      if (first === undefined || first === null) continue;
      const phrases = phrasesByFirstWord.get(first);
      if (phrases === undefined) phrasesByFirstWord.set(first, [{ words, term }]);
      else phrases.push({ words, term });
    }
    for (const word of term.words) if (!rankByWord.has(word)) rankByWord.set(word, rank);
  });
  return {
    phrasesByFirstWord,
    rankByWord,
    rankedTerms: ordered.map((term, rank) => ({ term, rank })),
    isEmpty: phrasesByFirstWord.size === 0 && rankByWord.size === 0,
  };
}
