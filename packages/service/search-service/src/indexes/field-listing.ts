import { type FieldAnswer, toThreeLetterLocale } from '@fossick/api';
import { own, sortByBytes } from '@fossick/base';
import { PatternList } from '@fossick/filter';
import {
  type FilterablePatterns,
  firstPattern,
  type IndexSettings,
  isNamed,
  rankedFields,
  scoredFields,
} from '@fossick/settings';
import type { SearchQueue } from '../queue/search-queue.js';
import { TimeSlices } from '../queue/time-slices.js';

const NO_FILTERING: Filtering = { facetSearch: false, equality: false, comparison: false };
const ALL_FILTERING: Filtering = { facetSearch: true, equality: true, comparison: true };
const SWITCHES = ['displayed', 'searchable', 'sortable', 'distinct', 'rankingRule', 'filterable'] as const;
const IS_ON: Readonly<Record<keyof WantedSwitches, (name: string, settings: IndexSettings) => boolean>> = {
  displayed: (name, { displayedAttributes }) => isNamed(displayedAttributes, name),
  searchable: (name, { searchableAttributes }) => isNamed(searchableAttributes, name),
  sortable: (name, { sortableAttributes }) => isNamed(sortableAttributes, name),
  distinct: (name, { distinctAttribute }) => distinctAttribute === name,
  rankingRule: (name, { rankingRules }) => rankedFields(rankingRules).has(name) || scoredFields(rankingRules).has(name),
  filterable: (name, settings) => isFilterable(filteringOf(name, settings)),
};
const isFilterable = ({ equality, comparison }: Filtering): boolean => equality || comparison;

/** Fields that are looked at between two looks at the clock. */
const AT_A_TIME = 64;

export interface FieldListing {
  /** Patterns of which one matches the field or a parent of it; null: any field. */
  readonly patterns: readonly string[] | null;
  readonly switches: WantedSwitches;
  readonly offset: number;
  readonly limit: number;
}

/**
 * The page of the fields of a view that a listing asks for, and the number of all that it matches. Only fields of the page are
 * described; other requests get their turn in between. O((fields + patterns) log patterns)
 */
export async function listFields(
  { fieldNames, settings }: { readonly fieldNames: readonly string[]; readonly settings: IndexSettings },
  { patterns, switches, offset, limit }: FieldListing,
  searches: SearchQueue,
): Promise<{ readonly results: readonly FieldDescription[]; readonly total: number }> {
  const names = fieldNamesOf(fieldNames, settings);
  const slices = new TimeSlices(searches);
  const list =
    patterns === null
      ? null
      : new PatternList(
          patterns.map((pattern) => [pattern, 0]),
          'fieldOrParent',
        );
  const isWanted = (name: string): boolean => (list?.matches(name) ?? true) && hasSwitches(name, settings, switches);
  const wanted = await inSlices(slices, names, (name) => (isWanted(name) ? [name] : []));
  const page = wanted.slice(offset, offset + limit);
  return { results: await inSlices(slices, page, describer(settings)), total: wanted.length };
}

const describer = (settings: IndexSettings) => (name: string) => [describeField(name, settings)];

async function inSlices<T>(slices: TimeSlices, names: readonly string[], work: (name: string) => T[]): Promise<T[]> {
  const results: T[] = [];
  for (const [at, name] of names.entries()) {
    if (at % AT_A_TIME === 0) await slices.yieldIfDue();
    for (const result of work(name)) results.push(result);
  }
  return results;
}

/** How the settings of an index treat one field. */
type FieldDescription = FieldAnswer;

type Switch = FieldAnswer['displayed'];

type Filtering = Omit<FieldDescription['filterable'], 'enabled' | 'sortBy'>;

/** The fields of the documents and those that only the settings name, in byte order. */
function fieldNamesOf(documentFields: readonly string[], settings: IndexSettings): string[] {
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

/** The switches that a listing asks for. */
type WantedSwitches = { readonly [K in (typeof SWITCHES)[number]]?: boolean | null };

/** Whether a field has every switch that is asked for in the position asked for; the others are not looked at. */
function hasSwitches(name: string, settings: IndexSettings, wanted: WantedSwitches): boolean {
  return SWITCHES.every((key) => typeof wanted[key] !== 'boolean' || wanted[key] === IS_ON[key](name, settings));
}

/** O(log n) for settings of n names and patterns, once they are made ready for the first field. */
function describeField(name: string, settings: IndexSettings): FieldDescription {
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
