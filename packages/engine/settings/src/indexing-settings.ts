import { firstCovering, firstPattern, isNamed, isReservedField } from './attribute-lists.js';
import type { IndexSettings } from './settings.js';

/** Whether the words of a field are indexed. */
export function isSearchableField(field: string, settings: IndexSettings): boolean {
  if (isReservedField(field)) return false;
  return isNamed(settings.searchableAttributes, field);
}

/** Whether words of the field are found by a part of them, and values by their trigrams. */
export function isSubstringField(field: string, settings: Pick<IndexSettings, 'substringAttributes'>): boolean {
  return isNamed(settings.substringAttributes, field);
}

/** Whether words of the field go to the exact table. */
export function isExactField(field: string, settings: IndexSettings): boolean {
  return firstCovering(settings.typoTolerance.disableOnAttributes, field) >= 0;
}

/** Whether hits show the field. */
export function isDisplayedField(field: string, settings: Pick<IndexSettings, 'displayedAttributes'>): boolean {
  return isNamed(settings.displayedAttributes, field);
}

/** The languages of a field's text, by the first rule that matches; undefined: any. */
export function localesOf(
  field: string,
  settings: Pick<IndexSettings, 'localizedAttributes'>,
): readonly string[] | undefined {
  const rules = settings.localizedAttributes;
  const rule = rules?.[firstPattern(rules, field, 'field')];
  return rule === undefined || rule.locales.length === 0 ? undefined : rule.locales;
}

const NUMERIC_ONLY = /^[\p{N}!-/:-@[-`{-~]+$/u;
const HAS_DIGIT = /\p{N}/u;

/** Whether a word is a number, which `disableOnNumbers` takes as it is: digits, and signs of ASCII between them. */
export function isNumeric(lemma: string): boolean {
  return NUMERIC_ONLY.test(lemma) && HAS_DIGIT.test(lemma);
}

/** The settings that make a tokenizer. */
export function tokenizerOptions(settings: IndexSettings): {
  readonly stopWords: readonly string[];
  readonly separatorTokens: readonly string[];
  readonly nonSeparatorTokens: readonly string[];
  readonly dictionary: readonly string[];
} {
  const { stopWords, separatorTokens, nonSeparatorTokens, dictionary } = settings;
  return { stopWords, separatorTokens, nonSeparatorTokens, dictionary };
}
