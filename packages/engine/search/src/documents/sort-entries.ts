/** The `sort` of a listing of documents: what it may say, and how long it may take. */

import { ApiError, apiError, foreignText, isPast, MAX_DOCUMENT_SORT_ENTRIES, MAX_VIEW_MS } from '@fossick/base';
import { parseSort, type SortEntry, SortError } from '@fossick/filter';
import type { IndexView } from '@fossick/index';
import { isSortableField } from '@fossick/settings';
import { filterDeadlineMs } from '../request/search-cutoff.js';

/**
 * The least time in milliseconds for sorting, however short the cutoff of searches is: an order that is only partly known would be wrong. Putting all of
 * a million documents in an order takes two seconds by fields, and seven by distance; the first time, when the values are read, it takes longer.
 */
const SORT_MIN_MS = 10_000;
/** The most, so that the request ends with this error before its view does with one of the server. */
const SORT_MAX_MS = MAX_VIEW_MS / 2;

/** The entries of `sort`, repeated ones left out. Throws ApiError invalid_document_sort. */
export function readSort(view: Pick<IndexView, 'settings'>, sort: readonly string[] | null): readonly SortEntry[] {
  if (sort === null || sort.length === 0) return [];
  const entries = distinctEntries(parsed(sort));
  if (entries.length > MAX_DOCUMENT_SORT_ENTRIES)
    throw apiError('invalid_document_sort', 'tooManyEntries', entries.length, MAX_DOCUMENT_SORT_ENTRIES);
  for (const entry of entries) {
    const field = entry.kind === 'geo' ? '_geo' : entry.field;
    if (isSortableField(view.settings, field)) continue;
    throw apiError('invalid_document_sort', 'notSortable', field, view.settings.sortableAttributes);
  }
  return entries;
}

/**
 * The entries that may decide something: a repeated one finds only documents that it cannot tell apart. The same field in the other direction
 * may still decide, between documents with several values; the same point may not, as documents of one bucket count as equally far from it.
 */
export function distinctEntries(entries: readonly SortEntry[]): readonly SortEntry[] {
  const byKey = new Map<string, SortEntry>();
  for (const entry of entries) {
    const key = entry.kind === 'geo' ? `geo ${entry.lat},${entry.lng}` : `${entry.direction} ${entry.field}`;
    if (!byKey.has(key)) byKey.set(key, entry);
  }
  return [...byKey.values()];
}

/** Looks at the clock: throws ApiError invalid_document_sort when sorting that begins now has taken too long. */
export function sortWatch(view: Pick<IndexView, 'settings'>): () => void {
  const mostMs = Math.min(Math.max(filterDeadlineMs(view, 0), SORT_MIN_MS), SORT_MAX_MS);
  const deadlineMs = performance.now() + mostMs;
  return () => {
    if (isPast(deadlineMs)) throw apiError('invalid_document_sort', 'tooSlow', Math.floor(mostMs / 1_000));
  };
}

function parsed(sort: readonly string[]): readonly SortEntry[] {
  try {
    return parseSort(sort);
  } catch (error) {
    if (error instanceof SortError) throw new ApiError('invalid_document_sort', foreignText(error.message));
    throw error;
  }
}
