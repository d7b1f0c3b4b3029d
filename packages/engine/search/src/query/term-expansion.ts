/** Expands parsed terms: exact word, prefix words, typos, synonyms, split pair, and the n-grams of neighbours. */
import { MAX_WORD_BYTES, utf8Length } from '@fossick/base';
import type { IndexView } from '@fossick/index';
import type { HeldMemory, HeldOnDemand } from '@fossick/kernel/memory';
import { isNumeric } from '@fossick/settings';
import type { Lexicon } from './lexicon.js';
import type { MistypedExpansion, PlainExpansion, QueryTerm, TermExpansion } from './query-term.js';
import { isIndexedWord, type ParsedQuery, type ParsedStopWord, type ParsedTerm, type Phrase } from './query-terms.js';
import { MAX_SYNONYM_PHRASES, MAX_SYNONYM_WORDS } from './search-limits.js';
import { SplitWords, type WordPair } from './split-words.js';
import { type SynonymTable, synonymKey } from './synonyms.js';
import { type TypoRules, typoBudget } from './typo-rules.js';
import { findTypoWords, type LocatedWords, NO_WORDS } from './typo-words.js';

const cacheByView = new WeakMap<IndexView, HeldOnDemand<CachedExpansions>>();
const WORD_BYTES = 100;
/** Words of all cached expansions; the cache is cleared when there are more. */
const CACHED_WORDS_MAX = 50_000;
/** Words that an expansion counts as, besides its own. */
const BASE_WORDS = 4;

const NO_TYPOS: MistypedExpansion = { oneTypo: NO_WORDS, split: null, twoTypos: NO_WORDS };

class WordExpansion implements TermExpansion {
  readonly exact: string | null;
  readonly prefixTable: string | null;
  readonly prefixWords: readonly string[];
  readonly synonyms: readonly Phrase[];
  readonly hasInfixes: boolean;
  private readonly findMistyped: () => MistypedExpansion;
  private mistyped: MistypedExpansion | undefined;

  constructor(plain: PlainExpansion, findMistyped: () => MistypedExpansion) {
    this.exact = plain.exact;
    this.prefixTable = plain.prefixTable;
    this.prefixWords = plain.prefixWords;
    this.synonyms = plain.synonyms;
    this.hasInfixes = plain.hasInfixes;
    this.findMistyped = findMistyped;
  }

  /** The same typos with other words besides. */
  with(plain: Partial<PlainExpansion>): WordExpansion {
    return new WordExpansion({ ...this, ...plain }, () => this.loadMistyped());
  }

  loadMistyped(): MistypedExpansion {
    this.mistyped ??= this.findMistyped();
    return this.mistyped;
  }
}

const NOTHING = new WordExpansion(
  { exact: null, prefixTable: null, prefixWords: [], synonyms: [], hasInfixes: false },
  () => NO_TYPOS,
);

export interface ExpansionInputs {
  readonly view: IndexView;
  readonly lexicon: Lexicon;
  readonly synonyms: SynonymTable;
  readonly typos: TypoRules;
}

/** Makes the terms of a query and, after each, the n-grams that end with it. */
export function expandTerms({ terms: parsed, stopWords }: ParsedQuery, inputs: ExpansionInputs): QueryTerm[] {
  const derive = new TermExpander(inputs, stopWords);
  const terms: QueryTerm[] = [];
  parsed.forEach((term, id) => {
    terms.push(derive.single(term, id, terms.length));
    for (const size of [2, 3]) {
      if (id + 1 < size) continue;
      const ngram = derive.ngram(parsed.slice(id + 1 - size, id + 1), id, terms.length);
      if (ngram) terms.push(ngram);
    }
  });
  return terms;
}

class TermExpander {
  private readonly inputs: ExpansionInputs;
  private readonly split: SplitWords;
  /** By position. */
  private readonly stopWords: ReadonlyMap<number, string>;

