/**
 * The documents of a term, as a whole or by field and position: the only access of the ranking rules to the posting
 * lists. Returned bitmaps belong to the search and must not be modified by callers.
 */

import type { IndexView } from '@fossick/index';
import type { Bitmap, Kernel, None } from '@fossick/kernel';
import type { Lexicon, ListsBySegment } from '../../query/lexicon.js';
import {
  EXACT,
  type ExpansionSet,
  hasExact,
  hasInfixes,
  INFIXES,
  NO_TYPO,
  ONE_TYPO,
  PREFIXES,
  phrasesOf,
  type QueryTerm,
  SET_COUNT,
  SYNONYMS,
  TWO_TYPOS,
  wordsOf,
} from '../../query/query-term.js';
import { isIndexedWord, type Phrase } from '../../query/query-terms.js';
import { MAX_PREFIX_WORDS } from '../../query/search-limits.js';
import type { BitmapPool } from './bitmap-pool.js';
import type { RestrictedFields } from './field-scope.js';
import { NearWords, type Occurrences } from './near-words.js';
import { PhraseDocs } from './phrase-docs.js';
import { PositionTables } from './position-tables.js';
import { listsOfTerm, orDocsOfTerm } from './set-lists.js';
import { TermPositions } from './term-positions.js';
import { WholePhrases } from './whole-phrases.js';

/** Expansions by their number of typos, and words that contain the term. */
const TYPO_SETS: readonly ExpansionSet[] = [NO_TYPO, ONE_TYPO, TWO_TYPOS, INFIXES];

/** Fewer prefix words are looked up one by one. */
const RANGE_WORDS_MIN = 3;

/** The key of the lists of a set among all lists of a search. */
const listsKey = (term: QueryTerm, set: ExpansionSet, andPrefixTable: boolean, isStrict: boolean): string =>
  `${isStrict ? 'd' : 's'}${term.index}.${set}.${andPrefixTable ? 1 : 0}`;

/**
 * The prefix of the exact word and the prefix words, when these are all words with it: consecutive words of a dictionary are read as one list.
 * Else null.
 */
function wholePrefix({ text, expansions }: QueryTerm, set: ExpansionSet): string | null {
  const { exact, prefixTable, prefixWords } = expansions;
  if ((set & PREFIXES) === 0 || prefixTable !== null || (exact !== null && (set & EXACT) === 0)) return null;
  return prefixWords.length >= RANGE_WORDS_MIN && prefixWords.length < MAX_PREFIX_WORDS ? text : null;
}

type SearchedFields = Pick<RestrictedFields, 'ptr' | 'fuzzyPtr' | 'count' | 'names'>;

export class TermDocs {
  private readonly view: IndexView;
  private readonly lexicon: Lexicon;
  readonly pool: BitmapPool;
  private readonly fields: SearchedFields | null;
  private readonly kernel: Kernel;
  private readonly words = new Map<string, Bitmap>();
  private readonly phrases = new Map<string, Bitmap>();
  private readonly sets = new Map<number, Bitmap>();
  private readonly possible: (ExpansionSet | undefined)[] = [];
  private readonly possibleTypos: (ExpansionSet | undefined)[] = [];
  private readonly occurrences = new Map<string, ListsBySegment>();
  private isSettled = false;
  /** Look-ups by field and position. */
  readonly positions: TermPositions;
  /** Made with the first phrase. */
  private phraseDocs: PhraseDocs | undefined;
  /** Made with the first phrase with stop words. */
  private whole: WholePhrases | undefined;
  /** The documents in which phrases with stop words are looked for; 0: all. */
  private read: Bitmap | None = 0;
  /** Queries about neighbouring words. */
  readonly near: NearWords;

  /**
   * @param fields the fields to search; null when unrestricted
   */
  constructor(view: IndexView, lexicon: Lexicon, pool: BitmapPool, fields: SearchedFields | null) {
    this.view = view;
    this.lexicon = lexicon;
    this.pool = pool;
    this.fields = fields;
    this.kernel = view.kernel;
    const tables = new PositionTables(pool);
    this.near = new NearWords(view, pool, tables);
    this.positions = new TermPositions(pool, tables);
  }

  /** Ends the time for finding documents: from then on lookups return only what was found before. */
  settle(): void {
    this.isSettled = true;
  }

  /** Documents with any of the term's expansions in the set. */
  ofSet(term: QueryTerm, requested: ExpansionSet): Bitmap {
    const set = requested & this.possibleSet(term, requested);
    const key = term.index * SET_COUNT + set;
    let docs = this.sets.get(key);
    if (docs === undefined) {
      docs = this.findSet(term, set, key);
      this.sets.set(key, docs);
    }
    return docs;
  }

