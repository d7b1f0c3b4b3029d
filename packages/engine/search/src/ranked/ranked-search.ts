/** One search up to its ranked documents: validation, candidates, rules, bucket sort. */
import { apiError } from '@fossick/base';
import { createDistinct, type Distinct, evaluateFilter } from '@fossick/columns';
import { parseSort, readFilter, type SortEntry, SortError } from '@fossick/filter';
import type { IndexView } from '@fossick/index';
import type { Bitmap } from '@fossick/kernel';
import {
  featuresOf,
  isSortableField,
  type RankingRuleSetting,
  rankedFields,
  rulePatterns,
  scoredFields,
} from '@fossick/settings';
import type { LocatedTerm } from '../highlight/matching-terms.js';
import type { DistinctField, RankedPage } from '../ranking/bucket-sort.js';
import { BitmapPool } from '../ranking/terms/bitmap-pool.js';
import { fieldWeights, requestedWeights, restrictFields } from '../ranking/terms/field-scope.js';
import { filterDeadlineMs } from '../request/search-cutoff.js';
import { type PinnedDocument, type RuleEffects, ruleEffects } from '../search-rules/rule-effects.js';
import { namedPage, weightGroups } from '../search-rules/weight-groups.js';
import { withBlanks } from './blank-values.js';
import type { ExplainedRanking } from './explanation.js';
import { Ranker } from './ranker.js';
import type { RankingRequest } from './ranking-request.js';

const NO_EFFECTS: RuleEffects = { pins: [], scales: [] };

export interface RankedSearch extends RankedPage {
  /** Terms for the formatter, found on demand, before the caller releases scratch; none in placeholder searches. */
  readonly terms: (deadlineMs?: number) => readonly LocatedTerm[];
  readonly sort: readonly SortEntry[];
  /** All documents that satisfy the filter, for a request that counts them, else the candidates. */
  readonly matching: Bitmap;
  /** Pinned documents: they are candidates, but not in `documents`. */
  readonly pins: readonly PinnedDocument[];
  /** What was done, for a request that is explained, before the caller releases scratch. */
  readonly explain: (deadlineMs: number) => ExplainedRanking;
}

/**
 * Ranks the documents of a view. All memory is in the kernel's scratch region: the caller marks and releases. `kept`: the
 * ranking of the same request on the same view, which is not made again.
 * @throws ApiError for an invalid filter, sort, distinct or attributesToSearchOn, and for parameters that contradict the settings
 */
export function rankDocuments(view: IndexView, request: RankingRequest, kept: RankedPage | null = null): RankedSearch {
  const startedMs = request.startedMs ?? performance.now();
  // Errors of a request are reported in this order.
  const filter = readFilter(request.filter, 'invalid_search_filter');
  const plainFields = fieldWeights(view);
  const { attributeWeights } = request;
  const fields = attributeWeights === null ? plainFields : requestedWeights(view, attributeWeights, plainFields);
  const restricted = restrictFields(view, request.attributesToSearchOn, fields);
  const distinct = distinctOf(view, request);
  // an earlier query of a federated search, or the words of a hybrid one, may have used up the time of the ranking
  const filterUntilMs = (): number => filterDeadlineMs(view, performance.now());
  const found = (): Bitmap =>
    filter === null
      ? view.documents
      : evaluateFilter(view, filter, 'invalid_search_filter', filterUntilMs(), request.namesIndex);
  const universe = request.within ?? found();
  const rankingRules = rulesInUse(view, request.rankingRules);
  const sort = checkedSort(view, request.sort, rankingRules);
  const pool = new BitmapPool(view.kernel, view.bitCount);
  const ranker = new Ranker(view, request, {
    startedMs,
    pool,
    restricted,
    fields: restricted?.fields ?? fields,
    rankingRules,
    sort,
    distinct,
  });
  const candidates = pool.copyOf(universe);
  const ruleBook = request.ruleBook ?? null;
  const scope = { universe, untilMs: filterUntilMs() };
  const { pins, scales } =
    ruleBook === null ? NO_EFFECTS : ruleEffects(view, ruleBook, { q: request.q, filter }, scope);
  for (const { docId } of pins) view.kernel.bitmaps.unset(candidates, docId);
  const all = { weight: 1, docs: candidates };
  const groups =
    ruleBook === null || scales.length === 0 ? [all] : weightGroups(pool, candidates, scales, ruleBook.limits.weights);
  const matching = request.countsAll === true ? pool.empty() : null;
  if (matching !== null) for (const { docs } of groups) view.kernel.bitmaps.or(matching, docs);
  const queries = groups.flatMap((group) => ranker.prepare(group, scales.length === 0));
  const ranked = kept ?? ranker.rank(queries);
  const page = kept !== null || scales.length === 0 ? ranked : namedPage(pool, scales, ranked);
  for (const { docId } of pins) {
    if (kept === null) view.kernel.bitmaps.set(page.candidates, docId);
    if (matching !== null) view.kernel.bitmaps.set(matching, docId);
  }
  return {
    documents: page.documents,
    candidates: page.candidates,
    isDegraded: page.isDegraded || queries.some(({ query }) => query?.isPartial === true),
    terms: (deadlineMs = Number.POSITIVE_INFINITY) => queries.flatMap((query) => ranker.termsOf(query, deadlineMs)),
    sort,
    matching: matching ?? page.candidates,
    pins,
    explain: (deadlineMs) => ({
      filtered: view.kernel.bitmaps.count(universe),
      queries: queries.map((query) => ranker.explain(query, deadlineMs)),
    }),
  };
}

