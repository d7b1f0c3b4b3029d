import { ApiError, own } from '@fossick/base';
import { matchesPattern } from '@fossick/filter';
import type { Ptr } from '@fossick/kernel';
import { normalizeLossy } from '@fossick/tokenizer';
import type { IndexView } from '../view/index-view.js';
import { type FormTable, formsOf } from './facet-forms.js';
import { FACET_STRING_BYTES_MAX } from './facet-text.js';
import { countStrings, type StringCounts, spellerOf } from './facet-values.js';
import { type MatchedValue, matchedValues, type PlaceRange } from './matched-values.js';
import { type OpenColumn, openColumns } from './open-column.js';
import { PrefixDistance } from './prefix-distance.js';
import { featuresOf, rulePatterns } from './rules.js';

/** What a facet search asks for. */
export interface SearchFacetParams {
  readonly facetName: string;
  readonly facetQuery: string | null;
  readonly locales?: readonly string[] | null;
}
export interface FacetHit {
  readonly value: string;
  readonly count: number;
}

/**
 * String values of a facet that match the query and occur among the candidates (spec 12 section 8). Past `deadlineMs`, on the clock of
 * performance.now(), it answers with what it has found so far. Throws ApiError. O(values of the facet + documents that have it).
 */
export function searchFacet(
  view: IndexView,
  candidates: Ptr,
  params: SearchFacetParams,
  deadlineMs = Number.POSITIVE_INFINITY,
): FacetHit[] {
  const { facetName, facetQuery } = params;
  checkSearchable(view, facetName);
  const isOver = (): boolean => performance.now() > deadlineMs;
  const columns = openColumns(view, facetName);
  const rules = view.settings.localizedAttributes ?? [];
  const rule = rules.find(({ attributePatterns }) =>
    attributePatterns.some((pattern) => matchesPattern(pattern, facetName)),
  );
  const asked = params.locales ?? undefined;
  const locales =
    rule && (asked === undefined ? rule.locales : rule.locales.filter((locale) => asked.includes(locale)));
  // Values keep the form their rule gives them, whatever language the query asks for.
  const tables = facetQuery === null ? null : columns.map(({ column }) => formsOf(column, rule?.locales));
  const rangesIn =
    facetQuery === null ? null : matcherOf(view, facetName, normalizedQuery(facetQuery, locales), isOver);
  const ranges = columns.map(({ strings }, index): PlaceRange[] =>
    rangesIn === null ? [[0, strings.count]] : rangesIn(tables![index]!),
  );
  const counts = countStrings(view, columns, candidates);
  return shownHits(view, facetName, { columns, counts, ranges, tables, candidates }, isOver);
}

/** What was found: ranges of places in each column's order, which is that of its forms, or of its groups without tables. */
interface Found {
  readonly columns: readonly OpenColumn[];
  readonly counts: StringCounts;
  readonly ranges: readonly PlaceRange[][];
  readonly tables: readonly FormTable[] | null;
  readonly candidates: Ptr;
}

function shownHits(view: IndexView, facetName: string, found: Found, isOver: () => boolean): FacetHit[] {
  const { columns, counts, ranges, tables, candidates } = found;
  const { maxValuesPerFacet, sortFacetValuesBy } = view.settings.faceting;
  const spell = spellerOf(view, view.documents, { columns, candidates });
  const hitOf = (matched: MatchedValue): FacetHit => ({ value: spell(matched), count: matched.count });
  const matches = present(matchedValues(columns, tables, ranges), counts, isOver);
  if ((own(sortFacetValuesBy, facetName) ?? sortFacetValuesBy['*']) === 'count')
    return mostCounted(matches, maxValuesPerFacet, hitOf);
  const hits: FacetHit[] = [];
  if (maxValuesPerFacet === 0) return hits;
  for (const matched of matches) if (hits.push(hitOf(matched)) === maxValuesPerFacet) break;
  return hits;
}

/** Values between two looks at the clock. */
const VALUES_BETWEEN_LOOKS = 1_024;

