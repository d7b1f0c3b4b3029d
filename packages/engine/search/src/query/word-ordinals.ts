import type { TermOrdinal } from '@fossick/base';
import type { SegmentView } from '@fossick/index';
import type { Kernel } from '@fossick/kernel';
import type { WordTable } from '@fossick/postings';

/**
 * The ordinal of a word in a table of the segment, -1 when it is missing. Cached, because typos of common words are looked up
 * repeatedly, about a hundred in a search.
 */
export function ordinalOf(kernel: Kernel, segment: SegmentView, table: WordTable, word: string): TermOrdinal | -1 {
  const terms = segment.loadTerms();
  let ordinal = terms.ordinalOf(table, word);
  if (ordinal === undefined) {
    const dictionary = segment.dictionary(table);
    ordinal = dictionary === 0 ? -1 : kernel.dictionaries.find(dictionary, word);
    terms.noteOrdinal(table, word, ordinal);
  }
  return ordinal;
}
