import { matchesPattern } from '@fossick/filter/pattern';
import { coversField, patternCovers } from './attribute-lists.js';
import { allowsFilters, featuresOf } from './field-features.js';
import type { FilterableRule, IndexSettings } from './settings.js';

/** Whether a rule matches an entry of `facets`: the deciding rule of its field allows filtering, or some filterable pattern overlaps it. */
export function facetTest(settings: Pick<IndexSettings, 'filterableAttributes'>): (entry: string) => boolean {
  const rules = settings.filterableAttributes.filter(allowsFilters);
  return (entry) => featuresOf(settings, entry)?.isFilterable !== false && rules.some((rule) => overlaps(rule, entry));
}

/** Whether a rule and an entry may name the same field: as patterns, or as a field and its parent. */
function overlaps(rule: FilterableRule, entry: string): boolean {
  const isNear = (name: string): boolean =>
    matchesPattern(entry, name) || coversField(name, entry) || coversField(entry, name);
  if (typeof rule === 'string') return isNear(rule);
  return rule.attributePatterns.some((pattern) => patternCovers(pattern, entry) || isNear(pattern));
}
