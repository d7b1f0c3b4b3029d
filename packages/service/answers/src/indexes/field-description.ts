import { own, sortByBytes } from '@fossick/base';
import { matchesPattern } from '@fossick/filter';
import {
  coversField,
  type FilterablePatterns,
  type FilterableRule,
  type IndexSettings,
  type RankingRuleEntry,
  readRankingRule,
} from '@fossick/settings';

import { toThreeLetterLocale } from '@fossick/wire';

interface Switch {
  readonly enabled: boolean;
}
/** How the settings of an index treat one field. */
export interface FieldDescription {
  readonly name: string;
  readonly displayed: Switch;
  readonly searchable: Switch;
  readonly sortable: Switch;
  readonly distinct: Switch;
  readonly rankingRule: Switch & { readonly order?: 'asc' | 'desc' };
  readonly filterable: Switch & {
    readonly sortBy: 'alpha' | 'count';
    readonly facetSearch: boolean;
    readonly equality: boolean;
    readonly comparison: boolean;
  };
  readonly localized: { readonly locales: readonly string[] };
}
type Filtering = Omit<FieldDescription['filterable'], 'enabled' | 'sortBy'>;

const NO_FILTERING: Filtering = { facetSearch: false, equality: false, comparison: false };
const ALL_FILTERING: Filtering = { facetSearch: true, equality: true, comparison: true };

/** The fields of the documents and those that only the settings name, in byte order. */
export function fieldNamesOf(documentFields: readonly string[], settings: IndexSettings): string[] {
  const named = [
    ...settings.searchableAttributes,
    ...settings.sortableAttributes,
    ...settings.filterableAttributes.filter((rule) => typeof rule === 'string'),
    ...(settings.distinctAttribute === null ? [] : [settings.distinctAttribute]),
    ...settings.rankingRules.map((rule) => fieldRule(rule)?.field ?? '*'),
  ].filter((name) => !name.includes('*') && !name.startsWith('_'));
  return sortByBytes([...new Set([...documentFields, ...named])]);
}

export function describeField(name: string, settings: IndexSettings): FieldDescription {
  const order = settings.rankingRules.map(fieldRule).find((rule) => rule?.field === name)?.direction;
  const isIn = (names: readonly string[]): Switch => ({
    enabled: names.some((entry) => entry === '*' || coversField(entry, name)),
  });
  const filtering = filteringOf(name, settings);
  const localized = settings.localizedAttributes?.find(({ attributePatterns }) =>
    attributePatterns.some((pattern) => matchesFieldOrParent(pattern, name)),
  );
  const { sortFacetValuesBy } = settings.faceting;
  return {
    name,
    displayed: isIn(settings.displayedAttributes),
    searchable: isIn(settings.searchableAttributes),
    sortable: isIn(settings.sortableAttributes),
    distinct: { enabled: settings.distinctAttribute === name },
    rankingRule: order === undefined ? { enabled: false } : { enabled: true, order },
    filterable: {
      enabled: filtering.equality || filtering.comparison,
      sortBy: own(sortFacetValuesBy, name) ?? sortFacetValuesBy['*'] ?? 'alpha',
      ...filtering,
    },
    localized: { locales: (localized?.locales ?? []).map((locale) => toThreeLetterLocale(locale) ?? locale) },
  };
}

/**
 * Whether an attribute pattern matches a field or one of its parents: one `*` at the start, at the end, at both, or
 * alone.
 */
export function matchesFieldOrParent(pattern: string, name: string): boolean {
  for (let end = name.length; end > 0; end = name.lastIndexOf('.', end - 1))
    if (matchesPattern(pattern, name.slice(0, end))) return true;
  return false;
}

/** The first rule that concerns the field decides. */
function filteringOf(name: string, settings: IndexSettings): Filtering {
  const rule = settings.filterableAttributes.find((entry) => isRuleFor(entry, name));
  if (rule === undefined) return NO_FILTERING;
  const given = typeof rule === 'string' ? ALL_FILTERING : featuresOf(rule);
  return { ...given, facetSearch: given.facetSearch && settings.facetSearch };
}
function isRuleFor(rule: FilterableRule, name: string): boolean {
  if (typeof rule === 'string') return rule === '*' || coversField(rule, name);
  return rule.attributePatterns.some((pattern) => matchesFieldOrParent(pattern, name));
}
function featuresOf({ features }: FilterablePatterns): Filtering {
  return { facetSearch: features.facetSearch, ...features.filter };
}
function fieldRule(rule: string): Extract<RankingRuleEntry, { kind: 'field' }> | undefined {
  const entry = readRankingRule(rule);
  return entry?.kind === 'field' ? entry : undefined;
}
