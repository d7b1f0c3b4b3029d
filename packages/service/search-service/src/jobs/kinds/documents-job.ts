import { type IndexScope, indexAccess } from '@fossick/instance/access';
import { type DocumentsQuery, listDocumentBytes, type ShownFields } from '@fossick/search';
import { asBuffer } from '../../parts/as-buffer.js';
import { found, heavyIf, type JobKind, type JobWeight, type SizeOf } from './job.js';
import { isHeavyOn, isLongFilter, LIGHT_DOCUMENTS, LIGHT_FACET_DOCUMENTS } from './job-weights.js';

/** A page of documents: the answer as JSON. */
export interface DocumentsJob {
  readonly kind: 'documents';
  readonly indexUid: string;
  readonly scope: IndexScope;
  readonly query: DocumentsQuery;
  readonly shown: ShownFields;
}

export const DOCUMENTS: JobKind<DocumentsJob, Buffer> = {
  kind: 'documents',
  weigh: weightOfListing,
  run: (engine, { indexUid, query, shown, scope }) =>
    found(engine.withView(indexUid, (view) => asBuffer(listDocumentBytes(view, query, shown)), indexAccess(scope))),
};

/** The weight of a page of documents of one index. */
export function weightOfListing(
  {
    indexUid,
    query,
    shown,
  }: Pick<DocumentsJob, 'indexUid' | 'query'> & { readonly shown: Pick<ShownFields, 'fields'> },
  sizes: SizeOf,
): JobWeight {
  const size = sizes(indexUid);
  const { limit, ids, filter, sort } = query;
  const isLookedThrough = size.isLarge && (filter !== null || sort !== null);
  return heavyIf(
    isLookedThrough ||
      Math.min(limit, ids?.length ?? limit) > LIGHT_DOCUMENTS ||
      (ids?.length ?? 0) > LIGHT_DOCUMENTS ||
      (shown.fields?.length ?? 0) > LIGHT_DOCUMENTS ||
      isHeavyOn(size, ids === null ? limit : Math.min(limit, ids.length), { isSearch: false }) ||
      isLongFilter(filter, size) ||
      isLongSort(query, size.documentCount),
  );
}

/** Entries of a short page: each sorts the documents of the page again, while the first one only finds them. */
const LIGHT_SORT_ENTRIES = 3;

/** Whether sorting takes long although the index is small: a microsecond or two for each document and entry, but for a page at the start. */
function isLongSort({ sort, offset, limit }: DocumentsQuery, documentCount: number): boolean {
  if (sort === null) return false;
  const isShort = offset + limit <= LIGHT_DOCUMENTS && sort.length <= LIGHT_SORT_ENTRIES;
  return documentCount * (isShort ? 1 : sort.length) > LIGHT_FACET_DOCUMENTS;
}
