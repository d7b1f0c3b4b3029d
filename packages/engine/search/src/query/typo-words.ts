import type { TermOrdinal } from '@fossick/base';
import type { IndexView } from '@fossick/index';
import type { FuzzyWords } from '@fossick/kernel';

/** Words of the fuzzy dictionaries within the typo budget of a query word. */
export interface TypoWords {
  readonly one: LocatedWords;
  readonly two: LocatedWords;
}

/**
 * Words of a view by their ordinals in its dictionaries, in byte order. Documents are looked up by ordinal: a search seldom needs the texts,
 * which are made on demand while the view is open.
 */
export class LocatedWords {
  private readonly view: Pick<IndexView, 'kernel' | 'segments'> | null;
  private readonly ordinals: Int32Array;
  readonly length: number;
  private known: readonly string[] | undefined;

  /**
   * @param ordinals a row of ordinals for each word, one for each segment of the view, -1 where the segment lacks the
   *   word
   */
  constructor(view: Pick<IndexView, 'kernel' | 'segments'> | null, ordinals: Int32Array, length: number) {
    this.view = view;
    this.ordinals = ordinals;
    this.length = length;
  }

  /** The texts of the words. O(words) look-ups at the first call. */
  loadTexts(): readonly string[] {
    this.known ??= this.view === null ? [] : this.findTexts(this.view);
    return this.known;
  }

  /** Ordinals of the words that a segment of the view has. O(words). */
  ordinalsIn(segmentAt: number): TermOrdinal[] {
    const ordinals: TermOrdinal[] = [];
    const width = this.width;
    for (let at = segmentAt; at < this.ordinals.length; at += width) {
      const ordinal = this.ordinals[at] as TermOrdinal | -1;
      if (ordinal !== -1) ordinals.push(ordinal);
    }
    return ordinals;
  }

  /** Those of the words that pass. O(words) look-ups. */
  only(passes: (word: string) => boolean): LocatedWords {
    const kept = this.loadTexts().flatMap((word, at) => (passes(word) ? [at] : []));
    if (kept.length === this.length) return this;
    const { width } = this;
    const ordinals = kept.flatMap((at) => [...this.ordinals.subarray(at * width, (at + 1) * width)]);
    return new LocatedWords(this.view, Int32Array.from(ordinals), kept.length);
  }

  private get width(): number {
    return this.view?.segments.length ?? 0;
  }

  private findTexts({ kernel, segments }: Pick<IndexView, 'kernel' | 'segments'>): readonly string[] {
    return Array.from({ length: this.length }, (_, word) => {
      const start = word * segments.length;
      const segmentAt = segments.findIndex((_segment, at) => this.ordinals[start + at]! >= 0);
      const ordinal = this.ordinals[start + segmentAt] as TermOrdinal;
      return kernel.dictionaries.wordAt(segments[segmentAt]!.dictionary('fuzzy'), ordinal);
    });
  }
}

export const NO_WORDS = new LocatedWords(null, new Int32Array(0), 0);
const NO_TYPO_WORDS: TypoWords = { one: NO_WORDS, two: NO_WORDS };

/** Words within the typo budget, with separate limits for one and for two typos. */
export function findTypoWords(view: IndexView, word: string, budget: number, isPrefix: boolean): TypoWords {
  if (budget === 0) return NO_TYPO_WORDS;
  const dictionaries = view.segments.map((segment) => segment.dictionary('fuzzy'));
  const found = view.kernel.dictionaries.fuzzyWordsOfAll(dictionaries, word, budget === 1 ? 1 : 2, isPrefix);
  const { oneCount, twoCount, ordinals }: FuzzyWords = found;
  const end = oneCount * dictionaries.length;
  return {
    one: oneCount === 0 ? NO_WORDS : new LocatedWords(view, ordinals.subarray(0, end), oneCount),
    two: twoCount === 0 ? NO_WORDS : new LocatedWords(view, ordinals.subarray(end), twoCount),
  };
}
