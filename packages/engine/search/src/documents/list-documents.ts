import { type DocId, MAX_ANSWER_BYTES } from '@fossick/base';
import { evaluateFilter } from '@fossick/columns';
import { pruneFields, Selectors, toJsonText } from '@fossick/documents';
import { readFilter } from '@fossick/filter';
import type { IndexView } from '@fossick/index';
import type { Bitmap } from '@fossick/kernel';
import { shownVectors } from '@fossick/vectors';
import { filterDeadlineMs } from '../request/search-cutoff.js';
import { AnswerWriter } from '../wire/answer-bytes.js';
import { readSort, sortWatch } from './sort-entries.js';
import { sortedDocuments } from './sorted-documents.js';

/** Which documents of an index to read. `null`: not given by the client. */
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
 * Reads stored documents in insertion order, or by `sort`. Throws ApiError invalid_document_filter and invalid_document_sort. O(documents / 8 + size of the
 * page).
 */
export function listDocuments(view: IndexView, query: DocumentsQuery): DocumentsPage {
  return withPage(view, query, (docIds, total) => ({
    documents: Array.from(docIds, (docId) => view.document(docId)).filter((document) => document !== undefined),
    total,
  }));
}

/** The shown parts of the documents of a listing. */
export interface ShownFields {
  /** Dotted names; null for all. */
  readonly fields: readonly string[] | null;
  /** Vectors in the form that the index's settings give; else none. */
  readonly retrieveVectors: boolean;
}

/**
 * The same as JSON in UTF-8: results, offset, limit, total. Documents are serialised one by one, so memory is that of the answer. The
 * bytes have a buffer of their own. @throws ApiError invalid_document_limit for more than MAX_ANSWER_BYTES
 */
export function listDocumentBytes(view: IndexView, query: DocumentsQuery, shown: ShownFields): Uint8Array {
  const make = documentTextMaker(view, shown);
  return withPage(view, query, (docIds, total) => {
    const shownMax = Math.max(0, Math.min(query.limit, total - query.offset));
    const writer = new AnswerWriter(shownMax, 'invalid_document_limit', MAX_ANSWER_BYTES, 'results');
    for (const docId of docIds) {
      const text = make(docId);
      if (text !== undefined) writer.add(text);
    }
    return writer.end(`],"offset":${query.offset},"limit":${query.limit},"total":${total}}`);
  });
}

function documentTextMaker(
  view: IndexView,
  { fields, retrieveVectors }: ShownFields,
): (docId: DocId) => string | undefined {
  const selection = fields === null || fields.includes('*') ? null : new Selectors(fields);
  if (selection === null && !retrieveVectors)
    return (docId) => view.documentText(docId) ?? textOf(view.document(docId), (document) => withoutVectors(document));
  return (docId) =>
    textOf(view.document(docId), (document) => {
      const rest = withoutVectors(document);
      const selected = selection === null ? rest : pruneFields(rest, selection);
      return retrieveVectors ? { ...selected, _vectors: shownVectors(document, view.settings) } : selected;
    });
}

function textOf(
  document: Record<string, unknown> | undefined,
  show: (document: Record<string, unknown>) => object,
): string | undefined {
  return document === undefined ? undefined : toJsonText(show(document));
}

/** `_vectors` is left out unless requested; then the settings decide its form, and it is always present. */
function withoutVectors({ _vectors: _hidden, ...rest }: Record<string, unknown>): Record<string, unknown> {
  return rest;
}

/** Runs `work` with the page's docids and the number of all documents found, and releases its kernel memory. */
function withPage<T>(view: IndexView, query: DocumentsQuery, work: (docIds: Iterable<DocId>, total: number) => T): T {
  const { kernel } = view;
  const mark = kernel.memory.mark();
  try {
    const found = matching(view, query);
    const sort = readSort(view, query.sort);
    const end = query.offset + query.limit;
    const docIds =
      sort.length === 0
        ? kernel.bitmaps.members(found, query.offset, query.limit)
        : sortedDocuments(view, found, sort, end, sortWatch(view)).subarray(query.offset);
    return work(docIds, kernel.bitmaps.count(found));
  } finally {
    kernel.memory.release(mark);
  }
}

function matching(view: IndexView, { ids, filter }: DocumentsQuery): Bitmap {
  const { kernel } = view;
  const parsed = readFilter(filter, 'invalid_document_filter');
  const found = kernel.bitmaps.copy(view.documents);
  if (parsed !== null) {
    const deadlineMs = filterDeadlineMs(view, performance.now());
    kernel.bitmaps.and(found, evaluateFilter(view, parsed, 'invalid_document_filter', deadlineMs, false));
  }
  if (ids === null) return found;
  const wanted = kernel.bitmaps.create(view.bitCount);
  for (const id of ids) {
    const docId = view.docIdOf(id);
    if (docId !== undefined) kernel.bitmaps.set(wanted, docId);
  }
  kernel.bitmaps.and(found, wanted);
  return found;
}
