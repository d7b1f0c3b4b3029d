import { apiError, compareUtf8, isPast, MAX_FACET_VALUE_BYTES, own, partitionPoint, utf8Bytes } from '@fossick/base';
import type { Bitmap } from '@fossick/kernel';
import { featuresOf, rulePatterns } from '@fossick/settings';
import { firstPattern } from '@fossick/settings/indexing';
import { normalizeLossy } from '@fossick/tokenizer';
import type { ColumnView } from '../port.js';
import type { FormOrdinal, FormTable } from '../reading/facet-forms.js';
import type { ColumnCounts, PresentGroup } from '../reading/group-counts.js';
import { type CountedString, fieldCounts, mergedStrings } from './counted-values.js';
import { TwinValues } from './twin-values.js';
import { spellerOf } from './value-spelling.js';

/** Request of a facet search. */
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
 * String values of a facet that match the query and occur among the candidates, as numbers too where some have them so. Past `deadlineMs`, on the clock of
 * performance.now(), it returns what it has found so far. Throws ApiError. O(values of the facet + documents that have it).
 */
export function searchFacet(
  view: ColumnView,
  candidates: Bitmap,
  params: SearchFacetParams,
  deadlineMs = Number.POSITIVE_INFINITY,
): FacetHit[] {
  const { facetName, facetQuery } = params;
  checkSearchable(view, facetName);
  const isOver = (): boolean => isPast(deadlineMs);
  const rules = view.settings.localizedAttributes ?? [];
  const rule = rules[firstPattern(rules, facetName, 'field')];
  const requestedLocales = params.locales ?? undefined;
  const locales =
    rule &&
    (requestedLocales === undefined
      ? rule.locales
      : rule.locales.filter((locale) => requestedLocales.includes(locale)));
  const rangesIn =
    facetQuery === null ? null : matcherOf(view, facetName, normalizedQuery(facetQuery, locales), isOver);
  const counts = fieldCounts(view, candidates, facetName);
  const { columns } = counts;
  const twins = new TwinValues(view, counts);
  const matches = mergedStrings(
    columns.map((counts) => {
      const { column } = counts;
      if (rangesIn === null) return { column, groups: presentIn(counts, null, [[0, column.stringCount]], isOver) };
      // The form of a value depends on its rule, not on the language of the query.
      const table = column.forms(rule?.locales);
      return { column, groups: presentIn(counts, table, rangesIn(table), isOver) };
    }),
  );
  // The shown spelling is that of the lowest of all documents with the value, which may be in a segment without any
  // candidate.
  const spell = spellerOf(
    columns.map(({ column }) => column),
    view.documents,
    candidates !== view.documents,
  );
  return shownHits(view, facetName, twins.withNumbers(matches), (matched) => ({
    value: spell(matched),
    count: matched.count,
  }));
}

function shownHits(
  view: ColumnView,
  facetName: string,
  matches: Iterable<CountedString>,
  hitOf: (counted: CountedString) => FacetHit,
): FacetHit[] {
  const { maxValuesPerFacet, sortFacetValuesBy } = view.settings.faceting;
  if ((own(sortFacetValuesBy, facetName) ?? sortFacetValuesBy['*']) !== 'alpha')
    return mostCounted(matches, maxValuesPerFacet, hitOf);
  const hits: FacetHit[] = [];
  if (maxValuesPerFacet === 0) return hits;
  for (const matched of matches) if (hits.push(hitOf(matched)) === maxValuesPerFacet) break;
  return hits;
}

/** Values between two checks of the clock. */
const VALUES_BETWEEN_CHECKS = 1_024;

/** Ordinals [from, to) of a column's forms. */
type FormRange = readonly [from: number, to: number];

