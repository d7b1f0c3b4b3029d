/** Documents without a search. Readers of static indexes load this module with the first call that needs it. */
import { FETCH_BODY, readFields } from '@fossick/api/requests';
import { DEFAULT_PAGE_LIMIT } from '@fossick/base';
import { toJsonText } from '@fossick/documents';
import { WHOLE_ACCESS } from '@fossick/index/memory';
import { listDocumentBytes, shownDocument } from '@fossick/search';
import type { AnswerContext } from './answers.js';

/** Answers POST /indexes/{uid}/documents/fetch, as JSON bytes. @throws ApiError */
export function documentsPage({ engine }: AnswerContext, uid: string, body: object): Uint8Array {
  const {
    offset,
    limit,
    ids = null,
    filter = null,
    sort = null,
    fields = null,
    ...others
  } = readFields(body, FETCH_BODY);
  const wanted = { offset: offset ?? 0, limit: limit ?? DEFAULT_PAGE_LIMIT, ids, filter, sort };
  const shown = { fields, retrieveVectors: others.retrieveVectors === true };
  return engine.withView(uid, (view) => listDocumentBytes(view, wanted, shown), WHOLE_ACCESS);
}

/** One document as JSON text; undefined when there is none with that id. */
export function documentText({ engine }: AnswerContext, uid: string, id: string): string | undefined {
  const document = engine.withView(uid, (view) => {
    const docId = view.docIdOf(id);
    return docId === undefined ? undefined : view.document(docId);
  });
  return document && toJsonText(shownDocument(document, null, null));
}
