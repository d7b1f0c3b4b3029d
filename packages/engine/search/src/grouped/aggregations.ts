/** The member `aggregations` of an answer. */
import { apiError, isPast, MAX_AGGREGATION_BUCKETS, MAX_AGGREGATION_GROUPS } from '@fossick/base';
import { type FacetLevel, facetLevels, hierarchyOf, numberSummary, ValueDocs } from '@fossick/columns';
import type { IndexView } from '@fossick/index';
import type { Bitmap } from '@fossick/kernel';
import { featuresOf, rulePatterns } from '@fossick/settings';
import { type Aggregation, type SearchRequest, STATS, type Stat } from '@fossick/settings/parameters';
import type { AggregationAnswer, ComputedNumbers } from '../request/answer-parts.js';
import type { SearchResponse } from '../request/search-response.js';
import type { Stages } from '../request/stage-clock.js';

export type Aggregations = Readonly<Record<string, Aggregation>>;

/** @throws ApiError invalid_search_aggregations for an attribute that is not filterable */
function checkAggregations(view: IndexView, aggregations: Aggregations): void {
  for (const [field, { by }] of Object.entries(aggregations))
    for (const name of by === null ? [field] : [field, by])
      if (featuresOf(view.settings, name)?.isFilterable !== true) {
        const patterns = rulePatterns(view.settings, 'filter');
        throw apiError('invalid_search_aggregations', 'notFilterable', view.uid, name, patterns);
      }
}

/**
 * Computes from the candidates. After the deadline groups are left out. O(different numbers), and with `by` for each group, whose values
 * are counted once for all fields.
 * @throws ApiError invalid_search_aggregations for a histogram with too many buckets
 */
function aggregationsOf(
  view: IndexView,
  candidates: Bitmap,
  aggregations: Aggregations,
  deadlineMs: number,
): Record<string, AggregationAnswer> {
  const entries = Object.entries(aggregations);
  const limit = Math.min(view.settings.faceting.maxValuesPerFacet, MAX_AGGREGATION_GROUPS);
  const known = new Map<string, ValueGroups>();
  const groupsBy = (by: string): ValueGroups => {
    let groups = known.get(by);
    if (groups === undefined) {
      const values = new ValueDocs(view, by);
      groups = { values, most: isPast(deadlineMs) ? [] : values.mostCounted(candidates, limit) };
      known.set(by, groups);
    }
    return groups;
  };
  return Object.fromEntries(
    entries.map(([field, aggregation]) => [
      field,
      new FieldAggregation(view, field, aggregation).of(candidates, groupsBy, deadlineMs),
    ]),
  );
}

/** The values of a field that most candidates have. */
interface ValueGroups {
  readonly values: ValueDocs;
  readonly most: ReturnType<ValueDocs['mostCounted']>;
}
type GroupsBy = (field: string) => ValueGroups;

class FieldAggregation {
  private readonly view: IndexView;
  private readonly field: string;
  private readonly wanted: Aggregation;
  private bucketsLeft = MAX_AGGREGATION_BUCKETS;

  constructor(view: IndexView, field: string, wanted: Aggregation) {
    this.view = view;
    this.field = field;
    this.wanted = wanted;
  }

  of(candidates: Bitmap, groupsBy: GroupsBy, deadlineMs: number): AggregationAnswer {
    const { by } = this.wanted;
    const whole = this.computed(candidates);
    return by === null ? whole : { ...whole, groups: this.groups(groupsBy(by), candidates, deadlineMs) };
  }

  private groups(
    { values, most }: ValueGroups,
    candidates: Bitmap,
    deadlineMs: number,
  ): NonNullable<AggregationAnswer['groups']> {
    const { kernel, bitCount } = this.view;
    const groups = [];
    for (const { value, count } of most) {
      if (isPast(deadlineMs)) break;
      const mark = kernel.memory.mark();
      const docs = kernel.bitmaps.create(bitCount);
      values.addDocs(value, docs);
      kernel.bitmaps.and(docs, candidates);
      groups.push({ value: values.shown(value, docs), documentCount: count, ...this.computed(docs) });
      kernel.memory.release(mark);
    }
    return groups;
  }

  private computed(docs: Bitmap): ComputedNumbers {
    const { view, field, wanted } = this;
    const { stats, histogram } = numberSummary(view, docs, field, wanted.histogram, this.bucketsLeft);
    if (histogram === null)
      throw apiError('invalid_search_aggregations', 'tooManyBuckets', view.uid, field, MAX_AGGREGATION_BUCKETS);
    this.bucketsLeft -= histogram.length;
    const names: readonly Stat[] = wanted.stats ?? (wanted.histogram === null ? STATS : []);
    return {
      ...(names.length === 0 ? {} : { stats: Object.fromEntries(names.map((name) => [name, stats[name]])) }),
      ...(wanted.histogram === null ? {} : { histogram }),
    };
  }
}

/** `facetLevels` and `aggregations`, where they are requested. @throws ApiError as aggregationsOf */
export function computedMembers(
  view: IndexView,
  { aggregations, facetLevels }: SearchRequest,
  candidates: Bitmap,
  clock: Stages,
  untilMs: number,
): Pick<SearchResponse, 'aggregations' | 'facetLevels'> {
  return clock.time('aggregations', () => ({
    ...(facetLevels === null ? {} : { facetLevels: levelsOf(view, candidates, facetLevels, untilMs) }),
    ...(aggregations === null ? {} : { aggregations: aggregationsOf(view, candidates, aggregations, untilMs) }),
  }));
}

/** Before the search is ranked. @throws ApiError invalid_search_facet_levels, invalid_search_aggregations */
export function checkComputed(view: IndexView, { aggregations, facetLevels }: SearchRequest): void {
  if (facetLevels !== null) checkLevels(view, facetLevels);
  if (aggregations !== null) checkAggregations(view, aggregations);
}

type Levels = NonNullable<SearchRequest['facetLevels']>;

/** @throws ApiError invalid_search_facet_levels */
function checkLevels(view: IndexView, levels: Levels): void {
  for (const field of Object.keys(levels)) {
    if (featuresOf(view.settings, field)?.isFilterable !== true)
      throw apiError('invalid_search_facet_levels', 'notFilterable', view.uid, field);
    if (hierarchyOf(view.settings, field) === undefined)
      throw apiError('invalid_search_facet_levels', 'notHierarchical', view.uid, field);
  }
}

/** The steps of each attribute, which checkLevels accepts. */
function levelsOf(view: IndexView, candidates: Bitmap, levels: Levels, untilMs: number): Record<string, FacetLevel[]> {
  const entries = Object.entries(levels).map(([field, { under }]) => [
    field,
    facetLevels(view, candidates, { field, hierarchy: hierarchyOf(view.settings, field)!, under }, untilMs),
  ]);
  return Object.fromEntries(entries) as Record<string, FacetLevel[]>;
}
