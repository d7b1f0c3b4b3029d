import { compareUtf8, utf8Length } from '@fossick/base';
import type { IndexView } from '@fossick/index';
import { isIndexedWord, lemmasOf, type Phrase, phraseOf } from './query-terms.js';

/** Synonym keys longer than this, in bytes, never match. */
const MAX_KEY_BYTES = 500;

/** The setting `synonyms` with keys and values normalised as in indexing; one-way, not transitive. */
export interface SynonymTable {
  valuesOf(key: string): readonly Phrase[];
}

/** The key of a run of words. Words never contain a NUL, because it is a separator. */
export const synonymKey = (words: readonly string[]): string => words.join('\0');

const NO_VALUES: readonly Phrase[] = [];

/** Normalises the whole setting; linear in its size, so callers cache the table by settings. */
export function buildSynonyms(view: IndexView): SynonymTable {
  const table = new Map<string, Phrase[]>();
  const phraseIn = (text: string): Phrase => phraseOf(view.queryTokenizer.tokenize(text));
  for (const [key, values] of Object.entries(view.settings.synonyms)) {
    const phrase = phraseIn(key);
    const keyWords = phrase.filter(isIndexedWord);
    if (keyWords.length === 0 || utf8Length(keyWords.join('')) >= MAX_KEY_BYTES) continue;
    const found = values.map(phraseIn).filter((value) => value.some(isIndexedWord));
    // Words of a key are typed with its stop words, or without any.
    for (const typed of new Set([synonymKey(keyWords), synonymKey(withinOuterStopWords(phrase))])) {
      const phrases = table.get(typed) ?? [];
      const known = new Set(phrases.map((each) => synonymKey(lemmasOf(each))));
      for (const value of found) {
        const words = synonymKey(lemmasOf(value));
        if (known.has(words)) continue;
        known.add(words);
        phrases.push(value);
      }
      table.set(typed, phrases);
    }
  }
  for (const phrases of table.values()) phrases.sort(byWords);
  return { valuesOf: (key) => table.get(key) ?? NO_VALUES };
}

function withinOuterStopWords(phrase: Phrase): string[] {
  const first = phrase.findIndex(isIndexedWord);
  return lemmasOf(phrase.slice(first, phrase.findLastIndex(isIndexedWord) + 1));
}

/**
 * Synonyms are sorted by the byte order of their words, independently of the setting's order: the order decides which are dropped
 * beyond the limit.
 */
function byWords(left: Phrase, right: Phrase): number {
  const [a, b] = [lemmasOf(left), lemmasOf(right)];
  for (let at = 0; at < a.length && at < b.length; at++) {
    const order = compareUtf8(a[at]!, b[at]!);
    if (order !== 0) return order;
  }
  return a.length - b.length;
}
