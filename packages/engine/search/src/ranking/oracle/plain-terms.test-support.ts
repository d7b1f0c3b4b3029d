/** The oracle's terms: the expansions of each query word, found by comparing it with every word of the index. */
import { isIndexedWord, lemmasOf, type Phrase, parseQuery } from '../../query/query-terms.js';
import { docsWhere, isOccurrenceOf, nearness, type PlainIndex, withinWord } from './plain-index.test-support.js';

export interface PlainTerm {
  readonly kind: 'word' | 'phrase' | 'ngram';
  readonly firstId: number;
  readonly lastId: number;
  readonly start: number;
  readonly end: number;
  readonly words: Phrase;
  readonly budget: number;
  /** Words and phrases by kind of expansion. */
  readonly sets: Readonly<Record<SetName, PlainSet>>;
}
export type SetName = 'exact' | 'prefixes' | 'synonyms' | 'one' | 'two' | 'infixes';
export interface PlainSet {
  readonly words: readonly string[];
  readonly phrases: readonly Phrase[];
}
const NOTHING: PlainSet = { words: [], phrases: [] };

/**
 * Edits between two words, a swap of neighbours counting once; with `isPrefix`, between `typed` and the shortest prefix
 * of `word` that no proper prefix of `typed` is closer to, or the whole of `word` when there is none.
 */
