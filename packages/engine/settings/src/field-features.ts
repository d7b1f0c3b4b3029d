import { sortByBytes } from '@fossick/base';
import { firstCovering, firstPattern, rankedFields, scoredFields } from './attribute-lists.js';
import type { FilterableRule, IndexSettings } from './settings.js';

/** What the deciding rule of filterableAttributes allows for a field. */
export interface FieldFeatures {
  /** Number of the rule, from 0. */
  readonly rule: number;
  readonly isFacetSearchable: boolean;
  readonly hasEquality: boolean;
  readonly hasComparison: boolean;
  /** Equality or comparison is enabled. */
  readonly isFilterable: boolean;
}

/** Features of the first rule that matches the field, or undefined when none does. O(log rules) */
export function featuresOf(
  settings: Pick<IndexSettings, 'filterableAttributes'>,
  field: string,
): FieldFeatures | undefined {
  const rules = settings.filterableAttributes;
  const index = firstPattern(rules, field, 'field');
  const rule = rules[index];
  if (rule === undefined) return undefined;
  const { facetSearch, filter } =
    typeof rule === 'string' ? { facetSearch: true, filter: { equality: true, comparison: true } } : rule.features;
  return {
    rule: index,
    isFacetSearchable: facetSearch,
    hasEquality: filter.equality,
    hasComparison: filter.comparison,
    isFilterable: filter.equality || filter.comparison,
  };
}

/** True when `sort` may use the field: it or a parent of it is declared. */
export function isSortableField(settings: Pick<IndexSettings, 'sortableAttributes'>, field: string): boolean {
  return firstCovering(settings.sortableAttributes, field) >= 0;
}

/** True when values of the field are stored in facet columns. */
export function isFacetedField(settings: IndexSettings, field: string): boolean {
  const features = featuresOf(settings, field);
  if (features !== undefined && (features.isFilterable || features.isFacetSearchable)) return true;
  if (isSortableField(settings, field) || settings.distinctAttribute === field) return true;
  if (settings.expiryAttribute === field) return true;
  return rankedFields(settings.rankingRules).has(field) || scoredFields(settings.rankingRules).has(field);
}

/** Whether a rule allows any filter. */
export function allowsFilters(rule: FilterableRule): boolean {
  return typeof rule === 'string' || rule.features.filter.equality || rule.features.filter.comparison;
}

/** Patterns of the rules that pass `isOn`, sorted and distinct: what error messages list. */
export function rulePatterns(
  settings: Pick<IndexSettings, 'filterableAttributes'>,
  isOn: 'filter' | 'facetSearch',
): string[] {
  const patterns = settings.filterableAttributes.flatMap((rule) => {
    if (typeof rule === 'string') return [rule];
    const isListed = isOn === 'filter' ? allowsFilters(rule) : rule.features.facetSearch;
    return isListed ? rule.attributePatterns : [];
  });
  return sortByBytes([...new Set(patterns)]);
}
