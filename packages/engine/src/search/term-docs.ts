/**
 * Which documents hold a term, in whole or by place: the only door between the ranking rules and the posting lists.
 * Bitmaps answered here belong to the search and must not be changed by callers.
 */
import type { Kernel, LivePostings, Ptr } from '@fossick/kernel';
import type { IndexView } from '../view/index-view.js';
import type { BitmapPool } from './bitmap-pool.js';
import type { Lexicon, ListsBySegment } from './lexicon.js';
import { type DerivationSet, EXACT, type QueryTerm, ZERO_TYPO, phrasesOf, wordsOf } from './query-term.js';
import type { Phrase } from './query-terms.js';

/** Occurrences of one part of a term, by segment, and the documents that they count in (0: all). */
export interface Occurrences {
  /** Position tables, one a segment (0: none). */
  readonly tables: readonly Ptr[];
  /** For a phrase: documents that hold all of it. */
  readonly within: Ptr;
}

/** Numbers of bucketed positions (spec 10 section 10.2). */
export const POSITION_BUCKETS = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 24, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768, 65536] as const;

export class TermDocs {
  private readonly kernel: Kernel;
  private readonly words = new Map<string, Ptr>();
  private readonly phrases = new Map<string, Ptr>();
  private readonly sets = new Map<number, Ptr>();
  private readonly tables = new Map<string, { readonly universe: Ptr; readonly tables: Ptr[] }>();

  /**
   * @param fields one byte a field id, 1 where the search may look; null when unrestricted
   */
  constructor(
    private readonly view: IndexView,
    private readonly lexicon: Lexicon,
    readonly pool: BitmapPool,
    private readonly fields: { readonly ptr: Ptr; readonly count: number } | null,
  ) {
    this.kernel = view.kernel;
  }

  /** Documents with any of the term's derivations in the set. */
  ofSet(term: QueryTerm, set: DerivationSet): Ptr {
    const key = term.index * 16 + set;
    let docs = this.sets.get(key);
    if (docs === undefined) {
      docs = this.pool.empty();
      for (const lists of this.wordLists(term, set)) this.orLists(docs, lists);
      if (set & ZERO_TYPO && term.derivations.prefixTable !== null)
        this.orLists(docs, this.lexicon.listsOfPrefix(term.derivations.prefixTable));
      for (const phrase of phrasesOf(term, set)) this.kernel.or(docs, this.ofPhrase(phrase));
      this.sets.set(key, docs);
    }
    return docs;
  }

  /** Documents with the word, in either table, where the search may look. */
  ofWord(word: string): Ptr {
    let docs = this.words.get(word);
    if (docs === undefined) {
      docs = this.pool.empty();
      this.orLists(docs, this.lexicon.listsOf(word, false));
      this.words.set(word, docs);
    }
    return docs;
  }

  /** Documents with the phrase (spec 11 section 2.7): all words, and each window of three close together. */
  ofPhrase(phrase: Phrase): Ptr {
    const key = phrase.map((word) => word ?? '').join('\0');
    let docs = this.phrases.get(key);
    if (docs === undefined) {
      docs = this.findPhrase(phrase);
      this.phrases.set(key, docs);
    }
    return docs;
  }

  /** Occurrences of the single words of the set within the universe; with `andPrefixTable` those of the table's words too. */
  wordOccurrences(term: QueryTerm, set: DerivationSet, andPrefixTable: boolean, universe: Ptr): Occurrences {
    const prefix = andPrefixTable && set & ZERO_TYPO ? term.derivations.prefixTable : null;
    const key = `s${term.index}.${set}.${prefix === null ? 0 : 1}`;
    return { tables: this.tablesFor(key, universe, () => [
      ...this.wordLists(term, set),
      ...(prefix === null ? [] : [this.lexicon.listsOfPrefix(prefix)]),
    ]), within: 0 };
  }

  /** Occurrences of one word within the universe. */
  occurrencesOf(word: string, universe: Ptr): readonly Ptr[] {
    return this.tablesFor(`w${word}`, universe, () => [this.lexicon.listsOf(word, false)]);
  }

  /** Occurrences of a phrase's first (or last) word in the documents that hold the phrase; null at a hole. */
  phraseOccurrences(phrase: Phrase, end: 'first' | 'last', universe: Ptr): Occurrences | null {
    const word = end === 'first' ? phrase[0] : phrase.at(-1);
    if (word === null || word === undefined) return null;
    return { tables: this.occurrencesOf(word, universe), within: this.ofPhrase(phrase) };
  }