/** Groups at the ordinals that some candidate has, in order of the ordinals, which without a table are those of the groups. */
function* presentIn(
  counts: ColumnCounts,
  table: FormTable | null,
  ranges: Iterable<FormRange>,
  isOver: () => boolean,
): Generator<PresentGroup & { readonly form?: Uint8Array }, void> {
  let seen = 0;
  for (const [from, to] of ranges) {
    if (table === null || table.hasOwnForms) {
      for (const present of counts.present('strings', from, to)) {
        if ((++seen & (VALUES_BETWEEN_CHECKS - 1)) === 0 && isOver()) return;
        yield present;
      }
      continue;
    }
    for (let form = from as FormOrdinal; form < to; form++) {
      if ((++seen & (VALUES_BETWEEN_CHECKS - 1)) === 0 && isOver()) return;
      const group = table.groupAt(form);
      const count = counts.countOf('strings', group);
      if (count > 0) yield { group, count, form: table.at(form) };
    }
  }
}

/**
 * The hits with the greatest counts, of equal counts the larger text first. Visited in order of their forms, a hit replaces the
 * worst of the best hits when it counts as many: so of equal counts the later forms stay. O(matches * log limit), plus moves within
 * the limit.
 */
function mostCounted(
  matches: Iterable<CountedString>,
  limit: number,
  hitOf: (counted: CountedString) => FacetHit,
): FacetHit[] {
  const best: FacetHit[] = [];
  if (limit === 0) return best;
  const isBetter = (a: FacetHit, b: FacetHit): boolean =>
    a.count > b.count || (a.count === b.count && compareUtf8(a.value, b.value) > 0);
  for (const counted of matches) {
    if (best.length === limit) {
      if (counted.count < best[limit - 1]!.count) continue;
      best.pop();
    }
    const hit = hitOf(counted);
    const place = partitionPoint(0, best.length, (at) => isBetter(best[at]!, hit));
    best.splice(place, 0, hit);
  }
  return best;
}

function checkSearchable(view: ColumnView, facetName: string): void {
  if (!view.settings.facetSearch) {
    throw apiError('facet_search_disabled', view.uid);
  }
  const features = featuresOf(view.settings, facetName);
  if (features?.isFacetSearchable === true) return;
  if (features !== undefined)
    throw apiError('invalid_facet_search_facet_name', 'ofRule', view.uid, facetName, features.rule);
  const patterns = rulePatterns(view.settings, 'facetSearch');
  throw apiError('invalid_facet_search_facet_name', 'noRule', view.uid, facetName, patterns);
}

/** Code units of a facet query that are always read; more can matter only when folding drops nearly all of them. */
const QUERY_UNITS = 8 * MAX_FACET_VALUE_BYTES;
const QUERY_UNITS_MAX = 65_536;

/**
 * The query, normalised as values are. Reads a bounded prefix: forms are truncated at 468 bytes, so a query that is longer by more than the
 * allowed typos matches nothing.
 */
function normalizedQuery(query: string, locales: readonly string[] | undefined): string {
  for (let units = QUERY_UNITS; ; units *= 4) {
    const normalized = normalizeLossy(query.length <= units ? query : query.slice(0, units), locales);
    if (query.length <= units || units > QUERY_UNITS_MAX || normalized.length > QUERY_UNITS / 2) return normalized;
  }
}

/** Finds the forms that match the normalised query: with the typos the settings allow, on a prefix of the whole value. */
function matcherOf(
  view: ColumnView,
  facetName: string,
  query: string,
  isOver: () => boolean,
): (table: FormTable) => Iterable<FormRange> {
  const text = utf8Bytes(query);
  // every form is more than two typos away
  if (text.length > 2 * MAX_FACET_VALUE_BYTES) return () => [];
  const { enabled, disableOnAttributes, disableOnWords, minWordSizeForTypos } = view.settings.typoTolerance;
  if (!enabled || disableOnAttributes.includes(facetName)) return (table) => [table.prefixRange(text)];
  if (disableOnWords.includes(query)) return (table) => [table.exactRange(text)];
  const budget = text.length < minWordSizeForTypos.oneTypo ? 0 : text.length < minWordSizeForTypos.twoTypos ? 1 : 2;
  return budget === 0 || text.length === 0
    ? (table) => [table.prefixRange(text)]
    : (table) => table.near(query, budget, isOver);
}
