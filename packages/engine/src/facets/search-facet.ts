import { ApiError, own } from '@fossick/base';
import { matchesPattern } from '@fossick/filter';
import type { Ptr } from '@fossick/kernel';
import { normalizeLossy } from '@fossick/tokenizer';
import type { IndexView } from '../view/index-view.js';
import { cutFacetText } from './facet-text.js';
import { type CountedString, countFacet, spellerOf } from './facet-values.js';
import { isWithinPrefixDistance } from './prefix-distance.js';
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

/** String values of a facet that match the query and occur among the candidates (spec 12 section 8). Throws ApiError. O(values of the facet). */
export function searchFacet(view: IndexView, candidates: Ptr, params: SearchFacetParams): FacetHit[] {
  const { facetName, facetQuery } = params;
  checkSearchable(view, facetName);
  const counts = countFacet(view, candidates, facetName);
  const rules = view.settings.localizedAttributes ?? [];
  const rule = rules.find(({ attributePatterns }) =>
    attributePatterns.some((pattern) => matchesPattern(pattern, facetName)),
  );
  const asked = params.locales ?? undefined;
  const locales =
    rule && (asked === undefined ? rule.locales : rule.locales.filter((locale) => asked.includes(locale)));
  let matches: readonly CountedString[] = counts.strings;
  if (facetQuery !== null) {
    const isMatch = matcherOf(view, facetName, normalizeLossy(facetQuery, locales));
    const formed = counts.strings.map((counted) => ({
      counted,
      // Values keep the form their rule gives them, whatever language the query asks for.
      form: cutFacetText(normalizeLossy(Buffer.from(counted.key).toString('utf8'), rule?.locales)),
    }));
    matches = formed
      .filter(({ form }) => isMatch(form))
      .sort((a, b) => Buffer.compare(Buffer.from(a.form), Buffer.from(b.form)))
      .map(({ counted }) => counted);
  }
  const { maxValuesPerFacet, sortFacetValuesBy } = view.settings.faceting;
  const spell = spellerOf(view, view.documents, counts);
  const hitOf = (counted: CountedString): FacetHit => ({
    value: spell(counted),
    count: counted.count,
  });
  if ((own(sortFacetValuesBy, facetName) ?? sortFacetValuesBy['*']) !== 'count')
    return matches.slice(0, maxValuesPerFacet).map(hitOf);
  return mostCounted(matches, maxValuesPerFacet, hitOf);
}

/**
 * Hits by count, the larger text first among equals. In the order of their forms, each takes the place of the worst hit kept when it
 * counts as many: of equal counts the later forms stay. O(matches * log limit), and moves among the kept.
 */
function mostCounted(
  matches: readonly CountedString[],
  limit: number,
  hitOf: (counted: CountedString) => FacetHit,
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

/** Tells which forms the normalised query finds: with the typos the settings allow, on a prefix of the whole value. */
function matcherOf(view: IndexView, facetName: string, query: string): (form: string) => boolean {
  const { enabled, disableOnAttributes, disableOnWords, minWordSizeForTypos } = view.settings.typoTolerance;
  if (!enabled || disableOnAttributes.includes(facetName)) return (form) => form.startsWith(query);
  if (disableOnWords.includes(query)) return (form) => form === query;
  const byteCount = Buffer.byteLength(query);
  const budget = byteCount < minWordSizeForTypos.oneTypo ? 0 : byteCount < minWordSizeForTypos.twoTypos ? 1 : 2;
  return budget === 0 ? (form) => form.startsWith(query) : (form) => isWithinPrefixDistance(query, form, budget);
}