  /** All parts of a set whose first word has a place: single words (with the prefix table) and phrases by their first word. */
  anchors(term: QueryTerm, set: DerivationSet, universe: Ptr): Occurrences[] {
    const parts = [this.wordOccurrences(term, set, true, universe)];
    for (const phrase of phrasesOf(term, set)) {
      const anchored = phrase.find((word) => word !== null);
      if (anchored == null) continue;
      parts.push({ tables: this.occurrencesOf(anchored, universe), within: this.ofPhrase(phrase) });
    }
    return parts;
  }

  private orLists(target: Ptr, lists: ListsBySegment): void {
    for (const segmentLists of lists)
      for (const list of segmentLists) {
        if (this.fields) this.kernel.orDocsInFields(target, list, this.fields.ptr, this.fields.count);
        else this.kernel.orDocs(target, list);
      }
  }

  /** Typos, and everything of an n-gram, are looked up in the tolerant table alone (spec 11 section 2.2). */
  private wordLists(term: QueryTerm, set: DerivationSet): ListsBySegment[] {
    const isNgram = term.kind === 'ngram';
    const original = wordsOf(term, set & (EXACT | ZERO_TYPO)).map((word) => this.lexicon.listsOf(word, isNgram));
    const derived = wordsOf(term, set & ~(EXACT | ZERO_TYPO)).map((word) => this.lexicon.listsOf(word, true));
    return [...original, ...derived];
  }

  /** Tables gathered for a wider universe serve a narrower one. */
  private tablesFor(key: string, universe: Ptr, lists: () => ListsBySegment[]): readonly Ptr[] {
    const known = this.tables.get(key);
    if (known && this.kernel.intersectionCount(universe, known.universe) === this.kernel.count(universe)) return known.tables;
    const all = lists();
    const kept = known ? this.union(known.universe, universe) : this.pool.copyOf(universe);
    const tables = this.view.segments.map((_, segment) => {
      const ofSegment: LivePostings[] = [];
      for (const bySegment of all) for (const list of bySegment[segment]!) ofSegment.push(list);
      return ofSegment.length === 0 ? 0 : this.kernel.gatherPositions(ofSegment, kept);
    });
    this.tables.set(key, { universe: kept, tables });
    return tables;
  }

  private union(a: Ptr, b: Ptr): Ptr {
    const both = this.pool.copyOf(a);
    this.kernel.or(both, b);
    return both;
  }

  private findPhrase(phrase: Phrase): Ptr {
    const words = phrase.filter((word) => word !== null);
    const docs = this.pool.copyOf(this.ofWord(words[0]!));
    for (const word of words.slice(1)) this.kernel.and(docs, this.ofWord(word));
    const windowSize = Math.min(phrase.length, 3);
    const checked = new Set<string>();
    for (let start = 0; start + windowSize <= phrase.length; start++) {
      for (let i = start; i < start + windowSize; i++)
        for (let j = i + 1; j < start + windowSize; j++) {
          const left = phrase[i];
          const right = phrase[j];
          if (left == null || right == null || checked.has(`${i}.${j}`)) continue;
          checked.add(`${i}.${j}`);
          if (this.kernel.isEmpty(docs)) return docs;
          this.keepNear(docs, left, right, j - i);
        }
    }
    return docs;
  }

  /** docs &= documents where `right` comes within `distance` (1 or 2) after `left`. */
  private keepNear(docs: Ptr, left: string, right: string, distance: number): void {
    const found = [this.pool.empty(), this.pool.empty(), this.pool.empty()] as const;
    const leftTables = this.occurrencesOf(left, docs);
    const rightTables = this.occurrencesOf(right, docs);
    this.view.segments.forEach((_, segment) => {
      const a = leftTables[segment]!;
      const b = rightTables[segment]!;
      if (a === 0 || b === 0) return;
      if (this.view.settings.proximityPrecision === 'byWord') this.kernel.near(a, b, docs, ...found);
      else this.kernel.sameField(a, b, docs, found[0]);
    });
    if (distance === 2) this.kernel.or(found[0], found[1]);
    this.kernel.and(docs, found[0]);
    for (const bitmap of found) this.pool.giveBack(bitmap);
  }
}
