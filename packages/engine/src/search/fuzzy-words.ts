import type { Kernel } from '@fossick/kernel';
import type { SegmentView } from '../view/index-view.js';
import type { FuzzyWord } from '../view/segment-terms.js';

/** Words of a segment's tolerant table within the budget (spec 11 section 2.3), in byte order. */
export function fuzzyWordsOf(
  kernel: Kernel,
  segment: SegmentView,
  word: string,
  budget: 1 | 2,
  isPrefix: boolean,
): readonly FuzzyWord[] {
  if (segment.dictionary('tolerant') === 0) return [];
  const { terms } = segment;
  const key = `${budget}${isPrefix ? 'p' : 'w'}${word}`;
  let words = terms.fuzzyWords(key);
  if (words === undefined) {
    words = walk(kernel, segment, word, budget, isPrefix);
    terms.noteFuzzyWords(key, words);
  }
  return words;
}

function walk(kernel: Kernel, segment: SegmentView, word: string, budget: 1 | 2, isPrefix: boolean): FuzzyWord[] {
  const dictionary = segment.dictionary('tolerant');
  const { ordinals, distances, firstDiffers } = kernel.fuzzyWords(dictionary, word, budget, isPrefix);
  const { terms } = segment;
  return Array.from(ordinals, (ordinal, at) => {
    const text = kernel.wordAt(dictionary, ordinal);
    terms.noteOrdinal('tolerant', text, ordinal);
    return { text, distance: distances[at]!, firstDiffers: firstDiffers[at] === 1 };
  });
}
