import { toJsonText } from '@fossick/documents';
import type { IndexView } from '@fossick/index';
import { type IndexScope, indexAccess } from '@fossick/instance/access';
import { type DocumentsQuery, listDocumentBytes, type ShownFields, shownDocument } from '@fossick/search';
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
  place: placeOfRows,
  run: (engine, { indexUid, query, shown, scope }) =>
    found(engine.withView(indexUid, (view) => asBuffer(listDocumentBytes(view, query, shown)), indexAccess(scope))),
};

/** One document, by its id: the answer as JSON, null if there is none. */
export interface DocumentJob {
  readonly kind: 'document';
  readonly indexUid: string;
  readonly scope: IndexScope;
  readonly id: string;
  readonly shown: ShownFields;
}

export const DOCUMENT: JobKind<DocumentJob, Buffer | null> = {
  place: placeOfRows,
  run(engine, { indexUid, scope, id, shown }) {
    const read = (view: IndexView): Buffer | null => {
      const docId = view.docIdOf(id);
      const document = docId === undefined ? undefined : view.document(docId);
      if (document === undefined) return null;
      const settings = shown.retrieveVectors ? view.settings : null;
      return Buffer.from(toJsonText(shownDocument(document, shown.fields, settings)));
    };
    return found(engine.withView(indexUid, read, indexAccess(scope)));
  },
};
