/** One search up to its ranked documents: validation, candidates, rules, bucket sort. */
import { apiError } from '@fossick/base';
import { createDistinct, evaluateFilter, featuresOf, isSortableField, rulePatterns } from '@fossick/columns';
import { matchesPattern, parseSort, readFilter, type SortEntry, SortError } from '@fossick/filter';
import type { IndexView } from '@fossick/index';
import type { Bitmap } from '@fossick/kernel';
import type { VectorTarget } from '@fossick/vectors';
import type { LocatedTerm } from '../highlight/matching-terms.js';
import { findPins, type PinnedDocument } from '../pins/find-pins.js';
import type { RuleBook } from '../pins/search-rule.js';
import { Lexicon } from '../query/lexicon.js';
import { type BucketSortOptions, bucketSort, type DistinctField, type RankedPage } from '../ranking/bucket-sort.js';
import {
  buildKeywordQuery,
  locatedStopWords,
  locatedTerms,
  parseQueryText,
  reachedTerms,
  removeNegatives,
} from '../ranking/keyword-query.js';
import { buildRules } from '../ranking/rule-list.js';
import { BitmapPool } from '../ranking/terms/bitmap-pool.js';
import { fieldWeights, restrictFields } from '../ranking/terms/field-scope.js';
import { TermDocs } from '../ranking/terms/term-docs.js';
import type { FacetSearchRequest, SearchRequest } from '../request/request.js';
import { candidatesDeadlineMs, filterDeadlineMs, searchCutoffMs } from '../request/search-cutoff.js';

/** The parameters of every search that determine which documents are found. */
type Matched = Pick<SearchRequest & FacetSearchRequest, keyof SearchRequest & keyof FacetSearchRequest>;

/** Written out instead of spread: copying all thirty takes as long as a rule of a short search. */
export const matchedPart = (request: Matched) => ({
  q: request.q,
  filter: request.filter,
  matchingStrategy: request.matchingStrategy,
  attributesToSearchOn: request.attributesToSearchOn,
  locales: request.locales,
  /** 0 to 1: documents below it are left out; null: none are. */
  threshold: request.rankingScoreThreshold,
});
/** Whether hits may be left out by their score: counts are exact then. */
export const hasThreshold = (request: Matched): boolean => request.rankingScoreThreshold !== null;

/** The part of a request that determines candidates and order. */
export type RankingRequest = Readonly<ReturnType<typeof matchedPart>> & {
  readonly sort: SearchRequest['sort'];
  readonly distinct: SearchRequest['distinct'];
  readonly from: number;
  readonly length: number;
  readonly withDetails: boolean;
  /** Whether counts must be exact: in page mode and for exhaustive facet counts. */
  readonly isExhaustive: boolean;
  /** Start of the cutoff on the clock of performance.now(); absent: now. */
  readonly startedMs?: number;
  /** Whether messages about the filter begin with the index; they do when absent. */
  readonly namesIndex?: boolean;
  /** Rules that may pin documents. */
  readonly ruleBook?: RuleBook | null;
  /** Ranks all documents that satisfy the filter by similarity to this vector; `q` then only selects pins. */
  readonly target?: VectorTarget;
};

export interface RankedSearch extends RankedPage {
  /** Terms for the formatter, found on demand, before the caller releases scratch; none in placeholder searches. */
  readonly terms: (deadlineMs?: number) => readonly LocatedTerm[];
  readonly sort: readonly SortEntry[];
  /** Pinned documents: they are candidates, but not in `documents`. */
  readonly pins: readonly PinnedDocument[];
}

/**
 * Ranks the documents of a view. All memory is in the kernel's scratch region: the caller marks and releases. `kept`: the
 * ranking of the same request on the same view, which is not made again.
 * @throws ApiError for an invalid filter, sort, distinct or attributesToSearchOn
 */
