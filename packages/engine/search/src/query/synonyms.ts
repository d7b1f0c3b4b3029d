import { compareUtf8, utf8Length } from '@fossick/base';
import type { IndexView } from '@fossick/index';
import type { Phrase } from './query-terms.js';

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
  const wordsOfText = (text: string): string[] =>
    view.queryTokenizer
      .tokenize(text)
      .filter((token) => token.kind === 'word' && token.lemma !== '')
      .map((token) => token.lemma);
  for (const [key, values] of Object.entries(view.settings.synonyms)) {
    const keyWords = wordsOfText(key);
    if (keyWords.length === 0 || utf8Length(keyWords.join('')) >= MAX_KEY_BYTES) continue;
    const phrases = table.get(synonymKey(keyWords)) ?? [];
    const known = new Set(phrases.map(synonymKeyOf));
    for (const value of values) {
      const words = wordsOfText(value);
      if (words.length === 0 || known.has(synonymKey(words))) continue;
      known.add(synonymKey(words));
      phrases.push(words);
    }
    table.set(synonymKey(keyWords), phrases);
  }
  for (const phrases of table.values()) phrases.sort(byWords);
  return { valuesOf: (key) => table.get(key) ?? NO_VALUES };
}

/**
 * Synonyms are sorted by the byte order of their words, independently of the setting's order: the order decides which are dropped
 * beyond the limit, and which of two with a common prefix highlights a text.
 */
function byWords(left: Phrase, right: Phrase): number {
  for (let at = 0; at < left.length && at < right.length; at++) {
    const order = compareUtf8(left[at] ?? '', right[at] ?? '');
    if (order !== 0) return order;
  }
  return left.length - right.length;
}

const synonymKeyOf = (phrase: Phrase): string => synonymKey(phrase.map((word) => word ?? ''));