  constructor(inputs: ExpansionInputs, stopWords: readonly ParsedStopWord[]) {
    this.inputs = inputs;
    this.stopWords = new Map(stopWords.flatMap(({ text, position, isSymbol }) => (isSymbol ? [] : [[position, text]])));
    this.split = new SplitWords(inputs.view);
  }

  single(parsed: ParsedTerm, id: number, index: number): QueryTerm {
    const isPhrase = parsed.kind === 'phrase';
    const budget = isPhrase ? 0 : typoBudget(this.inputs.typos, parsed.text);
    return {
      index,
      text: parsed.text,
      phrase: parsed.phrase,
      kind: parsed.kind,
      isPrefix: parsed.isPrefix,
      typoBudget: budget,
      expansions: isPhrase ? NOTHING : this.wordExpansion(parsed, budget),
      firstId: id,
      lastId: id,
      startPosition: parsed.startPosition,
      endPosition: parsed.endPosition,
    };
  }

  /**
   * The concatenation of neighbours, or null where it is not allowed. Words with stop words between them are not joined: they only may
   * have synonyms.
   */
  ngram(parts: readonly ParsedTerm[], lastId: number, index: number): QueryTerm | null {
    const [first, last] = [parts[0]!, parts.at(-1)!];
    if (parts.some(({ kind }) => kind === 'phrase')) return null;
    const words = parts.map((part) => part.text);
    const text = words.join('');
    const made = (isPrefix: boolean, budget: number, expansions: TermExpansion): QueryTerm => ({
      index,
      text,
      phrase: words,
      kind: 'ngram',
      isPrefix,
      typoBudget: budget,
      expansions,
      firstId: lastId - parts.length + 1,
      lastId,
      startPosition: first.startPosition,
      endPosition: last.endPosition,
    });
    if (last.startPosition - first.startPosition !== parts.length - 1) {
      const typed = this.typedWords(parts);
      const synonyms = typed === null ? [] : this.inputs.synonyms.valuesOf(synonymKey(typed));
      if (synonyms.length === 0) return null;
      return made(false, 0, NOTHING.with({ synonyms }));
    }
    if (utf8Length(text) > MAX_WORD_BYTES) return null;
    const budget = Math.max(0, typoBudget(this.inputs.typos, text) - (parts.length - 1));
    const [left, right, ...others] = words;
    const isPair = budget <= 1 && left !== undefined && right !== undefined && others.length === 0;
    const base = this.ngramExpansion(text, last.isPrefix, budget, isPair ? [left, right] : null);
    const synonyms = [...this.limitedSynonyms([text]), ...this.inputs.synonyms.valuesOf(synonymKey(words))];
    const expansions = synonyms.length === 0 ? base : base.with({ synonyms });
    return made(last.isPrefix, budget, expansions);
  }

  /** The words with the stop words between them; null where something else is between them. */
  private typedWords(parts: readonly ParsedTerm[]): string[] | null {
    const words: string[] = [];
    let position = parts[0]!.startPosition;
    for (const { text, startPosition } of parts) {
      for (; position < startPosition; position++) {
        const stopWord = this.stopWords.get(position);
        if (stopWord === undefined) return null;
        words.push(stopWord);
      }
      words.push(text);
      position += 1;
    }
    return words;
  }

  /** An n-gram does not match numbers where these are taken as they are. */
  private ngramExpansion(text: string, isPrefix: boolean, budget: number, typed: WordPair | null): WordExpansion {
    const base = this.baseExpansion(text, isPrefix, budget, typed);
    if (!this.inputs.typos.skipsNumbers) return base;
    const exact = base.exact !== null && isNumeric(base.exact) ? null : base.exact;
    const { prefixTable, prefixWords } = base;
    const words = prefixTable === null ? prefixWords : this.inputs.lexicon.prefixWords(prefixTable);
    return base.with({ exact, prefixTable: null, prefixWords: words.filter((word) => !isNumeric(word)) });
  }

  private wordExpansion(parsed: ParsedTerm, budget: number): TermExpansion {
    if (utf8Length(parsed.text) > MAX_WORD_BYTES) return NOTHING;
    const base = this.baseExpansion(parsed.text, parsed.isPrefix, budget, null, true);
    const synonyms = this.limitedSynonyms([parsed.text]);
    return synonyms.length === 0 ? base : base.with({ synonyms });
  }

