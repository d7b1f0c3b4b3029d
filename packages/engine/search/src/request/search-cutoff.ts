/** Deadlines of the parts of a search, on the clock of performance.now(). */

import type { IndexView } from '@fossick/index';
import { CANDIDATES_MIN_MS, DEFAULT_SEARCH_CUTOFF_MS, FILTER_MIN_MS, FORMAT_MIN_MS } from '../query/search-limits.js';

type WithSettings = Pick<IndexView, 'settings'>;

/** When the ranking of a search that began at `startedMs` stops and returns what it has. */
export function rankingDeadlineMs(view: WithSettings, startedMs: number): number {
  return startedMs + cutoffMs(view);
}
const cutoffMs = ({ settings }: WithSettings): number => settings.searchCutoffMs ?? DEFAULT_SEARCH_CUTOFF_MS;

/** Deadline for evaluating a filter, or counting facets, in a search that began at `startedMs`. */
export function filterDeadlineMs(view: WithSettings, startedMs: number): number {
  return startedMs + Math.max(cutoffMs(view), FILTER_MIN_MS);
}

/** Deadline for matching documents in a search that began at `startedMs`; ranking continues with those found by then. */
export function candidatesDeadlineMs(view: WithSettings, startedMs: number): number {
  return startedMs + Math.max(cutoffMs(view), CANDIDATES_MIN_MS);
}

/** Deadline for highlighting and cropping in a search that began at `startedMs` and starts formatting at `nowMs`. */
export function formatDeadlineMs(view: WithSettings, startedMs: number, nowMs: number): number {
  return Math.max(startedMs + cutoffMs(view), nowMs + FORMAT_MIN_MS);
}
