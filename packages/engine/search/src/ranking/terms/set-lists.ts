import type { TermOrdinal } from '@fossick/base';
import type { IndexView, SegmentView } from '@fossick/index';
import type { Bitmap } from '@fossick/kernel';
import type { ListsBySegment } from '../../query/lexicon.js';
import {
  type ExpansionSet,
  NO_TYPO,
  type QueryTerm,
  type TermExpansion,
  typoWordsOf,
  wordsOf,
} from '../../query/query-term.js';
import type { LocatedWords } from '../../query/typo-words.js';
import { ordinalOf } from '../../query/word-ordinals.js';

/** By segment: the lists of a set's words, each as twice its ordinal, plus one in the exact table. */
type ListNumbers = readonly (readonly number[])[];

/**
 * Expansions are cached as long as their view (expansion-cache.ts), and so are the numbers of their lists. An empty one belongs to no view and is shared.
 */
const numbersByView = new WeakMap<IndexView, WeakMap<TermExpansion, Map<number, ListNumbers>>>();

/** Selects lists of a term. */
export interface WantedLists {
  readonly set: ExpansionSet;
  /** Words that start with it are left out. */
  readonly covered: string | null;
  /** Typos, and all words of an n-gram, are looked up in the fuzzy table only. */
  readonly isStrict: boolean;
}

/** Lists of the single words of a term. Words are looked up by name once, and by number from then on. */
export function listsOfTerm(view: IndexView, term: QueryTerm, wanted: WantedLists): ListsBySegment {
  const numbers = listNumbers(view, term, wanted);
  return view.segments.map((segment, at) =>
    numbers[at]!.map((number) =>
      segment.postings((number & 1) === 1 ? 'exact' : 'fuzzy', (number >>> 1) as TermOrdinal),
    ),
  );
}

/** target |= live documents of the term's single words: for lists that are needed once at most. */
export function orDocsOfTerm(view: IndexView, term: QueryTerm, wanted: WantedLists, target: Bitmap): void {
  const numbers = listNumbers(view, term, wanted);
  for (const [at, segment] of view.segments.entries())
    for (const [bit, table] of TABLES_BY_BIT) {
      const ordinals = numbers[at]!.filter((number) => (number & 1) === bit).map(
        (number) => (number >>> 1) as TermOrdinal,
      );
      if (ordinals.length > 0)
        segment.orWords(
          target,
          table,
          ordinals.sort((a, b) => a - b),
        );
    }
}

const TABLES_BY_BIT = [
  [0, 'fuzzy'],
  [1, 'exact'],
] as const;

function listNumbers(view: IndexView, term: QueryTerm, { set, covered, isStrict }: WantedLists): ListNumbers {
  const known = cachedNumbers(view, term.expansions);
  const isNgram = term.kind === 'ngram';
  const key = (set << 3) | (covered === null ? 0 : 4) | (isStrict ? 2 : 0) | (isNgram ? 1 : 0);
  let numbers = known.get(key);
  if (numbers === undefined) {
    const words = wordsOf(term, set & NO_TYPO);
    const plain = covered === null ? words : words.filter((word) => !word.startsWith(covered));
    // words that start with the covered prefix have no typo: the query's word is then a prefix itself
    const mistyped = typoWordsOf(term, set);
    numbers = view.segments.map((segment, at) => [
      ...numbersOf(view, segment, plain, isStrict && isNgram),
      ...mistyped.flatMap((located) => locatedNumbers(view, segment, at, located, isStrict)),
    ]);
    known.set(key, numbers);
  }
  return numbers;
}

function cachedNumbers(view: IndexView, expansions: TermExpansion): Map<number, ListNumbers> {
  let ofView = numbersByView.get(view);
  if (ofView === undefined) {
    ofView = new WeakMap();
    numbersByView.set(view, ofView);
  }
  let known = ofView.get(expansions);
  if (known === undefined) {
    known = new Map();
    ofView.set(expansions, known);
  }
  return known;
}

function locatedNumbers(
  view: IndexView,
  segment: SegmentView,
  segmentAt: number,
  words: LocatedWords,
  fuzzyOnly: boolean,
): number[] {
  const numbers = words.ordinalsIn(segmentAt).map((ordinal) => ordinal * 2);
  if (fuzzyOnly || segment.dictionary('exact') === 0) return numbers;
  for (const word of words.loadTexts()) {
    const exact = ordinalOf(view.kernel, segment, 'exact', word);
    if (exact >= 0) numbers.push(exact * 2 + 1);
  }
  return numbers;
}

function numbersOf(view: IndexView, segment: SegmentView, words: readonly string[], fuzzyOnly: boolean): number[] {
  const numbers: number[] = [];
  const hasExact = !fuzzyOnly && segment.dictionary('exact') !== 0;
  for (const word of words) {
    const fuzzy = ordinalOf(view.kernel, segment, 'fuzzy', word);
    if (fuzzy >= 0) numbers.push(fuzzy * 2);
    if (!hasExact) continue;
    const exact = ordinalOf(view.kernel, segment, 'exact', word);
    if (exact >= 0) numbers.push(exact * 2 + 1);
  }
  return numbers;
}
