import type { TermOrdinal } from '@fossick/base';
import type { HeldMemory } from '@fossick/kernel/memory';

/** Rough bytes of a map entry with a text of some ten characters. */
const ORDINAL_BYTES = 64;
/** Words cached for one table; the cache is cleared when there are more. */
const ORDINALS_MAX = 20_000;

/** Cache of dictionary lookups of a segment. Dictionaries never change, so entries never expire. */
export class SegmentTerms implements HeldMemory {
  private readonly onGrowth: (bytes: number) => void;
  readonly kind = 'terms';
  byteCount = 0;
  private readonly ordinals: Readonly<Record<WordTable, Map<string, TermOrdinal | -1>>> = {
    fuzzy: new Map(),
    exact: new Map(),
  };

  /**
   * @param onGrowth called with every change of `byteCount`
   */
  constructor(onGrowth: (bytes: number) => void) {
    this.onGrowth = onGrowth;
  }

  /** The ordinal of a word, -1 when the table lacks it; undefined when it is not cached. */
  ordinalOf(table: WordTable, word: string): TermOrdinal | -1 | undefined {
    return this.ordinals[table].get(word);
  }

  noteOrdinal(table: WordTable, word: string, ordinal: TermOrdinal | -1): void {
    const ordinals = this.ordinals[table];
    const before = ordinals.size;
    if (before >= ORDINALS_MAX) ordinals.clear();
    ordinals.set(word, ordinal);
    this.grow((ordinals.size - before) * ORDINAL_BYTES);
  }

  free(): void {
    this.ordinals.fuzzy.clear();
    this.ordinals.exact.clear();
  }

  private grow(bytes: number): void {
    this.byteCount += bytes;
    this.onGrowth(bytes);
  }
}

/** The word tables: words of typo-tolerant fields, and words that match exactly only. */
export type WordTable = 'fuzzy' | 'exact';
