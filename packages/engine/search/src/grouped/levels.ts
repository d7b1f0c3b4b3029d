/** The member `facetLevels` of an answer. */
import { apiError } from '@fossick/base';
import { type FacetLevel, facetLevels, hierarchyOf } from '@fossick/columns';
import type { IndexView } from '@fossick/index';
import type { Bitmap } from '@fossick/kernel';
import { featuresOf } from '@fossick/settings';
import type { SearchRequest } from '@fossick/settings/parameters';

type Levels = NonNullable<SearchRequest['facetLevels']>;

/** @throws ApiError invalid_search_facet_levels */
export function checkLevels(view: IndexView, levels: Levels): void {
  for (const field of Object.keys(levels)) {
    if (featuresOf(view.settings, field)?.isFilterable !== true)
      throw apiError('invalid_search_facet_levels', 'notFilterable', view.uid, field);
    if (hierarchyOf(view.settings, field) === undefined)
      throw apiError('invalid_search_facet_levels', 'notHierarchical', view.uid, field);
  }
}

/** The steps of each attribute, which checkLevels accepts. */
export function levelsOf(
  view: IndexView,
  candidates: Bitmap,
  levels: Levels,
  untilMs: number,
): Record<string, FacetLevel[]> {
  const entries = Object.entries(levels).map(([field, { under }]) => [
    field,
    facetLevels(view, candidates, { field, hierarchy: hierarchyOf(view.settings, field)!, under }, untilMs),
  ]);
  return Object.fromEntries(entries) as Record<string, FacetLevel[]>;
}