export function rankDocuments(view: IndexView, request: RankingRequest, kept: RankedPage | null = null): RankedSearch {
  const startedMs = request.startedMs ?? performance.now();
  // Errors of a request are reported in this order.
  const filter = readFilter(request.filter, 'invalid_search_filter');
  const fields = fieldWeights(view);
  const restricted = restrictFields(view, request.attributesToSearchOn, fields);
  const distinct = distinctField(view, request.distinct);
  const universe: Bitmap = filter
    ? evaluateFilter(view, filter, 'invalid_search_filter', filterDeadlineMs(view, startedMs), request.namesIndex)
    : view.documents;
  const sort = checkedSort(view, request.sort);
  const pool = new BitmapPool(view.kernel, view.bitCount);
  const lexicon = new Lexicon(view);
  const docs = new TermDocs(view, lexicon, pool, restricted);

  const candidates = pool.copyOf(universe);
  const pins = request.ruleBook ? findPins(view, request.ruleBook, { q: request.q, filter }, universe) : [];
  for (const { docId } of pins) view.kernel.bitmaps.unset(candidates, docId);
  const locales = queryLocales(view, request.locales, restricted?.names ?? null);
  const parsed =
    request.target || request.q === null || request.q.trim() === '' ? null : parseQueryText(view, request.q, locales);
  if (parsed) removeNegatives(docs, parsed, candidates);
  const isKeyword = parsed !== null && parsed.terms.length > 0;
  const untilMs = candidatesDeadlineMs(view, startedMs);
  const query = isKeyword
    ? buildKeywordQuery({ view, lexicon, docs, untilMs }, parsed, request.matchingStrategy, candidates)
    : null;
  const sortedPage = (): RankedPage => {
    const rules = buildRules({
      view,
      docs,
      fields: restricted?.fields ?? fields,
      sort,
      wantedCount: request.from + request.length,
      vector: request.target ? { target: request.target, batchSize: request.from + request.length } : null,
      keyword: query ? { strategy: request.matchingStrategy, weightOf: query.weightOf } : null,
    });
    const sorting = sortingOf(request, { pool, rules, universe: candidates, graph: query?.graph ?? null, distinct });
    const page = pool.withDeadline(startedMs + searchCutoffMs(view), () => bucketSort(sorting));
    if (request.isExhaustive && distinct) keepRepresentatives(pool, distinct, page.candidates);
    for (const { docId } of pins) view.kernel.bitmaps.set(page.candidates, docId);
    return page;
  };
  const page = kept ?? sortedPage();
  return {
    documents: page.documents,
    candidates: page.candidates,
    isDegraded: page.isDegraded || query?.isPartial === true,
    terms: (deadlineMs = Number.POSITIVE_INFINITY) => [
      ...(query
        ? locatedTerms(
            query.terms,
            pool.withDeadline(deadlineMs, () => reachedTerms(docs, query, candidates)),
          )
        : []),
      ...(parsed ? locatedStopWords(parsed) : []),
    ],
    sort,
    pins,
  };
}

function sortingOf(
  request: RankingRequest,
  parts: Pick<BucketSortOptions, 'pool' | 'rules' | 'universe' | 'graph' | 'distinct'>,
): BucketSortOptions {
  return {
    ...parts,
    from: request.from,
    length: request.length,
    threshold: request.threshold,
    withDetails: request.withDetails,
    isExhaustive: request.threshold !== null && parts.distinct !== null,
  };
}

/** Keeps one document of each distinct value, the first in docid order. O(candidates). */
export function keepRepresentatives(pool: BitmapPool, distinct: DistinctField, candidates: Bitmap): void {
  const [firsts, excluded] = [pool.empty(), pool.empty()];
  distinct.markFirsts(candidates, firsts, excluded);
  pool.release(firsts);
  pool.kernel.bitmaps.andNot(candidates, excluded);
  pool.release(excluded);
}

/** @throws ApiError invalid_search_sort for a malformed entry; whether its field is sortable is not checked */
export function parsedSort(view: IndexView, sort: readonly string[]): readonly SortEntry[] {
  try {
    return parseSort(sort);
  } catch (error) {
    if (!(error instanceof SortError)) throw error;
    throw apiError('invalid_search_sort', 'malformed', view.uid, error.message);
  }
}

function checkedSort(view: IndexView, sort: readonly string[] | null): readonly SortEntry[] {
  if (!sort || sort.length === 0) return [];
  const { rankingRules, sortableAttributes } = view.settings;
  const entries = parsedSort(view, sort);
  for (const entry of entries) {
    const field = entry.kind === 'geo' ? '_geo' : entry.field;
    if (isSortableField(view.settings, field)) continue;
    const shown =
      sortableAttributes.length === 0
        ? 'This index has no sortable attributes.'
        : `Sortable attributes: \`${[...sortableAttributes].sort().join(', ')}\`.`;
    throw apiError('invalid_search_sort', 'notSortable', view.uid, field, shown);
  }
  if (!rankingRules.includes('sort')) throw apiError('invalid_search_sort', 'noSortRule', view.uid);
  return entries;
}

/** The field's duplicates, or null without one. @throws ApiError invalid_search_distinct when a requested field is not filterable */
export function distinctField(view: IndexView, requested: string | null): DistinctField | null {
  const field = requested ?? view.settings.distinctAttribute;
  if (field === null) return null;
  if (requested !== null && featuresOf(view.settings, requested)?.isFilterable !== true) {
    const patterns = rulePatterns(view.settings, 'filter');
    const shown =
      patterns.length === 0
        ? 'This index has no filterable attributes.'
        : `Filterable attributes: \`${patterns.join(', ')}\`.`;
    throw apiError('invalid_search_distinct', view.uid, requested, shown);
  }
  return createDistinct(view, field);
}

/** Possible languages of the query: the request's, else those of the rules that match a searched field. */
function queryLocales(
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
