import type { HeldMemory } from '@fossick/search-memory';
import type { WordTable } from './index-view.js';

/** A word of a dictionary within the typo budget of a query's word. */
export interface FuzzyWord {
  readonly text: string;
  readonly distance: number;
  readonly firstDiffers: boolean;
}

/** An entry of a map with a text of some ten characters; a word found by its typos is an object besides. */
const ORDINAL_BYTES = 64;
const FUZZY_WORD_BYTES = 100;
/** Words of one table that are kept; all are forgotten at once when there are more. */
const ORDINALS_MAX = 20_000;
const FUZZY_WORDS_MAX = 50_000;

/** What was looked up in the dictionaries of a segment, which never change. */
export class SegmentTerms implements HeldMemory {
  readonly kind = 'terms';
  byteCount = 0;
  private readonly ordinals: Readonly<Record<WordTable, Map<string, number>>> = {
    tolerant: new Map(),
    exact: new Map(),
  };
  private readonly fuzzy = new Map<string, readonly FuzzyWord[]>();
  private fuzzyCount = 0;

  /** @param onGrowth is told of every change of `byteCount` */
  constructor(private readonly onGrowth: (bytes: number) => void) {}

  /** The ordinal of a word, -1 where the table lacks it; undefined when it was not looked up. */
  ordinalOf(table: WordTable, word: string): number | undefined {
    return this.ordinals[table].get(word);
  }

  noteOrdinal(table: WordTable, word: string, ordinal: number): void {
    const ordinals = this.ordinals[table];
    const before = ordinals.size;
    if (before >= ORDINALS_MAX) ordinals.clear();
    ordinals.set(word, ordinal);
    this.grow((ordinals.size - before) * ORDINAL_BYTES);
  }

  fuzzyWords(key: string): readonly FuzzyWord[] | undefined {
    return this.fuzzy.get(key);
  }

  noteFuzzyWords(key: string, words: readonly FuzzyWord[]): void {
    const before = this.fuzzyCount;
    if (before > FUZZY_WORDS_MAX) {
      this.fuzzy.clear();
      this.fuzzyCount = 0;
    }
    this.fuzzy.set(key, words);
    this.fuzzyCount += words.length + 1;
    this.grow((this.fuzzyCount - before) * FUZZY_WORD_BYTES);
  }

  free(): void {
    this.ordinals.tolerant.clear();
    this.ordinals.exact.clear();
    this.fuzzy.clear();
  }

  private grow(bytes: number): void {
    this.byteCount += bytes;
    this.onGrowth(bytes);
  }
}
