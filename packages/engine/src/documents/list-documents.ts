import { ApiError, type ErrorCode } from '@fossick/base';
import { FilterError, parseFilter, parseSort, type SortEntry, SortError } from '@fossick/filter';
import type { Ptr } from '@fossick/kernel';
import { createSorter, evaluateFilter, isSortableField } from '../facets/index.js';
import { filterDeadlineMs } from '../search/search-cutoff.js';
import type { IndexView } from '../view/index-view.js';

/** Which documents of an index to read (spec 01 section 2.2). `null` where the client said nothing. */
export interface DocumentsQuery {
  readonly offset: number;
  readonly limit: number;
  readonly ids: readonly string[] | null;
  readonly filter: unknown;
  readonly sort: readonly string[] | null;
}
export interface DocumentsPage {
  readonly documents: readonly Record<string, unknown>[];
  /** Documents that satisfy ids and filter. */
  readonly total: number;
}

/**
 * Reads stored documents in insertion order, or by `sort`. Throws ApiError invalid_document_filter and invalid_document_sort. O(documents / 8) plus what the
 * page holds.
 */
export function listDocuments(view: IndexView, query: DocumentsQuery): DocumentsPage {
  const { kernel } = view;
  const mark = kernel.mark();
  try {
    const found = matching(view, query);
    const sort = checkedSort(view, query.sort);
    const end = query.offset + query.limit;
    const docIds =
      sort.length === 0
        ? [...kernel.members(found, query.offset, query.limit)]
        : sorted(view, found, sort, 0, end).slice(query.offset);
    const documents = docIds.map((docId) => view.document(docId)).filter((document) => document !== undefined);
    return { documents, total: kernel.count(found) };
  } finally {
    kernel.release(mark);
  }
}

function matching(view: IndexView, { ids, filter }: DocumentsQuery): Ptr {
  const { kernel } = view;
  const parsed = parsedFilter(filter);
  const found = kernel.copyOf(view.documents);
  if (parsed !== null) {
    const deadlineMs = filterDeadlineMs(view, performance.now());
    kernel.and(found, evaluateFilter(view, parsed, 'invalid_document_filter', deadlineMs, false));
  }
  if (ids === null) return found;
  const wanted = kernel.bitmap(view.bitCount);
  for (const id of ids) {
    const docId = view.docIdOf(id);
    if (docId !== undefined) kernel.set(wanted, docId);
  }
  kernel.and(found, wanted);
  return found;
}

/** The filter as a tree; throws ApiError `code` when it is malformed. */
export function parsedFilter(
  filter: unknown,
  code: ErrorCode = 'invalid_document_filter',
): ReturnType<typeof parseFilter> {
  try {
    return parseFilter(filter);
  } catch (error) {
    if (error instanceof FilterError) throw new ApiError(code, error.message);
    throw error;
  }
}

function checkedSort(view: IndexView, sort: readonly string[] | null): readonly SortEntry[] {
  if (sort === null || sort.length === 0) return [];
  let entries: readonly SortEntry[];
  try {
    entries = parseSort(sort);
  } catch (error) {
    if (error instanceof SortError) throw new ApiError('invalid_document_sort', error.message);
    throw error;
  }
  for (const entry of entries) {
    const field = entry.kind === 'geo' ? '_geo' : entry.field;
    if (isSortableField(view.settings, field)) continue;
    const known = view.settings.sortableAttributes.map((name) => `\`${name}\``).join(', ') || 'none';
    throw new ApiError(
      'invalid_document_sort',
      `Attribute \`${field}\` is not sortable. Sortable attributes: ${known}.`,
    );
  }
  return entries;
}

/** The first `limit` documents of the universe in the order of the entries from `at` on. */
function sorted(view: IndexView, universe: Ptr, entries: readonly SortEntry[], at: number, limit: number): number[] {
  const { kernel } = view;
  const entry = entries[at];
  if (entry === undefined) return [...kernel.members(universe, 0, limit)];
  const cursor = createSorter(view, entry);
  const left = kernel.copyOf(universe);
  const docIds: number[] = [];
  while (docIds.length < limit) {
    const step = cursor.next(left);
    if (step === null) break;
    kernel.andNot(left, step.bucket);
    docIds.push(...sorted(view, step.bucket, entries, at + 1, limit - docIds.length));
  }
  return docIds;
}
