import { firstCovering, firstPattern, isNamed, isReservedField } from './attribute-lists.js';
import type { IndexSettings } from './settings.js';

/**
 * The stored data that a change of settings invalidates: everything when words, positions or tables differ, else the
 * facet columns when those do, else nothing.
 */
export function reindexNeed(before: IndexSettings, after: IndexSettings): 'everything' | 'columns' | 'nothing' {
  const differ = (partOf: (settings: IndexSettings) => unknown): boolean =>
    JSON.stringify(partOf(before)) !== JSON.stringify(partOf(after));
  if (differ(wordPart)) return 'everything';
  return differ(columnPart) ? 'columns' : 'nothing';
}

/** All settings that determine the columns and their contents. */
function columnPart(settings: IndexSettings): unknown[] {
  return [
    settings.filterableAttributes,
    [...settings.sortableAttributes].sort(),
    settings.rankingRules.filter((rule) => rule.endsWith(':asc') || rule.endsWith(':desc')).sort(),
    settings.distinctAttribute,
  ];
}

/** All settings that determine the words of a document. */
function wordPart(settings: IndexSettings): unknown[] {
  const star = settings.searchableAttributes.includes('*');
  return [
    // The order of searchable attributes only affects ranking.
    star ? ['*'] : [...settings.searchableAttributes].sort(),
    settings.stopWords,
    settings.separatorTokens,
    settings.nonSeparatorTokens,
    settings.dictionary,
    settings.localizedAttributes,
    settings.typoTolerance.disableOnAttributes,
    settings.typoTolerance.disableOnNumbers,
  ];
}

/** Whether the words of a field are indexed. */
export function isSearchableField(field: string, settings: IndexSettings): boolean {
  if (isReservedField(field)) return false;
  return isNamed(settings.searchableAttributes, field);
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
