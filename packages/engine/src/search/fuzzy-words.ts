import type { Kernel } from '@fossick/kernel';
import type { SegmentView } from '../view/index-view.js';
import { knownOrdinals, noteOrdinal } from './word-ordinals.js';

/** A word of a dictionary within the typo budget of a query's word. */
export interface FuzzyWord {
  readonly text: string;
  readonly distance: number;
  readonly firstDiffers: boolean;
}

/** What was found in one segment, as long as a thread has it open: its dictionary never changes. */
interface FoundWords {
  readonly byQuery: Map<string, readonly FuzzyWord[]>;
  wordCount: number;
}

const foundBySegment = new WeakMap<SegmentView, FoundWords>();
/** Forgotten all at once when there are more: about 100 bytes each. */
const KEPT_WORDS_MAX = 50_000;

/** Words of a segment's tolerant table within the budget (spec 11 section 2.3), in byte order. */
export function fuzzyWordsOf(
  kernel: Kernel,
  segment: SegmentView,
  word: string,
  budget: 1 | 2,
  isPrefix: boolean,
): readonly FuzzyWord[] {
  const dictionary = segment.dictionary('tolerant');
  if (dictionary === 0) return [];
  const found = foundBySegment.get(segment) ?? { byQuery: new Map(), wordCount: 0 };
  foundBySegment.set(segment, found);
  const key = `${budget}${isPrefix ? 'p' : 'w'}${word}`;
  let words = found.byQuery.get(key);
  if (words === undefined) {
    words = walk(kernel, segment, word, budget, isPrefix);
    if (found.wordCount > KEPT_WORDS_MAX) {
      found.byQuery.clear();
      found.wordCount = 0;
    }
    found.byQuery.set(key, words);
    found.wordCount += words.length + 1;
  }
  return words;
}

function walk(kernel: Kernel, segment: SegmentView, word: string, budget: 1 | 2, isPrefix: boolean): FuzzyWord[] {
  const dictionary = segment.dictionary('tolerant');
  const { ordinals, distances, firstDiffers } = kernel.fuzzyWords(dictionary, word, budget, isPrefix);
  const known = knownOrdinals(segment, 'tolerant');
  return Array.from(ordinals, (ordinal, at) => {
    const text = kernel.wordAt(dictionary, ordinal);
    noteOrdinal(known, text, ordinal);
    return { text, distance: distances[at]!, firstDiffers: firstDiffers[at] === 1 };
  });
}
