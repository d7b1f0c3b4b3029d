import type { Kernel } from '@fossick/kernel';
import type { SegmentView, WordTable } from '../view/index-view.js';

type KnownOrdinals = Readonly<Record<WordTable, Map<string, number>>>;

/** What was looked up in a segment, as long as a thread has it open: its dictionaries never change. */
const knownBySegment = new WeakMap<SegmentView, KnownOrdinals>();
/** Words of one table that are kept; all are forgotten at once when there are more. */
const KEPT_WORDS_MAX = 20_000;

/**
 * The ordinal of a word in a table of the segment, -1 where it is not in there. Typos of common words are asked for again and again, a
 * hundred to a search.
 */
export function ordinalOf(kernel: Kernel, segment: SegmentView, table: WordTable, word: string): number {
  const dictionary = segment.dictionary(table);
  if (dictionary === 0) return -1;
  const ordinals = knownOrdinals(segment, table);
  let ordinal = ordinals.get(word);
  if (ordinal === undefined) {
    ordinal = kernel.findWord(dictionary, word);
    noteOrdinal(ordinals, word, ordinal);
  }
  return ordinal;
}

/** What is known of a table's words, for those who find them on another way. */
export function knownOrdinals(segment: SegmentView, table: WordTable): Map<string, number> {
  let known = knownBySegment.get(segment);
  if (known === undefined) knownBySegment.set(segment, (known = { tolerant: new Map(), exact: new Map() }));
  return known[table];
}

/** Notes a word of a table. */
export function noteOrdinal(ordinals: Map<string, number>, word: string, ordinal: number): void {
  if (ordinals.size >= KEPT_WORDS_MAX) ordinals.clear();
  ordinals.set(word, ordinal);
}
