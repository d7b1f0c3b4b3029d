import { type IndexScope, indexAccess } from '@fossick/instance/access';
import { type DocumentsQuery, listDocumentBytes, type ShownFields } from '@fossick/search';
import { asBuffer } from '../../parts/as-buffer.js';
import { found, type JobKind, placeOfRows } from './job.js';

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
  place: placeOfRows,
  run: (engine, { indexUid, query, shown, scope }) =>
    found(engine.withView(indexUid, (view) => asBuffer(listDocumentBytes(view, query, shown)), indexAccess(scope))),
};
