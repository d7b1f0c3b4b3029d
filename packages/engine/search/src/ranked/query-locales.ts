import { matchesPattern } from '@fossick/filter';
import type { IndexView } from '@fossick/index';

/** Possible languages of the query: the request's, else those of the rules that match a searched field. */
export function queryLocales(
  view: IndexView,
  requested: readonly string[] | null,
  restricted: readonly string[] | null,
): readonly string[] | undefined {
  if (requested) return requested.length > 0 ? requested : undefined;
  const rules = view.settings.localizedAttributes;
  if (!rules || rules.length === 0) return undefined;
  const { searchableAttributes } = view.settings;
  const fields = restricted ?? (searchableAttributes.includes('*') ? view.fieldNames : searchableAttributes);
  const locales = new Set<string>();
  for (const field of fields) {
    for (const { attributePatterns, locales: ofRule } of rules)
      if (attributePatterns.some((pattern) => matchesPattern(pattern, field)))
        for (const locale of ofRule) locales.add(locale);
  }
  return locales.size > 0 ? [...locales].sort() : undefined;
}