  /**
   * All expansions but synonyms. A word of either table counts as indexed; TermDocs decides in which table documents are looked up. `typed`: a pair that is no split, because
   * it was typed. `isWord`: a word of the query, which is searched within others, and no n-gram.
   */
  private baseExpansion(
    word: string,
    isPrefix: boolean,
    budget: number,
    typed: WordPair | null,
    isWord = false,
  ): WordExpansion {
    const key = `${isWord ? '' : 'j'}${this.inputs.typos.skipsNumbers ? 'n' : ''}${budget}${isPrefix ? 'p' : 'w'}${typed === null ? 0 : typed[0].length} ${word}`;
    const { lexicon, view, typos } = this.inputs;
    const { split } = this;
    return cachedExpansion(view, key, (onWords) => {
      const hasTable = isPrefix && lexicon.hasPrefixTable(word);
      const prefixWords = isPrefix && !hasTable ? lexicon.prefixWords(word) : [];
      onWords(prefixWords.length);
      const plain = {
        exact: lexicon.isIndexed(word, false) ? word : null,
        prefixTable: hasTable ? word : null,
        prefixWords,
        synonyms: [],
        hasInfixes: isWord && lexicon.hasInfixes(word, isPrefix),
      };
      return new WordExpansion(plain, () => {
        const { one, two } = findTypoWords(view, word, budget, isPrefix);
        const kept = (words: LocatedWords): LocatedWords =>
          typos.skipsNumbers ? words.only((other) => !isNumeric(other)) : words;
        const [oneTypo, twoTypos] = [kept(one), kept(two)];
        onWords(oneTypo.length + twoTypos.length);
        return { oneTypo, split: split.bestPair(word, typed), twoTypos };
      });
    });
  }

  private limitedSynonyms(words: readonly string[]): Phrase[] {
    const kept: Phrase[] = [];
    let wordCount = 0;
    for (const phrase of this.inputs.synonyms.valuesOf(synonymKey(words)).slice(0, MAX_SYNONYM_PHRASES)) {
      const count = phrase.filter(isIndexedWord).length;
      if (wordCount + count > MAX_SYNONYM_WORDS) continue;
      wordCount += count;
      kept.push(phrase);
    }
    return kept;
  }
}

/** Cache of the expansions made in a view; common words occur in one query after another. */
class CachedExpansions implements HeldMemory {
  readonly kind = 'terms';
  readonly byKey = new Map<string, object>();
  wordCount = 0;

  get byteCount(): number {
    return this.wordCount * WORD_BYTES;
  }

  free(): void {
    this.byKey.clear();
  }
}

/**
 * The expansions of a word, from the cache or made now. Cached expansions are the same object each time. `derive` says how many words it finds,
 * also later.
 */
function cachedExpansion<T extends object>(
  view: IndexView,
  key: string,
  derive: (onWords: (count: number) => void) => T,
): T {
  const known = loadCache(view);
  const found = known.byKey.get(key);
  if (found !== undefined) return found as T;
  const before = known.byteCount;
  if (known.wordCount > CACHED_WORDS_MAX) {
    known.byKey.clear();
    known.wordCount = 0;
  }
  view.memory.grow('terms', known.byteCount - before);
  const count = (words: number): void => {
    // one that was dropped meanwhile is no longer held
    if (known.byKey.get(key) !== made && made !== undefined) return;
    known.wordCount += words;
    view.memory.grow('terms', words * WORD_BYTES);
  };
  let made: T | undefined;
  count(BASE_WORDS);
  made = derive(count);
  known.byKey.set(key, made);
  return made;
}

function loadCache(view: IndexView): CachedExpansions {
  let cached = cacheByView.get(view);
  if (cached === undefined) {
    cached = view.holdings.onDemand(() => new CachedExpansions());
    cacheByView.set(view, cached);
  }
  return cached.load();
}