  /** Documents of each number of typos are looked up once and shared by all sets that contain it. */
  private findSet(term: QueryTerm, set: ExpansionSet, key: number): Bitmap {
    const parts = TYPO_SETS.filter((part) => (set & part) !== 0);
    if (parts.length > 1) {
      const docs = this.pool.copyOf(this.ofSet(term, set & parts[0]!));
      for (const part of parts.slice(1)) this.kernel.bitmaps.or(docs, this.ofSet(term, set & part));
      return docs;
    }
    const docs = this.pool.empty();
    this.sets.set(key, docs); // what was found stays cached when the deadline passes meanwhile
    if (this.isSettled) return docs;
    if (set === INFIXES) this.orLists(docs, this.lexicon.listsOfInfix(term.text, term.isPrefix));
    else if (this.fields && this.lexicon.hasStrictWords) this.orRestricted(docs, this.fields, term, set);
    else if ((set & NO_TYPO) === 0 && this.fields === null) this.orMistyped(docs, term, set);
    else this.orLists(docs, this.listsOfSet(term, set, true, true));
    for (const phrase of phrasesOf(term, set)) this.kernel.bitmaps.or(docs, this.ofPhrase(phrase));
    return docs;
  }

  /** Documents of the typo expansions, which are rarely needed otherwise. */
  private orMistyped(target: Bitmap, term: QueryTerm, set: ExpansionSet): void {
    orDocsOfTerm(this.view, term, { set, covered: null, isStrict: true }, target);
  }

  /** The expansions that a term has. Those with typos are looked up only when they are asked for. */
  private possibleSet(term: QueryTerm, requested: ExpansionSet): ExpansionSet {
    const { index, expansions } = term;
    let set = this.possible[index];
    if (set === undefined) {
      set = hasExact(term, EXACT) ? EXACT : 0;
      if (expansions.prefixTable !== null || expansions.prefixWords.length > 0) set |= PREFIXES;
      if (expansions.synonyms.length > 0) set |= SYNONYMS;
      if (expansions.hasInfixes) set |= INFIXES;
      this.possible[index] = set;
    }
    if ((requested & (ONE_TYPO | TWO_TYPOS)) === 0) return set;
    let mistyped = this.possibleTypos[index];
    if (mistyped === undefined) {
      const { oneTypo, split, twoTypos } = expansions.loadMistyped();
      mistyped = split !== null || oneTypo.length > 0 ? ONE_TYPO : 0;
      if (twoTypos.length > 0) mistyped |= TWO_TYPOS;
      this.possibleTypos[index] = mistyped;
    }
    return set | mistyped;
  }

  /** Documents with the word, in either table, in the searched fields. */
  ofWord(word: string): Bitmap {
    let docs = this.words.get(word);
    if (docs === undefined) {
      docs = this.pool.empty();
      this.words.set(word, docs);
      if (!this.isSettled) this.orLists(docs, this.lexicon.listsOf(word, false));
    }
    return docs;
  }

  /** Documents with the phrase: all words, and each window of three close together. */
  ofPhrase(phrase: Phrase): Bitmap {
    const key = phrase.map((word) => (isIndexedWord(word) ? word : `\0${word.stopWord}`)).join('\0');
    let docs = this.phrases.get(key);
    if (docs === undefined) {
      if (this.isSettled || !phrase.every(isIndexedWord)) {
        docs = this.pool.empty();
        this.phrases.set(key, docs); // what was read stays when the deadline passes meanwhile
        if (!this.isSettled) this.findPhrase(phrase, docs);
      } else {
        docs = this.findPhrase(phrase);
        this.phrases.set(key, docs);
      }
    }
    return docs;
  }

  /** Adds the documents with a phrase, or a word. Nothing is kept: excluded words may be many. */
  orPhrase(target: Bitmap, phrase: Phrase): void {
    const [word] = phrase;
    if (phrase.length === 1 && isIndexedWord(word)) return this.orLists(target, this.lexicon.listsOf(word, false));
    const found = this.findPhrase(phrase);
    this.kernel.bitmaps.or(target, found);
    this.pool.release(found);
    for (const docs of this.words.values()) this.pool.release(docs);
    this.words.clear();
  }

  /** From now on, only these documents are read to look for a phrase with stop words. */
  limitReading(universe: Bitmap): void {
    this.read = this.pool.copyOf(universe);
  }

  /** `target`: what to add the documents of a phrase with stop words to. */
  private findPhrase(phrase: Phrase, target?: Bitmap): Bitmap {
    this.phraseDocs ??= new PhraseDocs(this.view, this, this.fields !== null);
    const candidates = this.phraseDocs.find(phrase);
    if (phrase.every(isIndexedWord)) return candidates;
    if (this.read !== 0) this.kernel.bitmaps.and(candidates, this.read);
    this.whole ??= new WholePhrases(this.view, this.pool, this.fields?.names ?? null);
    const found = target ?? this.pool.empty();
    this.whole.orDocs(found, phrase, candidates);
    this.pool.release(candidates);
    return found;
  }

