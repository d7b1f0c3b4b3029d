import { type FieldAnswer, toThreeLetterLocale } from '@fossick/api';
import { own, sortByBytes } from '@fossick/base';
import {
  type FilterablePatterns,
  firstPattern,
  type IndexSettings,
  isNamed,
  rankedFields,
  scoredFields,
} from '@fossick/settings';

/** How the settings of an index treat one field. */
export type FieldDescription = FieldAnswer;
type Switch = FieldAnswer['displayed'];
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
    ...rankedFields(settings.rankingRules).keys(),
    ...scoredFields(settings.rankingRules),
  ].filter((name) => !name.includes('*') && !name.startsWith('_'));
  return sortByBytes([...new Set([...documentFields, ...named])]);
}

const SWITCHES = ['displayed', 'searchable', 'sortable', 'distinct', 'rankingRule', 'filterable'] as const;
/** The switches that a listing asks for. */
export type WantedSwitches = { readonly [K in (typeof SWITCHES)[number]]?: boolean | null };

/** Whether a field has every switch that is asked for in the position asked for; the others are not looked at. */
export function hasSwitches(name: string, settings: IndexSettings, wanted: WantedSwitches): boolean {
  return SWITCHES.every((key) => typeof wanted[key] !== 'boolean' || wanted[key] === IS_ON[key](name, settings));
}

const IS_ON: Readonly<Record<keyof WantedSwitches, (name: string, settings: IndexSettings) => boolean>> = {
  displayed: (name, { displayedAttributes }) => isNamed(displayedAttributes, name),
  searchable: (name, { searchableAttributes }) => isNamed(searchableAttributes, name),
  sortable: (name, { sortableAttributes }) => isNamed(sortableAttributes, name),
  distinct: (name, { distinctAttribute }) => distinctAttribute === name,
  rankingRule: (name, { rankingRules }) => rankedFields(rankingRules).has(name) || scoredFields(rankingRules).has(name),
  filterable: (name, settings) => isFilterable(filteringOf(name, settings)),
};

/** O(log n) for settings of n names and patterns, once they are made ready for the first field. */
export function describeField(name: string, settings: IndexSettings): FieldDescription {
  const order = rankedFields(settings.rankingRules).get(name);
  const filtering = filteringOf(name, settings);
  const localized = settings.localizedAttributes ?? [];
  const { locales = [] } = localized[firstPattern(localized, name, 'fieldOrParent')] ?? {};
  const { sortFacetValuesBy } = settings.faceting;
  const isOn = (key: keyof WantedSwitches): Switch => ({ enabled: IS_ON[key](name, settings) });
  return {
    name,
    displayed: isOn('displayed'),
    searchable: isOn('searchable'),
    sortable: isOn('sortable'),
    distinct: isOn('distinct'),
    rankingRule: order === undefined ? isOn('rankingRule') : { enabled: true, order },
    filterable: {
      enabled: isFilterable(filtering),
      sortBy: own(sortFacetValuesBy, name) ?? sortFacetValuesBy['*'] ?? 'alpha',
      ...filtering,
    },
    localized: { locales: locales.map((locale) => toThreeLetterLocale(locale) ?? locale) },
  };
}

const isFilterable = ({ equality, comparison }: Filtering): boolean => equality || comparison;

/** The first rule that concerns the field decides. */
function filteringOf(name: string, settings: IndexSettings): Filtering {
  const rule = settings.filterableAttributes[firstPattern(settings.filterableAttributes, name, 'fieldOrParent')];
  if (rule === undefined) return NO_FILTERING;
  const given = typeof rule === 'string' ? ALL_FILTERING : featuresOf(rule);
  return { ...given, facetSearch: given.facetSearch && settings.facetSearch };
}
function featuresOf({ features }: FilterablePatterns): Filtering {
  return { facetSearch: features.facetSearch, ...features.filter };
}
