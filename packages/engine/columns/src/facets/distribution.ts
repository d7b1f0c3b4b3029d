import { type ApiError, apiError, isPast, own, sortByBytes } from '@fossick/base';
import { NamedParents, orderedRecord } from '@fossick/documents';
import { type ExactNumber, withDigits } from '@fossick/documents/stored';
import { matchesPattern } from '@fossick/filter';
import type { Bitmap } from '@fossick/kernel';
import { facetTest, featuresOf, rulePatterns } from '@fossick/settings';
import type { ColumnView } from '../port.js';
import {
  type CountedNumber,
  type CountedString,
  type FieldCounts,
  fieldCounts,
  presentNumbers,
  presentStrings,
} from './counted-values.js';
import { numberText } from './number-text.js';
import { TwinValues } from './twin-values.js';
import { spellerOf } from './value-spelling.js';
import { ValueTable } from './value-table.js';

/** Up to this many candidates, alphabetical order sorts numbers as strings. */
const STRING_ORDER_CANDIDATES_MAX = 3000;

/** The order of the values of a facet: by their text, or the most frequent first. */
export type FacetOrder = 'alpha' | 'count';

/** Counts by field and value text, and the least and greatest number by field. */
export interface FacetDistribution {
  readonly facetDistribution: Record<string, Record<string, number>>;
  readonly facetStats: Record<string, { readonly min: ExactNumber; readonly max: ExactNumber }>;
}

/** Runs a part of the work, and notes how long it took. */
export type TimeStage = <T>(name: string, work: () => T) => T;

export interface DistributionOptions {
  /** On the clock of performance.now(): fields after it are left out. */
  readonly deadlineMs?: number;
  /** That of the values; of the settings when it is null. */
  readonly order?: FacetOrder | null;
  readonly time?: TimeStage;
}

/**
 * Counts of the values of the fields that `facets` names, among the candidates. Entries that name nothing filterable
 * are ignored; checkFacets throws for them.
 */
export function facetDistribution(
  view: ColumnView,
  candidates: Bitmap,
  facets: readonly string[],
  { deadlineMs = Number.POSITIVE_INFINITY, order = null, time = (_, work) => work() }: DistributionOptions = {},
): FacetDistribution {
  const fields = facetFields(view, facets);
  const candidateCount = view.kernel.bitmaps.count(candidates);
  const distribution: [string, Record<string, number>][] = [];
  const stats: [string, { min: ExactNumber; max: ExactNumber }][] = [];
  for (const field of fields) {
    if (isPast(deadlineMs)) break;
    const counts = time('compute facet distribution', () => {
      const counted = fieldCounts(view, candidates, field);
      distribution.push([field, orderedRecord(shownValues(view, candidateCount, field, counted, order))]);
      return counted;
    });
    const [[first], [last]] = time('compute facet stats', () => [presentNumbers(counts), presentNumbers(counts, -1)]);
    if (first !== undefined && last !== undefined)
      stats.push([field, { min: withDigits(first.value), max: withDigits(last.value) }]);
  }
  return { facetDistribution: Object.fromEntries(distribution), facetStats: Object.fromEntries(stats) };
}

/** The filterable fields that the entries name, and their children, in byte order. O(fields * entries). */
export function facetFields(view: ColumnView, facets: readonly string[]): string[] {
  const filterable = view.fieldNames.filter((field) => featuresOf(view.settings, field)?.isFilterable === true);
  const exact = new Set(facets);
  const patterns = facets.filter((entry) => entry.startsWith('*') || entry.endsWith('*'));
  const named = filterable.filter(
    (field) => exact.has(field) || patterns.some((entry) => matchesPattern(entry, field)),
  );
  // Children are shown with a field that is shown itself, not with one that is only named.
  const shown = new Set(named);
  const parents = new NamedParents(named);
  const isWanted = (field: string): boolean => shown.has(field) || parents.above(field).length > 0;
  return sortByBytes(filterable.filter(isWanted));
}

/** Throws ApiError `invalid_search_facets` for the first entry that no filterable rule matches. O(facets * rules). */
export function checkFacets(view: ColumnView, facets: readonly string[]): void {
  const isKnown = facetTest(view.settings);
  for (const entry of facets) if (!isKnown(entry)) throw unknownFacet(view, entry);
}

function unknownFacet(view: ColumnView, entry: string): ApiError {
  const features = featuresOf(view.settings, entry);
  if (features !== undefined && !features.isFilterable) {
    return apiError('invalid_search_facets', 'noFilterFeature', view.uid, features.rule, entry);
  }
  return apiError('invalid_search_facets', 'notFilterable', view.uid, entry, rulePatterns(view.settings, 'filter'));
}

/**
 * Value texts and counts in the order of the request or the setting, cut at maxValuesPerFacet. In alphabetical order, later values are not visited.
 */
function shownValues(
  view: ColumnView,
  candidateCount: number,
  field: string,
  counts: FieldCounts,
  order: FacetOrder | null,
): [string, number][] {
  const { maxValuesPerFacet, sortFacetValuesBy } = view.settings.faceting;
  const isByCount = (order ?? own(sortFacetValuesBy, field) ?? sortFacetValuesBy['*']) !== 'alpha';
  const isWalkedByDocument = !isByCount && candidateCount <= STRING_ORDER_CANDIDATES_MAX;
  const twins = new TwinValues(view, counts);
  const shownNumber = (number: CountedNumber): [string, number] => [
    numberText(number.value),
    twins.countWithText(number),
  ];
  const { numbers, numberCount } = shownNumbers();
  const shown = new Map(numbers);
  const spell = spellerOf(
    counts.columns.map(({ column }) => column),
    counts.candidates,
    false,
  );
  for (const counted of shownStrings()) {
    shown.set(spell(counted), counted.count);
    // A quirk of the reference: the quota ends the strings at the value that fills it, so where numbers have filled it all strings follow.
    if (!isWalkedByDocument && shown.size === maxValuesPerFacet) break;
  }
  return [...shown];

  function shownNumbers(): { readonly numbers: [string, number][]; readonly numberCount: number } {
    if (isByCount) {
      const table = ValueTable.ofNumbers(view, counts, twins);
      const byCount = firstOf(table.byCount(maxValuesPerFacet), maxValuesPerFacet);
      const numbers = Array.from(byCount, ({ value, count }): [string, number] => [numberText(value), count]);
      return { numbers, numberCount: table.counts.length };
    }
    const limit = isWalkedByDocument ? Infinity : maxValuesPerFacet;
    const all = Array.from(firstOf(presentNumbers(counts), limit), shownNumber);
    if (isWalkedByDocument) all.sort((a, b) => (a[0] < b[0] ? -1 : 1));
    return { numbers: all.slice(0, maxValuesPerFacet), numberCount: all.length };
  }

  function shownStrings(): Iterable<CountedString> {
    const stringLimit = maxValuesPerFacet - numberCount;
    if (isByCount) return ValueTable.ofStrings(view, counts, twins).byCount(stringLimit > 0 ? stringLimit : Infinity);
    return firstOf(twins.textsAlone(presentStrings(counts)), isWalkedByDocument ? stringLimit : Infinity);
  }
}

function* firstOf<Value>(values: Iterable<Value>, limit: number): Iterable<Value> {
  if (limit <= 0) return;
  let taken = 0;
  for (const value of values) {
    yield value;
    if (++taken >= limit) return;
  }
}