export function editDistance(typed: string, word: string, isPrefix: boolean): number {
  const [a, b] = [[...typed], [...word]];
  const d = Array.from({ length: a.length + 1 }, (_, i) =>
    Array.from({ length: b.length + 1 }, (_unused, j) => (i === 0 ? j : j === 0 ? i : 0)),
  );
  for (let i = 1; i <= a.length; i++)
    for (let j = 1; j <= b.length; j++) {
      const change = d[i - 1]![j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      let best = Math.min(change, d[i - 1]![j]! + 1, d[i]![j - 1]! + 1);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        best = Math.min(best, d[i - 2]![j - 2]! + 1);
      d[i]![j] = best;
    }
  const whole = d[a.length]!;
  const settled = isPrefix ? whole.findIndex((cell, j) => d.every((row) => row[j]! >= cell)) : -1;
  return whole[settled < 0 ? b.length : settled]!;
}

export interface PlainQuery {
  readonly terms: readonly PlainTerm[];
  readonly idCount: number;
  readonly negativeWords: readonly string[];
  readonly negativePhrases: readonly Phrase[];
}

export function plainTerms(index: PlainIndex, q: string, maxTerms?: number): PlainQuery {
  const { settings, tokenizer } = index;
  const parsed = parseQuery(tokenizer.tokenize(q), settings.prefixSearch !== 'disabled', maxTerms);
  const wordsOf = (text: string): string[] =>
    tokenizer.tokenize(text).flatMap(({ kind, lemma }) => (kind === 'word' ? [lemma] : []));
  const synonymsOf = (words: readonly string[]): Phrase[] =>
    Object.entries(settings.synonyms).flatMap(([key, values]) =>
      wordsOf(key).join(' ') === words.join(' ') ? values.map(wordsOf).filter((value) => value.length > 0) : [],
    );
  const terms: PlainTerm[] = [];
  parsed.terms.forEach((term, id) => {
    const { phrase, startPosition: start, endPosition: end } = term;
    if (term.kind === 'phrase') {
      const own = { words: [], phrases: [phrase] };
      const sets = { exact: own, prefixes: NOTHING, synonyms: NOTHING, one: NOTHING, two: NOTHING, infixes: NOTHING };
      terms.push({ kind: 'phrase', firstId: id, lastId: id, start, end, words: phrase, budget: 0, sets });
      return;
    }
    const budget = budgetOf(index, term.text);
    const sets = wordSets(index, term.text, budget, term.isPrefix, synonymsOf([term.text]));
    terms.push({ kind: 'word', firstId: id, lastId: id, start, end, words: phrase, budget, sets });
    for (const size of [2, 3]) {
      const parts = parsed.terms.slice(Math.max(0, id + 1 - size), id + 1);
      const isRow = parts.every(
        (part, at) => part.kind === 'word' && (at === 0 || part.startPosition === parts[at - 1]!.endPosition + 1),
      );
      if (parts.length < size || !isRow) continue;
      const texts = parts.map(({ text }) => text);
      const joined = texts.join('');
      const joinedBudget = Math.max(0, budgetOf(index, joined) - (size - 1));
      const synonyms = [...synonymsOf([joined]), ...synonymsOf(texts)];
      const found = wordSets(index, joined, joinedBudget, term.isPrefix, synonyms);
      const isComponents = size === 2 && joinedBudget <= 1 && found.one.phrases[0]?.join(' ') === texts.join(' ');
      const one = isComponents ? { ...found.one, phrases: [] } : found.one;
      terms.push({
        kind: 'ngram',
        firstId: id + 1 - size,
        lastId: id,
        start: parts[0]!.startPosition,
        end,
        words: texts,
        budget: joinedBudget,
        sets: { ...found, one, infixes: NOTHING },
      });
    }
  });
  const { negativeWords, negativePhrases } = parsed;
  return { terms, idCount: parsed.terms.length, negativeWords, negativePhrases };
}

function budgetOf({ settings }: PlainIndex, word: string): number {
  const { enabled, disableOnWords, minWordSizeForTypos } = settings.typoTolerance;
  if (!enabled || disableOnWords.includes(word)) return 0;
  const charCount = [...word].length;
  return charCount < minWordSizeForTypos.oneTypo ? 0 : charCount < minWordSizeForTypos.twoTypos ? 1 : 2;
}

function wordSets(
  index: PlainIndex,
  word: string,
  budget: number,
  isPrefix: boolean,
  synonyms: readonly Phrase[],
): Record<SetName, PlainSet> {
  const known = index.allWords;
  const one: string[] = [];
  const two: string[] = [];
  for (const candidate of budget === 0 ? [] : index.fuzzyWords) {
    const distance = editDistance(word, candidate, isPrefix);
    const isSameStart = [...candidate][0] === [...word][0];
    if (distance === 0) continue;
    if (isSameStart && distance === 1) one.push(candidate);
    else if (budget === 2 && (isSameStart ? distance === 2 : distance === 1)) two.push(candidate);
  }
  const split = bestSplit(index, word);
  return {
    exact: { words: known.includes(word) ? [word] : [], phrases: [] },
    prefixes: {
      words: isPrefix ? known.filter((other) => other !== word && other.startsWith(word)) : [],
      phrases: [],
    },
    synonyms: { words: [], phrases: synonyms },
    one: { words: one, phrases: split ? [split] : [] },
    two: { words: two, phrases: [] },
    infixes: { words: infixesOf(index, word, isPrefix), phrases: [] },
  };
}

/** Other words that contain the typed one in an attribute of the setting, unless they are prefix words. */
function infixesOf(index: PlainIndex, word: string, isPrefix: boolean): string[] {
  if ([...word].length < 3) return [];
  return index.allWords
    .filter((other) => other !== word && other.includes(word) && !(isPrefix && other.startsWith(word)))
    .map(withinWord)
    .filter((other) => docsWhere(index, (each) => isOccurrenceOf(index, each, other)).size > 0);
}

function bestSplit(index: PlainIndex, word: string): [string, string] | null {
  let best: [string, string] | null = null;
  let most = 0;
  const chars = [...word];
  for (let at = 1; at < chars.length; at++) {
    const [left, right] = [chars.slice(0, at).join(''), chars.slice(at).join('')];
    const count = index.documents.filter((_, doc) => nearness(index, doc, left, right) === 1).length;
    if (count > most) [best, most] = [[left, right], count];
  }
  return best;
}

/** Documents with a phrase: all its words in the searched fields, and every three consecutive slots close together. */
export function phraseDocs(index: PlainIndex, phrase: Phrase, isLookedIn: (field: string) => boolean): Set<number> {
  const docs = new Set(index.documents.keys());
  const keep = (test: (doc: number) => boolean): void => {
    for (const doc of docs) if (!test(doc)) docs.delete(doc);
  };
  for (const word of phrase.filter(isIndexedWord)) {
    const having = docsWhere(index, (each) => each.word === word && isLookedIn(each.field));
    keep((doc) => having.has(doc));
  }
  phrase.forEach((left, i) => {
    for (const distance of [1, 2]) {
      const right = phrase[i + distance];
      if (!isIndexedWord(left) || !isIndexedWord(right)) continue;
      keep((doc) => (nearness(index, doc, left, right) ?? Infinity) <= distance);
    }
  });
  if (!phrase.every(isIndexedWord)) keep((doc) => hasRun(index, doc, lemmasOf(phrase), isLookedIn));
  return docs;
}

/** Whether a text of a searched field has these words, stop words among them, one after the other. */
function hasRun(
  index: PlainIndex,
  doc: number,
  words: readonly string[],
  isLookedIn: (field: string) => boolean,
): boolean {
  return index.cut[doc]!.texts.some(
    ({ field, words: cut }) =>
      isLookedIn(field) &&
      cut.some(({ position }) =>
        words.every((word, at) => cut.some((each) => each.word === word && each.position === position + at)),
      ),
  );
}