/** What leaves out duplicates of a request. @throws ApiError as distinctField */
export const distinctOf = (
  view: IndexView,
  { distinct, distinctBy, exactDistinct }: Pick<RankingRequest, 'distinct' | 'distinctBy' | 'exactDistinct'>,
): DistinctField | null => {
  if (distinctBy !== undefined) return distinctBy;
  const field = distinctField(view, distinct);
  return field !== null && distinct !== null && exactDistinct === true ? withBlanks(view, field) : field;
};

/** @throws ApiError invalid_search_sort for a malformed entry; whether its field is sortable is not checked */
export function parsedSort(view: IndexView, sort: readonly string[]): readonly SortEntry[] {
  try {
    return parseSort(sort);
  } catch (error) {
    if (!(error instanceof SortError)) throw error;
    throw apiError('invalid_search_sort', 'malformed', view.uid, error.message);
  }
}

/**
 * The ranking rules of the request, else those of the setting. Fields of a request have to be sortable, or in the rules of the setting.
 * @throws ApiError invalid_search_ranking_rules
 */
export function rulesInUse(
  view: IndexView,
  requested: readonly RankingRuleSetting[] | null,
): readonly RankingRuleSetting[] {
  const { settings } = view;
  if (requested === null) return settings.rankingRules;
  const isStored = (field: string): boolean =>
    isSortableField(settings, field) ||
    rankedFields(settings.rankingRules).has(field) ||
    scoredFields(settings.rankingRules).has(field);
  for (const field of [...rankedFields(requested).keys(), ...scoredFields(requested)])
    if (!isStored(field)) throw apiError('invalid_search_ranking_rules', view.uid, field, sortableOf(view));
  return requested;
}

/** What error messages list. */
const sortableOf = ({ settings }: IndexView): string[] => [...settings.sortableAttributes].sort();

function checkedSort(
  view: IndexView,
  sort: readonly string[] | null,
  rankingRules: readonly RankingRuleSetting[],
): readonly SortEntry[] {
  if (!sort || sort.length === 0) return [];
  const entries = parsedSort(view, sort);
  for (const entry of entries) {
    const field = entry.kind === 'geo' ? '_geo' : entry.field;
    if (isSortableField(view.settings, field)) continue;
    throw apiError('invalid_search_sort', 'notSortable', view.uid, field, sortableOf(view));
  }
  if (!rankingRules.includes('sort')) throw apiError('invalid_search_sort', 'noSortRule', view.uid);
  return entries;
}

/** The field's duplicates, or null without one. @throws ApiError invalid_search_distinct when a requested field is not filterable */
export function distinctField(view: IndexView, requested: string | null): Distinct | null {
  const field = requested ?? view.settings.distinctAttribute;
  if (field === null) return null;
  if (requested !== null && featuresOf(view.settings, requested)?.isFilterable !== true)
    throw apiError('invalid_search_distinct', view.uid, requested, rulePatterns(view.settings, 'filter'));
  return createDistinct(view, field);
}
