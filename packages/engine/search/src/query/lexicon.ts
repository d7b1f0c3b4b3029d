/**
 * The words of an index as one search sees them: all segments together, each look-up cached. Words are in UTF-8 byte order, as
 * the specification orders them.
 */
import { compareUtf8 } from '@fossick/base';
import type { IndexView } from '@fossick/index';
import type { SegmentPostings, WordTable } from '@fossick/postings';
import { isSubstringField } from '@fossick/settings';
import { MAX_PREFIX_WORDS, MIN_INFIX_CHARS, PREFIX_TABLE_MAX_BYTES, PREFIX_TABLE_MIN_WORDS } from './search-limits.js';
import { ordinalOf } from './word-ordinals.js';

/** The posting lists of a word (or of several) in each segment, by the segment's index in the view. */
export type ListsBySegment = readonly (readonly SegmentPostings[])[];

const BOTH_TABLES: readonly WordTable[] = ['fuzzy', 'exact'];

export class Lexicon {
  private readonly view: IndexView;
  private readonly encoder = new TextEncoder();
  private readonly lists = new Map<string, ListsBySegment>();
  private readonly prefixLists = new Map<string, ListsBySegment>();
  private readonly infixLists = new Map<string, ListsBySegment>();
  /** One byte for each field: whether parts of its words are searched; null without the setting. */
  private readonly infixFields: Uint8Array | null;

  constructor(view: IndexView) {
    this.view = view;
    const { substringAttributes } = view.settings;
    this.infixFields =
      substringAttributes.length === 0
        ? null
        : Uint8Array.from(view.fieldNames, (name) => (isSubstringField(name, view.settings) ? 1 : 0));
  }

  /** Whether some field has typo tolerance disabled: its words are in the exact table. */
  get hasStrictWords(): boolean {
    return this.view.segments.some((segment) => segment.dictionary('exact') !== 0);
  }

  /** Lists of a word; with `fuzzyOnly` those of typo-tolerant fields only. Empty where it is not indexed. */
  listsOf(word: string, fuzzyOnly: boolean): ListsBySegment {
    const key = fuzzyOnly ? `t${word}` : `a${word}`;
    let found = this.lists.get(key);
    if (!found) {
      const tables: readonly WordTable[] = fuzzyOnly ? ['fuzzy'] : BOTH_TABLES;
      found = this.view.segments.map((segment) => {
        const lists: SegmentPostings[] = [];
        for (const table of tables) {
          const ordinal = ordinalOf(this.view.kernel, segment, table, word);
          if (ordinal !== -1) lists.push(segment.postings(table, ordinal));
        }
        return lists;
      });
      this.lists.set(key, found);
    }
    return found;
  }

  isIndexed(word: string, fuzzyOnly: boolean): boolean {
    const { kernel, segments } = this.view;
    const tables: readonly WordTable[] = fuzzyOnly ? ['fuzzy'] : BOTH_TABLES;
    return segments.some((segment) => tables.some((table) => ordinalOf(kernel, segment, table, word) !== -1));
  }

  /** Whether the prefix is short and common enough for one list of all its words. */
  hasPrefixTable(prefix: string): boolean {
    const bytes = this.encoder.encode(prefix);
    if (bytes.length > PREFIX_TABLE_MAX_BYTES) return false;
    let sum = 0;
    for (const [from, to] of this.rangesOf(bytes, 'fuzzy')) {
      if (to - from >= PREFIX_TABLE_MIN_WORDS) return true;
      sum += to - from;
    }
    return (
      sum >= PREFIX_TABLE_MIN_WORDS &&
      this.wordsWithPrefix(bytes, ['fuzzy'], PREFIX_TABLE_MIN_WORDS).length >= PREFIX_TABLE_MIN_WORDS
    );
  }

  /** Lists of every word that starts with the prefix, the prefix itself included. */
  listsOfPrefix(prefix: string): ListsBySegment {
    let found = this.prefixLists.get(prefix);
    if (!found) {
      const bytes = this.encoder.encode(prefix);
      found = this.view.segments.map((segment) => {
        const list = segment.prefixPostings(bytes);
        return list ? [list] : [];
      });
      this.prefixLists.set(prefix, found);
    }
    return found;
  }

  /** Indexed words that start with `prefix` and are longer, the first 1,000 in byte order. */
  prefixWords(prefix: string): string[] {
    const bytes = this.encoder.encode(prefix);
    const words = this.wordsWithPrefix(bytes, BOTH_TABLES, MAX_PREFIX_WORDS + 1).filter((word) => word !== prefix);
    return words.slice(0, MAX_PREFIX_WORDS);
  }

  /**
   * Lists of all other words that contain the text, in attributes of the setting `substringAttributes` only; with `isPrefix` without those that
   * start with it. Empty for texts of less than three characters.
   */
  listsOfInfix(text: string, isPrefix: boolean): ListsBySegment {
    const { infixFields } = this;
    if (infixFields === null || [...text].length < MIN_INFIX_CHARS) return this.view.segments.map(() => []);
    const key = `${isPrefix ? 'p' : 'w'}${text}`;
    let found = this.infixLists.get(key);
    if (!found) {
      found = this.view.segments.map((segment) => {
        const list = segment.infixPostings(text, isPrefix, infixFields);
        return list ? [list] : [];
      });
      this.infixLists.set(key, found);
    }
    return found;
  }

  /** Whether some other word contains the text, as `listsOfInfix` finds them. */
  hasInfixes(text: string, isPrefix: boolean): boolean {
    return this.infixFields !== null && this.listsOfInfix(text, isPrefix).some((lists) => lists.length > 0);
  }

  private wordsWithPrefix(prefix: Uint8Array, tables: readonly WordTable[], limit: number): string[] {
    const found = new Set<string>();
    let sources = 0;
    for (const segment of this.view.segments) {
      for (const table of tables) {
        const dictionary = segment.dictionary(table);
        if (dictionary === 0) continue;
        const [from, to] = this.view.kernel.dictionaries.prefixRange(dictionary, prefix);
        if (to <= from) continue;
        sources += 1;
        for (const word of this.view.kernel.dictionaries.wordsBetween(dictionary, from, Math.min(to, from + limit)))
          found.add(word);
      }
    }
    const words = [...found];
    if (sources > 1) words.sort(compareUtf8);
    return words.slice(0, limit);
  }

  private *rangesOf(prefix: Uint8Array, table: WordTable): Iterable<readonly [number, number]> {
    for (const segment of this.view.segments) {
      const dictionary = segment.dictionary(table);
      if (dictionary !== 0) yield this.view.kernel.dictionaries.prefixRange(dictionary, prefix);
    }
  }
}
