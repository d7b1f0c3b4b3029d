import type { Ptr } from '@fossick/kernel';
import {
  type DerivationSet,
  type Derivations,
  type ListsBySegment,
  NO_TYPO,
  ordinalOf,
  type PlacedWords,
  type QueryTerm,
  typoWordsOf,
  wordsOf,
} from '@fossick/query';
import type { IndexView, SegmentView } from '@fossick/views';

/** By segment: the lists of a set's words, each twice its ordinal, plus one in the table of exact words. */
type ListNumbers = readonly (readonly number[])[];

/** Derivations are kept as long as their view (known-derivations.ts), and so are the numbers of their lists. Those that derive nothing are of no view. */
const numbersByView = new WeakMap<IndexView, WeakMap<Derivations, Map<number, ListNumbers>>>();

/** Which of a term's lists are wanted. */
export interface WantedLists {
  readonly set: DerivationSet;
  /** Words that start with it are left out. */
  readonly covered: string | null;
  /** Typos, and everything of an n-gram, are looked up in the tolerant table alone. */
  readonly isStrict: boolean;
}

/** Lists of the single words of a term. A hundred words are looked up by name once, and by number from then on. */
export function listsOfTerm(view: IndexView, term: QueryTerm, wanted: WantedLists): ListsBySegment {
  const numbers = listNumbers(view, term, wanted);
  return view.segments.map((segment, at) =>
    numbers[at]!.map((number) => segment.postings((number & 1) === 1 ? 'exact' : 'tolerant', number >>> 1)),
  );
}

/** target |= live documents of the term's single words: for what is asked of their lists once, if at all. */
export function orDocsOfTerm(view: IndexView, term: QueryTerm, wanted: WantedLists, target: Ptr): void {
  const numbers = listNumbers(view, term, wanted);
  for (const [at, segment] of view.segments.entries())
    for (const [bit, table] of TABLES_BY_BIT) {
      const ordinals = numbers[at]!.filter((number) => (number & 1) === bit).map((number) => number >>> 1);
      if (ordinals.length > 0)
        segment.orWords(
          target,
          table,
          ordinals.sort((a, b) => a - b),
        );
    }
}

const TABLES_BY_BIT = [
  [0, 'tolerant'],
  [1, 'exact'],
] as const;

function listNumbers(view: IndexView, term: QueryTerm, { set, covered, isStrict }: WantedLists): ListNumbers {
  const known = knownNumbers(view, term.derivations);
  const isNgram = term.kind === 'ngram';
  const key = (set << 3) | (covered === null ? 0 : 4) | (isStrict ? 2 : 0) | (isNgram ? 1 : 0);
  let numbers = known.get(key);
  if (numbers === undefined) {
    const words = wordsOf(term, set & NO_TYPO);
    const plain = covered === null ? words : words.filter((word) => !word.startsWith(covered));
    // words that start with what is covered have no typo: it is the query's word, which is a prefix then
    const mistyped = typoWordsOf(term, set);
    numbers = view.segments.map((segment, at) => [
      ...numbersOf(view, segment, plain, isStrict && isNgram),
      ...mistyped.flatMap((placed) => placedNumbers(view, segment, at, placed, isStrict)),
    ]);
    known.set(key, numbers);
  }
  return numbers;
}

function knownNumbers(view: IndexView, derivations: Derivations): Map<number, ListNumbers> {
  let ofView = numbersByView.get(view);
  if (ofView === undefined) {
    ofView = new WeakMap();
    numbersByView.set(view, ofView);
  }
  let known = ofView.get(derivations);
  if (known === undefined) {
    known = new Map();
    ofView.set(derivations, known);
  }
  return known;
}

function placedNumbers(
  view: IndexView,
  segment: SegmentView,
  segmentAt: number,
  words: PlacedWords,
  tolerantOnly: boolean,
): number[] {
  const numbers = words.ordinalsIn(segmentAt).map((ordinal) => ordinal * 2);
  if (tolerantOnly || segment.dictionary('exact') === 0) return numbers;
  for (const word of words.texts) {
    const exact = ordinalOf(view.kernel, segment, 'exact', word);
    if (exact >= 0) numbers.push(exact * 2 + 1);
  }
  return numbers;
}

function numbersOf(view: IndexView, segment: SegmentView, words: readonly string[], tolerantOnly: boolean): number[] {
  const numbers: number[] = [];
  const hasExact = !tolerantOnly && segment.dictionary('exact') !== 0;
  for (const word of words) {
    const tolerant = ordinalOf(view.kernel, segment, 'tolerant', word);
    if (tolerant >= 0) numbers.push(tolerant * 2);
    if (!hasExact) continue;
    const exact = ordinalOf(view.kernel, segment, 'exact', word);
    if (exact >= 0) numbers.push(exact * 2 + 1);
  }
  return numbers;
}
