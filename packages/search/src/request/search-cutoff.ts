/** Until when the parts of a search may go on. All times are of the clock of performance.now(). */

import { CANDIDATES_MIN_MS, DEFAULT_SEARCH_CUTOFF_MS, FILTER_MIN_MS, FORMAT_MIN_MS } from '@fossick/query';
import type { IndexView } from '@fossick/views';

type WithSettings = Pick<IndexView, 'settings'>;

/** Milliseconds after which the ranking gives out what it has. */
export function searchCutoffMs({ settings }: WithSettings): number {
  return settings.searchCutoffMs ?? DEFAULT_SEARCH_CUTOFF_MS;
}

/** When a filter has to be evaluated, or facets counted, in what began at `startedMs`. */
export function filterDeadlineMs(view: WithSettings, startedMs: number): number {
  return startedMs + Math.max(searchCutoffMs(view), FILTER_MIN_MS);
}

/** Until when documents are looked for that match the query of a search that began at `startedMs`; it goes on with those found by then. */
export function candidatesDeadlineMs(view: WithSettings, startedMs: number): number {
  return startedMs + Math.max(searchCutoffMs(view), CANDIDATES_MIN_MS);
}

/** Until when texts are highlighted and cropped in a search that began at `startedMs` and formats from `nowMs` on. */
export function formatDeadlineMs(view: WithSettings, startedMs: number, nowMs: number): number {
  return Math.max(startedMs + searchCutoffMs(view), nowMs + FORMAT_MIN_MS);
}