/** Values that some candidate has, each in the same object. */
function* present(
  matches: Iterable<MatchedValue>,
  counts: StringCounts,
  isOver: () => boolean,
): Iterable<MatchedValue> {
  let seen = 0;
  for (const matched of matches) {
    if ((++seen & (VALUES_BETWEEN_LOOKS - 1)) === 0 && isOver()) return;
    matched.count = 0;
    for (let index = 0; index < counts.length; index++) {
      const group = matched.groups[index]!;
      if (group >= 0) matched.count += counts[index]![group]!;
    }
    if (matched.count > 0) yield matched;
  }
}

/**
 * Hits by count, the larger text first among equals. In the order of their forms, each takes the place of the worst hit kept when it
 * counts as many: of equal counts the later forms stay. O(matches * log limit), and moves among the kept.
 */
function mostCounted(
  matches: Iterable<MatchedValue>,
  limit: number,
  hitOf: (counted: MatchedValue) => FacetHit,
): FacetHit[] {
  const kept: FacetHit[] = [];
  if (limit === 0) return kept;
  const isBetter = (a: FacetHit, b: FacetHit): boolean =>
    a.count > b.count || (a.count === b.count && Buffer.compare(Buffer.from(a.value), Buffer.from(b.value)) > 0);
  for (const counted of matches) {
    if (kept.length === limit) {
      if (counted.count < kept[limit - 1]!.count) continue;
      kept.pop();
    }
    const hit = hitOf(counted);
    let [low, high] = [0, kept.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (isBetter(kept[middle]!, hit)) low = middle + 1;
      else high = middle;
    }
    kept.splice(low, 0, hit);
  }
  return kept;
}

function checkSearchable(view: IndexView, facetName: string): void {
  if (!view.settings.facetSearch) {
    throw new ApiError(
      'facet_search_disabled',
      `Index \`${view.uid}\`: facet search is switched off by the setting \`facetSearch\`.`,
    );
  }
  const features = featuresOf(view.settings, facetName);
  if (features?.isFacetSearchable === true) return;
  const patterns = rulePatterns(view.settings, 'facetSearch');
  const known = patterns.length === 0 ? 'no attribute is' : `facet-searchable are: ${patterns.join(', ')}`;
  const remedy =
    features === undefined
      ? `${known}; change the setting \`filterableAttributes\``
      : `rule ${features.rule} of \`filterableAttributes\` decides: set \`"facetSearch": true\` in it, or put such a rule ahead of it`;
  throw new ApiError(
    'invalid_facet_search_facet_name',
    `Index \`${view.uid}\`: \`${facetName}\` is not facet-searchable; ${remedy}.`,
  );
}

/** Units of a facet query that are looked at in any case; many more can only matter where folding drops nearly all of them. */
const QUERY_UNITS = 8 * FACET_STRING_BYTES_MAX;
const QUERY_UNITS_MAX = 65_536;

/**
 * The query as values are normalised. No more of it is looked at than decides: forms are cut at 468 bytes, so what goes beyond them by more
 * than any typos finds nothing, whatever comes behind.
 */
function normalizedQuery(query: string, locales: readonly string[] | undefined): string {
  for (let units = QUERY_UNITS; ; units *= 4) {
    const normalized = normalizeLossy(query.length <= units ? query : query.slice(0, units), locales);
    if (query.length <= units || units > QUERY_UNITS_MAX || normalized.length > QUERY_UNITS / 2) return normalized;
  }
}

/** Finds the forms that the normalised query asks for: with the typos the settings allow, on a prefix of the whole value. */
function matcherOf(
  view: IndexView,
  facetName: string,
  query: string,
  isOver: () => boolean,
): (table: FormTable) => PlaceRange[] {
  const text = Buffer.from(query);
  // further from every form than two typos reach
  if (text.length > 2 * FACET_STRING_BYTES_MAX) return () => [];
  const { enabled, disableOnAttributes, disableOnWords, minWordSizeForTypos } = view.settings.typoTolerance;
  if (!enabled || disableOnAttributes.includes(facetName)) return (table) => [table.prefixRange(text)];
  if (disableOnWords.includes(query)) return (table) => [table.exactRange(text)];
  const budget = text.length < minWordSizeForTypos.oneTypo ? 0 : text.length < minWordSizeForTypos.twoTypos ? 1 : 2;
  return budget === 0
    ? (table) => [table.prefixRange(text)]
    : (table) => table.near(new PrefixDistance(query, budget), isOver);
}