  /**
   * Occurrences of the single words of the set in any field; with `andPrefixTable` those of the table's words too. Positions are stored by
   * word, so typos count here also in fields without typo tolerance.
   */
  wordOccurrences(term: QueryTerm, requested: ExpansionSet, andPrefixTable: boolean): Occurrences {
    const set = requested & this.possibleSet(term, requested);
    const key = listsKey(term, set, andPrefixTable, false);
    return { key, lists: this.listsOfSet(term, set, andPrefixTable, false), within: 0 };
  }

  /** Occurrences of one word, in these documents alone unless they are 0. */
  occurrencesOf(word: string, within: Bitmap | None = 0): Occurrences {
    const key = `w${word}`;
    return { key, lists: this.listsFor(key, () => [this.lexicon.listsOf(word, false)]), within };
  }

  /** Occurrences of a phrase's first (or last) word in the documents that contain the phrase; null at a hole. */
  phraseOccurrences(phrase: Phrase, end: 'first' | 'last'): Occurrences | null {
    const word = end === 'first' ? phrase[0] : phrase.at(-1);
    if (!isIndexedWord(word)) return null;
    return this.occurrencesOf(word, this.ofPhrase(phrase));
  }

  /**
   * All parts of a set whose first word has positions: single words (with the prefix table) and phrases by their first word.
   */
  anchors(term: QueryTerm, set: ExpansionSet): Occurrences[] {
    const parts = [this.wordOccurrences(term, set, true)];
    for (const phrase of phrasesOf(term, set)) {
      const anchored = phrase.find(isIndexedWord)!;
      parts.push(this.occurrencesOf(anchored, this.ofPhrase(phrase)));
    }
    return parts;
  }

  /**
   * A restricted search tests the fields of occurrences, and skips fields without typo tolerance for typos, instead of using the fuzzy
   * table (recorded behaviour).
   */
  private orRestricted(
    target: Bitmap,
    fields: Pick<RestrictedFields, 'fuzzyPtr' | 'count'>,
    term: QueryTerm,
    set: ExpansionSet,
  ): void {
    const covered = set & PREFIXES ? term.expansions.prefixTable : null;
    if (covered !== null) this.orLists(target, this.lexicon.listsOfPrefix(covered));
    const add = (words: readonly string[], fuzzyOnly: boolean): void => {
      for (const word of words) {
        const lists = this.lexicon.listsOf(word, false);
        if (!fuzzyOnly) this.orLists(target, lists);
        else
          for (const list of lists.flat())
            this.kernel.lists.orDocsInFields(target, list, fields.fuzzyPtr, fields.count);
      }
    };
    add(wordsOf(term, set & NO_TYPO), term.kind === 'ngram');
    add(wordsOf(term, set & ~NO_TYPO), true);
  }

  private orLists(target: Bitmap, lists: ListsBySegment): void {
    for (const ofSegment of lists) {
      if (this.fields) {
        for (const list of ofSegment)
          this.kernel.lists.orDocsInFields(target, list, this.fields.ptr, this.fields.count);
        continue;
      }
      const walked = ofSegment.filter((list) => !list.orDocs(target));
      if (walked.length > 0) this.kernel.lists.orListsDocs(target, walked);
    }
  }

  /** Lists of the set's single words, without those that the prefix table covers. With `isStrict` typos, and all words of an n-gram, only from the fuzzy table. */
  private listsOfSet(term: QueryTerm, set: ExpansionSet, andPrefixTable: boolean, isStrict: boolean): ListsBySegment {
    const table = andPrefixTable && set & PREFIXES ? term.expansions.prefixTable : null;
    const covered = table ?? (isStrict && term.kind === 'ngram' ? null : wholePrefix(term, set));
    return this.listsFor(listsKey(term, set, andPrefixTable, isStrict), () => {
      const found = [listsOfTerm(this.view, term, { set, covered, isStrict })];
      if (covered !== null) found.push(this.lexicon.listsOfPrefix(covered));
      if (hasInfixes(term, set)) found.push(this.lexicon.listsOfInfix(term.text, term.isPrefix));
      return found;
    });
  }

  /** All lists of each segment in one array, made once. */
  private listsFor(key: string, find: () => readonly ListsBySegment[]): ListsBySegment {
    let found = this.occurrences.get(key);
    if (!found) {
      const all = find();
      found =
        all.length === 1
          ? all[0]!
          : this.view.segments.map((_, segment) => all.flatMap((bySegment) => bySegment[segment]!));
      this.occurrences.set(key, found);
    }
    return found;
  }
}
